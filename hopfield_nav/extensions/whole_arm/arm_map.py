"""The map of joint angles that the whole arm plans on: the grid, the search over it, and what is believed on it.

It says which way to go and why there is none; it drives nothing. Where its paths get narrow it becomes a finer one.
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.build import build_obstacles
from hopfield_nav.clearance import build_scene, scene_of_world
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.attempts import Choice, choose_path
from hopfield_nav.extensions.whole_arm.blocking import cells_near
from hopfield_nav.extensions.whole_arm.collision_belief import CollisionBelief
from hopfield_nav.extensions.whole_arm.goals import goal_solutions, tool_line
from hopfield_nav.extensions.whole_arm.grid import Carried, JointGrid, finer, grid_of
from hopfield_nav.extensions.whole_arm.learning import WholeArmLearning
from hopfield_nav.extensions.whole_arm.route import Trail
from hopfield_nav.extensions.whole_arm.search import CellPath, Query, Search
from hopfield_nav.extensions.whole_arm.separation import Separation
from hopfield_nav.extensions.whole_arm.strategy import ArmReport, belief_for
from hopfield_nav.navigation.map import Beliefs, Cell, Step
from hopfield_nav.navigation.motion import MotionPhase, planned_by
from hopfield_nav.navigation.planners import planner_for
from hopfield_nav.plugin import BelievedMap, CollisionEvidence
from hopfield_nav.world import World, is_code


class Drive(NamedTuple):
    """The arm drives over a path."""

    path: CellPath
    evidence: CollisionEvidence  # what speaks against cells beside it
    phase: MotionPhase  # whether to the goal, or to try what was felt


class Back(NamedTuple):
    """The arm goes further back on its trail: no cell can be entered from where a line was touched."""


class Refine(NamedTuple):
    """The map becomes finer, once in a run, and the arm asks again."""

    grid: JointGrid


class End(NamedTuple):
    """The run ends without a path: by facts and shut legs where ``error_bound`` is 0; ``experiment`` grades it."""

    reason: str
    error_bound: float = 0.0  # of the probability that there is one all the same


class ArmMap:
    """What the arm knows of its joint angles, and the search for ways; ``start`` (n,) is where it begins [rad]."""

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self._world, self._arm = world, arm
        self.grid = grid_of(world, arm, start)
        omniscient = world.planner.strategy == "omniscient"
        self.scene = build_scene(arm, build_obstacles(world)) if omniscient else scene_of_world(world)
        own = planner_for(world) if is_code(world.planner.kind) else None
        goals = goal_solutions(world, arm, self.scene, self.grid)
        most = numbers.MOST_EXITS if world.planner.finer else numbers.EXITS
        lines = [line for line in map(self.tool_line, goals) if len(line) > 1]
        self.search = Search(arm, self.scene, self.grid, goals, own, world.seed, most, lines)
        self.separation = Separation(arm, self.grid, self.search, world.planner.no_path_error)
        self.learning, self._belief = WholeArmLearning(world, arm, self.grid), belief_for(world)
        self._may_refine = world.planner.finer and own is None and not is_code(world.explore.method)
        self._carried: Carried | None = None  # from the world's map to a finer one
        self.planned: tuple[str, CellPath | None] | None = None  # who planned in the last step, and the path

    @property
    def beliefs(self) -> Beliefs:
        """Facts and beliefs about steps."""
        return self.learning.beliefs

    @property
    def collisions(self) -> CollisionBelief:
        """What touched places say against cells."""
        return self.learning.collisions

    def tool_line(self, q: np.ndarray) -> np.ndarray:
        """Joint angles (m, n) [rad] along the axis of the tool to angles (n,), of as much as the world wants."""
        far = self._world.planner.approach
        return tool_line(self._arm, self.scene, q, far) if far > 0.0 else q[None]

    def closed_steps(self) -> dict[Step, float]:
        """Certainty of every touched step, of the world's map."""
        touched = self.beliefs.touched()
        return touched if self._carried is None else self._carried.whole(touched)

    def named(self, cells: np.ndarray) -> np.ndarray:
        """Cells (k, n) as the record has them, which are those of the world's map."""
        return cells if self._carried is None else self._carried.around(cells)

    def next_step(self, q: np.ndarray, trail: Trail, straight: bool) -> "Drive | Back | Refine | End":
        """What the arm does next from joint angles (n,) [rad], where its trail ends; ``straight``: over lines.

        First whether the map can be entered, then which path there is, whether the arm fits at its goal at all
        (an early no), whether the map becomes finer, so that facts end a run on the finest map alone, and whether the
        arm had better try what it felt.
        """
        self.planned = None
        if not len(self.search.solutions):
            return End(f"the arm is at its goal in no configuration that touches nothing known; {self.grid.edges()}")
        here = trail.cell or self.entry(q, straight)
        if here is None:
            away = straight and not trail.at_start
            return Back() if away else End("no cell of the map can be entered from where the arm is")
        choice, evidence = self.choose_path(here, q)
        self.planned = planned_by(self._world.planner), choice.path if choice else None
        self.separation.look(self.learning)
        if choice is not None and self.separation.is_settled(self.collisions):
            touches, bound = len(self.collisions.touches), self.separation.bound
            why = f"in {touches} touches, with a probability of error of at most {bound:.1g}"
            return End(f"at its goal the arm would be in what it felt {why}", bound)
        fine = self.finer_grid(choice, q)
        if fine is not None:
            return Refine(fine)
        if choice is None:
            return End(self.why_none())
        trial = self.separation.trial(choice.path, q, self.learning)
        return Drive(trial or choice.path, evidence, MotionPhase.TO_GOAL if trial is None else MotionPhase.PROBE)

    def choose_path(self, here: Cell, q: np.ndarray) -> tuple[Choice | None, CollisionEvidence]:
        """The path by what the strategy of the world believes, and that.

        Where that path would risk more than an even chance, it is chosen anew by the cells that the strategy keeps for
        this (``at_last``), if it has any: those without surfaces, from the tenth touch on. After ``LINE_TOUCHES``
        touches the tool's lines to the goals are let go for good.
        """
        report = self.believed(here, with_steps=is_code(self._world.planner.strategy))
        points, weights, touches = self.collisions.places()
        evidence = self._belief.believe(
            ArmReport(report, points, weights, touches, partial(cells_near, self._arm, self.grid), self.collisions)
        ) or CollisionEvidence(np.zeros(self.grid.shape, np.float32))
        if len(self.collisions.touches) >= numbers.LINE_TOUCHES:
            self.learning.shut_exits |= self.search.lines
        query = Query(here, q, self.beliefs, evidence, self.learning.shut_exits)
        choice = choose_path(self.search, query)
        if choice is not None and choice.risk > numbers.EVEN_CHANCE and evidence.at_last is not None:
            query = query._replace(evidence=evidence._replace(cells=evidence.at_last))
            choice = choose_path(self.search, query)
        return choice, query.evidence

    def believed(self, here: Cell, with_steps: bool = True) -> BelievedMap:
        """The map with what the built-in strategies believe, from a cell to all goals."""
        barred = dict.fromkeys(self.search.checks.barred, 1.0)
        doubted = self.beliefs.doubted() | barred if with_steps else {}
        believed = self.search.believed(
            here, self.search.blocked, self.collisions.evidence(), self.search.goals, set(doubted)
        )
        return replace(believed, certainty=np.array([doubted[step] for step in sorted(doubted)]))

    def entry(self, q: np.ndarray, straight: bool) -> Cell | None:
        """The cell over which the arm enters the map; before ``straight`` motion not a doubted one, if it may."""
        shut, rough, against = self.learning.shut_entries, self.beliefs.rough, self.collisions.against
        if not straight:
            return self.search.entry(q, shut)
        return self.search.entry(q, shut, lambda cell: (bool(against[cell] > numbers.NO_DOUBT), cell in rough))

    def finer_grid(self, choice: Choice | None, q: np.ndarray) -> JointGrid | None:
        """A finer map, where there is no path, or a likely touch on it; None otherwise, or where it is fine already."""
        if not self._may_refine or (choice is not None and choice.risk <= numbers.SURELY):
            return None
        goals = self.search.solutions
        number = int(np.abs(goals - q).sum(axis=1).argmin()) if choice is None else choice.path.goal
        return finer(self.grid, goals[number])

    def refine(self, fine: JointGrid) -> Carried:
        """Go on with a finer map; what leads there."""
        carried, goals = Carried(self.grid, fine), self.search.solutions
        self._carried, self._may_refine, self.grid = carried, False, fine
        goals = goals[: len(goals) - len(self.search.lines)]  # from here on without them
        self.search = Search(self._arm, self.scene, fine, goals, seed=self._world.seed)
        self.learning.move_to(fine, carried)
        self.separation = Separation(self._arm, fine, self.search, self._world.planner.no_path_error)
        return carried

    def why_none(self) -> str:
        """Why there is no path."""
        facts = len(self.beliefs.facts)
        if not facts and self.learning.shut_exits <= self.search.lines:
            return f"no path over the map from start to goal past what is known; {self.grid.edges()}"
        legs = len(self.learning.shut_exits - self.search.lines)
        shut = f"{facts} closed steps" + (f", {legs} last legs" if legs else "")
        return f"facts alone separate start and goal: {shut}; {self.grid.edges()}"
