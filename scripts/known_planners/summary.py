"""The comparison in numbers: shares with intervals, lengths, times, reasons; as Markdown."""

import re
from collections import Counter
from typing import NamedTuple

import numpy as np
from measured_part import table

from hopfield_nav.record import share_interval
from known_planners.boundary import Boundary
from known_planners.methods import DIRECT, METHODS, PLANNED, RAW, SIMPLIFIED, Outcome

_QUARTER, _HALF = np.pi / np.sqrt(8), np.pi / 2  # arc over chord of these parts of a circle
Results = dict[str, list[Outcome]]
Checked = dict[str, tuple[int, int]]  # poses that collide, poses looked at
KINDS = {
    "no joint position is free": "touches on the line in every joint position",
    "out of reach": "the line is out of reach",
    "would pass its limit": "a joint limit",
    "would have to jump": "a jump of the joints",
    "given up": "the search was given up",
    "limits on no turn": "a joint limit",
    "between two steps": "between two steps of the line",
    "every direct motion": "every direct motion is blocked",
    "found no path": "nothing found within the time",
    "free in no joint position": "start or goal not free",
}


class Line(NamedTuple):
    """One method: share solved, and its cells of the table, with medians on its own pairs and on those of all."""

    name: str
    solved: int
    share: tuple[float, float, float]
    cells: list[str]


def solved(outcomes: list[Outcome]) -> np.ndarray:
    """(pairs,) bool."""
    return np.array([not o.reason for o in outcomes])


def column(outcomes: list[Outcome], name: str) -> np.ndarray:
    """(pairs,) of one attribute; NaN where there is no path."""
    return np.array([getattr(o, name) for o in outcomes], dtype=float)


def lines(results: Results) -> list[Line]:
    """A line for each method."""
    common = np.all([solved(results[name]) for name in PLANNED], axis=0)
    return [_line(name, results, common) for name in METHODS]


def _line(name: str, results: Results, common: np.ndarray) -> Line:
    outcomes = results[name]
    found, both = solved(outcomes), solved(outcomes) & solved(results[DIRECT])
    length, direct = column(outcomes, "length"), column(results[DIRECT], "length")
    ratio = column(outcomes, "tool") / column(outcomes, "straight")
    times, share = (
        column(outcomes, "time"),
        (float(found.mean()), *share_interval(int(found.sum()), len(found))),
    )
    medians = (
        f"{_median(length[found]):.2f} rad", f"{_median(length[common]):.2f} rad",
        f"{_median(length[both] / direct[both]):.2f}", f"{_median(ratio[found]):.2f}",
    )  # fmt: skip
    part, low, high = (f"{100 * v:.1f}" for v in share)
    cells = [
        f"{found.sum()}, {part} %",
        f"{low} to {high} %",
        *medians,
        *map(_ms, np.quantile(times, [0.5, 0.95])),
    ]
    return Line(name, int(found.sum()), share, cells)


def _median(values: np.ndarray) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def reasons(outcomes: list[Outcome]) -> Counter[str]:
    """Why there was no path, in kinds."""
    words = [o.reason for o in outcomes if o.reason]
    return Counter(
        next((kind for part, kind in KINDS.items() if re.search(part, why)), why) for why in words
    )


def arc_over_chord(results: Results) -> np.ndarray:
    """Length of every direct path of the tool over its straight distance."""
    outcomes = [o for o in results[DIRECT] if not o.reason]
    return column(outcomes, "tool") / column(outcomes, "straight")


def markdown(results: Results, checked: Checked, boundary: Boundary, seed: int) -> str:
    """Everything that was measured in one cell."""
    pairs = len(results[DIRECT])
    common = int(np.all([solved(results[name]) for name in PLANNED], axis=0).sum())
    stopped = [
        (name, kind, f"{n}") for name in METHODS for kind, n in reasons(results[name]).most_common()
    ]
    looked = [(name, f"{looks:,}", f"{touched}") for name, (touched, looks) in checked.items()]
    parts = [
        f"{pairs} pairs, seed {seed}.",
        _main_table(results, common),
        table(["method", "what stopped it", "pairs"], stopped),
        table(["paths of", "poses looked at", "that collide"], looked),
        _ompl_table(results),
        _boundary_sentence(boundary),
        arc_sentence(results),
    ]
    return "\n\n".join(parts)


def _main_table(results: Results, common: int) -> str:
    head = [
        "method", "solved", "95 %", "joints' path, its own", f"on the {common} that all solved",
        "over direct", "tool's path over straight", "time, median", "95 %",
    ]  # fmt: skip
    return table(head, ([line.name, *line.cells] for line in lines(results)))


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.2g} ms" if seconds < 0.0995 else f"{1e3 * seconds:.0f} ms"


def _ompl_table(results: Results) -> str:
    rows = []
    for name in (RAW, SIMPLIFIED):
        motions, time = column(results[name], "motions"), column(results[name], "time")
        share = column(results[name], "check_time").sum() / time.sum()
        rows.append(
            [name, f"{np.median(motions):.0f}", f"{np.quantile(motions, 0.95):.0f}", f"{share:.0%}"]
        )
    return table(
        ["OMPL", "motions asked about, median", "95 %", "share of the time in our answers"], rows
    )


def _boundary_sentence(b: Boundary) -> str:
    answers, compiled = (f"{t / b.planning:.0%}" for t in (b.answers, b.compiled))
    each, alone = (f"{1e6 * t / b.questions:.0f} µs" for t in (b.answers, b.compiled))
    return (
        f"On some of the pairs, simplified: OMPL asked {b.questions} times in {b.planning:.2f} s. "
        f"Our answers took {answers} of this time ({each} each); the same questions in one compiled call "
        f"take {compiled} ({alone} each)."
    )


def arc_sentence(results: Results) -> str:
    """How flat the arcs of the direct paths are."""
    ratio = arc_over_chord(results)
    low, middle, high = np.quantile(ratio, [0.05, 0.5, 0.95])
    flat, round_ = np.mean(ratio < _QUARTER), np.mean(ratio > _HALF)
    return (
        f"Arc over chord of the {len(ratio)} direct paths: median {middle:.2f}, 5 to 95 %: {low:.2f} to {high:.2f};"
        f" {flat:.0%} are below a quarter circle's {_QUARTER:.2f}, {round_:.0%} above a half circle's {_HALF:.2f}."
    )
