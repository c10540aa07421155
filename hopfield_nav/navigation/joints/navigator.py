"""The navigator of the whole arm: it feels its way over a map of joint angles.

A touch closes the step on which it was felt, as ``feeling`` does for the tool, and a few milliseconds later
the torque tells where on the arm it may have been: each such place blocks the cells at which the arm would
contain it. The arm goes back along its own trace to the last centre, and plans again.
"""

from __future__ import annotations

import itertools

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.control import Trace, in_order
from hopfield_nav.known_world import build_scene, scene_of_world
from hopfield_nav.loop import Trajectory, evaluate, quintic_trajectory
from hopfield_nav.navigation.alert import Alert
from hopfield_nav.navigation.beliefs import Beliefs, Cell, Step, step_between
from hopfield_nav.navigation.handed_on import HandedOn
from hopfield_nav.navigation.joints.doubts import Doubts
from hopfield_nav.navigation.joints.goals import goal_solutions
from hopfield_nav.navigation.joints.grid import grid_of
from hopfield_nav.navigation.joints.guess import LATER, NOWHERE, Places, guess_places
from hopfield_nav.navigation.joints.lines import joint_lines
from hopfield_nav.navigation.joints.probe import MOST as MOST_PROBES
from hopfield_nav.navigation.joints.probe import choose_probe, is_ambiguous
from hopfield_nav.navigation.joints.search import Found, Search
from hopfield_nav.navigation.motion import PlannedMotion
from hopfield_nav.world import World, build_model, build_obstacles

ON_LINE = 0.02  # [rad] a touch so near to the line of a step is one on that step
MOST_TRIES = 3  # of a retreat that is touched, before the arm goes further back
LOCATES = ("felt_points", "hypothesis_sets", "thompson")  # strategies that ask where a touch was
_LEAVE = 0.1  # [rad] along the felt torque, where the arm is touched before it has been anywhere
_SWEEP = 8  # joint angles on a line that was driven, at which places are ruled out


class JointNavigator:
    """Map, planner and trajectories of a run with ``map.space: joints``; used as ``Navigator``.

    Attributes:
        grid: the map.
        search: what plans on it.
        beliefs: about steps; doubts: about cells.
        probes: how often each touch was probed, by its number.

    Args:
        world: resolved.
        arm: the kinematics that the controller plans with.
        start: (n,) joint angles at the beginning [rad].
    """

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self.world, self.arm = world, arm
        self.grid = grid_of(world, arm, start)
        scene = scene_of_world(world)
        if world.planner.strategy == "omniscient":
            scene = build_scene(arm, build_obstacles(world))
        self._friction = np.abs(build_model(world, arm).friction[:, [0, 2]]).max(axis=1)
        self.goal = None if world.goal_point is None else np.array(world.goal_point)
        self.search = Search(arm, scene, self.grid, goal_solutions(world, arm, scene, self.grid))
        self.beliefs, self.doubts = Beliefs(self.grid.shape), Doubts(arm, self.grid)
        self._generator = np.random.default_rng(world.seed)
        self.probes: dict[int, int] = {}
        self._left_out: set[tuple[int, Cell]] = set()
        self._bad_entries: set[Cell] = set()
        self._rows = start[None]  # waypoints of the present motion
        self._cells: list[Cell | None] = [None]  # and the cells whose centres they are
        self._goal_number = -1
        self._trail: list[np.ndarray] = [start.copy()]  # free places that the arm came over
        self._trail_cells: list[Cell | None] = [None]
        self._tries, self._retreats = 0, False
        self._alert: Alert | None = None
        self.motion = PlannedMotion(self.grid.cell_of(start), np.zeros((0, len(start)), dtype=int), None)

    def first_motion(self, q: np.ndarray) -> PlannedMotion:
        """The motion from the start; at rest there when the world has no goal."""
        if self.goal is None:
            trajectory = quintic_trajectory(q[None], 1.0, sample_time=self.world.trajectory.sample_time)
            self.motion = self.motion._replace(trajectory=trajectory, places=self._tool(np.stack([q, q])))
        else:
            self.motion = self._go_on(0.0, q, np.zeros_like(q))
        return self.motion

    def answer(self, alert: Alert) -> tuple[Cell, PlannedMotion]:
        """Note a touch and go back along the way that the arm came; what to do then is decided there.

        Returns:
            The cell towards which the arm moved, and the new motion; without a goal the one it has.
        """
        if self.motion.trajectory is None:
            raise RuntimeError("a run that has ended cannot collide")
        number = self._leg_at(alert.onset.time)
        cell = next((c for c in self._cells[number + 1 :] if c is not None), self.motion.start)
        if self.goal is None:
            return cell, self.motion
        if self._retreats:
            self.beliefs.touch_behind()
            self._tries += 1
            if self._tries >= MOST_TRIES and len(self._trail) > 1:
                self._tries = 0
                self._trail.pop()
                self._trail_cells.pop()
        else:
            self.beliefs.confirm(self._is_held(alert.held))
            self._learn(alert, number)
            self._tries, self._alert = 0, alert
        q, qd, qdd = evaluate(self.motion.trajectory, alert.time)
        self.motion = self._retreat(alert, q, qd, qdd)
        return cell, self.motion

    def listen(self, trace: Trace) -> Places:
        """Some milliseconds after a touch: where on the arm it may have been."""
        self.motion = self.motion._replace(look=np.inf)
        alert, self._alert = self._alert, None
        if alert is None or self.world.planner.strategy not in LOCATES:
            return NOWHERE
        rows = in_order(trace)
        rows = rows[np.isfinite(rows[:, 0])]
        places = guess_places(self.arm, rows, alert.onset.time, self._friction)
        if len(places.points):
            self.doubts.add(places)
        return places

    def decide(self, time: float, q: np.ndarray, qd: np.ndarray, held: float) -> PlannedMotion:
        """At the end of a retreat: a new path from there."""
        self.beliefs.confirm(self._is_held(held))
        if not self._retreats:  # a probe touched nothing
            self._pass(len(self._rows) - 1)
        self._retreats = False
        self.motion = self._go_on(time, q, qd)
        return self.motion

    def take_up(self, felt: HandedOn) -> None:
        """What an earlier run felt, before the first motion."""
        self.beliefs.take_up(felt.steps, {})
        for places in felt.places:
            self.doubts.add(places)
        self.doubts.passed([], felt.free)

    def arrive(self) -> None:
        """The arm is at the goal: all of the path was free."""
        self._pass(len(self._rows) - 1)

    def felt(self) -> np.ndarray:
        """No grid is kept for every detection: the places tell what was felt."""
        return np.zeros(0, dtype=bool)

    def felt_count(self) -> int:
        """Number of cells that are doubted."""
        return int(np.count_nonzero(self.doubts.doubtful(0.0)))

    def closed_steps(self) -> dict[Step, float]:
        """Certainty of every touched step that it is closed; 1 for facts."""
        return self.beliefs.touched()

    def in_free_air(self) -> int:
        """Number of touches where the arm drove freely, before or afterwards."""
        return self.beliefs.in_free_air

    def why_doubtful(self) -> str:
        """What speaks against the facts; empty where nothing does."""
        return self.beliefs.why_doubtful(np.zeros(self.grid.shape, dtype=bool))

    def final_map(self) -> np.ndarray:
        """No grid is kept."""
        return np.zeros(0, dtype=np.int8)

    def _is_held(self, held: float) -> bool:
        rearm = self.world.detection.rearm
        return held >= (1.0 if rearm is None else rearm)

    def _leg_at(self, time: float) -> int:
        """Number of the leg on which the reference is."""
        assert self.motion.trajectory is not None
        number = int(np.searchsorted(self.motion.trajectory.knots, time, side="right")) - 1
        return min(max(number, 0), max(len(self._rows) - 2, 0))

    def _learn(self, alert: Alert, number: int) -> None:
        """What was driven before is free; the touched leg is closed, as a fact where it was a true stop."""
        self._pass(number)
        begin, end = self._rows[number], self._rows[number + 1]
        line = end - begin
        length = float(np.linalg.norm(line))
        along = float((alert.onset.q - begin) @ line) / length**2 if length > 0.0 else 0.0
        off = float(np.abs(alert.onset.q - begin - np.clip(along, 0.0, 1.0) * line).max())
        opposed = float(alert.torque @ line) < 0.0
        cells = self._cells[number], self._cells[number + 1]
        step = None if cells[0] is None or cells[1] is None else step_between(cells[0], cells[1])
        if step is not None:
            self.beliefs.touch(step, opposed and off <= ON_LINE)
        elif cells[0] is not None:
            self._left_out.add((self._goal_number, cells[0]))
        elif cells[1] is not None and number == 0:
            self._bad_entries.add(cells[1])

    def _pass(self, until: int) -> None:
        """The legs before number ``until`` were driven without a touch."""
        cells = [c for c in self._cells[1 : until + 1] if c is not None]
        steps = [
            step_between(a, b)
            for a, b in itertools.pairwise(self._cells[: until + 1])
            if a is not None and b is not None
        ]
        self.beliefs.passed(cells, [s for s in steps if s is not None])
        for k in range(1, until + 1):
            self._trail.append(self._rows[k])
            self._trail_cells.append(self._cells[k])
        driven = self._rows[: until + 1]
        share = np.linspace(0.0, 1.0, _SWEEP)[:, None, None]
        swept = driven[:-1] + share * np.diff(driven, axis=0)
        self.doubts.passed(cells, swept.reshape(-1, driven.shape[1]))

    def _retreat(self, alert: Alert, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> PlannedMotion:
        """Back to where the touched leg began; touched before the arm has been anywhere, along the torque."""
        target, cell = self._trail[-1], self._trail_cells[-1]
        if len(self._trail) == 1 and self._tries > 0:
            size = float(np.linalg.norm(alert.torque))
            target = alert.q + _LEAVE * alert.torque / size if size > 0.0 else target
            self._trail, self._trail_cells = [target], [None]
            cell = None
        self._rows, self._cells, self._retreats = np.stack([q, target]), [None, cell], True
        speed, sample = self.world.trajectory.tool_speed, self.world.trajectory.sample_time
        trajectory = joint_lines(self.arm, self._rows, speed, alert.time, qd, qdd, sample)
        look = alert.time + LATER if self._alert is not None else np.inf
        return self._motion(np.array([cell]) if cell else self.motion.cells[:0], trajectory, True, look)

    def _go_on(self, time: float, q: np.ndarray, qd: np.ndarray) -> PlannedMotion:
        """A path from where the arm is: over the nearest centre, unless it is on one."""
        if not len(self.search.solutions):
            return self._end(
                "the arm is at its goal in no posture that touches nothing known, within the map"
            )
        here = self._trail_cells[-1] or self.search.entry(q, self._bad_entries)
        if here is None:
            return self._end("no cell of the map can be entered from where the arm is")
        found = self._search_path(here, q)
        if found is None:
            return self._end(self._why_none())
        at_centre = self._trail_cells[-1] is not None
        probe = self._probe(here, q, found.cells) if at_centre and self.world.planner.probe else None
        if probe is not None:
            self._rows, self._cells = np.stack([q, self.search.centre(np.array(probe), q)]), [here, probe]
            return self._along_rows(np.array([here, probe]), time, qd, undecided=True)
        solution = self.search.solutions[found.goal]
        rows = [self.search.centre(c, q) for c in found.cells[at_centre:]]
        cells: list[Cell | None] = [tuple(int(v) for v in c) for c in found.cells[at_centre:]]
        self._rows = self._straighten(np.vstack([q, *rows, solution]))
        self._cells = [here if at_centre else None, *cells, None]
        self._goal_number = found.goal
        return self._along_rows(found.cells, time, qd)

    def _along_rows(
        self, cells: np.ndarray, time: float, qd: np.ndarray, undecided: bool = False
    ) -> PlannedMotion:
        speed, sample = self.world.trajectory.tool_speed, self.world.trajectory.sample_time
        trajectory = joint_lines(self.arm, self._rows, speed, time, qd, None, sample)
        return self._motion(cells, trajectory, undecided)

    def _search_path(self, here: Cell, q: np.ndarray) -> Found | None:
        """The path that the strategy of the world prefers."""
        strategy, doubts = self.world.planner.strategy, self.doubts
        find = self.search.cheapest if strategy == "hypothesis_sets" else self.search.path
        if strategy == "thompson":
            doubts = doubts.drawn(self._generator)
        return find(here, q, self.beliefs, doubts, self._left_out)

    def _probe(self, here: Cell, q: np.ndarray, cells: np.ndarray) -> Cell | None:
        """A cell beside the arm's, on the way to which the places of a touch near its path are told apart."""
        closed = set(self.beliefs.doubted())
        for number in reversed(self.doubts.near(cells)):
            places = self.doubts.touches[number]
            if self.probes.get(number, 0) >= MOST_PROBES or not is_ambiguous(places):
                continue
            chosen = choose_probe(self.search, here, q, places, closed)
            if chosen is not None:
                self.probes[number] = self.probes.get(number, 0) + 1
                return chosen[0]
        return None

    def _straighten(self, rows: np.ndarray) -> np.ndarray:
        """Joints with one cell go straight from where they are to the goal."""
        single = np.array(self.grid.shape) == 1
        lengths = np.abs(np.diff(rows[:, ~single], axis=0)).sum(axis=1)
        share = np.concatenate([[0.0], np.cumsum(lengths)]) / max(float(lengths.sum()), 1e-12)
        rows[:, single] = rows[0, single] + share[:, None] * (rows[-1, single] - rows[0, single])
        return rows

    def _motion(
        self, cells: np.ndarray, trajectory: Trajectory, undecided: bool = False, look: float = np.inf
    ) -> PlannedMotion:
        start = tuple(int(c) for c in cells[0]) if len(cells) else self.motion.start
        places = self._tool(self._rows)
        return PlannedMotion(start, cells, trajectory, places=places, undecided=undecided, look=look)

    def _end(self, reason: str) -> PlannedMotion:
        return PlannedMotion(self.motion.start, self.motion.cells[:0], None, "no_path", reason)

    def _why_none(self) -> str:
        facts = len(self.beliefs.facts)
        if not facts and not self._left_out:
            return "no path over the map from start to goal past what is known"
        return f"facts alone separate start and goal: {facts} closed steps"

    def _tool(self, q: np.ndarray) -> np.ndarray:
        return forward_kinematics(self.arm, q)[:, :3, 3]
