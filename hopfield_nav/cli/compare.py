"""The command compare: saved runs side by side, each scored against its own truth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dynamics import BadInput

_SHOWN = (
    "estimator",
    "measure",
    "outcome",
    "simulated_time_s",
    "collision_count",
    "graze_count",
    "contact_count",
    "missed_count",
    "repeated_alarm_count",
    "delay_p50_s",
    "delay_p95_s",
    "delay_max_s",
    "force_before_reaction_p50_N",
    "force_before_reaction_max_N",
    "peak_contact_force_N",
    "false_alarm_count",
    "false_alarms_per_hour",
    "false_alarms_per_hour_low",
    "false_alarms_per_hour_high",
    "force_error_rms_N",
    "map_error_m",
    "final_tool_error_m",
)


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of saved runs.")],
) -> int:
    """Saved runs side by side: delays, misses, false alarms, forces, map."""
    from hopfield_nav.cli.report import print_columns
    from hopfield_nav.experiment import SCORE, SUMMARY

    if len(runs) < 2:
        raise BadInput("nothing to compare", found=f"{len(runs)} run", allowed="two runs or more")
    numbers = {_label(folder, runs): numbers_of(folder) for folder in runs}
    quantities = {key: {**SUMMARY, **SCORE}[key] for key in _SHOWN}
    rows = [
        [quantity.label, *(quantity.text(found.get(key)) for found in numbers.values())]
        for key, quantity in quantities.items()
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
