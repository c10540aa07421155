"""The keys of an arm file: what each means, its unit and its range.

The ranges hold from a finger to a crane, and are narrow enough to ask about millimetres and
degrees.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.errors import BadInput, check_range

_WORDS = {"pi/2": math.pi / 2, "-pi/2": -math.pi / 2, "pi": math.pi, "-pi": -math.pi}
JsonSchema = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """What may stand at a key.

    ``form`` is number, point, joints (one number or one a joint), or another word.
    """

    meaning: str
    unit: str = ""
    low: float = 0.0
    high: float = math.inf
    above: bool = False  # whether ``low`` itself is left out
    endless: bool = False  # whether .inf is a number
    form: str = "number"

    def number(self, value: Any, where: str) -> float:
        """The value as a number in the range, else ``BadInput``.

        Pi/2, -pi/2, pi and -pi are numbers too.
        """
        try:
            number = math.nan if isinstance(value, bool) else float(_WORDS.get(value, value))
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isnan(number) or (math.isinf(number) and not self.endless):
            raise BadInput("a number is needed", where=where, found=value)
        if math.isinf(number) and number > 0:
            return number
        return check_range(number, self.low, self.high, self.unit, above=self.above, where=where)

    def numbers(self, value: Any, n: int, where: str) -> np.ndarray:
        """The value as (n,) numbers, of a list, or of one number for all; else ``BadInput``."""
        values = value if isinstance(value, (list, tuple)) else [value] * n
        if len(values) != n:
            raise BadInput(
                "wrong number of values", where=where, found=value, allowed=f"{n} numbers"
            )
        return np.array([self.number(v, where) for v in values])

    @property
    def schema(self) -> JsonSchema:
        """The JSON Schema of the value."""
        lowest = "exclusiveMinimum" if self.above else "minimum"
        number: JsonSchema = {
            "anyOf": [{"type": "number", lowest: self.low}, {"enum": list(_WORDS)}]
        }
        if math.isfinite(self.high):
            number["anyOf"][0]["maximum"] = self.high
        many = {"type": "array", "items": number}
        point = {**many, "minItems": 3, "maxItems": 3}
        forms = {
            "number": number, "point": point, "text": {"type": "string"}, "link": {"type": "integer", "minimum": 0},
            "joints": {"anyOf": [number, many]}, "format": {"const": 1}, "fit": {"type": "object"},
            "pairs": {"anyOf": [number, many, {"type": "array", "items": {**many, "minItems": 2, "maxItems": 2}}]},
            "tensor": {"anyOf": [{"const": 0}, {**point, "items": point}, {"type": "object"}]},
        }  # fmt: skip
        unit = f" [{self.unit}]" if self.unit else ""
        return {**forms[self.form], "description": self.meaning + unit}


def _length(meaning: str, form: str = "number") -> Entry:
    return Entry(meaning, "m", -10.0, 10.0, form=form)


def _angle(meaning: str) -> Entry:
    return Entry(meaning, "rad", -2 * math.pi, 2 * math.pi)


SOURCE = Entry("where the numbers come from", form="text")
JOINT = {
    "name": Entry("of the joint in logs", form="text"),
    "theta": _angle("added to the joint angle"),
    "d": _length("along the joint's axis to the next x axis"),
    "a": _length("along that x axis to the next joint's axis"),
    "alpha": _angle("about that x axis to the next joint's axis"),
    "source": SOURCE,
}
FRICTION = {
    "coulomb": Entry("friction at any speed", "N·m", 0.0, 1e5),
    "viscous": Entry("friction for each speed", "N·m·s/rad", 0.0, 1e5),
    "breakaway": Entry(
        "torque at which the joint begins to turn, `coulomb` at least", "N·m", 0.0, 1e6
    ),
    "stribeck_speed": Entry(
        "over which the breakaway torque fades", "rad/s", 0.0, 60.0, above=True
    ),
    "presliding": Entry(
        "stiffness of the gears before they slip; `.inf`: ideal",
        "N·m/rad",
        0.0,
        1e12,
        above=True,
        endless=True,
    ),
}
LINK = {
    "mass": Entry("of the link", "kg", 0.0, 1e5),
    "center_of_mass": _length("in the link's own frame, the one behind it", "point"),
    "inertia": Entry(
        "about the centre of mass, in axes of that frame; 0: none",
        "kg·m²",
        -1e6,
        1e6,
        form="tensor",
    ),
    "rotor_inertia": Entry("of the motor's rotor, at the joint", "kg·m²", 0.0, 1e5),
    "friction": Entry("of the joint", form="friction"),
    "dynamics_a": _length(
        "in the place of `a` for the equations of motion, where a source printed another"
    ),
    "dynamics_d": _length("the same for `d`"),
    "source": SOURCE,
}
LIMITS = {
    "position": Entry(
        "how far each joint turns: ± one number, or [lowest, highest]",
        "rad",
        -60.0,
        60.0,
        endless=True,
        form="pairs",
    ),
    "speed": Entry("of each joint", "rad/s", 0.0, 60.0, above=True, endless=True, form="joints"),
    "torque": Entry("of each joint", "N·m", 0.0, 1e7, above=True, endless=True, form="joints"),
    "source": SOURCE,
}
CAPSULE = {
    "link": Entry("that it belongs to; 0: the base", form="link"),
    "start": _length("one end of its axis, in the link's frame", "point"),
    "end": _length("the other end", "point"),
    "radius": Entry("of the capsule", "m", 0.0, 3.0, above=True),
    "source": SOURCE,
}
TOP = {
    "format": Entry("version of the layout", form="format"),
    "description": Entry("what the arm is", form="text"),
    "source": SOURCE,
    "joints": Entry("a row each, from the base on", form="joint rows"),
    "links": Entry("a row each, as many as joints", form="link rows"),
    "limits": Entry("of the joints", form="limits"),
    "capsules": Entry("outline of the links, for contact and pictures; none given: slim ones", form="capsules"),
    "fit": Entry("quality of a fit, kept and not read", form="fit"),
}  # fmt: skip
REQUIRED = {
    "joint": ("d", "a", "alpha", "source"), "link": ("mass", "center_of_mass", "source"), "limits": ("source",),
    "capsule": ("link", "start", "end", "radius"), "top": ("joints", "links"), "friction": (),
}  # fmt: skip


def arm_schema() -> JsonSchema:
    """The JSON Schema (draft 2020-12) of an arm file, for editors."""
    link = _mapping(LINK, "link", {"friction": _mapping(FRICTION, "friction")})
    forms = {
        "joint rows": _mapping(JOINT, "joint"),
        "link rows": link,
        "capsules": _mapping(CAPSULE, "capsule"),
    }
    rows = {form: {"type": "array", "items": row} for form, row in forms.items()}
    whole = _mapping(TOP, "top", {**rows, "limits": _mapping(LIMITS, "limits")})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hopfield-nav arm",
        **whole,
    }


def _mapping(
    entries: dict[str, Entry], name: str, inner: dict[str, JsonSchema] | None = None
) -> JsonSchema:
    """The JSON Schema of a mapping with these keys.

    ``inner`` has that of forms which are mappings or rows.
    """
    given = inner or {}
    keys = {
        key: {**given[e.form], "description": e.meaning} if e.form in given else e.schema
        for key, e in entries.items()
    }
    return {
        "type": "object",
        "properties": keys,
        "required": list(REQUIRED[name]),
        "additionalProperties": False,
    }
