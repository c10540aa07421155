"""What touches and passages have taught of the steps between cells: facts and beliefs.

A *step* leads between the centres of two cells one apart along one axis. A touch on the way closes
the step: as a *fact* where it was a true stop that was still felt when the arm went back, else as a
*belief*. That the cell ahead is occupied is a belief too, and with it that the steps into it are
closed. A passage frees the steps that were driven, whatever was believed of their cells. Facts end
a search, beliefs guide it: a step that is believed to be closed may be driven again, and then ends
as a fact or as a free passage, for after ``ENOUGH`` stops it counts as closed even if none of them
was a true one.
"""

import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hopfield_nav.planning import way_back

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Cell = tuple[int, ...]

# certainty that the touched step is closed, before it is confirmed
TRUE_STOP, DOUBTFUL_STOP = (0.95, 0.6)
# that a step is closed which leads through a surface between two points that were felt on it
CROSSED = 0.5
AHEAD, ASIDE = 0.5, 0.25  # that a cell is occupied, after a true stop and after another touch
# of a cell, at most: however often it is felt, that it is occupied stays a belief
NEARLY_SURE = float(np.nextafter(1.0, 0.0))
# stops that were felt to the end after which a step counts as closed; others count half
ENOUGH = 2.0
# the same of a step that was driven freely before, whatever the stops were
ENOUGH_AFTER_PASSAGE = 4.0
# what a step costs beside its doubt, -ln(1 - certainty), when beliefs are withdrawn
PER_STEP = 0.02


class Step(NamedTuple):
    """From a cell to the next one along an axis; ``cell`` is the lower of the two.

    On a closed axis the last cell is followed by the first one, as which ``ends`` names the one
    behind it.
    """

    cell: Cell
    axis: int

    @property
    def ends(self) -> tuple[Cell, Cell]:
        """Both cells."""
        cell, axis = self.cell, self.axis
        return cell, (*cell[:axis], cell[axis] + 1, *cell[axis + 1 :])


def step_between(one: Iterable[int], other: Iterable[int], turn: Iterable[int] = ()) -> Step | None:
    """The step between two cells; None where they are not one apart along one axis.

    ``turn`` says how many cells a closed axis has, 0 for others; by default no axis is closed.
    """
    low, high = sorted((tuple(int(c) for c in one), tuple(int(c) for c in other)))
    apart = [b - a for a, b in zip(low, high, strict=True)]
    axis = next((k for k, d in enumerate(apart) if d), None)
    if axis is None or any(apart[axis + 1 :]):
        return None
    if apart[axis] == 1:
        return Step(low, axis)
    return (
        Step(high, axis)
        if apart[axis] == next(itertools.islice(turn, axis, None), 0) - 1 > 1
        else None
    )


class Beliefs:
    """Facts and beliefs about a grid."""

    def __init__(self, shape: tuple[int, ...], turn: tuple[int, ...] = ()) -> None:
        self.shape = shape  # cells of all axes
        self.turn = turn or (0,) * len(shape)  # cells of the closed axes, 0 of others
        self.facts: set[Step] = set()  # steps that are closed
        self.free: set[Step] = set()  # steps that were driven without a touch
        self.visited: set[Cell] = set()  # cells over whose centres the tool went
        self.cells: dict[Cell, float] = {}  # certainty that a cell is occupied, 0 to 1
        # cells that were touched on a longer move, which are then left to single steps
        self.rough: set[Cell] = set()
        # from whose centres the segment to a goal beside was touched
        self.closed_to_goal: set[Cell] = set()
        # touches where the arm drove freely, before or afterwards: they may be false alarms
        self.in_free_air = 0
        self._passed: set[Step] = set()
        self._steps: dict[Step, float] = {}
        self._stops: dict[Step, float] = {}
        # the step touched last, and whether by a true stop
        self._unconfirmed: tuple[Step, bool] | None = None

    @property
    def unconfirmed(self) -> bool:
        """Whether a true stop waits for the retreat to show that it was one."""
        return self._unconfirmed is not None and self._unconfirmed[1]

    def age(self, time: float) -> None:
        """All grows old until a time [s]; here nothing does."""

    def touch(self, step: Step, true_stop: bool) -> None:
        """A touch on a step; what it proves is decided by ``confirm``."""
        self.in_free_air += step in self._passed
        self.free.discard(step)
        self._steps[step] = max(
            self._steps.get(step, 0.0), TRUE_STOP if true_stop else DOUBTFUL_STOP
        )
        self._unconfirmed = step, true_stop

    def touch_to_goal(self, cell: Cell) -> None:
        """A touch on the segment from a cell to a goal beside."""
        self.closed_to_goal.add(cell)

    def touch_behind(self) -> None:
        """A touch on the way back, along which the arm had come."""
        self.in_free_air += 1

    def confirm(self, held: bool) -> None:
        """Whether the force of the last touch was still there when the retreat began."""
        touch, self._unconfirmed = self._unconfirmed, None
        if touch is None:
            return
        step, true_stop = touch
        stops = self._stops[step] = self._stops.get(step, 0.0) + (1.0 if held else 0.5)
        passed = step in self._passed
        if (held and true_stop and not passed) or stops >= (
            ENOUGH_AFTER_PASSAGE if passed else ENOUGH
        ):
            self.facts.add(step)

    def believe_occupied(self, cell: Cell, certainty: float) -> bool:
        """Believe a cell to be occupied, on top of what was believed before.

        Returns whether that is new.
        """
        known = self.cells.get(cell, 0.0)
        self.cells[cell] = min(1.0 - (1.0 - known) * (1.0 - certainty), NEARLY_SURE)
        return known == 0.0

    def believe_closed(self, step: Step) -> None:
        """Believe a step to be closed on which nothing was felt, unless it was driven."""
        if step not in self.free:
            self._steps[step] = max(self._steps.get(step, 0.0), CROSSED)

    def passed(self, cells: Iterable[Cell], steps: Iterable[Step]) -> None:
        """The tool went over the centres of cells and along steps without a touch."""
        for cell in cells:
            self.visited.add(cell)
            self.cells.pop(cell, None)
        for step in steps:
            self.in_free_air += step in self._stops
            self.facts.discard(step)
            self.free.add(step)
            self._passed.add(step)
            self._steps.pop(step, None)
            self._stops.pop(step, None)

    def load_prior(self, steps: Mapping[Step, float], cells: Mapping[Cell, float]) -> None:
        """What an earlier run believed.

        Of steps that they are closed, 1 for facts, and of cells that they are occupied.
        """
        for step, certainty in steps.items():
            self._steps[step] = min(certainty, TRUE_STOP)
            if certainty == 1.0:
                self.facts.add(step)
        for cell, certainty in cells.items():
            self.believe_occupied(cell, certainty)

    def certainty(self, step: Step) -> float:
        """Of a step being closed: 1 for a fact, 0 where nothing speaks for it."""
        if step in self.facts:
            return 1.0
        if step in self.free:
            return 0.0
        return max(self._steps.get(step, 0.0), *(self.cells.get(cell, 0.0) for cell in step.ends))

    def touched(self) -> dict[Step, float]:
        """Certainty of every step that was touched and not driven since.

        Or of one that is believed closed by what was felt.
        """
        return {step: self.certainty(step) for step in self._steps}

    def doubted(self) -> dict[Step, float]:
        """Certainty of every step for which anything speaks, facts among them."""
        steps = (
            self.facts
            | set(self._steps)
            | {step for cell in self.cells for step in self.steps_of(cell)}
        )
        return {
            step: certainty for step in sorted(steps) if (certainty := self.certainty(step)) > 0.0
        }

    def why_doubtful(self, blocked: np.ndarray) -> str:
        """What speaks against the facts, given the cells that no path takes.

        Empty where nothing does.
        """
        driven = len(self.facts & self._passed)
        if driven:
            return f"{driven} of the closed steps were driven freely before"
        if any(self._is_shut_in(cell, blocked) for cell in self.visited):
            return "every way out of a cell is closed in which the arm was"
        return ""

    def _is_shut_in(self, cell: Cell, blocked: np.ndarray) -> bool:
        ends = pairs(self.steps_of(cell), self.shape).tolist()
        steps = [s for s, two in zip(self.steps_of(cell), ends, strict=True)
                 if not any(blocked[tuple(c)] for c in two if tuple(c) != cell)]  # fmt: skip
        return bool(steps) and self.facts.issuperset(steps)

    def steps_of(self, cell: Cell) -> list[Step]:
        """The steps from a cell that stay inside the grid."""
        steps = []
        for axis, n in enumerate(self.shape):
            if cell[axis] + 1 < n or self.turn[axis]:
                steps.append(Step(cell, axis))
            if cell[axis] > 0 or self.turn[axis]:
                steps.append(Step((*cell[:axis], (cell[axis] - 1) % n, *cell[axis + 1 :]), axis))
        return steps

    def uneven(self) -> np.ndarray:
        """Bool grid of the cells of which anything is believed.

        Longer moves keep away from them.
        """
        grid = np.zeros(self.shape, dtype=bool)
        for cell in itertools.chain(
            self.cells, self.rough, *(step.ends for step in self.doubted())
        ):
            grid[cell] = True
        return grid

    def beside_occupied(self) -> np.ndarray:
        """Bool grid of the cells that are believed to be occupied and those around them."""
        grid = np.zeros(self.shape, dtype=bool)
        for cell in self.cells:
            grid[tuple(slice(max(c - 1, 0), c + 2) for c in cell)] = True
        return grid

    def likeliest_path(self, blocked: np.ndarray, start: Cell, goal: Cell) -> np.ndarray | None:
        """The path (k, rank) that only facts may bar, and against which the beliefs speak least.

        Start and goal count as free. None where facts alone separate them.
        """
        from scipy.sparse.csgraph import dijkstra

        graph = self._graph(blocked, start, goal)
        places = np.arange(blocked.size).reshape(self.shape)
        first, last = int(places[start]), int(places[goal])
        cost, before = dijkstra(graph, directed=False, indices=first, return_predecessors=True)
        if not np.isfinite(cost[last]):
            return None
        return np.stack(np.unravel_index(way_back(before, first, last), self.shape), axis=1)

    def cells_that_lead_to(self, goal: Cell, blocked: np.ndarray) -> np.ndarray:
        """Bool grid of the cells from which facts leave a path to a goal, which counts as free."""
        from scipy.sparse.csgraph import dijkstra

        places = np.arange(blocked.size).reshape(self.shape)
        graph = self._graph(blocked, goal, goal)
        cost = dijkstra(graph, directed=False, indices=int(places[goal]))
        return np.isfinite(cost).reshape(self.shape)

    def _graph(self, blocked: np.ndarray, start: Cell, goal: Cell) -> "csr_matrix":
        """Costs of all steps but the facts."""
        from scipy.sparse import csr_matrix

        open_ = ~blocked
        open_[start] = open_[goal] = True
        places = np.arange(blocked.size).reshape(self.shape)
        doubts = self.doubted()
        rows, columns, costs = [], [], []
        for axis in range(len(self.shape)):
            low = tuple(
                slice(None, -1) if a == axis else slice(None) for a in range(len(self.shape))
            )
            high = tuple(
                slice(1, None) if a == axis else slice(None) for a in range(len(self.shape))
            )
            cost = np.full(self.shape, PER_STEP)
            for step, certainty in doubts.items():
                if step.axis == axis:
                    cost[step.cell] = (
                        np.inf if certainty == 1.0 else PER_STEP - np.log(1.0 - certainty)
                    )
            usable = open_[low] & open_[high] & np.isfinite(cost[low])
            rows.append(places[low][usable])
            columns.append(places[high][usable])
            costs.append(cost[low][usable])
        where = (np.concatenate(rows), np.concatenate(columns))
        return csr_matrix((np.concatenate(costs), where), shape=(blocked.size, blocked.size))


def pairs(steps: Iterable[Step], shape: tuple[int, ...]) -> np.ndarray:
    """Steps as the planners take them: (m, 2, rank) int, cells of a grid of this shape."""
    ends = np.array([step.ends for step in steps], dtype=np.int64).reshape(-1, 2, len(shape))
    return ends % np.array(shape)


def longer_moves(uneven: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Moves of more than one axis step, of offsets (k, rank), in whose box an uneven cell lies.

    They are (m, 2, rank) int, pairs of cells: first and last.
    """
    rank = uneven.ndim
    shape = np.array(uneven.shape)
    moves = [np.zeros((0, 2, rank), dtype=np.int64)]
    if not uneven.any():
        return moves[0]
    cells = np.argwhere(uneven)
    least, largest = cells.min(axis=0), cells.max(axis=0)
    count = np.pad(uneven.astype(np.int64), [(1, 0)] * rank)
    for axis in range(rank):
        count = count.cumsum(axis=axis)
    for offset in offsets[np.abs(offsets).sum(axis=1) > 1]:
        size = np.abs(offset)
        low = np.maximum(least - size, 0)  # lower corners of boxes that may hold one: from here
        high = np.maximum(np.minimum(largest + 1, shape - size), low)  # to here
        total = np.zeros(high - low, dtype=np.int64)
        for upper in itertools.product((0, 1), repeat=rank):
            begin = low + np.where(upper, size + 1, 0)
            total += (-1) ** (rank - sum(upper)) * count[
                tuple(map(slice, begin, begin + high - low))
            ]
        first = low + np.argwhere(total > 0) + np.where(offset < 0, -offset, 0)
        moves.append(np.stack([first, first + offset], axis=1))
    return np.concatenate(moves)
