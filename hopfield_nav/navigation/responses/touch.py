"""What a response to a touch of the tool is asked with: ``plugin.Touch``, and what the built-in ones need."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from hopfield_nav.navigation.map import Cell
from hopfield_nav.navigation.motion import LEAST_FORCE, Reference, Segment, Situation
from hopfield_nav.navigation.responses.paths import BelievedPaths
from hopfield_nav.plugin import BelievedMap


class ToolTouch:
    """A touch of the tool, or a rest without one; what nobody asks for is not computed.

    Args:
        situation: of the run.
        paths: who plans.
    """

    def __init__(
        self, situation: Situation, paths: BelievedPaths, begin: Reference,
        segment: Segment | None = None, felt: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self._now, self._paths, self._start = situation, paths, situation.motion.start
        # segment: of the present motion, that was touched; None at rest
        # begin: the reference, from which the next motion begins
        self.segment, self.begin = segment, begin
        self.felt = np.zeros(3) if felt is None else felt  # (3,) force on the tool [N]

    def going_on_from(self, start: Cell) -> "ToolTouch":
        """The same, of an arm that goes on from a cell."""
        touch = ToolTouch(self._now, self._paths, self.begin, self.segment, self.felt)
        touch._start = start
        return touch

    @property
    def touched(self) -> Segment:
        """The segment that was touched."""
        assert self.segment is not None
        return self.segment

    @property
    def time(self) -> float:
        """[s]."""
        return self.begin.time

    @cached_property
    def believed(self) -> BelievedMap:
        """The map, with all goals."""
        goals = np.array(self._paths.targets(), dtype=int).reshape(-1, self._now.map.rank)
        return replace(self._paths.believed(self._start, None), goals=goals).read_only()

    @property
    def place(self) -> np.ndarray:
        """(rank,) in cells."""
        tool = self._now.tool(self.begin.q) if self.segment is None else self.segment.place
        return np.asarray(self._now.map.in_cells(tool))

    @property
    def direction(self) -> np.ndarray:
        """(rank,) of the motion; zero at rest."""
        rank = self._now.map.rank
        flat = np.zeros(rank) if self.segment is None else self.segment.direction[:rank]
        size = float(np.linalg.norm(flat))
        return flat / size if size > LEAST_FORCE else np.zeros(rank)

    @property
    def force(self) -> np.ndarray:
        """(rank,) along the axes of the map [N]."""
        return self.felt[: self._now.map.rank].copy()

    @property
    def step(self) -> np.ndarray | None:
        """(2, rank) cells of the touched step."""
        step = None if self.segment is None else self.segment.step
        return None if step is None else np.array(step.ends)

    def path(self, start: Cell) -> np.ndarray | None:
        """(k, rank) cells of the world's planner."""
        cells = self._paths.find(tuple(int(c) for c in start)).plan.cells
        return None if cells is None else cells.copy()
