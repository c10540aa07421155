"""Sections 3.3 and 3.4: the goal's joint positions on every turn, the tool's arc, and the demonstration."""

from typing import NamedTuple

import numpy as np
from keeping import kept
from ledger import Rows, judged
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import percent, picture, pictures_of
from scipy.optimize import brentq

from dynamics import forward_kinematics, inverse_kinematics
from hopfield_nav.extensions.clearance import motion_is_free
from hopfield_nav.extensions.known_world import plan_direct, turn_alternatives
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE, add_legend
from hopfield_nav.sweeps import Value, share
from nowoczyn2023.cause_of_stops import PAIRS, Case, cases, cell

SHOWN = 5  # paths, 3.4
FLAT, HALF_CIRCLE = 1.1, np.pi / 2  # length of the tool's path over the distance of its ends
SAMPLES = 400  # of a path
draw = pictures_of(__name__)


class Arc(NamedTuple):
    """The shortest direct path of one pair."""

    ratio: float  # length of the tool's path over the distance of its ends [1]
    distance: float  # of the ends [m]
    paths: int  # free ones that were found, at most ``SHOWN``
    candidates: int  # joint positions of the goal on all turns
    motions: int  # that were looked at to find them


@kept(
    "test_nowoczyn2023.py::test_pairs_have_the_arcs_kept",
    lambda found: tuple(Arc(*values) for values in found),
)
def arcs(count: int = PAIRS) -> tuple[Arc, ...]:
    """The pairs of the demonstration that have a direct path: all of them, or it would be said here."""
    return tuple(arc_of(case) for case in cases(count))


def arc_of(case: Case) -> Arc:
    """The shortest direct path of a pair."""
    plan = plan_direct(*cell(), case.start, [case.goal], SHOWN)
    ratio, distance = _arc(plan.paths[0].q) if plan.paths else (np.nan, np.nan)
    return Arc(ratio, distance, len(plan.paths), plan.candidates[1], plan.motions)


def _arc(q: np.ndarray) -> tuple[float, float]:
    """Length of the tool's path over the distance of its ends, and that distance [m]."""
    s = np.linspace(0, 1, SAMPLES)[:, None]
    tool = forward_kinematics(cell()[0], q[0] + s * (q[-1] - q[0]))[:, :3, 3]
    distance = float(np.linalg.norm(tool[-1] - tool[0]))
    return float(np.linalg.norm(np.diff(tool, axis=0), axis=1).sum()) / distance, distance


def ratios(count: int = PAIRS) -> np.ndarray:
    """(k,) of ``Arc.ratio`` where there is a path."""
    return np.array([arc.ratio for arc in arcs(count) if np.isfinite(arc.ratio)])


def arc_angle(ratio: float) -> float:
    """Angle of the circular arc with this ratio of arc to chord [rad]."""
    return 2 * brentq(lambda half: half / np.sin(half) - ratio, 1e-6, np.pi - 1e-6)


def turn_counts(count: int = 1000) -> tuple[set[int], set[int]]:
    """Numbers of turns of random joint angles, and with one of the angles exactly 0."""
    arm = cell()[0]
    q = np.random.default_rng(36).uniform(-np.pi, np.pi, (count, 6))
    plain = {len(turn_alternatives(arm, row)) for row in q}
    q[np.arange(count), np.arange(count) % 6] = 0.0
    return plain, {len(turn_alternatives(arm, row)) for row in q}


def candidates_of_eight(count: int = PAIRS) -> set[int]:
    """Candidates of the goals that have eight joint positions, all free or not."""
    arm, found = cell()[0], arcs(count)
    eight = [len(inverse_kinematics(arm, case.goal)) == 8 for case in cases(count)]
    return {arc.candidates for arc, all_eight in zip(found, eight, strict=True) if all_eight}


@kept("test_nowoczyn2023.py::test_the_shortest_of_all_candidates")
def longer_than_brute_force(count: int = 40) -> int:
    """Pairs whose path is not the shortest of all candidates that are free, each of them looked at."""
    arm, scene = cell()
    worse = 0
    for case in cases()[:count]:
        rows = inverse_kinematics(arm, case.goal)
        ends = np.concatenate([turn_alternatives(arm, q) for q in rows])
        free = motion_is_free(arm, scene, case.start, ends)
        shortest = np.abs(ends - case.start).sum(axis=1)[free].min(initial=np.inf)
        paths = plan_direct(arm, scene, case.start, [case.goal], 1).paths
        ours = paths[0].length if paths else np.inf
        worse += not (ours == shortest or np.isclose(ours, shortest, rtol=1e-9))
    return worse


class Demo(NamedTuple):
    """Shares of the pairs."""

    line_here: Value  # the line from the joints as they are
    line_any: Value  # the line from any joints at the start
    direct_after: Value  # direct paths where the line from the joints as they are fails
    both: Value  # both
    neither: Value  # neither the line from any joints nor the direct path


def demo(count: int = PAIRS) -> Demo:
    """3.4: first the line, then the direct path."""
    found = cases(count)
    failed = [case for case in found if not case.from_here]
    here, anywhere = ([getattr(case, name) for case in found] for name in ("from_here", "from_any"))
    after = [case.direct for case in failed]
    both, neither = (
        [c.from_here and c.direct for c in found],
        [not (c.from_any or c.direct) for c in found],
    )
    return Demo(*(share(sum(each), len(each)) for each in (here, anywhere, after, both, neither)))


def rows() -> Rows:
    plain, zero = turn_counts()
    eight = candidates_of_eight()
    ours = f"{_numbers(plain)} for 1000 random ones; {_numbers(zero)} with one angle exactly 0"
    yield judged("nowoczyn2023.turns_of_a_goal", ours, plain == {64})
    ours = f"{_numbers(eight)} for every such goal of {PAIRS} random ones"
    yield judged("nowoczyn2023.paths_to_a_pose", ours, eight == {512})
    count, found = 40, arcs()
    worse = longer_than_brute_force(count)
    five = sum(arc.paths == SHOWN for arc in found)
    looked = float(np.median([arc.motions for arc in found]))
    ours = f"{worse} of {count} pairs have a shorter one among all their candidates"
    yield judged("nowoczyn2023.shortest_direct_path", ours, worse == 0)
    ours = f"{five} of {len(found)} random pairs have {SHOWN} or more; {looked:.0f} motions looked at (median)"
    yield judged("nowoczyn2023.direct_paths_shown", ours, five > 0.9 * len(found))
    found = ratios()
    low, middle, high = np.quantile(found, [0.05, 0.5, 0.95])
    flat, half = (share(int((found < bound).sum()), len(found)) for bound in (FLAT, HALF_CIRCLE))
    ours = (
        f"path over distance of the ends: median {middle:.2f}, 90 % between {low:.2f} and {high:.2f}; below {FLAT}"
        f" {percent(flat)}, below a half circle's {HALF_CIRCLE:.2f} {percent(half)} of {len(found)} random pairs"
    )
    quarter, median = np.pi / 2**1.5, np.degrees(arc_angle(middle))
    yield judged("nowoczyn2023.flat_arc", ours, flat.estimate > 0.5, quarter=quarter, median=median)
    found = demo()
    ours = (
        f"of {found.line_here.n} pairs the line serves {percent(found.line_here)} from the joints as"
        f" they are, {percent(found.line_any)} from any at the start; the direct path"
        f" {percent(found.direct_after)} of those that fail from the joints as they are"
    )
    yield judged(
        "nowoczyn2023.demonstration",
        ours,
        found.line_here.estimate > 0 and found.direct_after.estimate > 0,
    )
    ours = (
        f"neither finds one for {percent(found.neither)} of {found.neither.n} random pairs; both do for"
        f" {percent(found.both)}"
    )
    yield judged("nowoczyn2023.path_to_every_goal", ours, found.neither.estimate == 0.0)


def _numbers(found: set[int]) -> str:
    return ", ".join(map(str, sorted(found)))


@picture("direct_arcs", PAGE, 6.5 * CENTIMETRE, 1, 2)
def arc_figure(figure: Figure, left: Axes, right: Axes) -> None:
    """Left: how often which ratio. Right: the ratio over the distance of the ends."""
    found = [arc for arc in arcs() if np.isfinite(arc.ratio)]
    ratio, distance = (
        np.array([arc.ratio for arc in found]),
        np.array([arc.distance for arc in found]),
    )
    bounds = 1.0, np.ceil(2 * ratio.max()) / 2
    left.hist(ratio, np.arange(*bounds, 0.05), color=COLOURS.excluded)
    left.set(
        xlabel="path of the tool over distance of its ends",
        ylabel=f"pairs of {len(ratio)}",
        xlim=bounds,
    )
    right.plot(distance, ratio, "o", color=COLOURS.excluded, markersize=2)
    right.set(
        xlabel="distance of the ends [m]", ylabel="path over distance", xlim=(0, None), ylim=bounds
    )
    _mark(left, upright=True)
    _mark(right, upright=False)
    add_legend(figure, left.get_legend_handles_labels()[0], 3)


def _mark(ax: Axes, upright: bool) -> None:
    median = float(np.median(ratios()))
    looks = (
        (FLAT, "--", COLOURS.felt, f"{FLAT}, about a quarter circle"),
        (median, "-", COLOURS.ink, f"{median:.2f}, median"),
        (HALF_CIRCLE, "--", COLOURS.goal, f"{HALF_CIRCLE:.2f}, a half circle"),
    )
    line = ax.axvline if upright else ax.axhline
    for value, dash, colour, label in looks:
        line(value, linestyle=dash, color=colour, linewidth=0.8, label=label)
