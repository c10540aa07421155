"""In the place of the navigator: follow one given trajectory, whatever is felt on the way.

For everything that is no search for a goal: free motion, excitation, a circle, a planned path. It
marks what is felt as the navigator does, and keeps going.
"""

from __future__ import annotations

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics
from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation.alert import Alert
from hopfield_nav.navigation.known_map import make_map
from hopfield_nav.navigation.motion import PlannedMotion
from hopfield_nav.navigation.over_cells import OverCells
from hopfield_nav.world import World


def check_trajectory(arm: Arm, trajectory: Trajectory) -> None:
    """Refuse a trajectory that the arm cannot follow from the start.

    Raises:
        BadInput: it has another number of joints, or does not begin at time 0.
    """
    if trajectory.coefficients.shape[2] != len(arm.dh):
        raise BadInput(
            "the trajectory is of another arm",
            found=trajectory.coefficients.shape[2],
            allowed=f"{len(arm.dh)} joints",
        )
    if trajectory.knots[0] != 0.0:
        raise BadInput("the trajectory does not begin at time 0", found=float(trajectory.knots[0]))


class Follower(OverCells):
    """A trajectory in the place of a path over the map; the attributes are those of ``Navigator``.

    Args:
        world: resolved; of its map only the marks are used.
        arm: kinematics of the controller.
        trajectory: to follow, from its first knot on.
    """

    def __init__(self, world: World, arm: Arm, trajectory: Trajectory) -> None:
        self.world, self.arm, self.trajectory = world, arm, trajectory
        self.grid, _ = make_map(world)
        self.goal_cell, self.goal = None, None
        rank = world.map.rank
        self.motion = PlannedMotion((0,) * rank, np.zeros((0, rank), dtype=int), trajectory)

    def first_motion(self, q: np.ndarray) -> PlannedMotion:
        """The trajectory, whatever the joint angles ``q``."""
        return self.motion

    def answer(self, alert: Alert) -> tuple[tuple[int, ...], PlannedMotion]:
        """Mark the tool's cell, if it is over the map, and go on."""
        cell = self.grid.cell_of(forward_kinematics(self.arm, alert.q)[:3, 3])
        if self.grid.inside(cell):
            self.grid.mark(cell)
        return cell, self.motion

    def decide(self, time: float, q: np.ndarray, qd: np.ndarray, held: float) -> PlannedMotion:
        """There is nothing to decide: the motion goes on."""
        return self.motion

    def arrive(self) -> None:
        """There is no goal to arrive at."""

    def final_map(self) -> np.ndarray:
        """Int grid: 1 where the map is blocked."""
        return self.grid.blocked.astype(np.int8)
