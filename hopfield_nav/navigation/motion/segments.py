"""The segments of a motion: which was touched, and which are steps between cells.

Geometry alone; what a touch on a segment proves is said by ``learn_of_touch``.
"""

import itertools
from typing import NamedTuple

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.control import Onset
from hopfield_nav.navigation.map import Cell, CollisionMap, Step, step_between
from hopfield_nav.navigation.motion.planned_motion import PlannedMotion


class Detection(NamedTuple):
    """What the control computer knows when it detects a collision.

    Marked cells need time, measured joints and force, and by the rule of the documents the time
    alone; facts and beliefs do not need the torque; the whole arm needs the torque, not the force.
    """

    time: float  # [s]
    q: np.ndarray  # (n,) measured joint angles [rad]
    force: np.ndarray  # (3,) estimated force on the tool [N]
    torque: np.ndarray  # (n,) estimated torque of contact on the joints [N·m]
    onset: Onset  # when the contact began, and the angles then
    level_at_retreat: float  # alarm level when the retreat from the touch before began


AGAINST = 0.5  # cosine between force and motion above which a force stops the motion
STRAIGHT = 0.99  # cosine between two segments above which there is no corner
LEAST_FORCE = 1e-6  # [N] below it a force has no direction
HELD = 0.5  # [cells] within which the tool stays, from first contact to alarm, where it is stopped
_CENTRED = 1e-4  # [cells] a point so near to a centre is one


class Segment(NamedTuple):
    """A part of the path between two waypoints, and where the tool was touched on it."""

    number: int  # of the trajectory's segment
    step: Step | None  # the step that it is; None where it is none
    direction: np.ndarray  # (3,) of the motion, a unit vector; zero where the segment has no length
    place: np.ndarray  # (3,) where the tool was touched [m]
    off: float  # [m] of that place from its line, in the plane of a flat map
    driven: float = np.inf  # [s] from the beginning of its motion to the alarm

    def is_barred(self, force: np.ndarray) -> bool:
        """Whether a force (3,) [N] stops the motion on it."""
        size = float(np.linalg.norm(force))
        return size > LEAST_FORCE and -float(force @ self.direction) >= AGAINST * size


def cell_at(grid: CollisionMap, point: np.ndarray) -> Cell | None:
    """The cell at whose centre a point (3,) [m] is; None where it is between centres."""
    rank = len(grid.shape)
    at = (point[:rank] - grid.origin[:rank]) / grid.spacing
    centre = np.rint(at)
    return tuple(int(c) for c in centre) if np.abs(at - centre).max() <= _CENTRED else None


def step_of(grid: CollisionMap, begin: np.ndarray, end: np.ndarray) -> Step | None:
    """The step that leads from a point to another, (3,) [m]; None where that is none."""
    cells = cell_at(grid, begin), cell_at(grid, end)
    return None if cells[0] is None or cells[1] is None else step_between(cells[0], cells[1])


def passed_cells_and_steps(
    grid: CollisionMap, motion: PlannedMotion, until: int
) -> tuple[list[Cell], list[Step]]:
    """Cells and steps that a motion passes on its segments before number ``until``.

    A cell is passed where a segment ends at its centre, a step where a segment leads from centre to
    centre. The first segment of a retreat is no step: it begins where the reference was when the
    tool was stopped, which is not where the tool was.
    """
    places = motion.places
    if places is None:
        return [], []
    cells = [cell_at(grid, place) for place in places[1 : until + 1]]
    first = 1 if motion.retreats else 0
    driven = places[first : until + 1]
    steps = [step_of(grid, a, b) for a, b in itertools.pairwise(driven)]
    return [c for c in cells if c is not None], [s for s in steps if s is not None]


def touched_segment(
    grid: CollisionMap, arm: Arm, motion: PlannedMotion, detection: Detection
) -> Segment:
    """The segment that a force bars: the one on which the contact began, or a later one.

    The tool is behind its reference, so the contact may have begun on the segment before the
    reference's. And where the alarm came late, the tool may have brushed along one segment and been
    stopped on the next. A contact that began before the motion, as in a wiggle, was on none.
    """
    onset = detection.onset
    force = detection.force
    if (
        motion.trajectory is None
        or motion.places is None
        or onset.time < motion.trajectory.knots[0]
    ):
        return Segment(0, None, np.zeros(3), forward_kinematics(arm, onset.q)[:3, 3], np.inf, 0.0)
    knots = motion.trajectory.knots
    numbers = np.searchsorted(knots, [onset.time, detection.time], side="right") - 1
    last = 0 if motion.reacts else len(knots) - 2
    first, now = (int(k) for k in np.clip(numbers, 0, last))
    place, here = (forward_kinematics(arm, angles)[:3, 3] for angles in (onset.q, detection.q))
    if np.linalg.norm((here - place)[: len(grid.shape)]) > HELD * grid.spacing:
        # it went on: a level that was up before hides when this contact began
        first = now
        place = here
    begun = min(
        (_segment(grid, motion, k, place) for k in (first, first - 1) if k >= 0),
        key=lambda s: s.off,
    )
    later = [_segment(grid, motion, k, here) for k in range(first + 1, now + 1)]
    barred = next((s for s in (begun, *later) if s.is_barred(force)), begun)
    return barred._replace(driven=detection.time - float(knots[0]))


def _segment(grid: CollisionMap, motion: PlannedMotion, number: int, place: np.ndarray) -> Segment:
    """A segment, touched at a place.

    The first is a step only where the motion rests before it or passes by. Else it is a retreat,
    which goes on ahead at first or begins at rest where the reference had arrived.
    """
    assert motion.places is not None
    assert motion.trajectory is not None
    begin, end = motion.places[number], motion.places[number + 1]
    length = float(np.linalg.norm(end - begin))
    direction = (end - begin) / length if length > 0.0 else np.zeros(3)
    along = float(np.clip((place - begin) @ direction, 0.0, length))
    off = float(np.linalg.norm((place - begin - along * direction)[: len(grid.shape)]))
    moves = motion.retreats or motion.trajectory.coefficients[0, 1].any()
    is_retreat = number == 0 and moves and not motion.passes_by
    step = None if is_retreat else step_of(grid, begin, end)
    part = motion.part_of_step
    if part is not None and number == part.segment:
        step = part.step
    return Segment(number, step, direction, place, off)


def is_corner(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether two segments, vectors (3,), have different directions."""
    sizes = float(np.linalg.norm(before) * np.linalg.norm(after))
    return sizes > 0.0 and float(before @ after) < STRAIGHT * sizes
