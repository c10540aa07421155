"""Beliefs that grow old, for worlds that change (``planner.forget``).

The certainty c of all that was felt and driven becomes c 2^(-age/T), at most 0.95, so that the
likeliest path tries again what is oldest. Touches count for a time T. Nothing is certain: a step is
a fact only as long as it was felt twice within T, and facts bar a path only where they leave none.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from hopfield_nav.navigation.map.beliefs import ENOUGH, TRUE_STOP, Beliefs, Cell, Step

_FADED = 0.5  # certainty of a passage below which it does not count: it is older than T


class FadingBeliefs(Beliefs):
    """Facts and beliefs about a grid, as old as they are."""

    def __init__(self, shape: tuple[int, ...], half_life: float) -> None:
        # half_life: the time T [s]
        super().__init__(shape)
        self._half_life = half_life
        self._time = 0.0
        self._passages: dict[Step | Cell, float] = {}  # certainty of each
        # when each step was felt, and each segment to a goal beside, by its cell [s]; for how much
        # each counts
        self._felt: dict[Step, list[tuple[float, float]]] = {}
        self._felt_to_goal: dict[Cell, list[tuple[float, float]]] = {}

    def age(self, time: float) -> None:
        """All grows old until a time [s]."""
        share = 0.5 ** ((time - self._time) / self._half_life)
        self._time = time
        for certainties in (self.cells, self._steps, self._passages):
            for each in certainties:
                certainties[each] *= share  # type: ignore[index]
        recent = {each for each, certainty in self._passages.items() if certainty >= _FADED}
        self.visited &= recent
        self.free &= recent
        self._count()

    def touch(self, step: Step, true_stop: bool) -> None:  # noqa: D102  (says ``Beliefs``, as below)
        super().touch(step, true_stop)
        self._passages.pop(step, None)

    def touch_to_goal(self, cell: Cell) -> None:  # noqa: D102
        self._felt_to_goal.setdefault(cell, []).append((self._time, 1.0))
        self._count()

    def confirm(self, held: bool) -> None:  # noqa: D102
        touch, self._unconfirmed = self._unconfirmed, None
        if touch is not None:
            self._felt.setdefault(touch[0], []).append((self._time, 1.0 if held else 0.5))
            self._count()

    def passed(self, cells: Iterable[Cell], steps: Iterable[Step]) -> None:  # noqa: D102
        cells, steps = list(cells), list(steps)
        super().passed(cells, steps)
        self._passed.clear()  # what was free once may be closed by now
        self._passages.update(dict.fromkeys([*cells, *steps], 1.0))
        for step in steps:
            self._felt.pop(step, None)

    def load_prior(self, steps: Mapping[Step, float], cells: Mapping[Cell, float]) -> None:  # noqa: D102
        super().load_prior(steps, cells)
        self.facts.clear()

    def certainty(self, step: Step) -> float:
        """Of a step being closed, at most 0.95.

        A passage speaks against it as far as it is certain.
        """
        closed = max(self._steps.get(step, 0.0), *(self.cells.get(cell, 0.0) for cell in step.ends))
        return min(closed, TRUE_STOP) * (1.0 - min(self._passages.get(step, 0.0), TRUE_STOP))

    def likeliest_path(self, blocked: np.ndarray, start: Cell, goal: Cell) -> np.ndarray | None:
        """As ``Beliefs``.

        None where steps separate start and goal that were all felt twice within T.
        """
        sure = Beliefs(self.shape)
        sure.facts = self.facts
        if sure.likeliest_path(blocked, start, goal) is None:
            return None
        return super().likeliest_path(blocked, start, goal)

    def _count(self) -> None:
        """What was felt twice within T."""
        since = self._time - self._half_life

        def twice(felt: list[tuple[float, float]]) -> bool:
            return sum(counts for time, counts in felt if time >= since) >= ENOUGH

        self.facts = {step for step, felt in self._felt.items() if twice(felt)}
        self.closed_to_goal = {cell for cell, felt in self._felt_to_goal.items() if twice(felt)}
