"""A given trajectory in the place of a path over the map."""

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation.map import Cell, make_map
from hopfield_nav.navigation.motion import (
    Detection,
    PlannedMotion,
    PlanNotes,
    Reference,
    no_cells,
    tool_at,
)
from hopfield_nav.navigation.navigator import Navigator
from hopfield_nav.world import World


def check_trajectory(arm: Arm, trajectory: Trajectory) -> None:
    """Refuse a trajectory that the arm cannot follow from the start.

    Raises ``BadInput``: it has another number of joints, or does not begin at time 0.
    """
    if trajectory.coefficients.shape[2] != len(arm.dh):
        joints = trajectory.coefficients.shape[2]
        raise BadInput(
            "the trajectory is of another arm", found=joints, allowed=f"{len(arm.dh)} joints"
        )
    if trajectory.knots[0] != 0.0:
        raise BadInput("the trajectory does not begin at time 0", found=float(trajectory.knots[0]))


class Follower(Navigator):
    """A trajectory, from its first knot on, in the place of a path over the map.

    Its marks are used. For everything that is no search for a goal: free motion, excitation, a
    circle, a planned path. It marks what is felt as the others do, and keeps going.
    """

    def __init__(self, world: World, arm: Arm, trajectory: Trajectory) -> None:
        self._arm = arm
        self.grid, _ = make_map(world)
        self.notes = PlanNotes(world)
        rank = world.map.rank
        self.motion = PlannedMotion((0,) * rank, no_cells(rank), trajectory)

    @property
    def goal(self) -> None:
        """Nothing is searched."""

    def first_motion(self, q: np.ndarray) -> PlannedMotion:
        """The trajectory, whatever the joint angles ``q``."""
        return self.motion

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:
        """Mark the tool's cell, if it is over the map, and go on."""
        cell = self.grid.cell_of(tool_at(self._arm, detection.q))
        if self.grid.inside(cell):
            self.grid.mark(cell)
        return cell, self.motion

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """There is nothing to decide: the motion goes on."""
        return self.motion

    def felt(self) -> np.ndarray:  # noqa: D102  (says ``Navigator``)
        return self.grid.felt.copy()

    def final_map(self) -> np.ndarray:
        """Int grid: 1 where the map is blocked."""
        return self.grid.blocked.astype(np.int8)
