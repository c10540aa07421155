"""The navigator of the tool with ``detection.mark: felt``: facts and beliefs, and a response.

It keeps map, means and response of one run, and asks ``answer`` what follows.
"""

from typing import Any

import numpy as np

from dynamics import Arm
from hopfield_nav.control import Controller
from hopfield_nav.navigation import answer
from hopfield_nav.navigation.map import (
    Beliefs,
    Cell,
    CollisionMap,
    PriorMap,
    Step,
    ToolMap,
    cell_of_start,
)
from hopfield_nav.navigation.motion import (
    Detection,
    PlannedMotion,
    Reference,
    Segment,
    make_means,
    no_cells,
    tool_at,
)
from hopfield_nav.navigation.navigator import Navigator
from hopfield_nav.navigation.planners import BelievedPaths
from hopfield_nav.navigation.responses import Response
from hopfield_nav.world import World


class ToolNavigator(Navigator):
    """Map, means and response of one run that starts at joint angles ``start`` (n,) [rad].

    Without a response the arm goes back and on from there.

    Raises ``BadInput``: the tool starts beside the map.
    """

    def __init__(
        self, world: World, arm: Arm, start: np.ndarray, response: Response | None = None
    ) -> None:
        self.map = ToolMap(world)
        self.means = make_means(world, arm, self.map, BelievedPaths(world))
        self.notes = self.means.notes
        self.response = Response() if response is None else response
        self.touched: Segment | None = None  # by the last touch
        cell = cell_of_start(world, self.map.grid, tool_at(arm, start))
        self.motion = PlannedMotion(cell, no_cells(self.map.rank), None)

    @property
    def grid(self) -> CollisionMap:
        """The cells of the map."""
        return self.map.grid

    @property
    def beliefs(self) -> Beliefs:
        """Facts and beliefs."""
        return self.map.beliefs

    @property
    def goal(self) -> np.ndarray | None:
        """(3,) position of the tool at the goal [m]; None without one."""
        return self.map.goal

    def first_motion(self, q: np.ndarray) -> PlannedMotion:  # noqa: D102  (says ``Navigator``, as below)
        return answer.first_motion(self.motion.start, q, self.map, self.means)

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:  # noqa: D102
        given = answer.after_touch(detection, self.motion, self.map, self.means, self.response)
        self.touched = given.segment
        return given.cell, given.motion

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:  # noqa: D102
        return answer.after_rest(
            begin, level_at_retreat, self.motion, self.map, self.means, self.response
        )

    def arrive(self) -> None:  # noqa: D102
        answer.learn_of_arrival(self.motion, self.map, self.response)

    def load_prior(self, prior: PriorMap) -> None:  # noqa: D102
        self.map.load_prior(prior, self.motion.start)

    def phase(self, world: World, arm: Arm, controller: Controller) -> Any:  # noqa: D102
        return self.response.phase(world, arm, controller, self.map, self.means)

    def felt(self) -> np.ndarray:  # noqa: D102
        return self.grid.felt.copy()

    def closed_steps(self) -> dict[Step, float]:  # noqa: D102
        return self.beliefs.touched()

    def in_free_air(self) -> int:  # noqa: D102
        return self.beliefs.in_free_air

    def why_doubtful(self) -> str:  # noqa: D102
        return self.beliefs.why_doubtful(self.map.obstacles())

    def final_map(self) -> np.ndarray:  # noqa: D102
        return self.map.final()
