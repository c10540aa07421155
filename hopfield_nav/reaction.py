"""What is concluded from a collision: which cell is marked, and from which cell the next path starts.

Two rules, chosen in the world file. The document's (ragazzon2012 C.2.2) marks the rounded cell of the
**desired** tool position and backs off one cell against the larger component of the desired velocity.
Its author gave up marking the **actual** position because of repeated detections at one place and of
endless loops along an obstacle (7.3). The second rule solves both: the estimated force says on which
side of the tool the obstacle is, a cell that is marked already is never the answer, and so every
collision adds a cell to the map; detection is armed again only when the estimate has decayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hopfield_nav.collision_map import CollisionMap

REACH = 0.5  # [cells] how far in front of the tool the felt obstacle is looked for
_LEAST_FORCE = 1e-6  # [N] below it a force has no direction


class Felt(NamedTuple):
    """What the control computer knows when it has detected a collision.

    Attributes:
        position: (3,) tool, from the measured joint angles [m].
        desired: (3,) tool, from the reference [m].
        desired_velocity: (3,) of the tool, from the reference [m/s].
        force: (3,) estimated force that the world exerts on the tool [N].
        path: (k, rank) cells of the path under way, from its start.
    """

    position: np.ndarray
    desired: np.ndarray
    desired_velocity: np.ndarray
    force: np.ndarray
    path: np.ndarray


class Conclusion(NamedTuple):
    """Marked cell, start of the next path, and whether the mark is new."""

    marked: tuple[int, ...]
    start: tuple[int, ...]
    new: bool


def react(grid: CollisionMap, felt: Felt, goal: tuple[int, ...], mark: str, back_off: str) -> Conclusion:
    """Mark the map and choose where the next path starts.

    Args:
        grid: is changed: one more cell is marked.
        felt: the collision.
        goal: cell of the goal, which is never marked by the second rule.
        mark: "desired" or "actual".
        back_off: "against_velocity" or "along_force".

    Source: ragazzon2012 C.2.2 and 7.3.
    """
    marked = _rounded_desired(grid, felt) if mark == "desired" else _new_cell_ahead(grid, felt, goal)
    new = grid.mark(marked)
    if back_off == "against_velocity":
        return Conclusion(marked, _against_velocity(grid, marked, felt.desired_velocity), new)
    return Conclusion(marked, _along_force(grid, felt), new)


def _rounded_desired(grid: CollisionMap, felt: Felt) -> tuple[int, ...]:
    """The cell of the desired position; a position outside the map counts for the nearest cell."""
    return _into_map(grid, grid.cell_of(felt.desired), 0)


def _against_velocity(grid: CollisionMap, marked: tuple[int, ...], velocity: np.ndarray) -> tuple[int, ...]:
    """One cell back against the larger component of the desired velocity.

    At rest nothing is backed off. The document clips u to at least 2, counted from 1; its program
    would fail at the three other sides, where the same is done here. A start that is itself marked
    is kept, as the program does: its neighbours decide the first step.
    """
    cell = list(marked)
    plane = velocity[: len(marked)]
    axis = int(np.argmax(np.abs(plane[::-1])))  # among equals the last axis, as `else` in the program
    axis = len(marked) - 1 - axis
    cell[axis] -= int(np.sign(plane[axis]))
    return _into_map(grid, tuple(cell), 1)


def _into_map(grid: CollisionMap, cell: tuple[int, ...], rim: int) -> tuple[int, ...]:
    return tuple(int(min(max(c, rim), n - 1 - rim)) for c, n in zip(cell, grid.shape, strict=True))


def _new_cell_ahead(grid: CollisionMap, felt: Felt, goal: tuple[int, ...]) -> tuple[int, ...]:
    """The likeliest cell of the obstacle that is not marked yet, never the goal.

    If every candidate is marked, the unmarked cell nearest to the tool: a collision always tells
    something new, so the number of collisions is at most the number of cells.
    """
    candidates = [*_candidates(grid, felt)]
    for cell in candidates:
        if grid.inside(cell) and cell != goal and not grid.felt[cell]:
            return cell
    fresh = ~grid.felt
    fresh[goal] = False
    return _nearest(grid, fresh, felt.position) or _into_map(grid, candidates[-1], 0)


def _candidates(grid: CollisionMap, felt: Felt) -> Iterator[tuple[int, ...]]:
    """Cells that may hold the obstacle, best first: against the force, along the path, where the tool is."""
    rank = len(grid.shape)
    force = felt.force[:rank]
    if np.linalg.norm(force) > _LEAST_FORCE:
        ahead = felt.position.copy()
        ahead[:rank] -= REACH * grid.spacing * force / np.linalg.norm(force)
        yield grid.cell_of(ahead)
        ahead[:rank] -= REACH * grid.spacing * force / np.linalg.norm(force)
        yield grid.cell_of(ahead)
    here = grid.cell_of(felt.position)
    yield from _next_on_path(felt.path, here)
    yield grid.cell_of(felt.desired)
    yield here


def _next_on_path(path: np.ndarray, here: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    distance = np.abs(path - np.array(here)).sum(axis=1)
    nearest = int(np.argmin(distance))
    for cell in path[nearest : nearest + 2]:
        yield tuple(int(c) for c in cell)


def _along_force(grid: CollisionMap, felt: Felt) -> tuple[int, ...]:
    """The free cell nearest to a point half a cell from the tool, on the side the force pushes to."""
    rank = len(grid.shape)
    force = felt.force[:rank]
    size = np.linalg.norm(force)
    target = felt.position.copy()
    if size > _LEAST_FORCE:
        target[:rank] += REACH * grid.spacing * force / size
    return _nearest(grid, ~grid.blocked, target) or _into_map(grid, grid.cell_of(felt.position), 0)


def _nearest(grid: CollisionMap, wanted: np.ndarray, position: np.ndarray) -> tuple[int, ...] | None:
    """The wanted cell whose centre is nearest to a position, or None if none is wanted."""
    cells = np.argwhere(wanted)
    if len(cells) == 0:
        return None
    rank = len(grid.shape)
    offsets = grid.origin[:rank] + grid.spacing * cells - position[:rank]
    return tuple(int(c) for c in cells[int(np.argmin((offsets**2).sum(axis=1)))])
