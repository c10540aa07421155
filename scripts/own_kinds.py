"""A planner, a response and a belief of one's own, small ones, for `fingerprints.py`."""

from collections import deque

import numpy as np

from hopfield_nav.plugin import CollisionEvidence, Method, Parameter


class BreadthFirst:
    """Paths of fewest moves, past everything that is believed."""

    def plan(self, believed):
        """(k, rank) cells from the start to the first goal that is met; None: there is no path."""
        shut = {(*a, *b) for a, b in believed.closed.tolist()}
        shut |= {(*b, *a) for a, b in believed.closed.tolist()}
        goals = {tuple(goal) for goal in believed.goals.tolist()}
        before = {believed.start: None}
        queue = deque([believed.start])
        while queue:
            cell = queue.popleft()
            if cell in goals:
                return np.array(_way_to(cell, before))
            for move in believed.moves.tolist():
                new = tuple(c + m for c, m in zip(cell, move, strict=True))
                if new in before or (*cell, *new) in shut:
                    continue
                if new in goals or _is_free(believed.blocked, new):
                    before[new] = cell
                    queue.append(new)
        return None


def _is_free(blocked, cell):
    inside = all(0 <= c < n for c, n in zip(cell, blocked.shape, strict=True))
    return inside and not blocked[cell]


def _way_to(cell, before):
    way = [cell]
    while before[way[-1]] is not None:
        way.append(before[way[-1]])
    return way[::-1]


class OneCellOn:
    """After a touch, and at one rest in two, to the next cell of the planner's path."""

    def __init__(self, rests):
        self._rests = rests  # how often it is asked again after a touch
        self._left = 0

    def on_touch(self, touch):
        """The next cell, if there is one."""
        self._left = int(self._rests)
        return self._next(touch)

    def on_rest(self, touch):
        """The next cell again, or the planner's path."""
        self._left -= 1
        return self._next(touch) if self._left >= 0 else None

    def _next(self, touch):
        path = touch.path(touch.believed.start)
        return None if path is None or len(path) < 3 else path[1:2]


class Around:
    """Every cell at which the arm is near to where it may have been touched."""

    def __init__(self, distance):
        self._distance = distance

    def believe(self, felt):
        """Each place with its weight."""
        cells = np.zeros(felt.believed.blocked.shape, np.float32)
        for point, weight in zip(felt.points, felt.weights, strict=True):
            cells[felt.near(point, self._distance)] += weight
        return CollisionEvidence(cells)


RESTS = Parameter("rests", 2.0, 0.0, 100.0, "1", "how often it is asked again after a touch")
DISTANCE = Parameter("distance", 0.02, 0.0, 0.5, "m", "how near the arm is to a place")
PLANNER = Method("planner", "breadth_first", BreadthFirst)
RESPONSE = Method("response", "one_cell_on", OneCellOn, (RESTS,))
BELIEF = Method("belief", "around", Around, (DISTANCE,))
