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
    """Mark of a finite number in ``low`` … ``high`` [``unit``]; ``above`` leaves out ``low`` itself."""

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
        finite = core_schema.float_schema(strict=True, allow_inf_nan=False)
        whole = core_schema.int_schema(strict=True)
        return core_schema.no_info_after_validator_function(
            self.check, whole if source is int else finite
        )

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
        return core_schema.no_info_before_validator_function(self.check, handler(source))  # type: ignore[attr-defined]


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
    """Mark of a number in ``low`` … ``high`` [``unit``], or of a list, one a joint; or of a ``word``."""

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
        values = value if isinstance(value, (list, tuple)) and value else [value]
        for v in values:
            if (
                isinstance(v, bool)
                or not isinstance(v, (int, float))
                or not self.low <= v <= self.high
            ):
                allowed = f"a number from {self.low:.6g} to {self.high:.6g} {self.unit}".rstrip()
                allowed += ", or a list of them, one a joint" + (
                    f", or {self.word}" if self.word else ""
                )
                raise BadInput("wrong value", found=show(v), allowed=allowed)
        return float(value) if values[0] is value else tuple(float(v) for v in values)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> JsonSchema:
        number = {"type": "number", "minimum": self.low, "maximum": self.high}
        words = [{"const": self.word}] if self.word else []
        return {"anyOf": [number, {"type": "array", "items": number}, *words]}


@dataclass(frozen=True)
class OrWord(_First):
    """Mark of a section for which a bare word may stand: the value of its key ``key``."""

    key: str

    def check(self, value: object) -> object:
        """The section that a word stands for; anything else as it is."""
        return {self.key: value} if isinstance(value, str) else value

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: pydantic.GetJsonSchemaHandler
    ) -> JsonSchema:
        section = handler(schema)
        return {"anyOf": [handler.resolve_ref_schema(section)["properties"][self.key], section]}


def unit_of(field: FieldInfo) -> str | None:
    """The unit that a key's marks tell; None where its values are words, counts or sections."""
    marked = {unit for mark in field.metadata for unit in _units(mark)} | set(
        _units(field.annotation)
    )
    units = marked - {"", "1"}
    return units.pop() if len(units) == 1 else None


def _units(annotation: object) -> Iterator[str]:
    """The units of a mark, or of the marks within an annotation; those of a section are its own keys'."""
    if isinstance(annotation, (Unit, Range, PerJoint)):
        yield annotation.unit
    for part in get_args(annotation):
        yield from _units(part)


def described(model: type[BaseModel], key: str) -> str:
    """What a key of a section means, and its unit."""
    field = fields_of(model)[key]
    unit = unit_of(field)
    return f"{field.description or _meanings(model).get(key, '')}{f' [{unit}]' if unit else ''}".strip()


@cache
def _meanings(model: type[BaseModel]) -> dict[str, str]:
    """What the source of a section says below its keys, as pydantic would read it of every section at each start.

    A class that was typed in has no source, and no meanings.
    """
    meanings = {}
    for part in (part for part in reversed(model.__mro__) if issubclass(part, Section)):
        try:
            source = dedent(getsource(part))
        except (OSError, TypeError):
            continue
        statements = next(
            node.body for node in ast.parse(source).body if isinstance(node, ast.ClassDef)
        )
        for key, text in pairwise(statements):
            if (
                isinstance(key, ast.AnnAssign)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                meanings[ast.unparse(key.target)] = " ".join(str(text.value.value).split())
    return meanings


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a section, by their keys in a file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def with_owner(key: JsonSchema, extension: str, most_set: bool = False) -> JsonSchema:
    """The schema of a key that says whose it is, an extension's or the core's, and whether most people set it."""
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
    extension: ClassVar[str] = "core"  # that its keys belong to
    owners: ClassVar[dict[str, str]] = {}  # the extensions that other keys of it belong to
    # those of the ten keys of a world that most people set
    most_set: ClassVar[tuple[str, ...]] = ()


def without_empty(model: type[BaseModel], data: Any) -> Any:
    """What a file holds without the keys of a section at which nothing stands: they count as left out."""
    if not isinstance(data, dict):
        return data
    return {
        key: value
        for key, value in data.items()
        if value is not None or key not in model.model_fields
    }


class GivenKeys(Section):
    """A section that is written without the keys for which nothing is given."""

    @pydantic.model_serializer(mode="wrap")
    def _given(self, handler: Any) -> dict[str, Any]:
        return {key.rstrip("_"): value for key, value in handler(self).items() if value is not None}


def refuse_section(faults: Iterable[BadInput], error: ValidationError | None = None) -> None:
    """Refuse a section for all of some faults, ``where`` being the key in it, and for those of an ``error``.

    Raises ``ValidationError``: there are some.
    """
    own: list[Any] = [
        {"type": PydanticCustomError("fault", "", {"error": fault}), "input": None}
        for fault in faults
    ]
    of_fields: list[Any] = [
        e | {"type": PydanticCustomError("fault", "", e["ctx"])} if e["type"] == "fault" else e
        for e in (error.errors() if error else [])
    ]
    if own or of_fields:
        raise ValidationError.from_exception_data("section", [*own, *of_fields])


def must_fit(check: Callable[[Any], Iterable[BadInput]]) -> Any:
    """Mark of a method that yields what does not fit together within a section whose keys are of the right form."""

    @wraps(check)
    def checked(section: Section) -> Section:
        refuse_section(check(section))
        return section

    return pydantic.model_validator(mode="after")(checked)


def show(value: object) -> object:
    """``value`` as a message shows it: the word null for nothing."""
    return "null" if value is None else value


def _check_rotation(rows: tuple) -> tuple:
    matrix = np.array(rows)
    error = float(np.abs(matrix @ matrix.T - np.eye(3)).max())
    if error > 1e-6 or np.linalg.det(matrix) < 0:
        allowed = "three rows of a right-handed orthonormal matrix, to 1e-6"
        raise BadInput("not a rotation", found=[list(r) for r in rows], allowed=allowed)
    return rows


def _check_inertia(rows: tuple) -> tuple:
    matrix = np.array(rows)
    size = max(float(np.abs(matrix).max()), 1e-12)
    if (
        np.abs(matrix - matrix.T).max() > 1e-9 * size
        or np.linalg.eigvalsh(matrix).min() < -1e-9 * size
    ):
        allowed = "three rows of a symmetric matrix without negative eigenvalues [kg·m²]"
        raise BadInput("not an inertia tensor", found=[list(r) for r in rows], allowed=allowed)
    return rows


def _check_gravity(vector: tuple) -> tuple:
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
