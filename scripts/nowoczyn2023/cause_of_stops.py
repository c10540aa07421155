"""Chapter 4, the document's thesis: why the arm stops under way, and whether the graph finds a path.

Random pairs, as in the document's demonstration: the arm stands at free joint angles, the goal is
the tool's pose at others. The arm first goes straight on the branch it is on
(``follow_single_branch``); then the graph of all joint positions is asked, from the same joints and
from any joints at the start.
"""

from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np
from keeping import kept
from ledger import Rows, judged
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from reproduction import percent, picture, pictures_of
from verdicts import PARTLY

from dynamics import Arm, forward_kinematics, load_arm
from hopfield_nav.extensions.clearance import Scene, build_scene
from hopfield_nav.extensions.known_world import (
    PlannedPath,
    plan_direct,
    plan_shortest,
    random_free_joints,
)
from hopfield_nav.figures import CENTIMETRE, COLOURS, PAGE, add_legend
from hopfield_nav.figures.sheets import labelled
from hopfield_nav.sweeps import share
from nowoczyn2023.single_branch import (
    ARRIVED,
    JUMP,
    LIMIT,
    OUT_OF_REACH,
    TOUCHED,
    SingleBranch,
    follow_single_branch,
)

NAME, PAIRS, SEED = "ur5_tu2023", 500, 2023
STOPS = (TOUCHED, JUMP, LIMIT)
OUTCOMES = (ARRIVED, *STOPS, OUT_OF_REACH)
draw = pictures_of(__name__)


class Case(NamedTuple):
    """One pair: joints at the start, pose of the goal, what stopped a single branch, who finds a path."""

    start: np.ndarray
    goal: np.ndarray
    outcome: str
    reason: str
    from_here: bool
    from_any: bool
    direct: bool


@cache
def cell() -> tuple[Arm, Scene]:
    """The arm, with nothing but itself to touch."""
    arm = load_arm(NAME)
    return arm, build_scene(arm)


def pairs(count: int = PAIRS, seed: int = SEED) -> list[tuple[np.ndarray, np.ndarray]]:
    """Joints at the start and pose of the goal of every pair."""
    arm, scene = cell()
    q = random_free_joints(arm, scene, 2 * count, np.random.default_rng(seed))
    return list(zip(q[:count], forward_kinematics(arm, q[count:]), strict=True))


@cache
def cases(count: int = PAIRS, seed: int = SEED) -> tuple[Case, ...]:
    """What became of every pair."""
    return tuple(
        Case(*pair, *end) for pair, end in zip(pairs(count, seed), ends(count, seed), strict=True)
    )


@kept("test_cause_of_stops.py::test_pairs_end_as_kept")
def ends(count: int, seed: int) -> list[list]:
    """``end`` of every pair."""
    return [end(*pair) for pair in pairs(count, seed)]


def end(start: np.ndarray, goal: np.ndarray) -> list:
    """What becomes of a pair: the last five fields of ``Case``."""
    arm, scene = cell()
    branch = follow_single_branch(arm, scene, start, [goal])
    return [
        branch.outcome,
        branch.reason,
        plan_shortest(arm, scene, start, [goal]).path is not None,
        plan_shortest(arm, scene, forward_kinematics(arm, start), [goal]).path is not None,
        bool(plan_direct(arm, scene, start, [goal], 1).paths),
    ]


def stopped(found: tuple[Case, ...]) -> list[Case]:
    """The pairs on which a single branch ends in a collision, a jump or at a limit."""
    return [case for case in found if case.outcome in STOPS]


class Example(NamedTuple):
    """A pair on which a single branch runs into itself, and the graph's path from another branch."""

    arm: Arm
    scene: Scene
    branch: SingleBranch
    path: PlannedPath


@cache
def example() -> Example:
    """The first pair that stops well under way by running into itself, and that the graph solves."""
    arm, scene = cell()
    for case in cases():
        if case.outcome != TOUCHED or not case.from_any:
            continue
        branch = follow_single_branch(arm, scene, case.start, [case.goal])
        path = plan_shortest(arm, scene, forward_kinematics(arm, case.start), [case.goal]).path
        if path is not None and 0.3 < branch.places[-1] < 0.9 and branch.line.lengths[0] > 0.4:
            return Example(arm, scene, branch, path)
    raise LookupError("no such pair")


def rows() -> Rows:
    found = cases()
    stops = stopped(found)
    count, n = Counter(case.outcome for case in stops), len(found)
    here, anywhere = sum(c.from_here for c in stops), sum(c.from_any for c in stops)
    direct, impossible = sum(c.direct for c in stops), len(stops) - anywhere
    counted = impossible, anywhere, here, direct
    lost, solved, as_they_are, over = (percent(share(k, len(stops))) for k in counted)
    kinds = ", ".join(f"{k} {count[k]}" for k in STOPS)
    ours = f"{percent(share(len(stops), n))} of {n} random pairs stop ({kinds})"
    yield judged("nowoczyn2023.branch_that_ends", ours, len(stops) > 0.2 * n)
    ours = f"{lost} of the stops: no joints at the start lead along the line"
    yield judged("nowoczyn2023.cause_of_the_stops", ours, impossible > 0.25 * len(stops))
    ours = (
        f"solves {solved} of the stops if the joints at the start may be chosen, "
        f"{as_they_are} from the joints as they are"
    )
    yield judged(
        "nowoczyn2023.graph_finds_another_motion", ours, PARTLY if anywhere > 2 * here else here > 0
    )
    ours = f"finds a path for {over} of the stops"
    yield judged("nowoczyn2023.fallback_to_the_direct_path", ours, direct > 0.9 * len(stops))


@picture("cause_of_stops", PAGE, 5.2 * CENTIMETRE)
def shares_figure(figure: Figure, ax: Axes) -> None:
    """A bar for every outcome of the single branch, split by what the graph makes of it."""
    found = cases()
    kinds = (
        ("line, from the same joints", COLOURS.travelled, lambda c: c.from_here),
        ("line, from other joints", COLOURS.planned, lambda c: c.from_any and not c.from_here),
        ("direct path alone", COLOURS.obstacle, lambda c: c.direct and not c.from_any),
        ("nothing", COLOURS.excluded, lambda c: not (c.direct or c.from_any)),
    )
    left = np.zeros(len(OUTCOMES))
    for label, colour, belongs in kinds:
        width = np.array([sum(belongs(c) for c in found if c.outcome == o) for o in OUTCOMES])
        ax.barh(
            OUTCOMES,
            width,
            left=left,
            color=colour,
            label=label if width.any() else None,
            height=0.7,
        )
        left += width
    for y, total in enumerate(left):
        ax.annotate(f"{int(total)}", (total, y), (2, 0), textcoords="offset points", va="center")
    ax.invert_yaxis()
    ax.set(
        xlabel=f"random pairs of {len(found)}",
        ylabel="end of a single branch",
        xlim=(0, 1.08 * left.max()),
    )
    add_legend(figure, labelled(figure), 4)
