"""What a suite file may hold: families of worlds, conditions, methods, and what is measured."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from dynamics import BadInput, nearest_name
from hopfield_nav.sweeps import UntilSection, check_quantities
from hopfield_nav.world import Range, Section, Seed, Text, Whole, must_fit, titled

# the columns of suites that come along, whose rows have these
ALONG: dict[str, tuple[str, ...]] = {
    "quantities": (
        "outcome", "reason", "no_path_grade", "simulated_time_s", "collision_count", "graze_count",
        "contact_count", "false_alarm_count", "repeated_alarm_count", "peak_contact_force_N", "final_tool_error_m",
    ),
    "compare": ("collision_count", "simulated_time_s", "way_m", "peak_contact_force_N"),
}  # fmt: skip
_FELT = ("detection_delay_median_s", "detection_delay_max_s", "silent_contact_count")


Changes = Annotated[dict[str, Any], BeforeValidator(lambda value: {} if value is None else value)]


def dump_suite_schema() -> dict[str, Any]:
    """The JSON Schema of a suite file; keys of the world are checked by the program alone."""
    return titled(SuiteFile.model_json_schema(), "suite")


class FamilySection(Section):
    """Worlds that are alike: every seed is one of them."""

    extension: ClassVar[str] = "bench"

    world: Annotated[Any, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]})]
    """the base world: a name, a path relative to the suite file, or the world itself"""
    set: Changes = Field({}, description="changes to it")
    setup: Text | None = None
    """FILE.py:NAME, called with world and seed before the run: gives the world or the simulation to run, or the
    finished row"""
    seed: Seed | None = Field(None, description="of its first world; default: as the suite's")


class OracleSection(Section):
    """Which worlds are scored."""

    extension: ClassVar[str] = "bench"

    margin: Annotated[float, Range(0.0, 1.0, "m")] | None = None
    """that a path over the cells keeps from all obstacles; of maps of the tool"""
    own: Text | None = Field(
        None, description="FILE.py:NAME, of a resolved world: whether it is scored"
    )


class SuiteFile(Section):
    """One suite, as its file says it."""

    extension: ClassVar[str] = "bench"

    format: Annotated[int, Whole(1, 1)] = Field(description="version of the suite file's layout")
    description: Text = Field("", description="what the suite is for")
    families: dict[str, FamilySection] = Field(description="families of worlds by name")
    conditions: dict[str, Changes] = Field(
        {"default": {}}, description="changes to every world, by name"
    )
    methods: dict[str, Changes] = Field(
        description="the methods as changes to every world, by name"
    )
    worlds: Annotated[int, Whole(1, 10**6)] = Field(
        200, description="of every family, with seeds from seed on"
    )
    seed: Seed = Field(0, description="of the first world")
    oracle: OracleSection = Field(
        default_factory=OracleSection, description="which worlds are scored; else all"
    )
    until: UntilSection = Field(default_factory=UntilSection, description="when a run is given up")
    patience: Annotated[float, Range(0.0, 1e6, "s", above=True)] = 60.0
    """that one call of a method of somebody's own may take"""
    time_limit_per_run: Annotated[float, Range(0.0, 1e7, "s", above=True)] | None = None
    """computing time after which a run is given up; null: never"""
    quantities: Annotated[tuple[Text, ...], AfterValidator(check_quantities)] = (
        *ALONG["quantities"],
        *_FELT,
    )
    """columns kept of a run's summary"""
    measures: Text | None = Field(
        None, description="FILE.py:NAME, further columns from every finished run"
    )
    compare: tuple[Text, ...] = Field(
        (
            *_FELT,
            "false_alarm_count",
            "peak_contact_force_N",
            "simulated_time_s",
            "collision_count",
            "way_m",
        ),
        description="columns that are compared, each best small",
    )
    pairs: tuple[tuple[Text, Text], ...] = ()
    """methods that are compared world by world; default: each with the first"""

    @must_fit
    def _check(self) -> Iterator[BadInput]:
        for i, name in (
            (i, name)
            for i, pair in enumerate(self.pairs)
            for name in pair
            if name not in self.methods
        ):
            nearest = nearest_name(name, self.methods)
            yield BadInput("unknown method", f"pairs.{i}", name, ", ".join(self.methods), nearest)
        for key in ("families", "conditions", "methods"):
            if not getattr(self, key):
                yield BadInput("nothing to run", where=key, allowed="one or more, by name")
