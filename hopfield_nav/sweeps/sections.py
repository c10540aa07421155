"""What a sweep file may hold, and the columns that it keeps of runs.

Of their summary, and measures of one's own. The aim is what a sweep is to find, the setting with
the least of a quantity while others keep to conditions:
``aim: {least: peak_contact_force_N, while: {reached: ">= 0.95", simulated_time_s: "<= 1.1 least"}}``
"""

import math
import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from dynamics import BadInput, nearest_name
from dynamics.errors import require_known
from hopfield_nav.plugin import Measures, load_from_file
from hopfield_nav.record import SUMMARY, Quantity
from hopfield_nav.sweeps.values import (
    DRAWS,
    MOST_RUNS,
    RANGES,
    Draw,
    Values,
    read_draw,
    read_values,
)
from hopfield_nav.world import (
    OrWord,
    Range,
    Section,
    Seed,
    Text,
    Trust,
    Whole,
    must_fit,
    show,
    titled,
    without_empty,
)

FALSE_ALARMS = 100  # in a run, after which it is given up: its setting is hopeless
REACHED = "reached"  # the share of a setting's runs that arrive, and not through an obstacle
_FORMS = "'<= 0', '>= 0.95', '<= 1.1 least', with <, <=, > or >="
_TESTS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?"
_CONDITION = re.compile(rf"\s*(<=|>=|<|>)\s*({_NUMBER})?\s*(least)?\s*")
DEFAULT = tuple(name for name, quantity in SUMMARY.items() if quantity.repeatable)


def check_quantities(names: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns to keep; ``outcome`` is always the first of them.

    Raises ``BadInput``: a name is unknown or given twice; ``where`` is its position.
    """
    for i, name in enumerate(names):
        require_known(name, SUMMARY, "unknown quantity", str(i))
        if name in names[:i]:
            raise BadInput("quantity given twice", where=str(i), found=name)
    return ("outcome", *(name for name in names if name != "outcome"))


def _one_key(key: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a mapping with one key."""
    return {
        "type": "object",
        "properties": {key: schema},
        "required": [key],
        "additionalProperties": False,
    }


def _or_scaled(kinds: Iterable[str], count: int, *forms: dict[str, Any]) -> WithJsonSchema:
    """The schema of some forms, and of each kind of values with so many numbers.

    All of these may be factors.
    """
    numbers = {"type": "array", "items": {"type": "number"}, "minItems": count, "maxItems": count}
    forms = (*forms, *(_one_key(kind, numbers) for kind in kinds))
    return WithJsonSchema({"anyOf": [*forms, _one_key("scale", {"anyOf": [*forms]})]})


_LIST_SCHEMA = {"type": "array", "minItems": 1}
_ValuesField = Annotated[Values, PlainValidator(read_values), _or_scaled(RANGES, 3, _LIST_SCHEMA)]
_DrawField = Annotated[Draw, PlainValidator(read_draw), _or_scaled(DRAWS, 2)]
_QUANTITY_SCHEMA = {"type": "array", "items": {"enum": list(SUMMARY)}, "uniqueItems": True}


def _world(value: object) -> object:
    if isinstance(value, dict) or (isinstance(value, str) and value):
        return value
    raise BadInput(
        "wrong kind of value",
        found=show(value),
        allowed="name or path of a world, or the world itself",
    )


def _group(group: dict[str, Values]) -> dict[str, Values]:
    """Lists that go together are equally long."""
    if not group:
        raise BadInput("empty group", allowed="keys of the world, each with its list")
    first, *others = group
    for key in others:
        if len(group[key].values) != len(group[first].values):
            allowed = "one value of each key for every run"
            found = f"{len(group[first].values)} of {first}, {len(group[key].values)} of {key}"
            raise BadInput(
                "lists that go together have different lengths", found=found, allowed=allowed
            )
    return group


class Condition(NamedTuple):
    """What the mean of a quantity over a setting's runs must keep to."""

    sign: str  # <, <=, > or >=
    number: float
    of_least: (
        bool  # whether the number multiplies the smallest mean of the settings that keep all else
    )

    @property
    def at_most(self) -> bool:
        """Whether it sets the largest mean, and not the smallest."""
        return self.sign.startswith("<")

    def bound(self, least: float) -> float:
        """The largest or smallest mean.

        ``least`` is the smallest of settings that keep all else.
        """
        return self.number * least if self.of_least else self.number

    def keeps(self, mean: Any, least: float) -> Any:
        """Whether means, numbers or arrays, keep to it; what is NaN does not."""
        return _TESTS[self.sign](mean, self.bound(least))

    def __str__(self) -> str:
        """As in a sweep file."""
        return f"{self.sign} {self.number:g}{' least' if self.of_least else ''}"


def _condition(text: object) -> Condition:
    match = _CONDITION.fullmatch(text) if isinstance(text, str) else None
    if match is None or not (match[2] or match[3]) or not math.isfinite(float(match[2] or 1)):
        raise BadInput("no condition", found=text, allowed=_FORMS)
    return Condition(match[1], float(match[2] or 1), bool(match[3]))


_ConditionField = Annotated[
    Condition, PlainValidator(_condition), WithJsonSchema({"type": "string"})
]


class Equal(Section):
    """How far two settings may differ and are still equal: the zone of each kind of quantity.

    Without a zone settings that are equal could never be told to be so.
    """

    share: Annotated[float, Range(0.0, 1.0, "1", above=True)] = 0.1
    """of shares: as much more or less, from 0 to 1"""
    count: Annotated[float, Range(0.0, 1e6, "1", above=True)] = 0.5
    """of counts: as many more or fewer in a run"""
    force: Annotated[float, Range(0.0, 1.0, "1", above=True)] = 0.02
    """of forces, times and all else: this share of the larger one"""


class Aim(Section):
    """The least of a quantity, and what holds meanwhile."""

    least: Text = Field(description="quantity of which the best setting has the least mean")
    while_: dict[str, _ConditionField] | None = Field(
        None, alias="while", description=f"by quantity: {_FORMS}"
    )
    equal: Equal = Field(
        default_factory=lambda: Equal(), description="what --until-decided takes for equal"
    )

    @property
    def conditions(self) -> dict[str, Condition]:
        """What quantities keep to meanwhile, in the order of the file."""
        return self.while_ or {}

    @property
    def numbers_first(self) -> list[tuple[str, Condition]]:
        """The conditions, those with a number before those with a factor of the least."""
        return sorted(self.conditions.items(), key=lambda item: item[1].of_least)

    @property
    def names(self) -> tuple[str, ...]:
        """The quantities that it names, each once."""
        return tuple(dict.fromkeys([self.least, *self.conditions]))

    @property
    def meanwhile(self) -> list[str]:
        """The conditions as they are written."""
        return [f"{name} {condition}" for name, condition in self.conditions.items()]

    def __str__(self) -> str:
        """In words."""
        return f"least {self.least}" + (
            f" while {', '.join(self.meanwhile)}" if self.conditions else ""
        )


class UntilSection(Section):
    """When a run is given up, besides at its own end."""

    touches: Annotated[int, Whole(1, 10**6)] | None = Field(
        None, description="after so many; null: after none"
    )


class SweepUntil(UntilSection):
    """When a run of a sweep is given up, besides at its own end."""

    false_alarms: Annotated[int, Whole(1, 10**9)] = Field(
        FALSE_ALARMS, description="after so many alarms with nothing touched"
    )


class SweepFile(Section):
    """One sweep, as its file says it."""

    format: Literal[1] = Field(description="version of the sweep file's layout")
    description: Text = Field("", description="what the sweep is for")
    world: Annotated[
        Any,
        BeforeValidator(_world),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]}),
    ] = Field(
        description="the base world: a name, a path relative to the sweep file, or the world itself"
    )
    set: dict[str, Any] = Field({}, description="changes to the base world that hold in every run")
    vary: dict[str, _ValuesField] = Field({}, description="keys of the world; several form a grid")
    zip: tuple[Annotated[dict[str, _ValuesField], AfterValidator(_group)], ...] = ()
    """groups of keys whose values go together; each group is one axis of the grid"""
    random: dict[str, _DrawField] = Field(
        {}, description="keys of the world that are drawn at random"
    )
    samples: Annotated[int, Whole(1, MOST_RUNS)] | None = Field(
        None, description="how often they are drawn"
    )
    repeats: Annotated[int, Whole(1, MOST_RUNS)] = 1
    """runs of every combination, with seeds seed, seed + 1, …"""
    seed: Seed = Field(0, description="of the first repeat, and of the random samples")
    quantities: Annotated[
        tuple[Text, ...], AfterValidator(check_quantities), WithJsonSchema(_QUANTITY_SCHEMA)
    ] = Field(DEFAULT, description="columns kept of a run's summary; outcome always is")
    aim: Annotated[Aim, OrWord("least")] | None = None
    """least of a quantity, and conditions: what the best setting is"""
    measures: Text | None = Field(
        None, description="FILE.py:NAME, further columns from every finished run"
    )
    until: SweepUntil = Field(
        default_factory=lambda: SweepUntil(), description="when a run is given up"
    )
    patience: Annotated[float, Range(0.0, 1e6, "s", above=True)] = 60.0
    """that one call of a method of a user's own may take, before its worker is ended"""
    keep: Literal["summary", "runs"] = Field(
        "summary", description="runs: a folder of each run too"
    )
    time_limit_per_run: Annotated[float, Range(0.0, 1e7, "s", above=True)] | None = None
    """computing time after which a run is given up; null: never"""

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, data: Any) -> Any:
        return without_empty(cls, data)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a summary that are kept: those asked for, and those that the aim names."""
        named = self.aim.names if self.aim else ()
        return tuple(
            dict.fromkeys([*self.quantities, *(name for name in named if name in SUMMARY)])
        )

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        if self.random and self.samples is None:
            yield BadInput(
                "random keys without samples", where="random", allowed="samples: how many to draw"
            )
        if self.samples is not None and not self.random:
            yield BadInput(
                "samples without random keys", "samples", allowed="random: {KEY: {uniform: …}}"
            )
        if self.seed + self.repeats > 2**63:
            yield BadInput("too large for so many repeats", where="seed", found=self.seed)


def dump_sweep_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a sweep file.

    Keys of the world are checked by the program alone.
    """
    return titled(SweepFile.model_json_schema(), "sweep")


@cache
def load_measures(name: str, folder: Path) -> Measures:
    """The measures that a file of a user's own holds.

    Raises ``BadInput``: it holds none of that name, or a column that every table has.
    """
    found = load_from_file("measures", name, folder)
    if not isinstance(found, Measures):
        file, attribute = name.rsplit(":", 1)
        raise BadInput(
            f"{Path(file).name} has no measures of that name",
            found=attribute,
            allowed="Measures(…)",
        )
    for column in found.columns:
        if column in SUMMARY or column in ("index", "repeat", "seed", "error"):
            raise BadInput("a measure has the name of another column", found=column)
    return found


def kept_columns(file: SweepFile, measures: Measures | None) -> dict[str, Quantity]:
    """What every column of a sweep is."""
    kept = {name: SUMMARY[name] for name in file.columns}
    for name, unit in ({} if measures is None else measures.columns).items():
        words = name.replace("_", " ")
        label = words.removesuffix(
            f" {unit.replace(' ', '')}"
        )  # a unit at the end of its name is told as one
        kept[name] = Quantity(label, unit or None, words, unit if label != words else "")
    return kept


def column_faults(file: SweepFile, folder: Path, trust: Trust) -> list[BadInput]:
    """What is wrong with the measures of a sweep file, or else with its aim.

    ``where`` is the key.
    """
    at, measures = "measures", None
    try:
        if file.measures is not None:
            trust.require(file.measures, folder)
            measures = load_measures(file.measures, folder)
        at = "aim"
        check_aim(file.aim, measures)
    except BadInput as error:
        return [error.at(at if at == "measures" else f"aim.{error.where}")]
    return []


def check_aim(aim: Aim | None, measures: Measures | None) -> None:
    """Refuse an aim at what no run has.

    Raises ``BadInput``: a quantity is not known, or is text; ``where`` is its key in the aim.
    """
    units: dict[str, str | None] = {name: quantity.unit for name, quantity in SUMMARY.items()}
    units |= (
        {} if measures is None else {name: unit or None for name, unit in measures.columns.items()}
    )
    known = [REACHED, *(name for name, unit in units.items() if unit is not None)]
    for name in aim.names if aim else ():
        if name not in known:
            where = "least" if aim and name == aim.least else f"while.{name}"
            what = "not a number" if name in units else "unknown quantity"
            raise BadInput(
                what,
                where=where,
                found=name,
                allowed=", ".join(known),
                nearest=nearest_name(name, known),
            )
