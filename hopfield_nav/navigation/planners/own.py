"""A planner of the user: its path is checked before the arm drives it."""

from typing import Any

import numpy as np

from hopfield_nav.planning import Plan
from hopfield_nav.plugin import BelievedMap, MethodFailed, Own


class OwnPlanner(Own):
    """Asks a planner of the user."""

    def plan(self, believed: BelievedMap) -> Plan:
        """The path, checked.

        Raises ``MethodFailed``: the planner raises, or its path is none over this map.
        """
        cells = self.ask(
            "plan", believed.read_only(), lambda answer: checked_path(answer, believed)
        )
        if cells is None:
            return Plan(None, "the planner finds no path", np.inf, self._method.name)
        return Plan(
            cells,
            "",
            float(np.linalg.norm(np.diff(cells, axis=0), axis=1).sum()),
            self._method.name,
        )


def checked_path(answer: Any, believed: BelievedMap) -> np.ndarray | None:
    """The path (k, rank) that a planner answers; None where it says that there is none.

    Raises ``MethodFailed``: it has another shape, leaves the map, does not lead from start to goal,
    makes moves that are none, or leads through what is known or over a step that is proven to be
    closed.
    """
    if answer is None:
        return None
    points = as_points(answer, believed, "path", "cells")
    cells = np.rint(points).astype(int)
    if (points != cells).any():
        raise MethodFailed("its path has cells that are no whole numbers")
    if tuple(cells[0]) != tuple(believed.start):
        raise MethodFailed(f"its path begins at {cells[0].tolist()}, not at {list(believed.start)}")
    if not (cells[-1] == believed.goals).all(axis=1).any():
        raise MethodFailed(f"its path ends at {cells[-1].tolist()}, not at a goal")
    moves = np.diff(cells, axis=0)
    strange = np.flatnonzero(~(moves[:, None] == believed.moves).all(axis=2).any(axis=1))
    if strange.size:
        begin, end = cells[strange[0] : strange[0] + 2].tolist()
        raise MethodFailed(f"its path goes from {begin} to {end}: no move")
    hit = np.flatnonzero(believed.blocked[tuple(cells[1:-1].T)])
    if hit.size:
        raise MethodFailed(
            f"its path leads through {cells[1 + hit[0]].tolist()}, known to be blocked"
        )
    facts = believed.closed[believed.certainty >= 1.0]
    count = believed.blocked.size
    ends = np.ravel_multi_index(tuple(np.moveaxis(facts, 2, 0)), believed.blocked.shape)
    number = np.ravel_multi_index(tuple(cells.T), believed.blocked.shape)
    shut = np.append(ends[:, 0] * count + ends[:, 1], ends[:, 1] * count + ends[:, 0])
    proven = np.flatnonzero(np.isin(number[:-1] * count + number[1:], shut))
    if proven.size:
        begin, end = cells[proven[0] : proven[0] + 2].tolist()
        raise MethodFailed(f"its path leads from {begin} to {end}, proven to be closed")
    return cells


def as_points(
    answer: Any, believed: BelievedMap, what: str = "way", of: str = "waypoints"
) -> np.ndarray:
    """What a method answers as points (k, rank) within the map, in cells.

    Raises ``MethodFailed``: they are none, or none of this map.
    """
    points = np.asarray(answer)
    rank = believed.blocked.ndim
    shape = np.array(believed.blocked.shape)
    if (
        points.dtype.kind not in "iuf"
        or points.ndim != 2
        or points.shape[1] != rank
        or not len(points)
    ):
        raise MethodFailed(
            f"its {what} is {points.dtype} of shape {points.shape}, not {of} (k, {rank})"
        )
    if not np.isfinite(points).all():
        raise MethodFailed(f"its {what} has {of} that are not finite")
    outside = ((points < -0.5) | (points >= shape - 0.5)).any(axis=1)
    if outside.any():
        raise MethodFailed(f"its {what} leaves the map: {points[outside.argmax()].tolist()}")
    return points
