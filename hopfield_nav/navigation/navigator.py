"""From cells to motion: the map, the network's path over it, and the trajectory that follows it.

It knows nothing of the plant. ``simulation`` asks it for a first trajectory, and for a new one after
every collision.
"""

from __future__ import annotations

import numpy as np

from dynamics import Arm, JointPath, follow_path, forward_kinematics, jacobian
from dynamics.inverse import follow_positions
from hopfield_nav.loop import evaluate, quintic_trajectory
from hopfield_nav.navigation.alert import Alert
from hopfield_nav.navigation.known_map import cell_beside, make_map, only_in_sight, touches
from hopfield_nav.navigation.motion import PlannedMotion, ToolPath
from hopfield_nav.navigation.over_cells import OverCells
from hopfield_nav.navigation.planners import open_cells, plan_with
from hopfield_nav.navigation.reach import (
    end_at_contact,
    follow_regular_path,
    known_solids,
    unreachable_places,
)
from hopfield_nav.navigation.reaction import Felt, cell_to_mark, start_against_velocity, start_along_force
from hopfield_nav.navigation.start import cell_of_start
from hopfield_nav.navigation.turn import begin_with, end_at_turn, split_turn, turned
from hopfield_nav.navigation.waypoints import along_chain, tight_chain, times_by_cell, times_by_length
from hopfield_nav.planning import Plan, cells_along
from hopfield_nav.world import World


class Navigator(OverCells):
    """Map, planner and trajectories of one run.

    Attributes:
        grid: the map.
        known: the known obstacles.
        unreachable: bool grid of the cells that the arm turned out not to reach; they count as blocked
            for the planner and are not marked on the map.
        motion: the one that the arm makes now.

    Args:
        world: resolved.
        arm: the kinematics that the controller plans with.
        start: (n,) joint angles at the beginning [rad].
    """

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self.world, self.arm = world, arm
        self.grid, self.known = make_map(world)
        whole = world.contact.bodies == "arm" and world.known and world.planner.unreachable != "ignore"
        self._solids = known_solids(arm, self.known.solids) if whole else None
        self.goal_cell, self.goal = self._find_goal()
        self._start_cell = cell_of_start(world, self.grid, forward_kinematics(arm, start)[:3, 3])
        self._no_cells = np.zeros((0, world.map.rank), dtype=int)
        self.motion = PlannedMotion(self._start_cell, self._no_cells, None)
        self._passed = np.zeros(self.grid.shape, dtype=bool)
        self.unreachable = self._find_unreachable(start)
        self._cause = ""

    def first_motion(self, q: np.ndarray) -> PlannedMotion:
        """The motion from the start pose; at rest there when the world has no goal."""
        still = np.zeros(len(q))
        if self.goal is None:
            trajectory = quintic_trajectory(q[None], 1.0, sample_time=self.world.trajectory.sample_time)
            self.motion = PlannedMotion(self._start_cell, np.array([self._start_cell]), trajectory)
            return self.motion
        tool = forward_kinematics(self.arm, q)[:3, 3]
        start = cell_beside(self.known, self.grid, self._obstacles(), tool, self._start_cell)
        if start is not None:
            self.motion = self._plan(start, 0.0, q, still, still)
        else:
            reason = "known obstacles stand between the tool and every free cell around it"
            self.motion = PlannedMotion(self._start_cell, self._no_cells, None, "no_path", reason)
        return self.motion

    def answer(self, alert: Alert) -> tuple[tuple[int, ...], PlannedMotion]:
        """Mark what was felt and plan a new motion; this navigator marks where the tool is at the alarm.

        Returns:
            The marked cell and the new motion; without a goal the arm stays on the one it has.
        """
        if self.motion.trajectory is None:
            raise RuntimeError("a run that has ended cannot collide")
        time = alert.time
        q_ref, qd_ref, qdd_ref = evaluate(self.motion.trajectory, time)
        felt = Felt(
            position=forward_kinematics(self.arm, alert.q)[:3, 3],
            desired=forward_kinematics(self.arm, q_ref)[:3, 3],
            desired_velocity=(jacobian(self.arm, q_ref) @ qd_ref)[:3],
            force=alert.force,
            path=self.motion.cells,
        )
        marked = cell_to_mark(self.grid, felt, self.goal_cell, self.world.detection.mark)
        self.grid.mark(marked)
        if self.goal is None:
            return marked, self.motion
        self._remember_passed(felt)
        start = self._back_off(marked, felt)
        if start is None:
            self.motion = PlannedMotion(
                marked, self._no_cells, None, "no_path", "no free path from the tool to the goal"
            )
        else:
            self.motion = self._plan(start, time, q_ref, qd_ref, qdd_ref)
        return marked, self.motion

    def decide(self, time: float, q: np.ndarray, qd: np.ndarray, held: float) -> PlannedMotion:
        """At the end of a motion that is ``undecided``: how to go on.

        Args:
            time: of the decision [s].
            q: (n,) joint angles of the reference, from which the new motion begins [rad].
            qd: (n,) its velocities [rad/s].
            held: alarm level when the retreat from the last touch began; not used.

        Returns:
            The new motion, from the cell that was chosen when the touch was felt.
        """
        self.motion = self._plan(self.motion.start, time, q, qd, np.zeros(len(q)))
        return self.motion

    def arrive(self) -> None:
        """The tool is at the goal."""

    def final_map(self) -> np.ndarray:
        """Int grid: 1 where the map is blocked, 2 where the arm turned out not to reach a free cell."""
        return np.where(self.grid.blocked, 1, 2 * self.unreachable).astype(np.int8)

    def _back_off(self, marked: tuple[int, ...], felt: Felt) -> tuple[int, ...] | None:
        """Where the next path starts; None where no open cell is left near the tool.

        Never the goal itself: a tool that was pushed off it must come from another side, and a goal
        whose neighbours are all blocked is out of reach even from beside it.
        """
        if self.world.detection.back_off == "against_velocity":
            return start_against_velocity(self.grid, marked, felt)
        target = self._target()
        if target is None:
            return None
        allowed = open_cells(self.world.planner, self._obstacles(), marked, target)
        allowed[self.goal_cell] = False
        allowed = only_in_sight(self.known, self.grid, allowed, felt.position)
        start = start_along_force(self.grid, felt, allowed, self._passed)
        return start if allowed[start] else None

    def _remember_passed(self, felt: Felt) -> None:
        """The cells of the path up to the one nearest to the tool."""
        rank = len(self.grid.shape)
        centres = self.grid.origin[:rank] + self.grid.spacing * felt.path
        nearest = int(np.argmin(((centres - felt.position[:rank]) ** 2).sum(axis=1)))
        self._passed[tuple(felt.path[: nearest + 1].T)] = True

    def _target(self) -> tuple[int, ...] | None:
        """The cell to which is planned: the goal's, or where a known obstacle reaches into that, one beside.

        None where known obstacles stand between the goal and every free cell around it.
        """
        if self.goal_cell is None or self.goal is None:
            raise RuntimeError("without a goal there is nothing to plan")
        return cell_beside(self.known, self.grid, self._obstacles(), self.goal, self.goal_cell)

    def _obstacles(self) -> np.ndarray:
        """What the planner may not use."""
        return self.grid.blocked | self.unreachable

    def _make_plan(self, start: tuple[int, ...]) -> Plan:
        """A path over cells to the goal's; the last step may begin in the cell beside it."""
        planner, target = self.world.planner, self._target()
        if target is None:
            reason = "known obstacles stand between the goal and every free cell around it"
            return Plan(None, reason, np.inf, planner.kind)
        plan = plan_with(planner, self._obstacles(), start, target, self.world.seed)
        if plan.cells is None or self.goal_cell is None or self.goal_cell == target:
            return plan
        return plan.with_last(self.goal_cell)

    def _plan(
        self, start: tuple[int, ...], time: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray,
        slower: float = 1.0,
    ) -> PlannedMotion:  # fmt: skip
        """The motion that the arm can make; cells that it cannot reach are excluded, one after the other.

        The first leg takes ``slower`` times as long as usual.
        """
        while True:
            plan = self._make_plan(start)
            if plan.cells is None:
                return PlannedMotion(
                    start, self._no_cells, None, "no_path", plan.reason + self._count_unreachable()
                )
            tool_path = self._tool_path(plan, q, at_rest=not qd.any() and not self.motion.reaction)
            path = self._follow(tool_path.poses, q)
            if not path.reason:
                break
            why = f"cell {self.grid.cell_of(tool_path.poses[path.reached, :3, 3])}: {path.reason}"
            if self.world.planner.unreachable == "ignore":
                return PlannedMotion(start, tool_path.cells, None, "unreachable", why)
            self._cause = f", the last: {why}"
            if not self._exclude(tool_path, path.reached, start):
                return PlannedMotion(start, self._no_cells, None, "no_path", why)
        turn, rows, places = split_turn(
            self.arm, q, path.q, tool_path.poses, self.grid.spacing, self.world.trajectory.time_per_cell,
            time, qd,
        )  # fmt: skip
        still = np.zeros(len(q))
        if turn is not None:
            time, qd, qdd = float(turn.knots[-1]), still, still
        times = self._times(tool_path, places)
        times[0] *= slower
        trajectory = quintic_trajectory(
            rows, times, time, qd, qdd,
            self.arm.speed_limits, self.world.trajectory.sample_time, self._rests(places),
        )  # fmt: skip
        before = [] if turn is None else [forward_kinematics(self.arm, q)[:3, 3]]
        places = np.vstack([*before, places])
        return PlannedMotion(start, tool_path.cells, begin_with(turn, trajectory), places=places)

    def _rests(self, places: np.ndarray) -> np.ndarray | None:
        """At which of the places (k + 1, 3) behind the first the arm stops; None: at the last one."""
        return None

    def _over_last_centre(self) -> bool:
        """Whether the path leads over the centre of its last cell to a goal beside it."""
        return False

    def _uneven(self) -> np.ndarray:
        """What a path at any angle keeps away from."""
        return self._obstacles()

    def _exclude(self, tool_path: ToolPath, waypoint: int, start: tuple[int, ...]) -> bool:
        """Exclude the cell of a waypoint, or the next cell of the path where that one is excluded already.

        Returns whether there was one; start and goal cannot be excluded.
        """
        place = self._in_cells(tool_path.poses[waypoint, :3, 3])
        cell = self.grid.cell_of(tool_path.poses[waypoint, :3, 3])
        beside = tool_path.cells[np.argsort(np.linalg.norm(tool_path.cells - place, axis=1))]
        for candidate in (cell, *(tuple(int(c) for c in row) for row in beside)):
            if candidate in (start, self.goal_cell) or np.abs(place - candidate).max() > 1.0:
                return False
            if not self.unreachable[candidate]:
                self.unreachable[candidate] = True
                return True
        return False

    def _count_unreachable(self) -> str:
        count = int((self.unreachable & ~self.grid.blocked).sum())
        return f"; {count} free cells cannot be reached by the arm{self._cause}" if count else ""

    def _tool_path(self, plan: Plan, q: np.ndarray, at_rest: bool) -> ToolPath:
        """Poses at the centres of the cells, or along a path at any angle where the world asks for one."""
        planner = self.world.planner
        if plan.cells is None or self.goal is None:
            raise RuntimeError("without a plan there is no path of the tool")
        tool = forward_kinematics(self.arm, q)[:3, 3]
        points = plan.cells if plan.waypoints is None else plan.waypoints
        before = self.grid.centre(points[-2]) if len(points) > 1 else tool
        if self._over_last_centre() or touches(self.known.solids, before, self.goal):
            points = np.vstack([points, points[-1:]])  # over the centre of its cell to the goal
        if plan.waypoints is None and not planner.any_angle:
            return ToolPath(plan.cells, self._poses(points), False)
        place, second = self._in_cells(tool), self.grid.centre(points[1]) if len(points) > 1 else self.goal
        begun = at_rest and tuple(np.rint(place)) == tuple(plan.cells[0])
        begun = begun and not touches(self.known.solids, tool, second)
        chain = tight_chain(
            self._uneven(), points, place if begun else None, self._in_cells(self.goal),
            self.grid.spacing, planner.clearance, planner.any_angle,
        )  # fmt: skip
        places = along_chain(chain)
        places = places[1:] if begun and len(places) > 1 else places
        return ToolPath(cells_along(self._uneven(), chain), self._poses(places), True)

    def _in_cells(self, position: np.ndarray) -> np.ndarray:
        rank = len(self.grid.shape)
        return (position[:rank] - self.grid.origin[:rank]) / self.grid.spacing

    def _find_unreachable(self, start: np.ndarray) -> np.ndarray:
        found = np.zeros(self.grid.shape, dtype=bool)
        if self.goal is not None and self.world.planner.unreachable == "precompute":
            if self.world.trajectory.any_rotation:
                return found  # with a free rotation nearly every cell within reach will do: found on the way
            cells = np.argwhere(~found)
            poses = self._tool_poses(cells)
            found[tuple(cells.T)] = unreachable_places(self.arm, poses, start, self._solids)
        return found

    def _times(self, tool_path: ToolPath, places: np.ndarray) -> np.ndarray:
        times = times_by_length if tool_path.any_angle else times_by_cell
        return times(places, self.grid.spacing, self.world.trajectory.time_per_cell)

    def _poses(self, cells: np.ndarray) -> np.ndarray:
        """Tool poses (k, 4, 4) over cells or points between them (k, rank); the last one is the goal's."""
        poses = self._tool_poses(cells)
        poses[-1, :3, 3] = self.goal
        return poses

    def _tool_poses(self, cells: np.ndarray) -> np.ndarray:
        poses = np.tile(np.eye(4), (len(cells), 1, 1))
        if not self.world.trajectory.any_rotation:
            poses[:, :3, :3] = self.world.trajectory.tool_rotation
        poses[:, :3, 3] = [self.grid.centre(cell) for cell in cells]
        return poses

    def _follow(self, poses: np.ndarray, q: np.ndarray) -> JointPath:
        """The joints through tool poses (k, 4, 4), with the rotation that the world wants."""
        any_rotation = self.world.trajectory.any_rotation
        may_turn = self.motion.trajectory is None or self.world.detection.reaction != "retreat"
        near = turned(self.arm, poses[0], q, any_rotation) if may_turn else q
        if any_rotation:
            path = follow_positions(self.arm, poses[:, :3, 3], near)
        elif self.world.planner.unreachable == "ignore":
            path = follow_path(self.arm, poses, near)
        else:
            path = follow_regular_path(self.arm, poses, near)
        path = path if self._solids is None else end_at_contact(self.arm, path, self._solids)
        return path if near is q else end_at_turn(self.arm, q, path, self.known.solids, self._solids)

    def _find_goal(self) -> tuple[tuple[int, ...] | None, np.ndarray | None]:
        if self.world.goal_point is None:
            return None, None
        position = np.array(self.world.goal_point)
        return self.grid.cell_of(position), position
