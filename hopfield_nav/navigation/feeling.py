"""The navigator that claims no more than was felt: a map of facts and beliefs in the place of marked cells.

It finds out on which leg of the path the tool was at first contact, what that proves (``beliefs``), goes
back to the cell from which the leg began, or passes by what it only grazed, and plans around facts and
beliefs. Where that leaves no path it drives, from rest, along the path against which the beliefs speak
least; it gives up only where facts alone separate start and goal.
"""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.loop import evaluate, quintic_trajectory
from hopfield_nav.navigation.alert import Alert
from hopfield_nav.navigation.beliefs import (
    AHEAD,
    ASIDE,
    Beliefs,
    Cell,
    Step,
    longer_moves,
    pairs,
)
from hopfield_nav.navigation.graze import SLOWER, is_graze, leg_under_way
from hopfield_nav.navigation.handed_on import HandedOn
from hopfield_nav.navigation.legs import LEAST_FORCE, Leg, cell_at, is_corner, passed, step_of, touched_leg
from hopfield_nav.navigation.motion import PlannedMotion, ToolPath
from hopfield_nav.navigation.navigator import Navigator
from hopfield_nav.navigation.planners import plan_with
from hopfield_nav.planning import Plan, stencil
from hopfield_nav.world import World

ON_LINE = 1e-3  # [m] a touch so near to the line of a step is one on that step
_REACH = 0.5  # [cells] how far in front of the tool the felt obstacle is looked for
MOST_TRIES = 2  # of a retreat that is touched, before another one is made
_TRIED = 0.05  # [s] a retreat touched sooner was not tried yet: between walls alarms come in bursts
WITHOUT_STEPS = ("roadmap", "potential_field")  # planners that make longer moves alone
FACTS_ALONE = "facts alone separate start and goal"


class FeelingNavigator(Navigator):
    """Map, planner and trajectories of a run with ``detection.mark: felt``.

    Attributes:
        beliefs: facts and beliefs; ``grid.felt`` shows the cells that are believed to be occupied.

    Args:
        world: resolved.
        arm: the kinematics that the controller plans with.
        start: (n,) joint angles at the beginning [rad].
    """

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self.beliefs = Beliefs(tuple(world.map.shape))
        self._tries: Counter[Cell] = Counter()
        self._closed_to_goal: set[Cell] = set()
        self._direct = False  # whether the last leg leads from a cell beside the goal's straight to the goal
        super().__init__(world, arm, start)
        self._moves = stencil(self.grid.shape, world.planner.radius).offset

    def answer(self, alert: Alert) -> tuple[Cell, PlannedMotion]:
        """Learn from a touch and plan a new motion; see ``Navigator.answer``."""
        if self.motion.trajectory is None:
            raise RuntimeError("a run that has ended cannot collide")
        time, force = alert.time, alert.force
        self._confirm(alert.held)
        leg = touched_leg(self.grid, self.arm, self.motion, alert)
        if self.motion.retreats and leg.number == 0:
            self.beliefs.touch_behind()
        self._learn_passage(leg.number)
        q_ref, qd_ref, qdd_ref = evaluate(self.motion.trajectory, time)
        passes = self.world.detection.graze == "pass"
        passing = passes and is_graze(self.arm, self.motion, leg, force, q_ref, qd_ref)
        cell = self._learn(leg, force, passing)
        self._show_beliefs()
        if self.goal is None:
            return cell, self.motion
        motion = self._pass_by(time, q_ref, qd_ref, qdd_ref) if passing else None
        if motion is None:
            motion = self._go_back(leg, force, time, q_ref, qd_ref, qdd_ref)._replace(retreats=True)
        self.motion = motion
        return cell, self.motion

    def decide(self, time: float, q: np.ndarray, qd: np.ndarray, held: float) -> PlannedMotion:
        """At the end of a retreat: what to do now that it is known what the last touch proved.

        After a ``reaction`` that is not known yet. Arguments as ``Navigator.decide``.
        """
        if not self.motion.reaction:
            self._confirm(held)
        self.motion = self._go_on(self.motion.start, time, q, qd, np.zeros(len(q)))
        self._show_beliefs()
        return self.motion

    def closed_steps(self) -> dict[Step, float]:
        """Certainty of every touched step that it is closed; 1 for facts."""
        return self.beliefs.touched()

    def in_free_air(self) -> int:
        """Number of touches where the arm drove freely, before or afterwards."""
        return self.beliefs.in_free_air

    def why_doubtful(self) -> str:
        """What speaks against the facts; empty where nothing does."""
        return self.beliefs.why_doubtful(self._obstacles())

    def final_map(self) -> np.ndarray:
        """As ``Navigator.final_map``, and 3 where a free cell is believed to be occupied."""
        found = super().final_map()
        found[(found == 0) & self.grid.felt] = 3
        return found

    def take_up(self, felt: HandedOn) -> None:
        """What an earlier run felt, before the first motion."""
        start, goal = self.motion.start, self.goal_cell
        self.beliefs.take_up(felt.steps, {c: v for c, v in felt.cells.items() if c not in (start, goal)})
        self._show_beliefs()

    def arrive(self) -> None:
        """The tool is at the goal: all of the path was free."""
        self._learn_passage(len(self.motion.cells) + 1)
        self._show_beliefs()

    def _confirm(self, held: float) -> None:
        rearm = self.world.detection.rearm
        self.beliefs.confirm(held >= (1.0 if rearm is None else rearm))

    def _go_back(
        self, leg: Leg, force: np.ndarray, time: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
    ) -> PlannedMotion:
        """Away from a touch whose force (3,) [N] was felt on a leg, and on from where that ends."""
        return self._go_on(self._retreat_to(leg), time, q, qd, qdd)

    def _go_on(
        self, start: Cell, time: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
    ) -> PlannedMotion:
        """A new path; before giving up, go back and see whether the last touch was a true stop."""
        retreating = self.motion.undecided and not self.beliefs.unconfirmed
        motion = self._plan(start, time, q, qd, qdd)
        if motion.trajectory is not None or retreating:
            return motion
        pose = self._tool_poses(np.array([start]))
        path = self._follow(pose, q)
        if path.reason:
            return motion
        places = np.vstack([forward_kinematics(self.arm, q)[:3, 3], pose[:, :3, 3]])
        cells = np.array([start])
        trajectory = quintic_trajectory(
            np.vstack([q, path.q]), self._times(ToolPath(cells, pose, False), places), time, qd, qdd,
            self.arm.speed_limits, self.world.trajectory.sample_time,
        )  # fmt: skip
        return PlannedMotion(start, cells, trajectory, places=places, undecided=True)

    def _learn_passage(self, until: int) -> None:
        """The legs before number ``until`` were driven without a touch."""
        self.beliefs.passed(*passed(self.grid, self.motion, until))

    def _pass_by(self, time: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> PlannedMotion | None:
        """Slowly on to the end of the present leg, and from there as is now believed to be best.

        None where that end is no centre of a free cell, or nothing leads on from it.
        """
        begin, end = leg_under_way(self.motion, time)
        cell = cell_at(self.grid, end)
        if cell is None or self._obstacles()[cell]:
            return None
        motion = self._plan(cell, time, q, qd, qdd, SLOWER)
        if motion.trajectory is None or motion.places is None:
            return None
        return motion._replace(places=np.vstack([begin, motion.places[1:]]), passing=True)

    def _learn(self, leg: Leg, force: np.ndarray, passing: bool) -> Cell:
        """What a touch on a leg teaches; returns the cell that is believed to be occupied.

        One that is passed by says nothing yet of the leg: that is being driven.
        """
        true_stop = leg.step is not None and leg.is_barred(force) and leg.off <= ON_LINE
        here, size = self.grid.cell_of(leg.place), float(np.linalg.norm(force))
        if leg.step is not None and not passing:
            self.beliefs.touch(leg.step, true_stop)
        elif not passing:
            self._leave_to_steps(leg, here)
        rank = len(self.grid.shape)
        heading = -force[:rank] if size > LEAST_FORCE else leg.direction[:rank]
        length = float(np.linalg.norm(heading))
        ahead = leg.place.copy()
        if length > 0.0:
            ahead[:rank] += _REACH * self.grid.spacing * heading / length
        cell = self.grid.cell_of(ahead)
        if self.grid.inside(cell) and cell != self.goal_cell and cell not in self.beliefs.visited:
            self.beliefs.believe_occupied(cell, AHEAD if true_stop else ASIDE)
        return tuple(int(np.clip(c, 0, n - 1)) for c, n in zip(cell, self.grid.shape, strict=True))

    def _leave_to_steps(self, leg: Leg, here: Cell) -> None:
        """A touch on a leg that is no step: it is closed alone, and longer moves are no longer made there."""
        if (leg.number == 0 and not self.motion.passing) or self.motion.places is None:
            return
        begin = cell_at(self.grid, self.motion.places[leg.number])
        if begin is not None and leg.number == len(self.motion.places) - 2:
            self._closed_to_goal.add(begin)
        ends = [self.grid.cell_of(place) for place in self.motion.places[leg.number : leg.number + 2]]
        for cell in (here, *ends):
            if self.grid.inside(cell) and cell != self.goal_cell:
                self.beliefs.rough.add(cell)

    def _retreat_to(self, leg: Leg) -> Cell:
        """The cell from which the touched leg began, or one behind; else the nearest that was visited.

        A retreat that is touched itself closes no step, but is not tried again until another one has
        come to its end.
        """
        obstacles = self._obstacles()
        if leg.number > 0 or self.motion.passing:
            self._tries.clear()
            cell = None if self.motion.places is None else cell_at(self.grid, self.motion.places[leg.number])
            behind = self.grid.cell_of(leg.place - self.grid.spacing * leg.direction)
            for candidate in (cell, behind):  # the second on a leg at any angle
                if candidate is not None and self.grid.inside(candidate) and not obstacles[candidate]:
                    return candidate
        else:
            retreat = tuple(int(c) for c in self.motion.cells[0])
            self._tries[retreat] += leg.driven >= _TRIED
            if self._tries[retreat] < MOST_TRIES:
                return retreat
        here = self.grid.cell_of(leg.place)
        free = sorted(self.beliefs.visited - self._tries.keys())
        if not free:
            around = itertools.product(*(range(c - 1, c + 2) for c in here))
            free = [c for c in around if self.grid.inside(c) and not obstacles[c] and c not in self._tries]
        if not free:
            self._tries.clear()
            return self.motion.start
        distance = [float(np.linalg.norm(self.grid.centre(c) - leg.place)) for c in free]
        return free[int(np.argmin(distance))]

    def _make_plan(self, start: Cell) -> Plan:
        """Around facts and beliefs; where that is impossible, against as few beliefs as can be."""
        planner, rank, targets = self.world.planner, len(self.grid.shape), self._targets()
        obstacles, closed = self._obstacles(), pairs(self.beliefs.doubted(), rank)
        if planner.radius > 1:
            closed = np.concatenate([closed, longer_moves(self.beliefs.uneven(), self._moves)])
        barred = self._uneven() if planner.kind in WITHOUT_STEPS else obstacles
        for target in targets:
            plan = plan_with(planner, barred, start, target, self.world.seed, closed)
            if plan.cells is not None:
                return self._to_goal(plan, target)
        for find in (self.beliefs.likeliest_path, self._way_out):
            for target in targets:
                cells = find(obstacles, start, target)
                if cells is not None:
                    return self._to_goal(Plan(cells, "", float(len(cells) - 1), planner.kind), target)
        return Plan(None, self._why_none(), np.inf, planner.kind)

    def _to_goal(self, plan: Plan, target: Cell) -> Plan:
        self._direct = self.goal_cell != target
        return plan if self.goal_cell is None or self.goal_cell == target else plan.with_last(self.goal_cell)

    def _targets(self) -> list[Cell]:
        """Cells from whose centres the goal may be reached: its own, and for one off its centre those beside.

        Those from which the leg to the goal was touched are left out.
        """
        first = self._target()
        if first is None or self.goal is None or self.goal_cell is None:
            return []
        cells = [first]
        if self._is_aside():
            beside = [c for step in self.beliefs.steps_of(self.goal_cell) for c in step.ends]
            goal, blocked = self.goal, self._obstacles()
            beside = sorted(set(beside), key=lambda c: float(np.linalg.norm(self.grid.centre(c) - goal)))
            cells += [c for c in beside if c != first and not blocked[c]]
        return [c for c in cells if c not in self._closed_to_goal]

    def _is_aside(self) -> bool:
        """Whether the goal is not at the centre of its cell."""
        return self.goal is not None and cell_at(self.grid, self.goal) is None

    def _over_last_centre(self) -> bool:
        return self._is_aside() and not self._direct

    def _way_out(self, obstacles: np.ndarray, here: Cell, target: Cell) -> np.ndarray | None:
        """A path that begins at a cell visited before, for an arm that facts have locked in.

        It came in beside the line of a step, and may get out beside it too.
        """
        place = self.grid.centre(here)
        outside = sorted(self.beliefs.visited - self._tries.keys() - {here})
        for cell in sorted(outside, key=lambda c: float(np.linalg.norm(self.grid.centre(c) - place))):
            cells = self.beliefs.likeliest_path(obstacles, cell, target)
            if cells is not None:
                return cells
        return None

    def _why_none(self) -> str:
        facts = len(self.beliefs.facts)
        if self._target() is None:
            return "known obstacles stand between the goal and every free cell around it"
        return f"{FACTS_ALONE}: {facts} closed steps" if facts else "no free path from start to goal"

    def _rests(self, places: np.ndarray) -> np.ndarray:
        """Where the arm stops, so that it is on the line of a step when it touches something.

        Before and behind a step that is believed to be closed, and at corners beside occupied cells.
        """
        rest = np.zeros(len(places) - 1, dtype=bool)
        beside = self.beliefs.beside_occupied()
        legs = np.diff(places, axis=0)
        for k, (begin, end) in enumerate(itertools.pairwise(places)):
            step, cell = step_of(self.grid, begin, end), self.grid.cell_of(end)
            doubted = step is not None and self.beliefs.certainty(step) > 0.0
            turned = k > 0 and is_corner(legs[k - 1], legs[k]) and self.grid.inside(cell) and beside[cell]
            rest[k] |= doubted
            if k > 0:
                rest[k - 1] |= doubted or turned
        return rest

    def _uneven(self) -> np.ndarray:
        return self._obstacles() | self.beliefs.uneven()

    def _show_beliefs(self) -> None:
        self.grid.felt[...] = False
        for cell in self.beliefs.cells:
            self.grid.felt[cell] = True
