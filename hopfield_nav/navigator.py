"""From cells to motion: the map, the network's path over it, and the trajectory that follows it.

It knows nothing of the plant. ``simulation`` asks it for a first trajectory, and for a new one after
every collision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.joint_path import follow_path
from dynamics.kinematics import forward_kinematics, jacobian
from hopfield_nav.collision_map import CollisionMap, round_half_away
from hopfield_nav.planning import replan
from hopfield_nav.reaction import Conclusion, Felt, react
from hopfield_nav.trajectory import Trajectory, evaluate, quintic_trajectory
from hopfield_nav.world import World


class Way(NamedTuple):
    """A path and its trajectory; without a trajectory, the outcome of the run and its reason."""

    cells: np.ndarray
    trajectory: Trajectory | None
    outcome: str = ""
    reason: str = ""


class Navigator:
    """Map, planner and trajectories of one run.

    Args:
        world: resolved.
        arm: the kinematics that the controller plans with.
        start: (n,) joint angles at the beginning [rad].
    """

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self.world, self.arm = world, arm
        self.grid = _make_map(world)
        self.way = Way(np.zeros((0, 2), dtype=int), None)
        self.goal_cell, self.goal = self._find_goal()
        self._start_cell = self._cell_of_start(start)

    def first_way(self, q: np.ndarray) -> Way:
        """The way from the start pose; at rest there when the world has no goal."""
        still = np.zeros(len(q))
        if self.goal is None:
            trajectory = quintic_trajectory(q[None], 1.0, sample_time=self.world.trajectory.sample_time)
            self.way = Way(np.array([self._start_cell]), trajectory)
        else:
            self.way = self._plan(self._start_cell, 0.0, q, still, still)
        return self.way

    def collide(self, time: float, q: np.ndarray, force: np.ndarray) -> tuple[Conclusion, Way]:
        """Mark what was felt and find a new way.

        Args:
            time: of the detection [s].
            q: (n,) measured joint angles [rad].
            force: (3,) estimated force on the tool [N].
        """
        q_ref, qd_ref, qdd_ref = evaluate(self.way.trajectory, time)
        felt = Felt(
            position=forward_kinematics(self.arm, q)[:3, 3],
            desired=forward_kinematics(self.arm, q_ref)[:3, 3],
            desired_velocity=(jacobian(self.arm, q_ref) @ qd_ref)[:3],
            force=force,
            path=self.way.cells,
        )
        detection = self.world.detection
        conclusion = react(self.grid, felt, self.goal_cell, detection.mark, detection.back_off)
        self.way = self._plan(conclusion.start, time, q_ref, qd_ref, qdd_ref)
        return conclusion, self.way

    def _plan(
        self, start: tuple[int, ...], time: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
    ) -> Way:
        planner = self.world.planner
        plan = replan(
            self.grid.blocked, start, self.goal_cell, planner.network, planner.beta, planner.radius,
            ties=planner.ties,
        )  # fmt: skip
        if plan.cells is None:
            return Way(np.zeros((0, 2), dtype=int), None, "no_path", plan.reason)
        path = follow_path(self.arm, self._poses(plan.cells), q)
        if path.reason:
            cell = tuple(int(c) for c in plan.cells[path.reached])
            return Way(plan.cells, None, "unreachable", f"cell {cell}: {path.reason}")
        waypoints = np.vstack([q, path.q])
        trajectory = quintic_trajectory(
            waypoints, self._segment_time(len(waypoints)), time, qd, qdd,
            self.arm.speed_limits, self.world.trajectory.sample_time,
        )  # fmt: skip
        return Way(plan.cells, trajectory)

    def _segment_time(self, waypoints: int) -> float:
        """Seconds from waypoint to waypoint; the document's rule is round(n/2)/(n-1) (C.2.2)."""
        rule = self.world.trajectory.time_per_cell
        if rule != "ragazzon2012":
            return float(rule)
        return float(round_half_away(np.array(waypoints / 2))) / (waypoints - 1)

    def _poses(self, cells: np.ndarray) -> np.ndarray:
        poses = np.tile(np.eye(4), (len(cells), 1, 1))
        poses[:, :3, :3] = self.world.trajectory.tool_rotation
        poses[:, :3, 3] = [self.grid.centre(cell) for cell in cells]
        poses[-1, :3, 3] = self.goal
        return poses

    def _find_goal(self) -> tuple[tuple[int, ...], np.ndarray | None]:
        if self.world.goal_position is None:
            return (0, 0), None
        position = np.array([*self.world.goal_position, self.grid.origin[2]])
        return self.grid.cell_of(position), position

    def _cell_of_start(self, q: np.ndarray) -> tuple[int, ...]:
        tool = forward_kinematics(self.arm, q)[:3, 3]
        cell = self.grid.cell_of(tool)
        if self.goal is not None and not self.grid.inside(cell):
            raise BadInput(
                "the tool does not start above the map",
                where="start.joints",
                found=f"tool at x = {tool[0]:.4f} m, y = {tool[1]:.4f} m",
                allowed="a pose whose tool is over one of the map's cells",
            )
        return cell


def _make_map(world: World) -> CollisionMap:
    """The map with its rim, and with the cells whose centre lies in a known obstacle."""
    grid = CollisionMap.create(world.map.origin, world.map.spacing, world.map.shape, world.map.rim)
    x = grid.origin[0] + grid.spacing * np.arange(grid.shape[0])[:, None]
    y = grid.origin[1] + grid.spacing * np.arange(grid.shape[1])[None, :]
    for obstacle in world.known:
        cx, cy = obstacle.cylinder.center
        grid.blocked |= (x - cx) ** 2 + (y - cy) ** 2 <= obstacle.cylinder.radius**2
    return grid
