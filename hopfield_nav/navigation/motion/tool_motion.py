"""The motion that leads the tool over a path: its poses, the joints through them, and their trajectory.

It knows nothing of the plant, and nothing of touches. Cells that the arm turns out not to reach are
excluded on the way, one after the other. Behind it stand the waypoints of a path at any angle, and
the time from one to the next, there and over cells.
"""

from typing import NamedTuple, Protocol

import numpy as np

from dynamics import JointPath, follow_path
from dynamics.inverse import follow_positions
from hopfield_nav.loop import Trajectory, quintic_trajectory
from hopfield_nav.navigation.map import Cell, round_half_away, touches
from hopfield_nav.navigation.motion import reachability
from hopfield_nav.navigation.motion.planned_motion import NETWORK, PlannedMotion, Reference
from hopfield_nav.navigation.motion.reachability import end_at_turn, prepend, split_turn, turned
from hopfield_nav.navigation.motion.situation import Situation
from hopfield_nav.planning import Plan, divided

SECONDS_PER_CELL = 0.5  # of the document's rule for many waypoints, round(n/2)/(n - 1)
MIN_LENGTH = 1e-6  # [cells] shorter than this is no step


class Route(NamedTuple):
    """A plan, and how it ends."""

    plan: Plan  # of the planner
    over_centre: bool = (
        False  # whether it leads over the centre of its last cell to a goal beside that
    )
    by: str = NETWORK  # who found it
    asked: Plan | None = None  # what the planner answered last, where the plan is of somebody else


class Paths(Protocol):
    """What a motion asks of who plans."""

    def find(self, start: Cell) -> Route:
        """A path from a cell to the goal's; the last step may begin in the cell beside it."""

    def rests(self, places: np.ndarray) -> np.ndarray | None:
        """At which of the places (k + 1, 3) behind the first the arm stops; None: at the last one."""


class ToolPath(NamedTuple):
    """Where a plan leads the tool: cells (k, rank), poses (m, 4, 4), and whether those are at any angle."""

    cells: np.ndarray
    poses: np.ndarray
    any_angle: bool


class ToolMotions:
    """Makes motions of the tool; cells out of reach are noted on the situation's map."""

    def __init__(self, situation: Situation) -> None:
        self._situation, self._map = situation, situation.map
        world = situation.world
        self._exploring = world.planner.unreachable != "ignore"
        whole = world.contact.bodies == "arm" and world.known and self._exploring
        self._solids = (
            reachability.known_solids(situation.arm, self._map.known.solids) if whole else None
        )
        self._cause = ""

    def first(self, paths: Paths, q: np.ndarray) -> PlannedMotion:
        """The motion from the start at joint angles (n,); at rest there when the world has no goal."""
        now, cell = self._situation, self._situation.motion.start
        if self._map.goal is None:
            trajectory = quintic_trajectory(
                q[None], 1.0, sample_time=now.world.trajectory.sample_time
            )
            return PlannedMotion(cell, np.array([cell]), trajectory)
        start = self._map.cell_beside(now.tool(q), cell)
        if start is None:
            return now.no_path(
                cell, "known obstacles stand between the tool and every free cell around it"
            )
        still = np.zeros(len(q))
        return self.over(paths, start, Reference(0.0, q, still, still))

    def over(
        self, paths: Paths, start: Cell, begin: Reference, slower: float = 1.0
    ) -> PlannedMotion:
        """The motion to the goal that the arm can make, first over a cell's centre, so many times slower."""
        while True:
            route = paths.find(start)
            asked = (route.asked or route.plan).landscape
            self._situation.notes.note(begin.time, route.by, route.plan.cells, asked)
            if route.plan.cells is None:
                count = int((self._map.unreachable & ~self._map.grid.blocked).sum())
                why = (
                    f"; {count} free cells cannot be reached by the arm{self._cause}"
                    if count
                    else ""
                )
                return self._situation.no_path(start, route.plan.reason + why)
            at_rest = not begin.qd.any() and not self._situation.motion.reacts
            tool_path = self.tool_path(route, begin.q, at_rest)
            path = self.follow(tool_path.poses, begin.q)
            if not path.reason:
                return self._drive(paths, start, tool_path, path, begin, slower)
            place = tool_path.poses[path.reached, :3, 3]
            why = f"cell {self._map.grid.cell_of(place)}: {path.reason}"
            if not self._exploring:
                return PlannedMotion(start, tool_path.cells, None, "unreachable", why)
            self._cause = f", the last: {why}"
            if not self._map.exclude(place, tool_path.cells, start):
                return self._situation.no_path(start, why)

    def _drive(
        self,
        paths: Paths,
        start: Cell,
        tool_path: ToolPath,
        path: JointPath,
        begin: Reference,
        slower: float,
    ) -> PlannedMotion:
        """The trajectory through joint angles, after a turn to where they begin if need be."""
        arm, spacing = self._situation.arm, self._map.grid.spacing
        least = seconds_per_cell(self._situation.world.trajectory.time_per_cell)
        turn, rows, places = split_turn(
            arm, begin.q, path.q, tool_path.poses, spacing, least, begin.time, begin.qd
        )
        before = begin
        if turn is not None:
            still = np.zeros(len(begin.q))
            before = Reference(float(turn.knots[-1]), rows[0], still, still)
        times = self.times(tool_path, places)
        times[0] *= slower
        onward = self.trajectory(rows[1:], times, before, paths.rests(places))
        if turn is not None:
            places = np.vstack([self._situation.tool(begin.q), places])
        return PlannedMotion(start, tool_path.cells, prepend(turn, onward), places=places)

    def trajectory(
        self, rows: np.ndarray, times: np.ndarray, begin: Reference, rests: np.ndarray | None = None
    ) -> Trajectory:
        """Through joint angles (k, n) [rad] after those of ``begin``, in times (k,) of the segments [s].

        It stops behind the segments that ``rests`` (k,) says; None: behind the last.
        """
        return quintic_trajectory(
            np.vstack([begin.q, rows]), times, begin.time, begin.qd, begin.qdd,
            self._situation.arm.speed_limits, self._situation.world.trajectory.sample_time, rests,
        )  # fmt: skip

    def tool_path(self, route: Route, q: np.ndarray, at_rest: bool) -> ToolPath:
        """Poses at the centres of the cells, or along a path at any angle where the world asks for one.

        An arm that rests may go straight to the second cell.
        """
        plan, goal, planner = route.plan, self._map.goal, self._situation.world.planner
        if plan.cells is None or goal is None:
            raise RuntimeError("without a plan there is no path of the tool")
        grid, solids, tool = self._map.grid, self._map.known.solids, self._situation.tool(q)
        points = plan.cells
        before = grid.centre(points[-2]) if len(points) > 1 else tool
        if route.over_centre or touches(solids, before, goal):
            points = np.vstack([points, points[-1:]])  # over the centre of its cell to the goal
        if not planner.any_angle:
            return ToolPath(plan.cells, self.poses(points, goal), False)
        place, second = (
            self._map.in_cells(tool),
            grid.centre(points[1]) if len(points) > 1 else goal,
        )
        begun = at_rest and tuple(np.rint(place)) == tuple(plan.cells[0])
        begun = begun and not touches(solids, tool, second)
        uneven = self._map.uneven()
        chain = tight_chain(
            uneven,
            points,
            place if begun else None,
            self._map.in_cells(goal),
            grid.spacing,
            planner.clearance,
        )
        places = along_chain(chain)
        places = places[1:] if begun and len(places) > 1 else places
        from hopfield_nav.planning import cells_along

        return ToolPath(cells_along(uneven, chain), self.poses(places, goal), True)

    def follow(self, poses: np.ndarray, q: np.ndarray) -> JointPath:
        """The joints through tool poses (k, 4, 4), with the rotation that the world wants."""
        now, arm = self._situation, self._situation.arm
        any_rotation = now.world.trajectory.any_rotation
        may_turn = now.motion.trajectory is None or now.world.detection.reaction != "retreat"
        near = turned(arm, poses[0], q, any_rotation) if may_turn else q
        if any_rotation:
            path = follow_positions(arm, poses[:, :3, 3], near)
        else:
            path = (reachability.follow_regular_path if self._exploring else follow_path)(
                arm, poses, near
            )
        path = (
            path
            if self._solids is None
            else reachability.truncate_at_collision(arm, path, self._solids)
        )
        return (
            path if near is q else end_at_turn(arm, q, path, self._map.known.solids, self._solids)
        )

    def times(self, tool_path: ToolPath, places: np.ndarray) -> np.ndarray:
        """Seconds (k,) from place to place (k + 1, 3) [m]; more of them into cells that were not passed before."""
        asked, visited = self._situation.world.trajectory, self._map.beliefs.visited
        speeds = [
            1.0 if self._map.grid.cell_of(place) in visited else asked.unknown_speed
            for place in places[1:]
        ]
        return (
            times_between(places, self._map.grid.spacing, asked.time_per_cell, tool_path.any_angle)
            / speeds
        )

    def poses(self, cells: np.ndarray, goal: np.ndarray | None = None) -> np.ndarray:
        """Tool poses (k, 4, 4) over cells or points between them (k, rank); the last one at a ``goal`` (3,) [m]."""
        poses = np.tile(np.eye(4), (len(cells), 1, 1))
        if not self._situation.world.trajectory.any_rotation:
            poses[:, :3, :3] = self._situation.world.trajectory.tool_rotation
        poses[:, :3, 3] = self._map.grid.centre(cells)
        if goal is not None:
            poses[-1, :3, 3] = goal
        return poses


def along_chain(points: np.ndarray) -> np.ndarray:
    """Points (n, rank) on a chain of straight lines, its corners (k, rank) among them, evenly on each line.

    Neighbours are at most 1 apart.
    """
    return divided(
        points, np.maximum(np.ceil(np.linalg.norm(np.diff(points, axis=0), axis=1) - 1e-9), 1)
    )


def tight_chain(
    blocked: np.ndarray, points: np.ndarray, first: np.ndarray | None, last: np.ndarray,
    spacing: float, clearance: float,
) -> np.ndarray:  # fmt: skip
    """Corners (n, rank), in cells, of the tight path from ``first``, where the tool is, to ``last``, the goal.

    They lie in the first and the last cell of the planned ``points`` (k, rank); without ``first``
    the path begins at the first point. ``spacing`` and ``clearance`` are in [m].
    """
    chain = np.array(points, dtype=float)
    if len(chain) == 1 and first is not None:
        chain = np.vstack([chain, chain])
    chain[-1] = last
    if first is not None:
        chain[0] = first
    chain = np.clip(chain, -0.5, np.array(blocked.shape) - 0.5)
    from hopfield_nav.planning import shorten_path

    return shorten_path(blocked, chain, spacing, clearance)


def seconds_per_cell(rule: float | str) -> float:
    """Seconds for the length of one cell [s], of the document's rule as for many waypoints."""
    return SECONDS_PER_CELL if isinstance(rule, str) else float(rule)


def times_between(
    places: np.ndarray, spacing: float, rule: float | str, any_angle: bool
) -> np.ndarray:
    """Seconds from place to place (k,), for tool positions (k + 1, 3) [m].

    In proportion to the length; over cells no step takes less than one of a cell, on a path at
    ``any_angle`` the first one does not, back to the path. Over cells the document's rule is
    round(n/2)/(n-1) for all (ragazzon2012 C.2.2).
    """
    steps = len(places) - 1
    if rule == "ragazzon2012" and not any_angle:
        return np.full(steps, float(round_half_away(np.array((steps + 1) / 2))) / steps)
    lengths = np.linalg.norm(np.diff(places, axis=0), axis=1) / spacing
    lengths[0] = max(lengths[0], 1.0)
    return seconds_per_cell(rule) * np.maximum(lengths, MIN_LENGTH if any_angle else 1.0)
