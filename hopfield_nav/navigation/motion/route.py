"""A path over the cells of a map, and what finds one."""

from typing import NamedTuple, Protocol

import numpy as np

from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.motion.grade import Grade
from hopfield_nav.navigation.motion.plan_notes import NETWORK
from hopfield_nav.planning import Landscape, Plan


class Route(NamedTuple):
    """A plan, and how it ends."""

    plan: Plan  # of the planner
    over_centre: bool = False  # whether it leads over the centre of its last cell to a goal beside
    by: str = NETWORK  # who found it
    asked: Plan | None = None  # what the planner answered last, where the plan is of somebody else

    @property
    def landscape(self) -> Landscape | None:
        """The network as the planner left it; None where it is no network."""
        return (self.plan if self.asked is None else self.asked).landscape


class NoPath(NamedTuple):
    """Why there is no path."""

    reason: str
    grade: Grade  # what it rests on


class Paths(Protocol):
    """Finds paths over a map; it remembers nothing from one path to the next."""

    def find(self, start: Cell, map: ToolMap) -> Route:
        """A path from a cell to the goal's; the last step may begin in the cell beside it."""

    def why_none(self, start: Cell, plan: Plan, map: ToolMap) -> NoPath:
        """Why there is no path from a cell, where ``find`` has found none: its ``plan``."""

    def rests(self, places: np.ndarray, map: ToolMap) -> np.ndarray | None:
        """Behind which of the segments between places (k + 1, 3) the arm stops; None: the last."""
