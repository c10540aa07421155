"""The whole arm with gears that give: scenes, what the controller is told, and where touches are felt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from measured_part import table

from hopfield_nav.record import share_interval
from whole_arm.runs import GIVING, Ran, kept_runs, run_kept
from whole_arm.tables import SURE
from whole_arm.worlds import FAMILIES, worlds

MAIN = tuple(name for name in GIVING if name.endswith(("known", "wrong")))
FIRST, MOST = 500, 30  # seed, other than those that the method was made with; touches of a run
NEAR = 0.04  # [m] of the true point, as which a place is right
HEAD = (
    "", "reached", "touches located", "within 4 cm", "truth in first 3", "link right",
    f"weight ≥ {SURE}", "of these within 4 cm", "alarms a run", "false", "peak force", "delay",
)  # fmt: skip

Runs = Mapping[tuple[str, str], Sequence[Ran]]


def runs_giving(count: int, others: int, keep: Path) -> Runs:
    """``count`` worlds a family in the main settings, the first ``others`` in all; each kept in a folder."""
    found: dict[tuple[str, str], list[Ran]] = {(f, s): [] for f in FAMILIES for s in GIVING}
    for family in FAMILIES:
        for number, world in enumerate(worlds(family, count, FIRST)):
            for setting in GIVING if number < others else MAIN:
                found[family, setting].append(run_kept(world, setting, MOST, keep))
    return found


def joined_giving(keep: Path) -> Runs:
    """The runs that lie in a folder; none is made."""
    return {(f, s): sorted(kept_runs(f, s, keep), key=lambda run: run.seed) for f in FAMILIES for s in GIVING}


def whole_table(found: Runs) -> str:
    """One row a family and setting, and one of all families; shares with their 95 % intervals."""
    rows = []
    for setting in GIVING:
        of = {family: found[family, setting] for family in FAMILIES}
        named = of | {"all": [run for runs in of.values() for run in runs]}
        rows += [_row(f"{setting}: {name}", runs) for name, runs in named.items() if runs]
    return table(HEAD, rows)


def _row(name: str, runs: Sequence[Ran]) -> list[str]:
    felt = np.array([row for run in runs for row in run.places]).reshape(-1, 5)
    near, sure = felt[:, 0] <= NEAR, felt[:, 4] >= SURE
    delays = [delay for run in runs for delay in run.delays]
    return [
        name,
        f"{sum(run.outcome == 'reached' for run in runs)} of {len(runs)}",
        str(len(felt)),
        _share(near),
        _share(felt[:, 2] <= NEAR),
        _share(felt[:, 3] > 0),
        f"{100 * sure.mean():.0f} %" if len(felt) else "-",
        _share(near[sure]),
        f"{np.median([run.alarms for run in runs]):.0f}",
        str(sum(run.false_alarms for run in runs)),
        f"{np.median([run.peak_force for run in runs]):.0f} N",
        f"{1e3 * np.median(delays):.0f} ms" if delays else "-",
    ]


def _share(right: np.ndarray) -> str:
    if not len(right):
        return "-"
    low, high = share_interval(int(right.sum()), len(right))
    return f"{100 * right.mean():.0f} % ({100 * low:.0f}–{100 * high:.0f})"
