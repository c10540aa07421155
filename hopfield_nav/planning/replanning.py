"""A planner that remembers: after a cell or step is closed only what changes is computed again.

First, in order of their distance, all cells that have lost their last shortest path are cleared
(Even and Shiloach 1981); then they are reached again from the cells around them, nearest first
(Ramalingam and Reps 1996). Labels are sums of the same steps in the same order as those of a new
start, so they are equal to the last bit.
"""

from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import kernel
from hopfield_nav.planning.ascent import beside, best_label, locate, neighbour, own_place
from hopfield_nav.planning.closed import by_place, closed_keys, is_closed, with_new
from hopfield_nav.planning.hopfield import flat_index
from hopfield_nav.planning.limit import activation_grid, plan_in_field, solve
from hopfield_nav.planning.neighbourhood import Neighbourhood, on_grid
from hopfield_nav.planning.plan import Landscape, Plan
from hopfield_nav.planning.planner import check_grid

REPAIR_SHARE = 400  # where more than 1/400 of all cells change, a new wave is quicker
LEAST_REPAIR = 1000  # cells that are always worth repairing
GIVEN_UP = -1

Steps = np.ndarray | Sequence


class Replanner:
    """Plans to the nearest of its goals over a map that changes cell by cell and step by step.

    The limit network is repaired, and is equal to a new one in every bit. A start that is blocked,
    or a goal that is, counts as in `planning.replan`. Of the bool grid ``blocked``, of any rank, it
    keeps a copy; ``goal`` is a cell (rank,), from 0, or several, (m, rank); ``near`` is the grid's
    neighbourhood, by default the 2N nearest; ``closed`` are steps as for `close`.

    Raises ``BadInput``: as `planning.plan_path`.
    """

    def __init__(
        self,
        blocked: np.ndarray,
        goal: Sequence[int] | np.ndarray,
        near: Neighbourhood | None = None,
        closed: Steps = (),
    ) -> None:
        self._blocked = np.array(check_grid(blocked), order="C")
        shape = self._blocked.shape
        goals: list[Any] = [goal] if np.ndim(goal) < 2 else list(np.asarray(goal))
        self._goal_indices = {flat_index(cell, shape, "goal") for cell in goals}
        self._goals = np.array(goals, dtype=np.int64)
        if not self._goal_indices:
            raise BadInput("goal cell", found="none", allowed="one or more")
        self._near = on_grid(near, shape)
        self._keys = closed_keys(closed, self._near)
        self._field = solve(self._blocked, self._near, self._goals, self._keys)

    @property
    def blocked(self) -> np.ndarray:
        """Bool grid of the blocked cells, read-only."""
        view = self._blocked.view()
        view.setflags(write=False)
        return view

    def block(self, cell: Sequence[int]) -> int:
        """Block one more cell (rank,); a goal that is marked stays a target.

        How many other cells have another distance; -1 where so many had that the network was
        settled anew.

        Raises ``BadInput``: a cell outside the grid.
        """
        index = flat_index(cell, self._blocked.shape, "blocked")
        flat = self._blocked.reshape(-1)
        was_blocked = bool(flat[index])
        flat[index] = True
        if was_blocked or index in self._goal_indices:
            return 0
        return self._repaired(block(self._field, flat, index, self._most))

    def close(self, steps: Steps) -> int:
        """Close steps, pairs (m, 2, rank) of neighbouring cells, in both directions.

        Answers as `block`.

        Raises ``BadInput``: as `planning.plan_path` for ``closed``.
        """
        self._keys, new = with_new(self._keys, closed_keys(steps, self._near))
        places, _ = with_new(self._field.closed, by_place(new, self._near, self._field.place))
        self._field = self._field._replace(closed=places)
        cells, numbers = np.divmod(new, len(self._near.offset))
        flat = self._blocked.reshape(-1)
        return self._repaired(close(self._field, flat, cells, numbers, self._most))

    def plan(self, start: Sequence[int]) -> Plan:
        """The path from a start (rank,) to the nearest goal; its grids are those of the planner.

        A start may be blocked, then its neighbours decide the first step.

        Raises ``BadInput``: a start outside the grid.
        """
        flat_index(start, self._blocked.shape, "start")
        return replace(plan_in_field(self._field, self._near, start), landscape=None)

    def path(self, start: Sequence[int]) -> np.ndarray | None:
        """Cells (k, rank) from a start to the nearest goal, see `plan`; None without a path."""
        return self.plan(start).cells

    @property
    def landscape(self) -> Landscape:
        """The network as it stands when its activations are first asked for."""
        return Landscape(self._activation, self._near, self._keys, sums=False)

    def _activation(self) -> np.ndarray:
        return activation_grid(self._field, self._near)

    @property
    def distance(self) -> np.ndarray:
        """Grid of shortest distances to the nearest goal, inf where there is none."""
        return 0.0 - self._activation()

    @property
    def _most(self) -> int:
        """Number of cells that a repair may clear."""
        return min(self._blocked.size, max(LEAST_REPAIR, self._blocked.size // REPAIR_SHARE))

    def _repaired(self, changed: int) -> int:
        """Settle the network anew if its repair was given up."""
        if changed == GIVEN_UP:
            self._field = solve(self._blocked, self._near, self._goals, self._keys)
        return changed


@kernel
def _push_children(field, at, own, heap):
    """Queue the neighbours of the cell `at` whose label may come from its former label `own`."""
    label, _, step, offset, shape, wrap, place, _ = field
    for k in range(step.size):
        j = neighbour(at, offset, k, shape, wrap, place)
        if j >= 0 and label[j] == own + step[k]:
            heappush(heap, (label[j], beside(at, offset, k, shape, wrap)))


@kernel
def _settle_again(field, blocked, heap, most):
    """Clear the queued cells that have no shortest path any more, and all that lose theirs by it.

    Then they are reached again. In place; returns how many were cleared, or GIVEN_UP.
    """
    label, nothing, _, _, shape, _, place, _ = field
    at = np.empty(shape.size, np.int64)
    cleared = np.empty(most, np.int64)
    count = 0
    while len(heap) > 0:
        own, j = heappop(heap)
        locate(j, shape, at)
        i = own_place(at, place)
        if label[i] != own or best_label(at, field) == own:  # a neighbour still gives it
            continue
        if count == most:
            return GIVEN_UP
        cleared[count] = j
        count += 1
        label[i] = nothing
        _push_children(field, at, own, heap)
    if count > 0:
        _reach_again(field, blocked, cleared[:count])
    return count


@kernel
def block(field, blocked, cell, most):
    """Repair the labels of a limit.Field, in place, after the ``cell``, not a target, is blocked.

    ``blocked`` (cells,) includes it; cells are counted in C order. Returns how many cells lost
    their label, or GIVEN_UP if more than ``most``, after which the labels are worthless.
    """
    at = np.empty(field.shape.size, np.int64)
    locate(cell, field.shape, at)
    i = own_place(at, field.place)
    own = field.label[i]
    if own == field.nothing:
        return 0
    heap = [(own, np.int64(cell))]
    heap.pop()
    field.label[i] = field.nothing
    _push_children(field, at, own, heap)
    return _settle_again(field, blocked, heap, most)


@kernel
def close(field, blocked, cells, steps, most):
    """Repair the labels, in place, after steps are closed; answers as `block`.

    ``cells`` (m,) are those from which the steps with these numbers (m,) lead, in both directions;
    their keys are among `field.closed` already.
    """
    label, nothing, step, offset, shape, wrap, place, _ = field
    at = np.empty(shape.size, np.int64)
    heap = [(label[0], np.int64(0))]
    heap.pop()
    for n in range(cells.size):
        locate(cells[n], shape, at)
        i = own_place(at, place)
        j = neighbour(at, offset, steps[n], shape, wrap, place)
        if label[i] != nothing and label[j] != nothing and label[j] + step[steps[n]] == label[i]:
            heappush(heap, (label[i], cells[n]))
    return _settle_again(field, blocked, heap, most)


@kernel
def _reach_again(field, blocked, cells):
    """Give cleared ``cells`` (m,), in C order, their labels from around, in place."""
    label, nothing, step, offset, shape, wrap, place, closed = field
    at = np.empty(shape.size, np.int64)
    heap = [(label[0], np.int64(0))]
    heap.pop()
    for n in range(cells.size):
        locate(cells[n], shape, at)
        best = best_label(at, field)
        if best < np.inf and not blocked[cells[n]]:
            heappush(heap, (label.dtype.type(best), cells[n]))
    while len(heap) > 0:
        own, cell = heappop(heap)
        locate(cell, shape, at)
        i = own_place(at, place)
        if label[i] != nothing and label[i] <= own:
            continue
        label[i] = own
        for k in range(step.size):
            j = neighbour(at, offset, k, shape, wrap, place)
            if j < 0 or is_closed(closed, i * step.size + k):
                continue
            beyond = label.dtype.type(own + step[k])
            if label[j] == nothing or beyond < label[j]:
                other = beside(at, offset, k, shape, wrap)
                if not blocked[other]:
                    heappush(heap, (beyond, other))
