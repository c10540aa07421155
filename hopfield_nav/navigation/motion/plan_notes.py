"""The plans of a run, as a record has them."""

from typing import NamedTuple

import numpy as np

from hopfield_nav.planning import Landscape
from hopfield_nav.plugin import is_ours
from hopfield_nav.world import PlannerSection, World

NETWORK, AGAINST_BELIEFS, OWN = "network", "against_beliefs", "own"


class NotedPlan(NamedTuple):
    """A plan that a motion was made of, or that there was no path for one."""

    # by: NETWORK, a climb; AGAINST_BELIEFS, over what is believed to be closed, which is no climb;
    # OWN, a planner from outside the program
    time: float  # of the simulation [s]
    by: str
    cells: np.ndarray  # (k, rank) of the path; k = 0 where there is none
    # grid of the network that was asked last: ln sigma, or minus the distance
    activation: np.ndarray | None


def planned_by(section: PlannerSection) -> str:
    """Who plans in a world: the network, another planner of ours by its name, or somebody's own."""
    if not is_ours("planner", section.kind):
        return OWN
    return NETWORK if section.kind == "hopfield" else section.kind


class PlanNotes:
    """Notes every plan of a run in order; of several at the same time the last alone."""

    def __init__(self, world: World) -> None:
        self._keeps = world.record.keeps_network(int(np.prod(world.map.shape)))
        self._shape = tuple(world.map.shape)
        self.plans: list[NotedPlan] = []

    def note(
        self, time: float, by: str, cells: np.ndarray | None, landscape: Landscape | None
    ) -> None:
        """Note a plan, made at a simulated time [s], in the place of one of the same time.

        ``by`` is as in `NotedPlan`; ``cells`` (k, rank) is its path, None where there is none. Of
        the ``landscape`` the activation is kept, if it is over the world's own grid.
        """
        if not self._keeps:
            return
        activation = None
        if landscape is not None and landscape.near.shape == self._shape:
            activation = landscape.activation
        path = np.zeros((0, len(self._shape)), dtype=int) if cells is None else cells
        if self.plans and self.plans[-1].time == time:
            self.plans.pop()
        self.plans.append(NotedPlan(time, by, path, activation))
