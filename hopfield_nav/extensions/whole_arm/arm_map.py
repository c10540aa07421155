"""The map of joint angles that the whole arm plans on: grid and goals, the search, and what is believed on it.

It says which way to go and why there is none; it drives nothing. Where its paths get narrow it becomes a finer one.
"""

import itertools
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from dynamics import Arm, follow_path, forward_kinematics, has_closed_form, inverse_kinematics
from hopfield_nav.build import build_obstacles
from hopfield_nav.extensions.clearance import Scene, build_scene, collides, motion_is_free, scene_of_world
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.attempts import Choice, choose_path
from hopfield_nav.extensions.whole_arm.blocking import cells_near
from hopfield_nav.extensions.whole_arm.collision_belief import CollisionBelief
from hopfield_nav.extensions.whole_arm.grid import TURN, Carried, JointGrid, finer, grid_of
from hopfield_nav.extensions.whole_arm.learning import WholeArmLearning
from hopfield_nav.extensions.whole_arm.route import Waypoint
from hopfield_nav.extensions.whole_arm.search import CellPath, Query, Search
from hopfield_nav.extensions.whole_arm.separation import Separation
from hopfield_nav.extensions.whole_arm.strategies import ArmReport, belief_for
from hopfield_nav.navigation.map import Beliefs, Cell, Step
from hopfield_nav.navigation.motion import MotionPhase, planned_by
from hopfield_nav.navigation.planners import planner_for
from hopfield_nav.plugin import BelievedMap, CollisionEvidence
from hopfield_nav.world import World, goal_near, is_code


class Drive(NamedTuple):
    """The arm drives over a path."""

    path: CellPath
    evidence: CollisionEvidence  # what speaks against cells beside it
    phase: MotionPhase  # whether to the goal, or to try what was felt


class End(NamedTuple):
    """The run ends without a path: by facts and shut legs where ``error_bound`` is 0; ``experiment`` grades it."""

    reason: str
    error_bound: float = 0.0  # of the probability that there is one all the same


class ArmMap:
    """What the arm knows of its joint angles, and the search for paths; ``start`` (n,) is where it begins [rad]."""

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

    def next_step(self, q: np.ndarray, trail: list[Waypoint], straight: bool) -> Drive | End | None:
        """What the arm does next from joint angles (n,) [rad], where its trail ends; ``straight``: over lines.

        First whether the map can be entered, then which path there is, whether the arm fits at its goal at all
        (an early no), whether the map becomes finer, so that facts end a run on the finest map alone, and whether the
        arm had better try what it felt. None: it goes further back on its trail, as no cell can be entered from where
        a line was touched.
        """
        self.planned = None
        if not len(self.search.ends):
            return End(f"the arm is at its goal in no configuration that touches nothing known; {self.grid.edges()}")
        here = trail[-1].cell or self.entry(q, straight)
        if here is None:
            away = straight and len(trail) > 1
            return None if away else End("no cell of the map can be entered from where the arm is")
        choice, evidence = self.choose_path(here, q)
        self.planned = planned_by(self._world.planner), choice.path if choice else None
        self.separation.look(self.learning)
        if choice is not None and self.separation.is_settled(self.collisions):
            touches, bound = len(self.collisions.touches), self.separation.bound
            why = f"in {touches} touches, with a probability of error of at most {bound:.1g}"
            return End(f"at its goal the arm would be in what it felt {why}", bound)
        if carried := self.refine(choice, q):
            trail[:] = [Waypoint(row, cell and carried.cell(cell)) for row, cell in trail]
            return self.next_step(q, trail, straight)
        if choice is None:
            return End(self.why_none())
        trial = self.separation.trial(choice.path, q, self.learning)
        return Drive(trial or choice.path, evidence, MotionPhase.TO_GOAL if trial is None else MotionPhase.TRIAL)

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
            self.learning.shut_exits |= self.search.tool_lines
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
        cells = sorted({cell for _, cell in self.search.exits(set(), "near")})
        goals = np.array(cells, dtype=int).reshape(-1, len(self.grid.shape))
        believed = self.search.believed(here, self.search.blocked, self.collisions.evidence(), goals, set(doubted))
        return replace(believed, certainty=np.array([doubted[step] for step in sorted(doubted)]))

    def entry(self, q: np.ndarray, straight: bool) -> Cell | None:
        """The cell over which the arm enters the map; before ``straight`` motion not a doubted one, if it may."""
        rough, against = self.beliefs.rough, self.collisions.against
        cells = [cell for cell in self.search.entries(q) if cell not in self.learning.shut_entries]
        if straight:
            cells.sort(key=lambda cell: (bool(against[cell] > numbers.NO_DOUBT), cell in rough))
        return cells[0] if cells else None

    def refine(self, choice: Choice | None, q: np.ndarray) -> Carried | None:
        """Go on with a finer map, once in a run, where there is no path, or a likely touch on it; what leads there."""
        if not self._may_refine or (choice is not None and choice.risk <= numbers.SURELY):
            return None
        ends = self.search.ends
        number = int(np.abs(ends - q).sum(axis=1).argmin()) if choice is None else choice.path.goal
        fine = finer(self.grid, ends[number])
        if fine is None:
            return None
        carried = self._carried = Carried(self.grid, fine)
        solutions = ends[: len(ends) - len(self.search.tool_lines)]  # from here on without lines
        self._may_refine, self.grid = False, fine
        self.search = Search(self._arm, self.scene, fine, solutions, seed=self._world.seed)
        self.learning.move_to(fine, carried)
        self.separation = Separation(self._arm, fine, self.search, self._world.planner.no_path_error)
        return carried

    def why_none(self) -> str:
        """Why there is no path."""
        facts = len(self.beliefs.facts)
        if not facts and self.learning.shut_exits <= self.search.tool_lines:
            return f"no path over the map from start to goal past what is known; {self.grid.edges()}"
        legs = len(self.learning.shut_exits - self.search.tool_lines)
        shut = f"{facts} closed steps" + (f", {legs} last legs" if legs else "")
        return f"facts alone separate start and goal: {shut}; {self.grid.edges()}"


def goal_solutions(world: World, arm: Arm, scene: Scene, grid: JointGrid) -> np.ndarray:
    """Joint angles (k, n) within the map at which the arm is at its goal and touches nothing known [rad].

    k may be 0. On a closed axis one angle stands for all that differ by whole turns; the search unwinds its paths. An
    axis of one cell gets the angle within the joint's limits that is nearest to the start. The goal is a position, a
    pose or joint angles; the world's seed draws rotations for a position, and for an arm without a closed form where
    a search begins. The arm has its tool frame; the scene is what is known.
    """
    goal = world.goal
    if goal is None:
        return np.zeros((0, len(arm.dh)))
    if goal.joints is not None:
        rows = np.array([goal.joints])
    elif not has_closed_form(arm):
        # a numeric search from the start, and from angles over the map that differ on axes of several cells
        start = np.array(world.start.joints)
        drawn = np.random.default_rng(world.seed).uniform(grid.lower, grid.upper, (numbers.ROTATIONS, len(start)))
        tried = [goal_near(world, arm, q) for q in (start, *np.where(np.array(grid.shape) > 1, drawn, start))]
        rows = np.array([q for q in tried if q is not None]).reshape(-1, len(start))
    elif goal.pose is not None:
        rows = _solutions(arm, np.array(goal.pose.rotation)[None], np.array(goal.pose.position))
    else:
        from scipy.spatial.transform import Rotation

        rotations = Rotation.random(numbers.ROTATIONS, rng=world.seed).as_matrix()
        if not world.trajectory.any_rotation:
            rotations = np.concatenate([np.array(world.trajectory.tool_rotation)[None], rotations])
        rows = _solutions(arm, rotations, np.array(goal.position))
    rows = _turned(rows, arm, grid)
    inside = (rows >= grid.lower) & (rows <= grid.upper) | np.array(grid.periodic) | (np.array(grid.shape) == 1)
    rows = rows[inside.all(axis=1)]
    return rows[~collides(arm, scene, rows)] if len(rows) else rows


def tool_line(arm: Arm, scene: Scene, q: np.ndarray, distance: float) -> np.ndarray:
    """Joint angles (m, n) [rad] along the axis z of the tool from behind it to angles (n,), which are the last.

    It is as long as the arm comes past what is known, ``distance`` at most [m]; straight lines of the joints between
    keep the tool within a centimetre of it.
    """
    pose = forward_kinematics(arm, q)
    poses = np.tile(pose, (round(distance / numbers.LINE_STEP), 1, 1))
    poses[:, :3, 3] -= numbers.LINE_STEP * np.arange(1, len(poses) + 1)[:, None] * pose[:3, 2]
    path = follow_path(arm, poses, q, numbers.LINE_JUMP)
    rows = np.vstack([q, path.q[: path.reached]])
    free = motion_is_free(arm, scene, rows[:-1], rows[1:])
    rows, kept = rows[: int(np.argmin([*free, False])) + 1], [0]
    share = np.linspace(0.0, 1.0, 2 * len(rows))[:, None]
    while kept[-1] < len(rows) - 1:
        begin, there = rows[kept[-1]], len(rows) - 1
        while there > kept[-1] + 1:
            places = forward_kinematics(arm, begin + share * (rows[there] - begin))[:, :3, 3]
            off = np.linalg.norm(np.cross(places - pose[:3, 3], pose[:3, 2]), axis=1).max()
            if off < numbers.LINE_OFF and motion_is_free(arm, scene, begin, rows[there]):
                break
            there -= 1
        kept.append(there)
    return rows[kept][::-1].copy()


def _solutions(arm: Arm, rotations: np.ndarray, position: np.ndarray) -> np.ndarray:
    poses = np.tile(np.eye(4), (len(rotations), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = rotations, position
    rows = inverse_kinematics(arm, poses).reshape(-1, len(arm.dh))
    return rows[np.isfinite(rows).all(axis=1)]


def _turned(rows: np.ndarray, arm: Arm, grid: JointGrid) -> np.ndarray:
    """Every solution with whole turns of its joints, as far as the map may hold them."""
    middle = 0.5 * (grid.lower + grid.upper)
    base = rows - TURN * np.rint((rows - middle) / TURN)
    single = np.array(grid.shape) == 1
    low, high = arm.position_limits.T
    base += np.where(single, TURN * ((base < low).astype(float) - (base > high)), 0.0)
    wide = ~single & (grid.upper - grid.lower > TURN + 1e-9)
    turns = [(-TURN, 0.0, TURN) if w else (0.0,) for w in wide]
    return np.concatenate([base + np.array(t) for t in itertools.product(*turns)])
