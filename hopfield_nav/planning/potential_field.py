"""Artificial potential field (Spong, Hutchinson and Vidyasagar 2006, 5.2 and 5.3).

A parabolic well that becomes a cone far from the goal attracts, blocked cells repel within `INFLUENCE`, and the path
goes down the sum in steps of `STEP`. It ends in the first local minimum, which need not be the goal; from there
random walks may lead out.
"""

from collections.abc import Sequence

import numpy as np

from dynamics.kernels.decorators import kernel
from hopfield_nav.planning.any_angle import cells_along, polyline_length
from hopfield_nav.planning.line_of_sight import Boxes, sees, unit_boxes
from hopfield_nav.planning.plan import Plan

STEP = 0.1  # [cells]
WELL = 2.0  # [cells] nearer to the goal than this the attraction falls
INFLUENCE = 1.5  # [cells] further from blocked cells than this they do not repel
REPULSION = 0.3  # gain of the repulsion, against 1 of the attraction
WATCHED, MOVED = 50, 0.5  # stuck: fewer than MOVED cells in WATCHED steps
WALK, STRIDE = 200, 0.3  # steps of a random walk, and how far each goes along an axis [cells]
MOST_STEPS = 5_000  # of each descent, on the average
STUCK = "stuck in a local minimum"


def plan_potential_field(
    blocked: np.ndarray, start: Sequence[int], goal: Sequence[int], random_walks: int = 0, seed: int = 0
) -> Plan:
    """Down the potential from start to goal; a blocked start or goal counts as free.

    Random walks are tried, one after the other, where the path is stuck. The plan has ``waypoints``; loops, as walks
    make them, are cut off.
    """
    from scipy.ndimage import distance_transform_edt

    grid = np.array(blocked, dtype=bool)
    grid[tuple(start)] = grid[tuple(goal)] = False
    nearest = np.stack(distance_transform_edt(~grid, return_distances=False, return_indices=True))
    walled = bool(grid.any())
    ends = np.array(start, dtype=float), np.array(goal, dtype=float)
    trace = np.empty((MOST_STEPS * (random_walks + 1), grid.ndim))
    draws = np.random.default_rng(seed).uniform(-STRIDE, STRIDE, (random_walks * WALK, grid.ndim))
    flat = np.ascontiguousarray(nearest.reshape(grid.ndim, -1))
    count, arrived = _descend(unit_boxes(grid), flat, walled, *ends, draws, trace)
    if not arrived:
        at = tuple(int(c) for c in np.rint(trace[count - 1]))
        return Plan(None, f"{STUCK} at cell {at}", np.inf, "potential_field")
    points = without_loops(np.vstack([trace[:count], ends[1]]))
    cells = cells_along(grid, points)
    return Plan(cells, "", polyline_length(points), "potential_field", waypoints=points)


def without_loops(points: np.ndarray) -> np.ndarray:
    """Cut off what lies between two visits to a cell; keeps where each cell is entered and left."""
    kept: list[tuple[tuple[int, ...], np.ndarray, np.ndarray]] = []
    place: dict[tuple[int, ...], int] = {}
    for point in points:
        cell = tuple(int(c) for c in np.rint(point))
        if cell in place:
            for lost, _, _ in kept[place[cell] + 1 :]:
                del place[lost]
            del kept[place[cell] + 1 :]
            kept[-1] = (cell, kept[-1][1], point)
        else:
            place[cell] = len(kept)
            kept.append((cell, point, point))
    both = np.array([p for _, first, last in kept for p in (first, last)])
    return both[np.concatenate([[True], np.any(np.diff(both, axis=0), axis=1)])]


@kernel
def _force(boxes: Boxes, nearest, walled, at, goal, out):
    """Negative gradient of the potential, Spong et al. (5.3) to (5.8), written to ``out``."""
    far, flat = 0.0, 0
    for a in range(at.size):
        out[a] = goal[a] - at[a]
        far += out[a] ** 2
        flat += int(min(max(np.rint(at[a]), 0), boxes.shape[a] - 1)) * boxes.stride[a]
    far = np.sqrt(far)
    if far > WELL:
        out *= WELL / far
    if not walled:
        return
    gap = np.empty(at.size)
    for a in range(at.size):
        offset = at[a] - nearest[a, flat]
        gap[a] = np.sign(offset) * max(abs(offset) - 0.5, 0.0)
    near = max(np.sqrt((gap**2).sum()), 1e-3)
    if near <= INFLUENCE:
        out += REPULSION * (1 / near - 1 / INFLUENCE) / near**2 * gap / near


@kernel
def _descend(boxes, nearest, walled, start, goal, draws, trace):
    """Fill ``trace`` from the start on; returns its length and whether the goal is a step away."""
    at, force, after = start.copy(), np.empty(start.size), np.empty(start.size)
    trace[0], count, drawn, since = start, 1, 0, 0
    while count < len(trace):
        if ((goal - at) ** 2).sum() < 0.25 and sees(boxes, at, goal):
            return count, True
        _force(boxes, nearest, walled, at, goal, force)
        size = np.sqrt((force**2).sum())
        after[:] = at + STEP * force / max(size, 1e-12)
        if size > 0.0 and sees(boxes, at, after):
            at[:] = after
        trace[count] = at
        count += 1
        since += 1
        if since < WATCHED or ((at - trace[count - 1 - WATCHED]) ** 2).sum() >= MOVED**2:
            continue
        if drawn == len(draws):
            return count, False
        for _ in range(min(WALK, len(trace) - count)):
            after[:] = at + draws[drawn]
            drawn += 1
            if sees(boxes, at, after):
                at[:] = after
            trace[count] = at
            count += 1
        since = 0
    return count, False
