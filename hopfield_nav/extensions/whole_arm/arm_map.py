"""What the arm does next on its map of joint angles, and how the path to its goal is chosen.

``ArmMap.next_step`` is asked when a motion has ended, and answers a path, or that there is none; it
drives nothing. Where its paths get narrow it goes on with a finer map.

What is known blocks for good, and so do facts, and last legs and tool's lines that were touched.
All else that was felt has a certainty. A level c closes every cell and likely place of which more
than c is believed: an attempt takes its smallest level that leaves a path and, at that level, the
shortest path, however long. Touched steps have no levels: an attempt closes all of them, or facts
alone; their certainty is for the record and for a planner of the user. ``ATTEMPTS`` are in their
order, each less careful than the one before, and ``choose_path`` makes them until one of them
settles it. The path of each comes from ``Search.shortest``, which may give up before it has found
one.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from dynamics import Arm, has_closed_form
from hopfield_nav.build import build_obstacles
from hopfield_nav.extensions.clearance import build_scene, scene_of_world
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.blocking import cells_near
from hopfield_nav.extensions.whole_arm.grid import Carried, finer, goal_solutions, grid_of
from hopfield_nav.extensions.whole_arm.learning import CollisionBelief, WholeArmLearning
from hopfield_nav.extensions.whole_arm.lines import Waypoint, tool_line
from hopfield_nav.extensions.whole_arm.probes import Probes
from hopfield_nav.extensions.whole_arm.search import CellPath, Exits, Query, Search
from hopfield_nav.extensions.whole_arm.separation import Separation
from hopfield_nav.extensions.whole_arm.strategies import ArmReport, belief_for
from hopfield_nav.navigation.map import Cell, Step
from hopfield_nav.navigation.motion import Grade, MotionPhase
from hopfield_nav.navigation.planners import planner_for
from hopfield_nav.plugin import BelievedMap, CollisionEvidence, is_ours
from hopfield_nav.world import World

LEVELS = numbers.CERTAINTY_LEVELS
NO_RISK, LEAST_RISK, ANY_RISK = LEVELS[:1], LEVELS[1:], LEVELS[-1:]


class Attempt(NamedTuple):
    """A search for a path."""

    name: str
    # where it may end: at the nearest centres of lines alone; of goals and lines; at all near
    ends: Literal["line", "near", "all"]
    # which steps it keeps closed: all that were touched, or facts alone
    past: Literal["touched", "facts"]
    # certainties of cells and places against which it may lead; ``past`` alone decides of touched
    # steps
    risks: tuple[float, ...]
    # a path that risks no more is taken at once: any at 1, none over touched steps at 0, since
    # those risk 1; another is kept, in case no later one is found
    settles: float = 1.0
    is_needed: bool = False  # whether the search ends where this attempt finds no path


ATTEMPTS = (
    Attempt("onto the tool's line, against no doubt", "line", "touched", NO_RISK),
    Attempt("to the nearest centres, against no doubt", "near", "touched", NO_RISK),
    Attempt(
        "to the nearest centres, against the least doubt",
        "near",
        "touched",
        LEAST_RISK,
        numbers.EVEN_CHANCE,
    ),
    Attempt(
        "whether facts leave any path, if there is none so far",
        "all",
        "facts",
        ANY_RISK,
        settles=0.0,
        is_needed=True,
    ),
    Attempt("to more centres, against no doubt", "all", "touched", NO_RISK),
    Attempt("to more centres, against the least doubt", "all", "touched", LEAST_RISK),
    Attempt("over touched steps, against no doubt", "all", "facts", NO_RISK),
    Attempt("over touched steps, against the least doubt", "all", "facts", LEAST_RISK),
)


class Choice(NamedTuple):
    """The path that was chosen."""

    path: CellPath
    attempt: Attempt  # that found it
    risk: float  # certainty against which it leads; 1 over touched steps


def choose_path(search: Search, query: Query) -> Choice | None:
    """The path of the first attempt that settles it, else of the last that found one.

    None: facts, and last legs and lines that were touched, leave none. An attempt over touched
    steps, the fourth among them, is made only while there is no path past them, and none is made
    twice: without ``finer`` "all" centres are the nearest ones. A path that is kept is dropped
    where an attempt from more centres, against as much doubt, gives up.
    """
    kept, made = None, list[tuple[Exits, str, tuple[float, ...]]]()
    for attempt in ATTEMPTS:
        exits, past = (
            search.exits(query.shut_exits, attempt.ends),
            kept.attempt.past if kept else "",
        )
        this = exits, attempt.past, attempt.risks
        if not exits or this in made or (past == "touched" and attempt.past == "facts"):
            continue
        made.append(this)
        closed = set(query.beliefs.doubted()) if attempt.past == "touched" else query.beliefs.facts
        enough = kept.risk if kept and past == attempt.past else None
        path, risk = _least(partial(search.shortest, query, exits, closed), attempt.risks, enough)
        if path is not None:
            kept = Choice(path, attempt, risk if attempt.past == "touched" else 1.0)
            if kept.risk <= attempt.settles:
                return kept
        elif attempt.is_needed:
            return None
        elif enough in attempt.risks:
            kept = None
    return kept


def _least(
    below: Callable[[float], CellPath | None], levels: tuple[float, ...], enough: float | None
) -> tuple[CellPath | None, float]:
    """By halving: the path that risks the least of some levels, and that level.

    ``enough``: a level at which an earlier attempt found a path. None above it is asked, and it the
    last, if none below leaves a path; then this attempt may give up all the same.
    """
    low, high, path = 0, len(levels) - 1, None
    if enough in levels:
        high = levels.index(enough)
    else:
        path = below(levels[high])
        if path is None:
            return None, levels[high]
    while low < high:
        middle = (low + high) // 2
        found = below(levels[middle])
        if found is None:
            low = middle + 1
        else:
            path, high = found, middle
    return path or below(levels[high]), levels[high]


class Drive(NamedTuple):
    """The arm drives over a path."""

    path: CellPath
    evidence: CollisionEvidence  # what speaks against cells beside it
    phase: MotionPhase  # whether to the goal, or to try what was felt


class End(NamedTuple):
    """The run ends without a path."""

    reason: str
    grade: Grade  # what that rests on
    error_bound: float = 0.0  # of the probability that there is one all the same


class ArmMap:
    """What the arm knows of its joint angles, and the search for paths; ``start`` (n,) is where it begins [rad]."""

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        self._world, self._arm = world, arm
        self.grid = grid_of(world, arm, start)
        omniscient = world.planner.strategy == "omniscient"
        self.scene = (
            build_scene(arm, build_obstacles(world)) if omniscient else scene_of_world(world)
        )
        own = None if is_ours("planner", world.planner.kind) else planner_for(world)
        goals = goal_solutions(world, arm, self.scene, self.grid)
        most = numbers.MOST_EXITS if world.planner.finer else numbers.EXITS
        lines = [
            line
            for q in goals
            if len(line := tool_line(arm, self.scene, q, world.planner.approach)) > 1
        ]
        self.search = Search(arm, self.scene, self.grid, goals, own, world.seed, most, lines)
        self._may_probe = world.planner.no_path_error > 0.0
        self._makes_room = False  # whether the arm goes back before a probe
        self.probes = Probes(arm, self.scene, self.grid, self.search)
        self.separation = Separation(arm, self.search, world.planner.no_path_error)
        self.learning, self._belief = WholeArmLearning(world, arm, self.grid), belief_for(world)
        answers_are_ours = own is None and is_ours("response", world.explore.method)
        self._may_refine = world.planner.finer and answers_are_ours
        self._carried: Carried | None = None  # from the world's map to a finer one

    @property
    def collisions(self) -> CollisionBelief:
        """What touched places say against cells."""
        return self.learning.collisions

    def next_step(
        self,
        q: np.ndarray,
        trail: list[Waypoint],
        straight: bool,
        note: Callable[[CellPath | None], None],
    ) -> Drive | End | None:
        """What the arm does next from joint angles (n,) [rad], where its trail ends; ``straight``: over lines.

        First whether the map can be entered, then which path there is, whether the arm fits at its
        goal at all (an early no, of a probability, which ends a run whose every path is doubted, on
        whatever map), whether the map becomes finer, so that facts end a run on the finest map
        alone, and whether the arm had better try what it felt. The plan is noted by which it goes
        on, or ends. None: it goes further back on its trail, as no cell can be entered from where a
        line was touched.
        """
        if not len(self.search.ends):
            what = "the arm is at its goal in no configuration that touches nothing known"
            grade = Grade.DOUBTFUL if self._are_goals_drawn else Grade.FACTS
            return End(f"{what}{self._drawn}; {self.grid.edges()}", grade)
        here = trail[-1].cell or self.entry(q, straight)
        if here is None:
            away = straight and len(trail) > 1
            if away:
                return None
            touched = len(self.learning.shut_entries)
            why = f", {touched} of them after a touch, which is no proof" if touched else ""
            grade = Grade.DOUBTFUL if touched else Grade.FACTS
            return End(f"no cell of the map can be entered from where the arm is{why}", grade)
        may_go_back = straight and len(trail) > 1
        if self._makes_room and may_go_back and not self.probes.has_room(q, self.collisions):
            return None
        self._makes_room = False
        choice, evidence = self.path_by_belief(here, q)
        self.probes.look_back(self.collisions)
        is_shut = self.separation.judge(self.learning, self.probes.directions())
        is_settled = is_shut and choice is not None
        if not is_settled and (carried := self.refine(choice, q)):
            trail[:] = [Waypoint(row, cell and carried.cell(cell)) for row, cell in trail]
            return self.next_step(q, trail, straight, note)
        note(choice.path if choice else None)
        if is_settled:
            touches, bound = len(self.collisions.touches), self.separation.bound
            why = f"in {touches} touches, with a probability of error of at most {bound:.1g}"
            what = "at its goal the arm would be in what it felt"
            return End(f"{what} {why}", Grade.PROBABLE, bound)
        if choice is None:
            return self.why_none(here, q)
        if self._may_probe:
            if may_go_back and self.probes.wants_room(choice.path, q, self.learning):
                self._makes_room = True
                return None
            probe = self.probes.next(choice.path, q, self.learning)
            if probe is not None:
                return Drive(probe, evidence, MotionPhase.TRIAL)
        return Drive(choice.path, evidence, MotionPhase.TO_GOAL)

    def entry(self, q: np.ndarray, straight: bool) -> Cell | None:
        """The cell over which the arm enters the map.

        Before ``straight`` motion none against the last push, and none that is doubted, if it may.
        """
        rough, against = self.learning.beliefs.rough, self.collisions.against
        cells = [cell for cell in self.search.entries(q) if cell not in self.learning.shut_entries]
        if straight and cells:
            centres = self.search.centre(np.array(cells), q)
            is_pushed = dict(zip(cells, self.learning.is_against_push(q, centres), strict=True))
            cells.sort(
                key=lambda cell: (
                    bool(is_pushed[cell]),
                    bool(against[cell] > numbers.NO_DOUBT),
                    cell in rough,
                )
            )
        return cells[0] if cells else None

    def path_by_belief(self, here: Cell, q: np.ndarray) -> tuple[Choice | None, CollisionEvidence]:
        """The path by what the strategy of the world believes, and that.

        Where that path would risk more than an even chance, it is chosen anew by the cells that the
        strategy keeps for this (``at_last``), if it has any: those without surfaces, from the tenth
        touch on. After ``LINE_TOUCHES`` touches the tool's lines to the goals are let go for good.
        """
        with_steps = not is_ours("belief", self._world.planner.strategy)
        report = self.believed(here, with_steps)
        points, weights, touches = self.collisions.places()
        evidence = self._belief.believe(
            ArmReport(
                report,
                points,
                weights,
                touches,
                partial(cells_near, self._arm, self.grid),
                self.collisions,
            )
        ) or CollisionEvidence(np.zeros(self.grid.shape, np.float32))
        if len(self.collisions.touches) >= numbers.LINE_TOUCHES:
            self.learning.shut_exits |= self.search.tool_lines
        query = Query(here, q, self.learning.beliefs, evidence, self.learning.shut_exits)
        choice = choose_path(self.search, query)
        if (
            choice is not None
            and choice.risk > numbers.EVEN_CHANCE
            and evidence.at_last is not None
        ):
            query = query._replace(evidence=evidence._replace(cells=evidence.at_last))
            choice = choose_path(self.search, query)
        return choice, query.evidence

    def believed(self, here: Cell, with_steps: bool = True) -> BelievedMap:
        """The map with what the built-in strategies believe, from a cell to all goals."""
        barred = dict.fromkeys(self.search.checks.barred, 1.0)
        doubted = self.learning.beliefs.doubted() | barred if with_steps else {}
        goals = [cell for _, cell in self.search.exits(set(), "near")]
        return self.search.believed(
            here, self.search.blocked, self.collisions.evidence(), goals, doubted
        )

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
        self.probes.move_to(fine, self.search)
        self.separation = Separation(self._arm, self.search, self._world.planner.no_path_error)
        return carried

    def why_none(self, here: Cell, q: np.ndarray) -> End:
        """Why there is no path from a cell, where the arm is at joint angles (n,) [rad]."""
        facts = len(self.learning.beliefs.facts)
        legs = len(self.learning.shut_exits - self.search.tool_lines)
        edges = self.grid.edges()
        if not is_ours("planner", self._world.planner.kind):
            return End(f"the planner gave up; {edges}", Grade.PLANNER)
        if legs and self._is_led_by_touched_legs(here, q):
            shut = f"{facts} closed steps, {legs} last legs, whose touches are no proof"
            return End(f"no last leg to the goal is left: {shut}; {edges}", Grade.DOUBTFUL)
        grade = Grade.DOUBTFUL if self._are_goals_drawn else Grade.FACTS
        if not facts:
            what = "no path over the map from start to goal past what is known"
            return End(f"{what}{self._drawn}; {edges}", grade)
        what = f"facts alone separate start and goal: {facts} closed steps"
        return End(f"{what}{self._drawn}; {edges}", grade)

    def _is_led_by_touched_legs(self, here: Cell, q: np.ndarray) -> bool:
        """Whether a path is left over the last legs that were touched."""
        beliefs = self.learning.beliefs
        untouched = set(self.search.tool_lines)
        nothing = CollisionEvidence(np.zeros(self.grid.shape, np.float32))
        query = Query(here, q, beliefs, nothing, untouched)
        exits = self.search.exits(untouched, "all")
        return self.search.shortest(query, exits, beliefs.facts, ANY_RISK[0]) is not None

    @property
    def _are_goals_drawn(self) -> bool:
        """Whether joint angles at the goal are drawn, so that others may be there too."""
        goal = self._world.goal
        return (
            goal is not None
            and goal.joints is None
            and (goal.pose is None or not has_closed_form(self._arm))
        )

    @property
    def _drawn(self) -> str:
        """What to add to a reason where they are."""
        return ", with joint angles at the goal that were drawn" if self._are_goals_drawn else ""

    def closed_steps(self) -> dict[Step, float]:
        """Certainty of every touched step, of the world's map."""
        touched = self.learning.beliefs.touched()
        return touched if self._carried is None else self._carried.whole(touched)

    def named(self, cells: np.ndarray) -> np.ndarray:
        """Cells (k, n) as the record has them, which are those of the world's map."""
        return cells if self._carried is None else self._carried.around(cells)
