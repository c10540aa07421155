"""The navigator of the documents: a touch marks a cell, and the path starts anew from a cell beside the tool.

There are two rules, ``detection.mark: desired`` and ``actual``. The document's (ragazzon2012 C.2.2)
marks the rounded cell of the **desired** tool position and backs off one cell against the larger
component of the desired velocity. Its author gave up marking the **actual** position because of
repeated detections at one place and of endless loops along an obstacle (7.3). The second rule
solves both: the estimated force says on which side of the tool the obstacle is; a cell that is
marked already is never the answer, so every collision adds a cell to the map and there are at most
as many collisions as cells; the arm backs off to a cell that it has passed before and from which
the goal can still be reached; and detection is armed again only when the estimate has decayed.

Source: ragazzon2012 chapters 6 and 7, appendix C.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dynamics import Arm, jacobian
from hopfield_nav.loop import evaluate
from hopfield_nav.navigation.map import Cell, CollisionMap, only_in_sight
from hopfield_nav.navigation.motion import (
    LEAST_FORCE,
    Detection,
    PlannedMotion,
    Reference,
    Situation,
    ToolMotions,
)
from hopfield_nav.navigation.navigator import Navigator
from hopfield_nav.navigation.planners import open_cells
from hopfield_nav.navigation.responses import REACH, MarkedPaths
from hopfield_nav.world import World


class ContactEstimate(NamedTuple):
    """What the control computer knows when it has detected a collision."""

    position: np.ndarray  # (3,) tool, from the measured joint angles [m]
    desired: np.ndarray  # (3,) tool, from the reference [m]
    desired_velocity: np.ndarray  # (3,) of the tool, from the reference [m/s]
    force: np.ndarray  # (3,) estimated force that the world exerts on the tool [N]
    path: np.ndarray  # (k, rank) cells of the path that the tool follows, from its start


class MarkingNavigator(Situation, Navigator):
    """Map, planner and motions of one run; what was felt is not handed on (``record.load_prior``)."""

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        super().__init__(world, arm, start)
        self.motions, self.paths = ToolMotions(self), MarkedPaths(self)
        self._passed = np.zeros(self.map.grid.shape, dtype=bool)

    def first_motion(self, q: np.ndarray) -> PlannedMotion:  # noqa: D102  (says ``Navigator``)
        self.motion = self.motions.first(self.paths, q)
        return self.motion

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:
        """Mark what was felt and plan a new motion."""
        if self.motion.trajectory is None:
            raise RuntimeError("a run that has ended cannot collide")
        begin = Reference(detection.time, *evaluate(self.motion.trajectory, detection.time))
        contact = self._estimate(detection, begin)
        marked = cell_to_mark(self.grid, contact, self.map.goal_cell, self.world.detection.mark)
        self.grid.mark(marked)
        if self.goal is None:
            return marked, self.motion
        path, rank = (
            contact.path,
            self.map.rank,
        )  # passed are its cells up to the one nearest to the tool
        centres = self.grid.origin[:rank] + self.grid.spacing * path
        nearest = int(np.argmin(((centres - contact.position[:rank]) ** 2).sum(axis=1)))
        self._passed[tuple(path[: nearest + 1].T)] = True
        start = self._back_off(marked, contact)
        if start is None:
            self.motion = self.no_path(marked, "no free path from the tool to the goal")
        else:
            self.motion = self.motions.over(self.paths, start, begin)
        return marked, self.motion

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """After a reaction, from the cell that was chosen when the touch was felt."""
        self.motion = self.motions.over(self.paths, self.motion.start, begin)
        return self.motion

    def _estimate(self, detection: Detection, begin: Reference) -> ContactEstimate:
        return ContactEstimate(
            position=self.tool(detection.q),
            desired=self.tool(begin.q),
            desired_velocity=(jacobian(self.arm, begin.q) @ begin.qd)[:3],
            force=detection.force,
            path=self.motion.cells,
        )

    def _back_off(self, marked: Cell, contact: ContactEstimate) -> Cell | None:
        """Where the next path starts; None where no open cell is left near the tool.

        Never the goal itself: a tool that was pushed off it must come from another side, and a goal
        whose neighbours are all blocked is out of reach even from beside it.
        """
        world, grid = self.world, self.grid
        if world.detection.back_off == "against_velocity":
            return start_against_velocity(grid, marked, contact)
        target = self.map.target()
        if target is None:
            return None
        allowed = open_cells(world.planner, self.map.obstacles(), marked, target)
        allowed[self.map.goal_cell] = False
        allowed = only_in_sight(self.map.known, grid, allowed, contact.position)
        start = start_along_force(grid, contact, allowed, self._passed)
        return start if allowed[start] else None


def cell_to_mark(
    grid: CollisionMap, contact: ContactEstimate, goal: tuple[int, ...] | None, mark: str
) -> tuple[int, ...]:
    """The cell in which the obstacle is believed to be.

    By the rule "desired" the rounded cell of the desired position, or the one nearest to that on
    the map, whatever is in it; by "actual", the second rule, a cell that is not marked yet. That
    one never marks the goal: it is left open until every cell around it is marked.

    Source: ragazzon2012 C.2.2, 7.3.
    """
    if mark == "desired":
        return _into_map(grid, grid.cell_of(contact.desired), 0)
    return _new_cell_ahead(grid, contact, goal)


def start_against_velocity(
    grid: CollisionMap, marked: tuple[int, ...], contact: ContactEstimate
) -> tuple[int, ...]:
    """One cell back from the marked one, against the larger component of the desired velocity.

    At rest nothing is backed off. The document clips u to at least 2, counted from 1; its program
    would fail at the three other sides, where the same is done here. A start that is itself marked
    is kept, as the program does: its neighbours decide the first step.

    Source: ragazzon2012 C.2.2.
    """
    rank = len(marked)
    plane = contact.desired_velocity[:rank]
    axis = (
        rank - 1 - int(np.argmax(np.abs(plane[::-1])))
    )  # among equals the last axis, as the program
    cell = list(marked)
    cell[axis] -= int(np.sign(plane[axis]))
    return _into_map(grid, tuple(cell), 1)


def start_along_force(
    grid: CollisionMap, contact: ContactEstimate, open_cells: np.ndarray, passed: np.ndarray
) -> tuple[int, ...]:
    """Where to back off to, on the side to which the force pushes.

    Among ``open_cells``, free ones from which the goal can be reached, and ``passed`` without a
    collision, the nearest to a point half a cell from the tool along the force; if there is none,
    an open cell that touches the tool's; if there is none either, the tool's own, which is then not
    open.
    """
    rank = len(grid.shape)
    force = contact.force[:rank]
    size = np.linalg.norm(force)
    target = contact.position.copy()
    if size > LEAST_FORCE:
        target[:rank] += REACH * grid.spacing * force / size
    here = _into_map(grid, grid.cell_of(contact.position), 0)
    around = np.zeros_like(open_cells)
    around[tuple(slice(max(c - 1, 0), c + 2) for c in here)] = True
    return (
        _nearest(grid, open_cells & passed, target)
        or _nearest(grid, open_cells & around, target)
        or here
    )


def _into_map(grid: CollisionMap, cell: tuple[int, ...], rim: int) -> tuple[int, ...]:
    """The nearest cell that is ``rim`` cells from the edge, or as far as a thin map allows."""
    rims = [min(rim, (n - 1) // 2) for n in grid.shape]
    return tuple(
        int(min(max(c, r), n - 1 - r)) for c, n, r in zip(cell, grid.shape, rims, strict=True)
    )


def _new_cell_ahead(
    grid: CollisionMap, contact: ContactEstimate, goal: tuple[int, ...] | None
) -> tuple[int, ...]:
    """The likeliest cell of the obstacle that is not marked yet, never the goal.

    If every candidate is marked, the unmarked cell nearest to the tool: a collision always tells
    something new, so the number of collisions is at most the number of cells.
    """
    candidates = [*_candidates(grid, contact)]
    for cell in candidates:
        if grid.inside(cell) and cell != goal and not grid.felt[cell]:
            return cell
    fresh = ~grid.felt
    if goal is not None:
        fresh[goal] = False
    return _nearest(grid, fresh, contact.position) or _into_map(grid, candidates[-1], 0)


def _candidates(grid: CollisionMap, contact: ContactEstimate) -> Iterator[tuple[int, ...]]:
    """Cells that may hold the obstacle, best first: against the force, along the path, where the tool is."""
    rank = len(grid.shape)
    force = contact.force[:rank]
    if np.linalg.norm(force) > LEAST_FORCE:
        ahead = contact.position.copy()
        ahead[:rank] -= REACH * grid.spacing * force / np.linalg.norm(force)
        yield grid.cell_of(ahead)
        ahead[:rank] -= REACH * grid.spacing * force / np.linalg.norm(force)
        yield grid.cell_of(ahead)
    here = grid.cell_of(contact.position)
    nearest = int(np.abs(contact.path - np.array(here)).sum(axis=1).argmin())
    yield from (tuple(int(c) for c in cell) for cell in contact.path[nearest : nearest + 2])
    yield grid.cell_of(contact.desired)
    yield here


def _nearest(
    grid: CollisionMap, wanted: np.ndarray, position: np.ndarray
) -> tuple[int, ...] | None:
    """The wanted cell whose centre is nearest to a position, or None if none is wanted."""
    cells = np.argwhere(wanted)
    if len(cells) == 0:
        return None
    rank = len(grid.shape)
    offsets = grid.origin[:rank] + grid.spacing * cells - position[:rank]
    return tuple(int(c) for c in cells[int(np.argmin((offsets**2).sum(axis=1)))])
