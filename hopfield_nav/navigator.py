"""From cells to motion: the map, the network's path over it, and the trajectory that follows it.

It knows nothing of the plant. ``simulation`` asks it for a first trajectory, and for a new one after
every collision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.joint_path import JointPath, follow_path
from dynamics.kinematics import forward_kinematics, jacobian
from dynamics.position_path import follow_positions
from hopfield_nav.collision_map import CollisionMap, round_half_away
from hopfield_nav.planning import Plan, replan
from hopfield_nav.reaction import Felt, cell_to_mark, start_against_velocity, start_along_force
from hopfield_nav.trajectory import Trajectory, evaluate, quintic_trajectory
from hopfield_nav.world import World


class Way(NamedTuple):
    """A path and its trajectory; without a trajectory, the outcome of the run and its reason."""

    start: tuple[int, ...]
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
        self.grid = make_map(world)
        self.goal_cell, self.goal = self._find_goal()
        self._start_cell = self._cell_of_start(start)
        self._no_cells = np.zeros((0, world.map.rank), dtype=int)
        self.way = Way(self._start_cell, self._no_cells, None)
        self._passed = np.zeros(self.grid.shape, dtype=bool)

    def first_way(self, q: np.ndarray) -> Way:
        """The way from the start pose; at rest there when the world has no goal."""
        still = np.zeros(len(q))
        if self.goal is None:
            trajectory = quintic_trajectory(q[None], 1.0, sample_time=self.world.trajectory.sample_time)
            self.way = Way(self._start_cell, np.array([self._start_cell]), trajectory)
        else:
            self.way = self._plan(self._start_cell, 0.0, q, still, still)
        return self.way

    def collide(self, time: float, q: np.ndarray, force: np.ndarray) -> tuple[tuple[int, ...], Way]:
        """Mark what was felt and find a new way.

        Args:
            time: of the detection [s].
            q: (n,) measured joint angles [rad].
            force: (3,) estimated force on the tool [N].

        Returns:
            The marked cell and the new way; without a goal the arm stays on the one it has.
        """
        if self.way.trajectory is None:
            raise RuntimeError("a run that has ended cannot collide")
        q_ref, qd_ref, qdd_ref = evaluate(self.way.trajectory, time)
        felt = Felt(
            position=forward_kinematics(self.arm, q)[:3, 3],
            desired=forward_kinematics(self.arm, q_ref)[:3, 3],
            desired_velocity=(jacobian(self.arm, q_ref) @ qd_ref)[:3],
            force=force,
            path=self.way.cells,
        )
        marked = cell_to_mark(self.grid, felt, self.goal_cell, self.world.detection.mark)
        self.grid.mark(marked)
        if self.goal is None:
            return marked, self.way
        self._remember_passed(felt)
        start = self._back_off(marked, felt)
        if start is None:
            self.way = Way(marked, self._no_cells, None, "no_path", "no free way from the tool to the goal")
        else:
            self.way = self._plan(start, time, q_ref, qd_ref, qdd_ref)
        return marked, self.way

    def _back_off(self, marked: tuple[int, ...], felt: Felt) -> tuple[int, ...] | None:
        """Where the next path starts; None where no open cell is left near the tool.

        Never the goal itself: a tool that was pushed off it must come from another side, and a goal
        whose neighbours are all blocked is out of reach even from beside it.
        """
        if self.world.detection.back_off == "against_velocity":
            return start_against_velocity(self.grid, marked, felt)
        plan = self._network(marked)
        open_cells = plan.reachable & ~self.grid.blocked
        open_cells[self.goal_cell] = False
        start = start_along_force(self.grid, felt, open_cells, self._passed)
        return start if open_cells[start] else None

    def _remember_passed(self, felt: Felt) -> None:
        """The cells of the path up to the one nearest to the tool."""
        rank = len(self.grid.shape)
        centres = self.grid.origin[:rank] + self.grid.spacing * felt.path
        nearest = int(np.argmin(((centres - felt.position[:rank]) ** 2).sum(axis=1)))
        self._passed[tuple(felt.path[: nearest + 1].T)] = True

    def _network(self, start: tuple[int, ...]) -> Plan:
        if self.goal_cell is None:
            raise RuntimeError("without a goal there is nothing to plan")
        planner = self.world.planner
        return replan(
            self.grid.blocked, start, self.goal_cell, planner.network, planner.beta, planner.radius,
            ties=planner.ties,
        )  # fmt: skip

    def _plan(
        self, start: tuple[int, ...], time: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
    ) -> Way:
        plan = self._network(start)
        if plan.cells is None:
            return Way(start, self._no_cells, None, "no_path", plan.reason)
        goes_by = self._positions(plan.cells)
        path = self._follow(goes_by, q)
        if path.reason:
            cell = tuple(int(c) for c in plan.cells[path.reached])
            return Way(start, plan.cells, None, "unreachable", f"cell {cell}: {path.reason}")
        places = np.vstack([forward_kinematics(self.arm, q)[:3, 3], goes_by])
        trajectory = quintic_trajectory(
            np.vstack([q, path.q]), self._segment_times(places), time, qd, qdd,
            self.arm.speed_limits, self.world.trajectory.sample_time,
        )  # fmt: skip
        return Way(start, plan.cells, trajectory)

    def _segment_times(self, places: np.ndarray) -> np.ndarray:
        """Seconds from waypoint to waypoint (k,), for tool positions ``places`` (k + 1, 3) [m].

        The document's rule is round(n/2)/(n-1) for all (C.2.2); otherwise a step of a cell takes
        ``time_per_cell`` and a longer one, such as the first step back, longer in proportion.
        """
        rule, steps = self.world.trajectory.time_per_cell, len(places) - 1
        if rule == "ragazzon2012":
            return np.full(steps, float(round_half_away(np.array((steps + 1) / 2))) / steps)
        lengths = np.linalg.norm(np.diff(places, axis=0), axis=1) / self.grid.spacing
        return float(rule) * np.maximum(lengths, 1.0)

    def _positions(self, cells: np.ndarray) -> np.ndarray:
        """Where the tool goes by, (k, 3) [m]: the centres of cells (k, rank), and the goal itself."""
        positions = np.array([self.grid.centre(cell) for cell in cells])
        positions[-1] = self.goal
        return positions

    def _follow(self, positions: np.ndarray, q: np.ndarray) -> JointPath:
        """The joints through tool positions (k, 3), with the rotation that the world wants."""
        if self.world.trajectory.any_rotation:
            return follow_positions(self.arm, positions, q)
        poses = np.tile(np.eye(4), (len(positions), 1, 1))
        poses[:, :3, :3] = self.world.trajectory.tool_rotation
        poses[:, :3, 3] = positions
        return follow_path(self.arm, poses, q)

    def _find_goal(self) -> tuple[tuple[int, ...] | None, np.ndarray | None]:
        if self.world.goal_point is None:
            return None, None
        position = np.array(self.world.goal_point)
        return self.grid.cell_of(position), position

    def _cell_of_start(self, q: np.ndarray) -> tuple[int, ...]:
        tool = forward_kinematics(self.arm, q)[:3, 3]
        cell = self.grid.cell_of(tool)
        if self.goal is not None and not self.grid.inside(cell):
            raise BadInput(
                "the tool does not start " + ("above the map" if len(cell) == 2 else "in the map"),
                where="start.joints",
                found="tool at "
                + ", ".join(f"{a} = {tool[k]:.4f} m" for k, a in enumerate("xyz"[: len(cell)])),
                allowed="a pose whose tool is over one of the map's cells",
            )
        return cell


def make_map(world: World) -> CollisionMap:
    """The map with its rim, and with the cells whose centre lies in a known obstacle."""
    grid = CollisionMap.create(world.map.origin, world.map.spacing, world.map.shape, world.map.rim)
    along = (grid.origin[k] + grid.spacing * np.arange(n) for k, n in enumerate(grid.shape))
    at = [*np.meshgrid(*along, indexing="ij", sparse=True), grid.origin[2]]
    for obstacle in world.known:
        grid.blocked |= obstacle.solid.contains(*at[:3])
    return grid
