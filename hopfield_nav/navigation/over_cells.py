"""What everything that moves the tool over a map of cells tells of it."""

from __future__ import annotations

import numpy as np

from hopfield_nav.control import Trace
from hopfield_nav.navigation.beliefs import Step
from hopfield_nav.navigation.collision_map import CollisionMap
from hopfield_nav.navigation.joints import NOWHERE, Places


class OverCells:
    """Base of the navigators and of the follower.

    Attributes:
        grid: the map.
    """

    grid: CollisionMap

    def listen(self, trace: Trace) -> Places:
        """The tool alone touches: no other place is looked for."""
        return NOWHERE

    def felt(self) -> np.ndarray:
        """Bool grid of the marks as they stand; with ``mark: felt`` of the cells believed to be occupied."""
        return self.grid.felt.copy()

    def felt_count(self) -> int:
        """Number of these cells."""
        return int(self.grid.felt.sum())

    def closed_steps(self) -> dict[Step, float]:
        """Certainty of every touched step that it is closed; marked cells close none."""
        return {}

    def in_free_air(self) -> int:
        """Number of touches where the arm drove freely, before or afterwards; marks do not tell."""
        return 0

    def why_doubtful(self) -> str:
        """What speaks against the facts, empty where nothing does; marks are none."""
        return ""
