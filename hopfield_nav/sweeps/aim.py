"""What a sweep is to find: the setting with the least of a quantity while others keep to conditions.

``aim: {least: peak_contact_force_N, while: {reached: ">= 0.95", simulated_time_s: "<= 1.1 least"}}``
"""

import math
import operator
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dynamics import BadInput, nearest_name
from hopfield_nav.record import SUMMARY

REACHED = "reached"  # the share of a setting's runs that arrive, and not through an obstacle
SHAPE = "{least: QUANTITY, while: {QUANTITY: '<= 0'}}"
_FORMS = "'<= 0', '>= 0.95', '<= 1.1 least', with <, <=, > or >="
_TESTS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?"
_CONDITION = re.compile(rf"\s*(<=|>=|<|>)\s*({_NUMBER})?\s*(least)?\s*")
SCHEMA = {
    "type": "object",
    "properties": {
        "least": {"type": "string"},
        "while": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["least"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Condition:
    """What the mean of a quantity over a setting's runs must keep to."""

    quantity: str
    sign: str  # <, <=, > or >=
    number: float
    of_least: bool  # whether the number multiplies the smallest mean of the settings that keep all else

    def keeps(self, mean: Any, least: float) -> Any:
        """Whether means, numbers or arrays, keep to it; what is NaN does not."""
        return _TESTS[self.sign](mean, self.number * least if self.of_least else self.number)

    def __str__(self) -> str:
        """As in a sweep file."""
        return f"{self.quantity} {self.sign} {self.number:g}{' least' if self.of_least else ''}"


@dataclass(frozen=True)
class Aim:
    """The least of a quantity, and what holds meanwhile."""

    least: str
    conditions: tuple[Condition, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The quantities that it names, each once."""
        return tuple(dict.fromkeys([self.least, *(condition.quantity for condition in self.conditions)]))

    def __str__(self) -> str:
        """In words."""
        return f"least {self.least}" + (f" while {', '.join(map(str, self.conditions))}" if self.conditions else "")


def read_aim(spec: object) -> Aim | None:
    """The aim of a sweep file; a name alone is what shall be least.

    Raises ``BadInput``: it has another form; ``where`` is the key inside it.
    """
    if spec is None or isinstance(spec, Aim):
        return spec
    spec = {"least": spec} if isinstance(spec, str) else spec
    if not isinstance(spec, dict):
        raise BadInput("no aim", found=spec, allowed=SHAPE)
    for key in spec:
        if key not in ("least", "while"):
            nearest = nearest_name(str(key), ("least", "while"))
            raise BadInput("unknown key", where=str(key), found=key, allowed="least, while", nearest=nearest)
    if not isinstance(spec.get("least"), str):
        raise BadInput("a quantity is missing", where="least", found=spec.get("least"), allowed=SHAPE)
    given = spec.get("while") or {}
    if not isinstance(given, dict):
        raise BadInput("no conditions", where="while", found=given, allowed=SHAPE)
    return Aim(spec["least"], tuple(_condition(str(name), text) for name, text in given.items()))


def _condition(quantity: str, text: object) -> Condition:
    match = _CONDITION.fullmatch(text) if isinstance(text, str) else None
    if match is None or not (match[2] or match[3]) or not math.isfinite(float(match[2] or 1)):
        raise BadInput("no condition", where=f"while.{quantity}", found=text, allowed=_FORMS)
    return Condition(quantity, match[1], float(match[2] or 1), bool(match[3]))


def kept_names(quantities: Iterable[str], aim: Aim | None) -> tuple[str, ...]:
    """The columns of a summary that are kept: those asked for, and those that an aim names."""
    named = () if aim is None else (name for name in aim.names if name in SUMMARY)
    return tuple(dict.fromkeys([*quantities, *named]))
