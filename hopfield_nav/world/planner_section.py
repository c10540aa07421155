"""The planner of a world: what plans, which keys it has, and what becomes of its path."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, ValidationInfo, model_validator

from dynamics import BadInput
from hopfield_nav.plugin import Parameter
from hopfield_nav.world.fields import Flag, Length, Range, Text, Whole, must_fit, of_extension, show
from hopfield_nav.world.methods import MethodSection
from hopfield_nav.world.trust import Trust, is_code

_AXES = ("+u", "-u", "+v", "-v", "+w", "-w")
TIES_IN_SPACE = ("+w", "-w", "+v", "-v", "+u", "-u")  # the default there
_BELIEFS = ("strategy", "no_path_error", "finer", "approach", "surface")  # what an own planner has too
OWN_KEYS: dict[str, tuple[str, ...]] = {
    "hopfield": ("network", "beta", "activation", "ties", *_BELIEFS),
    "a_star": (),
    "potential_field": ("random_walks",),
    "roadmap": ("samples", "connections"),
}  # of each kind; the other keys belong to all


class PlannerSection(MethodSection):
    """What plans the path through the map, and what becomes of that path.

    A key of another planner stands in every world that the program writes, at its default, and nowhere else. The
    parameters of a user's own planner and strategy are further keys.
    """

    kinds: ClassVar[dict[str, str]] = {"kind": "planner", "strategy": "belief"}

    kind: Text = Field(
        "hopfield",
        description="what plans: hopfield, the network; for comparison a_star, potential_field or roadmap; "
        "or FILE.py:NAME",
    )
    network: Literal["limit", "sum"] = Field("limit", description="limit: shortest paths; sum: the document's")
    beta: Annotated[float, Range(0.0, 1.0, "1", above=True)] | None = Field(
        None, description="gain of the neurons, for the sum network; null: chosen by the planner"
    )
    activation: Literal["linear", "tanh", "shunting", "saturated", "sigmoid", "threshold"] = Field(
        "linear",
        description="function of the neurons, for the sum network, beta being its slope; all but linear in "
        "plain doubles; saturated and sigmoid light cells without a path; threshold has no slope: refused",
    )
    radius: Annotated[float, Range(1.0, 16.0, "cells")] = Field(1.0, description="neurons this near are connected")
    ties: Annotated[tuple[Literal["+u", "-u", "+v", "-v", "+w", "-w"], ...], Length(4, 6)] = Field(
        ("+v", "-v", "+u", "-u"),
        description="which step is taken first among equals; u runs along x, v along y, w along z",
    )
    strategy: Text = Field(
        "felt_points",
        description="what a touch blocks on a map of joint angles: felt_points, where it may have been; "
        "hypothesis_sets, nothing, but with what speaks against a cell as its cost; thompson, one of the "
        "points drawn anew for every path; optimist, its own step alone; omniscient: all obstacles are "
        "known, as the bound of what is possible; or FILE.py:NAME",
        json_schema_extra=of_extension("whole_arm"),
    )
    no_path_error: Annotated[float, Range(0.0, 0.1, "1")] = Field(
        1e-3,
        description="on a map of joint angles: probability of error with which a run may end as no_path by "
        "where touches were felt; 0: facts alone end it",
        json_schema_extra=of_extension("whole_arm"),
    )
    finer: Flag = Field(
        True,
        description="on a map of joint angles, where every path would more likely than not be touched: reach "
        "the goal from more cells, and then go on with a map whose cells are split around it",
        json_schema_extra=of_extension("whole_arm"),
    )
    approach: Annotated[float, Range(0.0, 1.0, "m")] = Field(
        0.0,
        description="on a map of joint angles: come to the goal along the tool's axis z from so far behind it, and "
        "leave the start so; 0: as the path leads",
        json_schema_extra=of_extension("whole_arm"),
    )
    surface: Annotated[float, Range(0.0, 0.5, "m")] = Field(
        0.0,
        description="on a map of joint angles: believe that a surface goes on so far about each likely place of a "
        "touch; 0: nothing is believed of it",
        json_schema_extra=of_extension("whole_arm"),
    )
    forget: Annotated[float, Range(0.0, 1e5, "s", above=True)] | None = Field(
        None,
        description="on a map of the tool: time in which the certainty of all that was felt and driven halves, for "
        "worlds that change; null: nothing grows old",
    )
    any_angle: Flag = Field(
        False,
        description="shorten the path by straight lines: of the tool; or of all joints together, the default "
        "on a map of joint angles",
    )
    clearance: Annotated[float, Range(0.0, 1.0, "m")] = Field(
        0.0, description="kept from blocked cells, with any_angle"
    )
    unreachable: Literal["lazy", "precompute", "ignore"] = Field(
        "lazy",
        description="cells that the arm cannot reach: found when a path leads there, all before the start, "
        "or not at all: then such a path ends the run",
    )
    random_walks: Annotated[int, Whole(0, 1000)] = Field(0, description="out of local minima, for potential_field")
    samples: Annotated[int, Whole(1, 10**6)] = Field(200, description="random points, for roadmap")
    connections: Annotated[int, Whole(1, 1000)] = Field(
        10, description="neighbours that a point is connected with, for roadmap"
    )

    @classmethod
    def own_keys(cls, section: Mapping[str, Any], folder: Path, trust: Trust) -> dict[str, Parameter] | None:
        """As of any section; and the keys of a kind of planner."""
        own = super().own_keys(section, folder, trust)
        if own is None:
            return None
        others = foreign_keys(cls.named(section)["kind"])
        kept = (key for keys in OWN_KEYS.values() for key in keys if key not in others)
        return own | {key: Parameter(key, 0.0, 0.0, 0.0, "1", "of a kind of planner") for key in kept}

    @model_validator(mode="wrap")
    @classmethod
    def _without_probe(cls, section: Any, handler: Callable[[Any], Self], info: ValidationInfo) -> Self:
        """Worlds of earlier versions have the key ``probe``, of something that is no more."""
        value = section.get("probe") if isinstance(section, Mapping) else None
        recorded = (info.context or {}).get("trust", Trust()).record
        if value is True and not recorded:
            message = "probes drove twice as far and saved no touch, and are no more"
            raise BadInput(message, where="probe", found=value, allowed="false, or no such key")
        if isinstance(value, bool):
            section = {key: given for key, given in section.items() if key != "probe"}
        return handler(section)

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        if self.clearance > 0 and not self.any_angle:
            message = "only a path at any angle keeps a clearance"
            yield BadInput(message, where="clearance", found=self.clearance, allowed="0, or any_angle: true")
        if self.activation != "linear" and (self.kind, self.network) != ("hopfield", "sum"):
            message = "only the summing network has activation functions"
            allowed = "linear, or kind: hopfield with network: sum"
            yield BadInput(message, where="activation", found=self.activation, allowed=allowed)
        if sorted(self.ties) not in (sorted(_AXES[:4]), sorted(_AXES)):
            allowed = ", ".join(_AXES[:4]) + ", and +w, -w where the map is in space, in any order"
            yield BadInput("each step must be named once", where="ties", found=list(self.ties), allowed=allowed)
        for key in foreign_keys(self.kind):
            value, defaults = getattr(self, key), defaults_of(key)
            if value not in defaults:
                owner = next(kind for kind, keys in OWN_KEYS.items() if key in keys)
                allowed = f"{_as_written(defaults[0])}, its default, or kind: {owner}"
                found = show(list(value) if isinstance(value, tuple) else value)
                yield BadInput(f"only planner {owner} has it", where=key, found=found, allowed=allowed)


def foreign_keys(kind: str) -> list[str]:
    """The keys that a planner of this kind has not, and others have; what is believed is no planner's own."""
    shared = _BELIEFS if is_code(kind) else ()
    return [key for other, keys in OWN_KEYS.items() if other != kind for key in keys if key not in shared]


def defaults_of(key: str) -> list[Any]:
    """The defaults of a key: that of the order of steps depends on the map."""
    default = PlannerSection.model_fields[key].default
    return [default, TIES_IN_SPACE] if key == "ties" else [default]


def _as_written(value: object) -> str:
    """A value as a world file has it."""
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return str(show(value)).lower() if isinstance(value, bool) else str(show(value))
