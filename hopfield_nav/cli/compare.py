"""The command compare: saved runs side by side, each scored against its own truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dynamics import BadInput

_ROWS = (
    ("estimator", "estimator", "", 1.0),
    ("measure", "measure", "", 1.0),
    ("outcome", "outcome", "", 1.0),
    ("simulated time", "simulated_time_s", "s", 1.0),
    ("collisions answered", "collision_count", "", 1.0),
    ("true contacts", "contact_count", "", 1.0),
    ("contacts missed", "missed_count", "", 1.0),
    ("delay, median", "delay_p50_s", "ms", 1e3),
    ("delay, 95 %", "delay_p95_s", "ms", 1e3),
    ("delay, largest", "delay_max_s", "ms", 1e3),
    ("force at the alarm, median", "force_before_reaction_p50_N", "N", 1.0),
    ("force at the alarm, largest", "force_before_reaction_max_N", "N", 1.0),
    ("largest contact force", "peak_contact_force_N", "N", 1.0),
    ("false alarms", "false_alarm_count", "", 1.0),
    ("false alarms per hour of free motion", "false_alarms_per_hour", "1/h", 1.0),
    ("… 95 % interval, low", "false_alarms_per_hour_low", "1/h", 1.0),
    ("… 95 % interval, high", "false_alarms_per_hour_high", "1/h", 1.0),
    ("error of the force in contact, rms", "force_error_rms_N", "N", 1.0),
    ("mean distance of marks from an obstacle", "map_error_m", "mm", 1e3),
    ("final tool error", "final_tool_error_m", "mm", 1e3),
)


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of saved runs.")],
) -> int:
    """Saved runs side by side: delays, misses, false alarms, forces, map."""
    from hopfield_nav.cli.report import cell, print_columns

    if len(runs) < 2:
        raise BadInput("nothing to compare", found=f"{len(runs)} run", allowed="two runs or more")
    numbers = {_label(folder, runs): numbers_of(folder) for folder in runs}
    rows = [
        [label, *(cell(found.get(key), unit, scale) for found in numbers.values())]
        for label, key, unit, scale in _ROWS
    ]
    print_columns(["", *numbers], rows)
    return 0


def numbers_of(folder: Path) -> dict[str, Any]:
    """Summary and score of a saved run, by the names of the table.

    Raises:
        BadInput: the folder is not that of a run, or its signals were not recorded.
    """
    from hopfield_nav.experiment import load_run, map_error, score_run

    run = load_run(folder)
    if run.data.sizes["time"] == 0:
        raise BadInput("the run has no recorded signals", where=str(folder), allowed="record.signals: all")
    words = {"estimator": run.world.detection.estimator, "measure": run.world.detection.measure}
    scores = score_run(run).summary()
    return {**run.summary, **scores, **words, "map_error_m": map_error(run)}


def _label(folder: Path, folders: Sequence[Path]) -> str:
    """The folder's name; its whole path where two have the same name."""
    names = [f.resolve().name for f in folders]
    name = folder.resolve().name
    return name if names.count(name) == 1 else str(folder)
