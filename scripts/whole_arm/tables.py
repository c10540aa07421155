"""Where touches were felt, as a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whole_arm.runs import NONE, Ran

SURE = 0.9
FELT = (
    "| | touches | within 4 cm | 8 cm | truth in first 2 | first 3 | link right | nowhere "
    "| sure (weight ≥ 0.9) | of these within 4 cm | false alarms / motions |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|"
)


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


def _percent(which: np.ndarray) -> str:
    return f"{100 * which.mean():.0f} %"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
