"""The map of joint angles that the whole arm plans on: the grid, the search over it, and what is believed on it.

It says which way to go and why there is none; it drives nothing. Where its paths get narrow it becomes a finer one.
"""

from dataclasses import replace

import numpy as np

from dynamics import Arm
from hopfield_nav.build import build_obstacles
from hopfield_nav.clearance import build_scene, scene_of_world
from hopfield_nav.extensions.whole_arm.blocking import mark_ball
from hopfield_nav.extensions.whole_arm.collision_belief import CollisionBelief
from hopfield_nav.extensions.whole_arm.finer import LEVELS, SURELY, Carried, finer
from hopfield_nav.extensions.whole_arm.goals import goal_solutions, tool_line
from hopfield_nav.extensions.whole_arm.grid import grid_of
from hopfield_nav.extensions.whole_arm.learning import WholeArmLearning
from hopfield_nav.extensions.whole_arm.search import EXITS, MOST_EXITS, RISK, Found, Search
from hopfield_nav.extensions.whole_arm.separation import Separation
from hopfield_nav.extensions.whole_arm.step_checks import LEAST
from hopfield_nav.extensions.whole_arm.strategy import ArmFelt, belief_for
from hopfield_nav.navigation.map import Beliefs, Cell, Step
from hopfield_nav.navigation.planners import planner_for
from hopfield_nav.plugin import Against, BelievedMap
from hopfield_nav.world import World, is_code

LINE_TOUCHES = 5  # touches after which the arm no longer looks for a way to the line of the tool


class ArmMap:
    """What the arm knows of its joint angles, and the search for ways; ``start`` (n,) is where it begins [rad]."""

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self._world, self._arm = world, arm
        self.grid = grid_of(world, arm, start)
        omniscient = world.planner.strategy == "omniscient"
        self.scene = build_scene(arm, build_obstacles(world)) if omniscient else scene_of_world(world)
        own = planner_for(world) if is_code(world.planner.kind) else None
        goals = goal_solutions(world, arm, self.scene, self.grid)
        most = MOST_EXITS if world.planner.finer else EXITS
        lines = [line for line in map(self.tool_line, goals) if len(line) > 1]
        self.search = Search(arm, self.scene, self.grid, goals, own, world.seed, most, lines)
        self.separation = Separation(arm, self.grid, self.search, world.planner.no_path_error)
        self.learning, self._belief = WholeArmLearning(world, arm, self.grid), belief_for(world)
        self._levels = LEVELS if world.planner.finer and own is None and not is_code(world.explore.method) else 0
        self._finer = list[Carried]()

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
        found = self.beliefs.touched()
        for carried in reversed(self._finer):
            found = carried.whole(found)
        return found

    def named(self, cells: np.ndarray) -> np.ndarray:
        """Cells (k, n) as the record has them, which are those of the world's map."""
        for carried in reversed(self._finer):
            cells = carried.around(cells)
        return cells

    def path(self, here: Cell, q: np.ndarray) -> tuple[Found | None, Against]:
        """The path that the strategy of the world prefers, and what it believes."""
        felt = self.believed(here, with_steps=is_code(self._world.planner.strategy))
        points, weights, touches = self.collisions.places()
        against = self._belief.believe(
            ArmFelt(felt, points, weights, touches, self._cells_near, self.collisions)
        ) or Against(np.zeros(self.grid.shape, np.float32))
        if len(self.collisions.touches) >= LINE_TOUCHES:
            self.learning.shut_exits |= self.search.lines
        find = self.search.cheapest if against.as_cost else self.search.path
        found = find(here, q, self.beliefs, against, self.learning.shut_exits)
        if found is not None and self.search.risk > RISK and against.at_last is not None:
            against = against._replace(cells=against.at_last)
            found = find(here, q, self.beliefs, against, self.learning.shut_exits)
        return found, against

    def believed(self, here: Cell, with_steps: bool = True) -> BelievedMap:
        """The map with what the built-in strategies believe, from a cell to all goals."""
        barred = dict.fromkeys(self.search.checks.barred, 1.0)
        doubted = self.beliefs.doubted() | barred if with_steps else {}
        believed = self.search.believed(
            here, self.search.blocked, self.collisions.risk(), self.search.goals, set(doubted)
        )
        return replace(believed, certainty=np.array([doubted[step] for step in sorted(doubted)]))

    def _cells_near(self, point: np.ndarray, distance: float) -> np.ndarray:
        """Bool grid of the cells at whose centres the arm is nearer to a point (3,) than a distance [m]."""
        marks = np.zeros(self.grid.shape, dtype=np.uint8)
        mark_ball(self._arm, self.grid, marks, point, distance, 1)
        return marks.astype(bool)

    def entry(self, q: np.ndarray, straight: bool) -> Cell | None:
        """The cell over which the arm enters the map; before ``straight`` motion not a doubted one, if it may."""
        shut, rough, against = self.learning.shut_entries, self.beliefs.rough, self.collisions.against
        if not straight:
            return self.search.entry(q, shut)
        return self.search.entry(q, shut, lambda cell: (bool(against[cell] > LEAST), cell in rough))

    def refine(self, found: Found | None, q: np.ndarray) -> Carried | None:
        """Go on with a finer map where there is no path, or a likely touch on it; what leads there, if there is one."""
        if found is not None and self.search.risk <= SURELY:
            return None
        goals = self.search.solutions
        goal = goals[found.goal if found is not None else int(np.abs(goals - q).sum(axis=1).argmin())]
        fine = finer(self.grid, goal) if len(self._finer) < self._levels else None
        if fine is None:
            return None
        carried = Carried(self.grid, fine)
        self._finer.append(carried)
        self.grid = fine
        goals = goals[: len(goals) - len(self.search.lines)]  # from here on without them
        self.search = Search(self._arm, self.scene, fine, goals, seed=self._world.seed)
        self.learning.move_to(fine, carried)
        self.separation = Separation(self._arm, fine, self.search, self._world.planner.no_path_error)
        return carried

    def why_hardly(self) -> str:
        """Why the goal is most probably occupied."""
        return (
            f"at its goal the arm would be in what it felt in {len(self.collisions.touches)} touches, with a "
            f"probability of error of at most {self.separation.bound:.1g}"
        )

    def why_none(self) -> str:
        """Why there is no path."""
        facts = len(self.beliefs.facts)
        if not facts and self.learning.shut_exits <= self.search.lines:
            return f"no path over the map from start to goal past what is known; {self.grid.edges()}"
        return f"facts alone separate start and goal: {facts} closed steps; {self.grid.edges()}"
