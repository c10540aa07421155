"""The command compare: saved runs side by side, or worlds over the same seeds."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynamics import BadInput, printable
from hopfield_nav.cli.options import Trusted
from hopfield_nav.plugin import provided

if TYPE_CHECKING:
    from hopfield_nav.record import Run
    from hopfield_nav.world import World

_SHOWN = (
    "estimator", "measure", "outcome", "simulated_time_s",
    "collision_count", "graze_count", "contact_count", "missed_count", "repeated_alarm_count",
    "delay_p50_s", "delay_p95_s", "delay_max_s",
    "force_at_alarm_p50_N", "force_at_alarm_max_N",
    "force_before_reaction_p50_N", "force_before_reaction_max_N", "peak_contact_force_N",
    "false_alarm_count", "false_alarms_per_hour", "false_alarms_per_hour_low", "false_alarms_per_hour_high",
    "force_error_rms_N", "map_error_m",
    "place_error_p50_m", "place_within_4cm_share", "place_link_share", "final_tool_error_m",
)  # fmt: skip


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of saved runs; with --seeds worlds.")],
    seeds: Annotated[int | None, typer.Option(min=1, max=100_000, help="Run every world with so many seeds.")] = None,
    trust: Trusted = False,
) -> int:
    """Saved runs side by side: keys that differ, delays, misses, false alarms; or worlds, seed by seed."""
    if seeds is not None:
        return int(provided("compare_worlds", "--seeds")([str(path) for path in runs], seeds, trust))
    from hopfield_nav.cli.report import print_columns
    from hopfield_nav.record import SCORE, SUMMARY, load_run

    if len(runs) < 2:
        raise BadInput("nothing to compare", found=f"{len(runs)} run", allowed="two runs or more")
    numbers, worlds, made = {}, [], []
    names = [folder.resolve().name for folder in runs]
    for name, folder in zip(names, runs, strict=True):
        run = load_run(folder)
        numbers[name if names.count(name) == 1 else str(folder)] = _numbers_of(folder, run)
        worlds.append(run.world)
        versions = run.summary.get("versions", {})  # older records do not name the sources
        made.append(f"{versions.get('hopfield-nav', '–')} {versions.get('sources', '')}".strip())
    quantities = {key: {**SUMMARY, **SCORE}[key] for key in _SHOWN}
    rows = differing_keys(worlds) + ([["made by", *made]] if len(set(made)) > 1 else [])
    rows += [
        [quantity.label, *(quantity.text(found.get(key)) for found in numbers.values())]
        for key, quantity in quantities.items()
    ]
    print_columns(["", *numbers], rows)
    return 0


def differing_keys(worlds: "Sequence[World]") -> list[list[str]]:
    """The keys whose values differ, each with the value of every world; a dash where one has no such key."""
    from hopfield_nav.world import flat_values

    flat = [
        {key: printable(value if isinstance(value, str) else json.dumps(value), 40) for key, value in values.items()}
        for values in map(flat_values, worlds)
    ]
    keys = [key for key in dict.fromkeys(k for one in flat for k in one) if key != "description"]
    rows = [[key, *(one.get(key, "–") for one in flat)] for key in keys]
    return [row for row in rows if len(set(row[1:])) > 1]


def _numbers_of(folder: Path, run: "Run") -> dict[str, Any]:
    """Summary and score of a saved run, by the names of the table."""
    from hopfield_nav.record import marks_score, score_run

    if run.data.sizes["time"] == 0:
        raise BadInput("the run has no recorded signals", where=str(folder), allowed="record.signals: all")
    words = {"estimator": run.world.detection.estimator, "measure": run.world.detection.measure}
    scores = score_run(run).summary()
    return {**run.summary, **scores, **words, **marks_score(run)}
