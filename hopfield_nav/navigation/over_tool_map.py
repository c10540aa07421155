"""What the navigators of the tool share: the situation, its map, and what both are asked of these alone."""

import numpy as np

from dynamics import Arm
from hopfield_nav.navigation.map import CollisionMap
from hopfield_nav.navigation.motion import Paths, PlannedMotion, Situation, ToolMotions
from hopfield_nav.world import World


class OverToolMap:
    """A run over a map of the tool; what a ``Navigator`` is asked of it."""

    paths: Paths  # who plans

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self.situation = Situation.at_start(world, arm, start)  # of the run
        self.map = self.situation.map  # with all that is marked or believed on it
        self.motions = ToolMotions(self.situation, start)  # what makes motions of paths

    @property
    def goal(self) -> np.ndarray | None:  # noqa: D102  (says ``Navigator``, as below)
        return self.map.goal

    @property
    def motion(self) -> PlannedMotion:  # noqa: D102
        return self.situation.motion

    @motion.setter
    def motion(self, motion: PlannedMotion) -> None:
        self.situation.motion = motion

    @property
    def grid(self) -> CollisionMap:
        """The cells of the map."""
        return self.map.grid

    def first_motion(self, q: np.ndarray) -> PlannedMotion:  # noqa: D102
        self.motion = self.motions.first(self.paths, q)
        return self.motion

    def felt(self) -> np.ndarray:  # noqa: D102
        return self.grid.felt.copy()

    def felt_count(self) -> int:  # noqa: D102
        return int(self.grid.felt.sum())

    def final_map(self) -> np.ndarray:  # noqa: D102
        return self.map.final()
