"""The navigator of the whole arm: it feels its way over a map of joint angles.

A touch on a step closes it, as it does for the tool; on a straight line it makes the cells of the
line rough, and on the way to or from the map it shuts that leg. A few milliseconds later the torque
says where on the arm it may have been: each such place makes the cells doubtful at which the arm
would contain it. The arm goes back, from a step to the last centre and from a line by 4 cm, and
asks again. ``ArmMap`` says what comes next; here it is driven.
"""

from functools import partial

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.control import Trace
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.arm_map import ArmMap, End
from hopfield_nav.extensions.whole_arm.lines import (
    Route,
    Waypoint,
    before_touch,
    blended_path,
    joint_lines,
    swept,
    tool_line,
)
from hopfield_nav.extensions.whole_arm.search import CellPath
from hopfield_nav.extensions.whole_arm.step_checks import Shortener
from hopfield_nav.loop import Trajectory, evaluate, quintic_trajectory, values_at
from hopfield_nav.navigation import Navigator
from hopfield_nav.navigation.map import NOWHERE, Cell, ContactHypotheses, PriorMap, Step, pairs
from hopfield_nav.navigation.motion import (
    Detection,
    MotionPhase,
    PlannedMotion,
    PlanNotes,
    Reference,
    no_motion,
    planned_by,
)
from hopfield_nav.navigation.responses import TouchReport, checked_waypoints
from hopfield_nav.plugin import CollisionEvidence, MethodFailed, Own, is_ours
from hopfield_nav.world import World


class WholeArmNavigator(Navigator):
    """Touches, retreats and trajectories of a run with ``map.space: joints``.

    The controller plans with the kinematics of ``arm``, which begins at ``start`` (n,) [rad].
    """

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self.world, self.arm = world, arm
        self.map, self.notes = ArmMap(world, arm, start), PlanNotes(world)
        name, folder = world.explore.method, world.folder
        self._response: Own | None = None  # that of a user
        if not is_ours("response", name):
            method = world.trust.find("response", name, folder)
            self._response = Own(method, world.explore.parameters)
        # where the last touch was (n,) in cells, the direction there, the torque, and the cells (2,
        # n) of the step
        self._felt: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None] | None = None
        self._straight = world.planner.any_angle and self._response is None
        self._route = Route(start[None], [None], turn=self.map.grid.turn)
        # free waypoints that the arm came over, the latest last
        self._trail = [Waypoint(start.copy(), None)]
        self._touched_retreats, self._retreats = 0, False
        self._unlocalized: Detection | None = None
        self.motion = PlannedMotion(
            self.map.grid.cell_of(start), np.zeros((0, len(start)), dtype=int), None
        )

    @property
    def goal(self) -> np.ndarray | None:  # noqa: D102  (says ``Navigator``, as below)
        return None if self.world.goal_point is None else np.array(self.world.goal_point)

    def first_motion(self, q: np.ndarray) -> PlannedMotion:  # noqa: D102
        if self.goal is None:
            trajectory = quintic_trajectory(
                q[None], 1.0, sample_time=self.world.trajectory.sample_time
            )
            self.motion = self.motion._replace(
                trajectory=trajectory, places=self._tool(np.stack([q, q]))
            )
        else:
            still = np.zeros_like(q)
            begin = Reference(0.0, q, still, still)
            self.motion = self._leave(begin) or self._go_on(begin)
        return self.motion

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:
        """Note a touch and go back where the arm came from; what to do then is decided there.

        It is the cell towards which the arm moved, and the new motion; without a goal the one it
        has.
        """
        trajectory = self.motion.trajectory
        if trajectory is None:
            raise RuntimeError("a run that has ended cannot collide")
        number = self._route.segment_at(trajectory, detection.onset.time)
        ahead = self._route.ahead(number)
        cell = (
            self.motion.start
            if ahead is None
            else tuple(self.map.named(np.array([ahead]))[0].tolist())
        )
        if self.goal is None:
            return cell, self.motion
        if self._retreats:
            self.map.learning.beliefs.touch_behind()
            self._touched_retreats += 1
            # the arm goes further back
            if self._touched_retreats >= numbers.MOST_TOUCHED and len(self._trail) > 1:
                self._touched_retreats = 0
                self._trail.pop()
        else:
            self.map.learning.confirm(detection.level_at_retreat)
            self._touched_retreats, self._unlocalized = 0, detection
            if detection.onset.time >= trajectory.knots[0]:  # else it had not set out
                self._learn_of(detection, number, trajectory)
        self.motion = self._retreat(
            detection, Reference(detection.time, *evaluate(trajectory, detection.time))
        )
        return cell, self.motion

    def localize(self, trace: Trace) -> ContactHypotheses:
        """Some milliseconds after a touch: where on the arm it may have been."""
        detection = self._unlocalized
        self._unlocalized = None
        self.localize_at = np.inf
        return NOWHERE if detection is None else self.map.learning.localize(detection, trace)

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """At the end of a retreat or a trial: a new path from there. A reaction ends before the retreat."""
        if self.motion.reacts:
            self.motion = self._back(begin)
            return self.motion
        self.map.learning.confirm(level_at_retreat)
        self.localize_at = np.inf
        if not self._retreats:  # what was tried touched nothing
            self.arrive()
        self._retreats = False
        self.motion = self._explore(begin) or self._go_on(begin)
        return self.motion

    def load_prior(self, prior: PriorMap) -> None:  # noqa: D102
        self.map.learning.load_prior(prior)

    def arrive(self) -> None:  # noqa: D102
        trajectory = self.motion.trajectory
        if trajectory is not None:
            self._pass(self._route, len(self._route.rows) - 1, trajectory, trajectory.knots[-1])

    def felt_count(self) -> int:
        """Number of cells that are doubted."""
        return int(np.count_nonzero(self.map.collisions.evidence() > numbers.NO_DOUBT))

    def closed_steps(self) -> dict[Step, float]:  # noqa: D102
        return self.map.closed_steps()

    def in_free_air(self) -> int:  # noqa: D102
        return self.map.learning.beliefs.in_free_air

    def why_doubtful(self) -> str:  # noqa: D102
        return self.map.learning.beliefs.why_doubtful(np.zeros(self.map.grid.shape, dtype=bool))

    def _pass(self, route: Route, until: int, trajectory: Trajectory, time: float) -> None:
        """The segments of a route before number ``until``, until a time [s], were driven without a touch."""
        self.map.learning.passage(route, until, swept(trajectory, time))
        self._trail += map(Waypoint, route.rows[1 : until + 1], route.cells[1 : until + 1])

    def _learn_of(self, detection: Detection, number: int, trajectory: Trajectory) -> None:
        """What the touch on segment ``number`` teaches, and what was driven before it: of a line nearly all."""
        route, until = self._route, number
        time = route.begin_of(trajectory, number)
        if route.joint_line(number):
            before = before_touch(self.arm, trajectory, detection.onset.time, numbers.BACK)
            if before is not None:
                row = values_at(trajectory, np.array([before]))[0][0]
                route, until, time = route.up_to(number, row), number + 1, before
        self._pass(route, until, trajectory, time)
        self.map.learning.touch(detection, self._route, number)
        if self._response is not None:
            line = np.diff(self._route.rows[number : number + 2], axis=0)[0] / self.map.grid.spacing
            direction = line / max(float(np.linalg.norm(line)), 1e-12)
            place = self.map.grid.along(detection.onset.q) - 0.5
            step = self._route.step(number)
            ends = None if step is None else pairs([step], self.map.grid.shape)[0]
            self._felt = place, direction, detection.torque.copy(), ends

    def _retreat(self, detection: Detection, begin: Reference) -> PlannedMotion:
        """Back to where the touched segment began; along the torque if the arm has not been anywhere yet."""
        size = float(np.linalg.norm(detection.torque))
        if len(self._trail) == 1 and self._touched_retreats > 0 and size > 0.0:
            self._trail = [Waypoint(detection.q + numbers.LEAVE * detection.torque / size, None)]
        is_new = self._unlocalized is not None
        self.localize_at = self.map.learning.look_at(detection) if is_new else np.inf
        return self._back(begin)._replace(localize_at=self.localize_at)

    def _back(self, begin: Reference) -> PlannedMotion:
        """Straight to where the arm was last before."""
        row, cell = self._trail[-1]
        self._retreats = True
        route = Route(np.stack([begin.q, row]), [None, cell], self._route.goal, self.map.grid.turn)
        return self._drive(
            route, np.array([cell]) if cell else self.motion.cells[:0], begin, MotionPhase.RETREAT
        )

    def _leave(self, begin: Reference) -> PlannedMotion | None:
        """Back along the tool's line from where the arm begins; None without one or a goal, or if that is as near."""
        rows = tool_line(self.arm, self.map.scene, begin.q, self.world.planner.approach)[::-1]
        first, last = self._tool(rows[[0, -1]])
        near = np.linalg.norm(first - self.goal) <= np.linalg.norm(first - last)
        if len(rows) < 2 or near or not len(self.map.search.ends):
            return None
        route = self._route._replace(rows=rows, cells=[None] * len(rows))
        return self._drive(route, self.motion.cells, begin, MotionPhase.TRIAL)

    def _go_on(self, begin: Reference) -> PlannedMotion:
        """What the map says from where the arm is."""
        begin = begin._replace(qdd=np.zeros_like(begin.q))
        step = self.map.next_step(
            begin.q, self._trail, self._straight, partial(self._note, begin.time)
        )
        if isinstance(step, End):
            nowhere = no_motion(self.motion.start, len(begin.q), step.reason, step.grade)
            return nowhere._replace(error_bound=step.error_bound)
        if step is None:
            self._trail.pop()
            return self._back(begin)
        evidence = step.evidence if self._straight and not begin.qd.any() else None
        return self._drive(
            self._route_over(step.path, begin.q), step.path.cells, begin, step.phase, evidence
        )

    def _note(self, time: float, path: CellPath | None) -> None:
        """A plan at a time [s], or that there is none."""
        named, landscape = (
            (None, None) if path is None else (self.map.named(path.cells), path.landscape)
        )
        self.notes.note(time, planned_by(self.world.planner), named, landscape)

    def _route_over(self, path: CellPath, q: np.ndarray) -> Route:
        """The waypoints of a path from joint angles (n,), at the centre where the trail ends, if it is one."""
        here = self._trail[-1].cell
        left = path.cells[here is not None :]
        rows = np.vstack([q, self.map.search.rows(path, q)[len(path.cells) - len(left) :]])
        on_tool_line = max(len(rows) - len(left) - 2, 0)
        self._spread_single_axes(rows[: len(rows) - on_tool_line])
        cells = [here, *(tuple(int(v) for v in cell) for cell in left)] + [None] * (
            len(rows) - len(left) - 1
        )
        return Route(rows, cells, path.goal, self.map.grid.turn, on_tool_line=on_tool_line)

    def _explore(self, begin: Reference) -> PlannedMotion | None:
        """Over the waypoints of a response of the user; None without any, or off a centre."""
        here = self._trail[-1].cell
        if self._response is None or here is None:
            return None

        def find(start: Cell) -> np.ndarray | None:
            choice, _ = self.map.path_by_belief(
                start, self.map.search.centre(np.array(start), begin.q)
            )
            return None if choice is None else choice.path.cells

        felt, self._felt, rest = self._felt, None, np.zeros_like(begin.q)
        believed = self.map.believed(here).read_only()
        touch = TouchReport(
            begin.time, believed, *(felt or (np.array(here, dtype=float), rest, rest, None)), find
        )
        function = "on_rest" if felt is None else "on_touch"
        chosen = self._response.ask(
            function, touch, lambda answer: checked_waypoints(answer, believed)
        )
        if chosen is None:
            return None
        rows = self.map.grid.unwound(np.vstack([begin.q, self.map.search.centre(chosen, begin.q)]))
        if not self.map.search.checks.are_free(rows[:-1], rows[1:]).all():
            raise MethodFailed(
                f"response {self.world.explore.method!r}: its way touches what is known"
            )
        whole = [tuple(int(c) for c in p) if (p == np.rint(p)).all() else None for p in chosen]
        route = self._route._replace(rows=rows, cells=[here, *whole], on_tool_line=0)
        return self._drive(
            route, np.rint(np.vstack([here, chosen])).astype(int), begin, MotionPhase.EXPLORE
        )

    def _spread_single_axes(self, rows: np.ndarray) -> None:
        """Joints with one cell go straight from where they are to the goal."""
        single = np.array(self.map.grid.shape) == 1
        lengths = np.abs(np.diff(rows[:, ~single], axis=0)).sum(axis=1)
        share = np.concatenate([[0.0], np.cumsum(lengths)]) / max(float(lengths.sum()), 1e-12)
        rows[:, single] = rows[0, single] + share[:, None] * (rows[-1, single] - rows[0, single])

    def _drive(
        self, route: Route, cells: np.ndarray, begin: Reference, phase: MotionPhase,
        evidence: CollisionEvidence | None = None,
    ) -> PlannedMotion:  # fmt: skip
        """The motion over the waypoints of a route, which lead over cells (k, n).

        With ``evidence`` the route is shortened by straight lines against which nothing speaks.
        """
        speed, time, sample_time = (
            self.world.trajectory.tool_speed,
            begin.time,
            self.world.trajectory.sample_time,
        )
        if evidence is not None and len((new := route.without_repeats()).rows) > 1:
            lines = Shortener(
                self.arm, self.map.scene, self.map.grid, evidence, self.map.learning.beliefs
            )
            short = lines.shorten(new.rows, new.cells, new.on_tool_line)
            path = blended_path(self.arm, new.rows[short.kept], short.cut, speed, time, sample_time)
            self._route, trajectory = short.route_along(path, new), path.trajectory
        else:
            trajectory = joint_lines(
                self.arm, route.rows, speed, time, begin.qd, begin.qdd, sample_time
            )
            self._route = route
        cells = self.map.named(cells)
        start = tuple(int(c) for c in cells[0]) if len(cells) else self.motion.start
        return PlannedMotion(
            start, cells, trajectory, places=self._tool(self._route.rows), phase=phase
        )

    def _tool(self, q: np.ndarray) -> np.ndarray:
        return np.asarray(forward_kinematics(self.arm, q)[:, :3, 3])
