"""Marks, as in the documents: which cell a touch marks, and where the arm backs off to.

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
from hopfield_nav.navigation.map import Cell, CollisionMap, ToolMap, only_in_sight
from hopfield_nav.navigation.motion import (
    LEAST_FORCE,
    Detection,
    PlannedMotion,
    Reference,
    tool_at,
)
from hopfield_nav.navigation.planners import open_cells
from hopfield_nav.navigation.responses import REACH
from hopfield_nav.world import World


class MarkedMap(ToolMap):
    """Marked cells over the workspace of a resolved world, and the cells that the tool passed."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.passed = np.zeros(self.grid.shape, dtype=bool)

    def pass_path(self, path: np.ndarray, position: np.ndarray) -> None:
        """Note the cells of a path (k, rank) up to the one nearest to the tool (3,) [m]."""
        centres = self.grid.origin[: self.rank] + self.grid.spacing * path
        off = ((centres - position[: self.rank]) ** 2).sum(axis=1)
        until = int(np.argmin(off)) + 1
        self.passed[tuple(path[:until].T)] = True


class ContactEstimate(NamedTuple):
    """What the control computer knows when it has detected a collision."""

    position: np.ndarray  # (3,) tool, from the measured joint angles [m]
    desired: np.ndarray  # (3,) tool, from the reference [m]
    desired_velocity: np.ndarray  # (3,) of the tool, from the reference [m/s]
    force: np.ndarray  # (3,) estimated force that the world exerts on the tool [N]
    path: np.ndarray  # (k, rank) cells of the path that the tool follows, from its start


def contact_estimate(
    touch: Detection, begin: Reference, motion: PlannedMotion, arm: Arm
) -> ContactEstimate:
    """What is known of a touch, felt on a motion whose reference then is ``begin``."""
    return ContactEstimate(
        position=tool_at(arm, touch.q),
        desired=tool_at(arm, begin.q),
        desired_velocity=(jacobian(arm, begin.q) @ begin.qd)[:3],
        force=touch.force,
        path=motion.cells,
    )


def cell_to_back_off_to(
    marked: Cell, contact: ContactEstimate, map: MarkedMap, world: World
) -> Cell | None:
    """Where the next path starts; None where no open cell is left near the tool.

    Never the goal itself: a tool that was pushed off it must come from another side, and a goal
    whose neighbours are all blocked is out of reach even from beside it.
    """
    if world.detection.back_off == "against_velocity":
        return start_against_velocity(map.grid, marked, contact)
    target = map.target()
    if target is None:
        return None
    allowed = open_cells(world.planner, map.obstacles(), marked, target)
    allowed[map.goal_cell] = False
    allowed = only_in_sight(map.known, map.grid, allowed, contact.position)
    start = start_along_force(map.grid, contact, allowed, map.passed)
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
    # among equals the last axis, as the program
    axis = rank - 1 - int(np.argmax(np.abs(plane[::-1])))
    cell = list(marked)
    cell[axis] -= int(np.sign(plane[axis]))
    return _into_map(grid, tuple(cell), 1)


def start_along_force(
    grid: CollisionMap, contact: ContactEstimate, open_cells: np.ndarray, passed: np.ndarray
) -> tuple[int, ...]:
    """The cell to back off to, on the side to which the force pushes.

    It is the cell nearest to the point half a cell from the tool along the force, among the first
    of these that are not empty:

    1. ``open_cells`` that were ``passed`` without a collision;
    2. ``open_cells`` that touch the tool's own cell;
    3. the tool's own cell, which is then not open.

    ``open_cells`` and ``passed`` are bool grids; from an open cell the goal can be reached.
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
    """Cells that may hold the obstacle, best first.

    Against the force, along the path, where the tool is.
    """
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
