"""The tables of ``whole_arm_study.py``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopfield_nav.record import share_interval
from whole_arm.runs import NONE, Ran

SURE = 0.9
REACHED = (
    "| | worlds | reached | touches, median | 90 % | joint path / omniscient | time | peak force "
    "| replan, median | 90 % | × real time |\n|---|---|---|---|---|---|---|---|---|---|---|"
)
FELT = (
    "| | touches | within 4 cm | 8 cm | truth in first 2 | first 3 | link right | nowhere "
    "| sure (weight ≥ 0.9) | of these within 4 cm | false alarms / motions |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|"
)
MISSED = "| | seed | outcome | touches | time | reason |\n|---|---|---|---|---|---|"


def reached_row(name: str, runs: Sequence[Ran]) -> str:
    """How many goals were reached, at what cost; all but the share and the replan time of reached ones."""
    good = [r for r in runs if r.outcome == "reached"]
    replan = np.array([t for r in runs for t in r.replan])
    cells = [name, str(len(runs)), _share(len(good), len(runs))]
    if good:
        touches = np.array([r.alarms for r in good])
        cells += [
            f"{np.median(touches):.0f}",
            f"{np.quantile(touches, 0.9):.0f}",
            f"{np.median([r.path / r.bound for r in good]):.2f}",
            f"{np.median([r.time for r in good]):.0f} s",
            f"{np.median([r.peak_force for r in good]):.0f} N",
        ]
    else:
        cells += ["-"] * 5
    cells += (
        [f"{v:.2f} s" for v in (np.median(replan), np.quantile(replan, 0.9))] if len(replan) else ["-"] * 2
    )
    cells.append(f"{sum(r.time for r in runs) / sum(r.spent for r in runs):.0f}")
    return _row(cells)


def felt_row(name: str, runs: Sequence[Ran]) -> str:
    """Where touches were felt beside where they were."""
    felt = np.array([row for r in runs for row in r.places]).reshape(-1, 5)
    false, motions = sum(r.false_alarms for r in runs), sum(r.motions for r in runs)
    if not len(felt):
        return _row([name, "0", *["-"] * 8, f"{false} / {motions}"])
    near, sure = felt[:, 0] <= 0.04, felt[:, 4] >= SURE
    cells = [name, str(len(felt)), _percent(near), _percent(felt[:, 0] <= 0.08)]
    cells += [_percent(felt[:, k] <= 0.04) for k in (1, 2)]
    cells += [_percent(felt[:, 3] > 0), _percent(felt[:, 0] == NONE), _percent(sure)]
    cells += [_percent(near[sure]) if sure.any() else "-", f"{false} / {motions}"]
    return _row(cells)


def missed_rows(name: str, runs: Sequence[Ran]) -> list[str]:
    """Every run that did not reach its goal."""
    return [
        _row([name, str(r.seed), f"`{r.outcome}`", str(r.alarms), f"{r.time:.0f} s", r.reason or "-"])
        for r in runs
        if r.outcome != "reached"
    ]


def _share(part: int, whole: int) -> str:
    low, high = share_interval(part, whole)
    return f"{part} of {whole} ({100 * low:.0f}–{100 * high:.0f} %)"


def _percent(which: np.ndarray) -> str:
    return f"{100 * which.mean():.0f} %"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
