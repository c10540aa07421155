"""The kinds of value a world file holds: numbers with a unit and a range, vectors, rotations.

The ranges are wide enough for any sensible experiment and narrow enough to catch a value given in
degrees, millimetres or milliseconds: the message then asks about the unit.
"""

import ast
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, wraps
from inspect import getsource
from itertools import pairwise
from textwrap import dedent
from typing import Annotated, Any, ClassVar, get_args

import numpy as np
import pydantic
from pydantic import AfterValidator, BaseModel, Strict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from dynamics import BadInput, check_range

JsonSchema = dict[str, Any]


@dataclass(frozen=True)
class Unit:
    """Mark of the unit of a value whose range a validator of its own checks."""

    unit: str


@dataclass(frozen=True)
class Range:
    """Mark of a finite number in ``low`` … ``high`` [``unit``].

    ``above`` leaves out ``low`` itself.
    """

    low: float
    high: float
    unit: str
    above: bool = False

    def check(self, value: float) -> float:
        """``value`` itself when it lies in the range.

        Raises ``BadInput``: it does not; above the range, the message asks about the usual mistaken
        unit.
        """
        return check_range(value, self.low, self.high, self.unit, above=self.above)

    def __get_pydantic_core_schema__(
        self, source: object, handler: pydantic.GetCoreSchemaHandler
    ) -> CoreSchema:
        number: CoreSchema = core_schema.float_schema(strict=True, allow_inf_nan=False)
        if source is int:
            number = core_schema.int_schema(strict=True)
        return core_schema.no_info_after_validator_function(self.check, number)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> JsonSchema:
        lowest = "exclusiveMinimum" if self.above else "minimum"
        return {**handler(schema), lowest: self.low, "maximum": self.high}


@dataclass(frozen=True)
class Whole(Range):
    """Mark of a whole number in ``low`` … ``high``."""

    unit: str = ""

    def check(self, value: float) -> float:
        """``value`` itself when it lies in the range, else ``BadInput``."""
        if not self.low <= value <= self.high:
            raise BadInput(
                "out of range",
                found=value,
                allowed=f"a whole number from {self.low} to {self.high}",
            )
        return value


class _First:
    """Mark whose ``check`` makes of a value what its type then takes."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: pydantic.GetCoreSchemaHandler
    ) -> CoreSchema:
        check: Callable[[Any], Any] = self.check  # type: ignore[attr-defined]
        return core_schema.no_info_before_validator_function(check, handler(source))


@dataclass(frozen=True)
class Length(_First):
    """Mark of a list with ``low`` … ``high`` entries, kept as a tuple."""

    low: int
    high: int

    def check(self, value: object) -> object:
        """``value`` itself when it is a list of that length, else ``BadInput``."""
        if not isinstance(value, (list, tuple)) or not self.low <= len(value) <= self.high:
            size = f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"
            raise BadInput("wrong shape", found=show(value), allowed=f"a list of {size}")
        return value

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> JsonSchema:
        return {**handler(schema), "minItems": self.low, "maxItems": self.high}


@dataclass(frozen=True)
class PerJoint(_First):
    """Mark of one number in ``low`` … ``high`` [``unit``], or of a list of them, one a joint.

    With ``word`` that word may stand in their place.
    """

    low: float
    high: float
    unit: str
    word: str = ""

    def check(self, value: Any) -> float | tuple[float, ...] | str:
        """A number, or a tuple of them, or the word.

        Raises ``BadInput``: something else, or out of the range.
        """
        if self.word and value == self.word:
            return self.word
        if isinstance(value, (list, tuple)) and value:
            return tuple(self._check_one(one) for one in value)
        return self._check_one(value)

    def _check_one(self, value: Any) -> float:
        """One number in the range."""
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not self.low <= value <= self.high:
            number = f"a number from {self.low:.6g} to {self.high:.6g} {self.unit}".rstrip()
            or_word = f", or {self.word}" if self.word else ""
            raise BadInput(
                "wrong value",
                found=show(value),
                allowed=f"{number}, or a list of them, one a joint{or_word}",
            )
        return float(value)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> JsonSchema:
        number = {"type": "number", "minimum": self.low, "maximum": self.high}
        words = [{"const": self.word}] if self.word else []
        return {"anyOf": [number, {"type": "array", "items": number}, *words]}


@dataclass(frozen=True)
class OrWord(_First):
    """Mark of a section for which a bare word, or a list, may stand: the value of its ``key``."""

    key: str
    lists: bool = False  # whether a list may

    def check(self, value: object) -> object:
        """The section that a word or a list stands for; anything else as it is."""
        if isinstance(value, str) or (self.lists and isinstance(value, list)):
            return {self.key: value}
        return value

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> JsonSchema:
        section = handler(schema)
        word = handler.resolve_ref_schema(section)["properties"][self.key]
        return {"anyOf": [word, section]}


def unit_of(field: FieldInfo) -> str | None:
    """The unit that a key's marks tell.

    None where the key's values are words, counts or sections.
    """
    marked = set(_units(field.annotation))
    for mark in field.metadata:
        marked.update(_units(mark))
    units = marked - {"", "1"}
    return units.pop() if len(units) == 1 else None


def _units(annotation: object) -> Iterator[str]:
    """The units of a mark, or of the marks within an annotation.

    A section within it is not looked into: units in it are those of its own keys.
    """
    if isinstance(annotation, (Unit, Range, PerJoint)):
        yield annotation.unit
    for part in get_args(annotation):
        yield from _units(part)


def described(model: type[BaseModel], key: str) -> str:
    """What a key of a section means, and its unit."""
    field = fields_of(model)[key]
    meaning = field.description or _meanings(model).get(key, "")
    unit = unit_of(field)
    if unit is None:
        return meaning.strip()
    return f"{meaning} [{unit}]".strip()


@cache
def _meanings(model: type[BaseModel]) -> dict[str, str]:
    """What the source of a section says below its keys.

    pydantic could read it too, but would of every section at each start. A class that was typed in
    has no source, and no meanings.
    """
    meanings = {}
    sections = [part for part in reversed(model.__mro__) if issubclass(part, Section)]
    for section in sections:
        try:
            source = dedent(getsource(section))
        except (OSError, TypeError):
            continue
        written = ast.parse(source).body
        statements = next(node.body for node in written if isinstance(node, ast.ClassDef))
        for key, below in pairwise(statements):
            if not isinstance(key, ast.AnnAssign) or not isinstance(below, ast.Expr):
                continue
            if isinstance(below.value, ast.Constant):
                text = str(below.value.value)
                meanings[ast.unparse(key.target)] = " ".join(text.split())
    return meanings


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a section, by their keys in a file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def with_owner(key: JsonSchema, extension: str, most_set: bool = False) -> JsonSchema:
    """The schema of a key with whose it is, and whether most people set it.

    ``extension`` is ``core`` where it is of no extension.
    """
    owner = "core" if extension == "core" else f"extension {extension}"
    most = ", one of the ten keys that most people set" if most_set else ""
    mark = {"mostSet": True} if most_set else {}
    return {
        "extension": extension,
        **mark,
        **key,
        "description": f"{key['description']} ({owner}{most})",
    }


def _describe_keys(schema: JsonSchema, model: "type[Section]") -> None:
    """Complete the descriptions of a JSON Schema by the units, and by whose each key is."""
    for name in fields_of(model):
        key = {**schema["properties"][name], "description": described(model, name)}
        owner = model.owners.get(name, model.extension)
        schema["properties"][name] = with_owner(key, owner, name in model.most_set)


class Section(BaseModel):
    """A part of a world file: no unknown keys, and fixed once made.

    What a key means is the ``description`` of its field, or the text below it.
    """

    model_config = pydantic.ConfigDict(
        extra="forbid", frozen=True, json_schema_extra=_describe_keys
    )
    # the extension that its keys belong to
    extension: ClassVar[str] = "core"
    # by key, the extensions that other keys of it belong to
    owners: ClassVar[dict[str, str]] = {}
    # those of the ten keys of a world that most people set
    most_set: ClassVar[tuple[str, ...]] = ()


def without_empty(model: type[BaseModel], data: Any) -> Any:
    """What a file holds, without the keys of a section at which nothing stands.

    They count as left out.
    """
    if not isinstance(data, dict):
        return data
    empty = {key for key, value in data.items() if value is None and key in model.model_fields}
    return {key: value for key, value in data.items() if key not in empty}


class GivenKeys(Section):
    """A section that is written without the keys for which nothing is given."""

    @pydantic.model_serializer(mode="wrap")
    def _given(self, handler: Any) -> dict[str, Any]:
        return {key.rstrip("_"): value for key, value in handler(self).items() if value is not None}


def refuse_section(faults: Iterable[BadInput], error: ValidationError | None = None) -> None:
    """Refuse a section for all of some faults, and for those of an ``error``.

    The ``where`` of each fault is a key of the section.

    Raises ``ValidationError``: there are some.
    """
    found: list[Any] = []
    for fault in faults:
        found.append({"type": PydanticCustomError("fault", "", {"error": fault}), "input": None})
    for one in error.errors() if error else []:
        if one["type"] == "fault":
            found.append(one | {"type": PydanticCustomError("fault", "", one["ctx"])})
        else:
            found.append(one)
    if found:
        raise ValidationError.from_exception_data("section", found)


def must_fit(check: Callable[[Any], Iterable[BadInput]]) -> Any:
    """Mark of a method that yields what does not fit together within a section.

    It is asked when all keys of the section are of the right form.
    """

    @wraps(check)
    def checked(section: Section) -> Section:
        refuse_section(check(section))
        return section

    return pydantic.model_validator(mode="after")(checked)


def show(value: object) -> object:
    """``value`` as a message shows it: the word null for nothing."""
    return "null" if value is None else value


_ROTATION_ERROR = 1e-6  # of a product of two rows; the message below says it too


def _check_rotation(rows: tuple) -> tuple:
    """The rows themselves, if they are those of a rotation."""
    matrix = np.array(rows)
    error = float(np.abs(matrix @ matrix.T - np.eye(3)).max())
    if error > _ROTATION_ERROR or np.linalg.det(matrix) < 0:
        allowed = "three rows of a right-handed orthonormal matrix, to 1e-6"
        raise BadInput("not a rotation", found=[list(row) for row in rows], allowed=allowed)
    return rows


def _check_inertia(rows: tuple) -> tuple:
    """The rows themselves, if they are those of an inertia tensor."""
    matrix = np.array(rows)
    rounding = 1e-9 * max(float(np.abs(matrix).max()), 1e-12)
    is_symmetric = np.abs(matrix - matrix.T).max() <= rounding
    if not is_symmetric or np.linalg.eigvalsh(matrix).min() < -rounding:
        allowed = "three rows of a symmetric matrix without negative eigenvalues [kg·m²]"
        raise BadInput("not an inertia tensor", found=[list(row) for row in rows], allowed=allowed)
    return rows


def _check_gravity(vector: tuple) -> tuple:
    """The vector itself, if its length is in range."""
    Range(0.0, 50.0, "m/s²").check(math.hypot(*vector))
    return vector


VECTOR_SCHEMA = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}
MATRIX_SCHEMA = {"type": "array", "items": VECTOR_SCHEMA, "minItems": 3, "maxItems": 3}
Metre = Annotated[float, Range(-5.0, 5.0, "m")]
Angle = Annotated[float, Range(-2 * math.pi, 2 * math.pi, "rad")]
Text = Annotated[str, Strict()]
Flag = Annotated[bool, Strict()]
Point = Annotated[tuple[Metre, ...], Length(3, 3)]
PlanePoint = Annotated[tuple[Metre, ...], Length(2, 2)]
MapPoint = Annotated[tuple[Metre, ...], Length(2, 3)]
MOST_JOINTS = 16
Joints = Annotated[tuple[Angle, ...], Length(1, MOST_JOINTS)]
_Cosines = Annotated[tuple[Annotated[float, Range(-1.000001, 1.000001, "1")], ...], Length(3, 3)]
Rotation = Annotated[tuple[_Cosines, ...], Length(3, 3), AfterValidator(_check_rotation)]
_Tensor = Annotated[tuple[Annotated[float, Range(-1e3, 1e3, "kg·m²")], ...], Length(3, 3)]
Inertia = Annotated[tuple[_Tensor, ...], Length(3, 3), AfterValidator(_check_inertia)]
_Accelerations = Annotated[tuple[Annotated[float, Range(-50.0, 50.0, "m/s²")], ...], Length(3, 3)]
Gravity = Annotated[_Accelerations, AfterValidator(_check_gravity)]
