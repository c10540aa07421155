"""The path over a map of joint angles: around what is known and felt, against as little doubt as can be.

What is known blocks for good, and so does a step that an exact check finds to touch it; what was felt is
withdrawn, the least certain first, where it leaves no path. Facts alone are never withdrawn. A cell is judged
by its middle, so that a thin thing may stand between two free ones: a step that sweeps through a likely
place is closed as well, for as long as that place is believed.
"""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.geometry import pack_primitives, sphere
from hopfield_nav.known_world import Scene, build_scene, motion_is_free
from hopfield_nav.navigation.map import Beliefs, Cell, Step, pairs, step_between
from hopfield_nav.navigation.planners import WithPlan
from hopfield_nav.navigation.whole_arm.blocking import block_known
from hopfield_nav.navigation.whole_arm.collision_belief import LADDER, LIKELY
from hopfield_nav.navigation.whole_arm.grid import TURN, JointGrid
from hopfield_nav.planning import Replanner, axis_name, cheapest_path, neighbourhood_of
from hopfield_nav.plugin import Against, BelievedMap

NEAR = 2  # [cells] in which the map is entered or left, where the nearest centre will not do
EXITS = 4  # nearest centres from which each solution is reached, as long as little doubt speaks against it
MOST_EXITS = 64  # all of these, and nearest centres that are tried where the map is entered
RISK = 0.5  # certainty that is risked at most before more centres are tried
BALL = 0.01  # [m] radius of what a likely place is while steps are checked
ROUNDS = 40  # of paths that sweep through likely places, before so much certainty is thought to leave none
LEAST = 1e-4  # of -ln(1 - certainty): less is what is left where something was taken back
_ASIDE = 1e-6  # [rad] so far behind the arm lies a cut beside it, which may be at the centre of a cell
Place = tuple[float, float, float]  # base axes [m]
Cuts = tuple[tuple[int, float], ...]  # joints, and angles over which they shall not turn [rad]
Exits = list[tuple[int, Cell]]  # numbers of solutions, and the cell from which each may be reached


class Found(NamedTuple):
    """A path."""

    cells: np.ndarray  # (k, n) from the start's cell to that of the goal
    goal: int  # number of the solution that it leads to; -1: it ends at the centre of its last cell


def goal_cell(found: Found) -> Cell:
    """The cell from which a path's goal is reached."""
    return tuple(int(c) for c in found.cells[-1])


class Search:
    """Plans on one map of the arm of a scene, to solutions (s, n) [rad] at the goal.

    ``planner`` is somebody's own; None: the network, or the cheapest path where there are costs. Each
    solution may be reached from so many centres as ``most_exits``.
    """

    def __init__(
        self, arm: Arm, scene: Scene, grid: JointGrid, solutions: np.ndarray,
        planner: WithPlan | None = None, seed: int = 0, most_exits: int = MOST_EXITS,
    ) -> None:  # fmt: skip
        self._arm, self._scene, self._grid = arm, scene, grid
        self._planner, self._seed = planner, seed
        self.blocked = block_known(arm, scene, grid)  # centres where the arm touches itself or what is known
        self.barred: set[Step] = set()  # steps that touch what is known on the way
        self.risk = 0.0  # certainty that had to be risked for the last ``path``; 1 where all was
        self.solutions = solutions
        entries = [self._entries(q, True) for q in solutions]
        self._near = [(k, cell) for k, cells in enumerate(entries) for cell in cells[:EXITS]]
        self._exits = [(k, cell) for k, cells in enumerate(entries) for cell in cells[:most_exits]]
        numbers, cells = [k for k, _ in self._exits], [cell for _, cell in self._exits]
        ends = solutions[np.array(numbers, int)]
        # of each exit the two ends of the last leg
        self._legs = self.centre(np.array(cells, int).reshape(ends.shape), ends), ends
        self._swept_exits: dict[Place, set[tuple[int, Cell]]] = {}
        self._balls: dict[frozenset[Place], Scene] = {}
        self._hits: dict[Step | None, set[Place]] = {}
        self._asked: dict[Step | None, set[Place]] = {}  # places with which a step was compared

    def entry(
        self, q: np.ndarray, avoid: set[Cell], doubts: Callable[[Cell], tuple] = lambda _: ()
    ) -> Cell | None:
        """The nearest free cell whose centre is in sight of joint angles (n,) [rad]; None without one.

        ``avoid`` are cells that it may not be, ``doubts`` what speaks against a cell: the least is taken.
        """
        return min((cell for cell in self._entries(q) if cell not in avoid), key=doubts, default=None)

    def _entries(self, q: np.ndarray, any_turn: bool = False) -> list[Cell]:
        """Free cells whose centres are in sight of joint angles (n,) [rad], the nearest first.

        The centres are within the joints' limits, unless the angles stand for all whole turns of them.
        """
        grid, shape = self._grid, np.array(self._grid.shape)
        at = grid.along(q) - 0.5
        reach = [np.arange(-NEAR, NEAR + 1) if n > 1 else np.zeros(1, dtype=int) for n in shape]
        around = np.stack(np.meshgrid(*reach, indexing="ij"), axis=-1).reshape(-1, len(shape))
        cells = np.rint(np.where(shape > 1, at, 0.0)).astype(int) + around
        cells = cells[((cells >= 0) & (cells < shape) | np.array(grid.periodic)).all(axis=1)]
        far = np.abs(np.where(shape > 1, at - cells, 0.0)).sum(axis=1)
        cells = cells[np.argsort(far, kind="stable")][:MOST_EXITS] % shape
        cells = cells[~self.blocked[tuple(cells.T)]]
        centres = self.centre(cells, q)
        inside = self._within_limits(centres) | any_turn
        cells, centres = cells[inside], centres[inside]
        free = motion_is_free(self._arm, self._scene, np.broadcast_to(q, centres.shape), centres)
        return [tuple(int(c) for c in cell) for cell in cells[free]]

    def centre(self, cells: np.ndarray, like: np.ndarray) -> np.ndarray:
        """Joint angles in the middle of cells (..., n), by whole turns nearest to others, ``like`` (n,).

        An axis of one cell has those others.
        """
        middle = np.where(np.array(self._grid.shape) > 1, self._grid.centre(cells), like)
        return self._grid.beside(middle, like)

    def rows(self, found: Found, q: np.ndarray) -> np.ndarray:
        """(k + 1, n) joint angles over a path and to its goal, unwound from angles (n,) at its beginning."""
        centres = np.where(np.array(self._grid.shape) > 1, self._grid.centre(found.cells), q)
        end = self.solutions[found.goal : found.goal + 1] if found.goal >= 0 else centres[:0]
        return self._grid.unwound(np.vstack([q, centres, end]))[1:]

    def _within_limits(self, rows: np.ndarray) -> np.ndarray:
        """(k,) bool: whether angles (k, n) [rad] are within the joints' limits, where axes are closed."""
        low, high = self._arm.position_limits.T
        return np.asarray(((rows >= low) & (rows <= high) | ~np.array(self._grid.periodic)).all(axis=1))

    def path(
        self, here: Cell, q: np.ndarray, beliefs: Beliefs, doubts: Against, left_out: set[tuple[int, Cell]]
    ) -> Found | None:
        """The shortest path from a cell to a goal that the least doubt speaks against; None without any.

        ``q`` (n,) are joint angles for axes of one cell, ``beliefs`` are of the steps, ``doubts`` of the
        cells; ``left_out`` are solutions that were felt not to be reached from a cell.
        """
        touched, facts, exits = set(beliefs.doubted()), beliefs.facts, self.exits(left_out)
        near = [exit for exit in self._near if exit not in left_out]

        def below(certainty: float, closed: set[Step], exits: Exits = exits) -> Found | None:
            blocked = self.blocked | _doubtful(doubts, certainty)
            likely = _likely(doubts, certainty)
            return self._shortest(here, q, blocked, closed, beliefs.free, likely, exits, doubts.cells)

        found, self.risk = below(LADDER[0], touched, near), 0.0
        if found is not None or below(LADDER[-1], facts) is None:
            return found  # facts alone leave no path: no doubt needs to be asked
        found, self.risk = _least_doubt(partial(below, exits=near), touched)
        if len(exits) > len(near) and (found is None or self.risk > RISK):
            found, self.risk = below(LADDER[0], touched), 0.0
            if found is None:
                found, self.risk = _least_doubt(below, touched)
        return found or below(LADDER[0], facts) or _least_doubt(below, facts)[0]

    def cheapest(
        self, here: Cell, q: np.ndarray, beliefs: Beliefs, doubts: Against, left_out: set[tuple[int, Cell]]
    ) -> Found | None:
        """The path with the least sum of steps and of what its cells cost; arguments as in ``path``."""
        exits = [exit for exit in self.exits(left_out) if not self.blocked[exit[1]]]
        near = [exit for exit in self._near if exit not in left_out and not self.blocked[exit[1]]]
        cost, touched = np.where(self.blocked, np.float32(np.inf), doubts.cells), set(beliefs.doubted())
        for closed, from_ in ((touched, near), (touched, exits), (beliefs.facts, exits)):
            found = self._by_cost(here, q, cost, closed, from_)
            if found is not None:
                return found
        return None

    def towards(
        self, targets: np.ndarray, here: Cell, q: np.ndarray, beliefs: Beliefs, doubts: Against
    ) -> Found | None:
        """The shortest path to one of the cells ``targets`` (k,), in C order, past all other doubted cells.

        The rest is as in ``path``. None where no such path is within the limits and past what is known.
        """
        targets = targets[~self.blocked.reshape(-1)[targets]]
        if not len(targets):
            return None
        goals = np.stack(np.unravel_index(targets, self._grid.shape), axis=1)
        near = neighbourhood_of(self._grid.shape, periodic=self._grid.periodic, ties=_base_first(len(here)))
        shut = pairs(set(beliefs.doubted()) | self.barred, self._grid.shape)
        network = Replanner(self.blocked | _doubtful(doubts, 0.0), goals, near, shut)
        for _ in range(ROUNDS):
            cells = network.path(here)
            if cells is None:
                return None
            path = Found(cells, -1)
            rows = self.rows(path, q)
            steps = [step_between(a, b, self._grid.turn) for a, b in itertools.pairwise(cells)]
            bad = self._touching(rows, steps, set(), set()) - {None}
            if not bad:
                return path if self._within_limits(rows).all() and len(cells) > 1 else None
            network.close(pairs({step for step in bad if step is not None}, self._grid.shape))
        return None

    def _by_cost(
        self, here: Cell, q: np.ndarray, cost: np.ndarray, closed: set[Step], exits: Exits, cuts: Cuts = ()
    ) -> Found | None:
        left, closed = list(exits), closed | self.barred
        while left:
            goals = np.array(sorted({cell for _, cell in left}))
            if self._planner is None:
                cells = cheapest_path(cost, here, goals, self._shut(closed, cuts), self._grid.periodic)
            else:
                asked = self.believed(here, self.blocked, cost, goals, closed)
                cells = self._planner.plan(asked).cells
            if cells is None:
                return None
            found, bad = self._checked(cells, q, left, set(), set())
            joint = None if bad else self._beyond(found, q)
            if not bad and joint is None:
                return found
            if joint is not None and joint not in dict(cuts):
                tried = (self._by_cost(here, q, cost, closed, left, c) for c in self._cut(cuts, joint, q))
                return next((path for path in tried if path is not None), None)
            if joint is not None:
                bad = {None}
            closed = closed | {step for step in bad if step is not None}
            if None in bad:
                left.remove((found.goal, goal_cell(found)))
        return None

    def _checked(
        self, cells: np.ndarray, q: np.ndarray, left: Exits, driven: set[Step], likely: set[Place]
    ) -> tuple[Found, set[Step | None]]:
        """A path over cells, and its steps that touch what is known or likely; None for its last leg."""
        last = tuple(int(c) for c in cells[-1])
        found = Found(cells, next(k for k, cell in left if cell == last))
        steps = [step_between(a, b, self._grid.turn) for a, b in itertools.pairwise(cells)]
        return found, self._touching(self.rows(found, q), [*steps, None], driven, likely)

    def steps_from(self, here: Cell, q: np.ndarray, closed: set[Step]) -> list[Cell]:
        """Cells one step from a cell that is entered at joint angles (n,) [rad], past what is known."""
        around = [tuple(c + sign * (a == axis) for a, c in enumerate(here))
                  for axis in range(len(here)) for sign in (1, -1)]  # fmt: skip
        shape, turn = self._grid.shape, self._grid.turn
        around = [tuple(c % t if t else c for c, t in zip(cell, turn, strict=True)) for cell in around]
        inside = [cell for cell in around if all(0 <= c < n for c, n in zip(cell, shape, strict=True))]
        shut = closed | self.barred
        cells = [c for c in inside if not self.blocked[c] and step_between(here, c, turn) not in shut]
        cells = [c for c in cells if self._within_limits(self.centre(np.array(c), q)[None])[0]]
        if not cells:
            return []
        centres = self.centre(np.array(cells), q)
        free = motion_is_free(self._arm, self._scene, np.broadcast_to(q, centres.shape), centres)
        return [cell for cell, is_free in zip(cells, free, strict=True) if is_free]

    def sweeps(self, place: np.ndarray, q: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """(k,) bool: whether the lines from angles (n,) to ends (k, n) [rad] sweep through a place (3,)."""
        x, y, z = (float(c) for c in place)
        return ~motion_is_free(self._arm, self._ball((x, y, z)), np.broadcast_to(q, ends.shape), ends)

    def _shortest(
        self, here: Cell, q: np.ndarray, blocked: np.ndarray, closed: set[Step], driven: set[Step],
        likely: set[Place], exits: Exits, against: np.ndarray, cuts: Cuts = (),
    ) -> Found | None:  # fmt: skip
        """The shortest path whose steps are proven free of the known, and sweep through no likely place."""
        left = [exit for exit in self._unswept(exits, likely) if not blocked[exit[1]]]
        swept = {step for step, hit in self._hits.items() if step is not None and hit & likely} - driven
        closed = closed | self.barred | swept
        network: Replanner | None = None
        rounds = 0
        while left and rounds < ROUNDS:
            goals = np.array(sorted({cell for _, cell in left}))
            if network is None and self._planner is None:
                near = neighbourhood_of(
                    blocked.shape, periodic=self._grid.periodic, ties=_base_first(len(here))
                )
                network = Replanner(blocked, goals, near, self._shut(closed, cuts))
            if network is not None:
                cells = network.path(here)
            elif self._planner is not None:
                cells = self._planner.plan(self.believed(here, blocked, against, goals, closed)).cells
            if cells is None:
                return None
            path, bad = self._checked(cells, q, left, driven, likely)
            joint = None if bad else self._beyond(path, q)
            if not bad and joint is None:
                return path
            if joint is not None and joint not in dict(cuts):
                tried = (self._shortest(here, q, blocked, closed, driven, likely, left, against, more)
                         for more in self._cut(cuts, joint, q))  # fmt: skip
                return next((other for other in tried if other is not None), None)
            if joint is not None:
                bad = {None}
            found = {step for step in bad if step is not None}
            rounds += not found <= self.barred
            closed = closed | found
            if network is not None:
                network.close(pairs(found, blocked.shape))
            if None in bad:
                left.remove((path.goal, goal_cell(path)))
                network = None
        return None

    def _beyond(self, found: Found, q: np.ndarray) -> int | None:
        """The first joint that a path from angles (n,) would turn beyond its limits; None without any."""
        rows, (low, high) = self.rows(found, q), self._arm.position_limits.T
        beyond = (((rows < low) | (rows > high)) & self._grid.periodic).any(axis=0)
        return int(beyond.argmax()) if beyond.any() else None

    def _cut(self, cuts: Cuts, joint: int, q: np.ndarray) -> list[Cuts]:
        """The same cuts and one more: a turn of a joint within its limits, in which it is now."""
        low, high = self._arm.position_limits[joint]
        least, most = max(low, q[joint] - TURN + _ASIDE), min(q[joint] - _ASIDE, high - TURN)
        begins = dict.fromkeys((float(np.clip(q[joint] - 0.5 * TURN, least, most)), least, most))
        return [(*cuts, (joint, begin)) for begin in begins]

    def _shut(self, closed: set[Step], cuts: Cuts) -> np.ndarray:
        """Pairs (m, 2, n) of cells between which there is no step: closed ones, and those over the cuts."""
        shape, shut = self._grid.shape, [pairs(closed, self._grid.shape)]
        for joint, begin in cuts:
            at = np.where(np.arange(len(shape)) == joint, begin, self._grid.lower)
            last = math.floor(self._grid.along(at)[joint] - 0.5)
            line = [
                np.arange(n) if k != joint else np.array([last, last + 1]) % n for k, n in enumerate(shape)
            ]
            cells = np.stack(np.meshgrid(*line, indexing="ij"), axis=-1)
            shut.append(np.moveaxis(cells, joint, -2).reshape(-1, 2, len(shape)))
        return np.concatenate(shut)

    def believed(
        self, here: Cell, blocked: np.ndarray, against: np.ndarray, goals: np.ndarray, closed: set[Step]
    ) -> BelievedMap:
        """The map as somebody's own planner gets it: what is closed in this attempt counts as proven."""
        shut = pairs(sorted(closed), blocked.shape)
        moves = neighbourhood_of(blocked.shape).offset
        return BelievedMap(blocked, against, shut, np.ones(len(shut)), here, goals, moves, seed=self._seed)

    @property
    def goals(self) -> np.ndarray:
        """(g, n) cells from which a solution may be reached."""
        cells = sorted({cell for _, cell in self._near})
        return np.array(cells, dtype=int).reshape(-1, len(self._grid.shape))

    def exits(self, left_out: set[tuple[int, Cell]]) -> Exits:
        """Solutions by number, and cells from which they may be reached, but for some of these."""
        return [exit for exit in self._exits if exit not in left_out]

    def is_free(self, rows: np.ndarray) -> bool:
        """Whether the lines between configurations (k + 1, n) [rad] touch nothing known."""
        return bool(motion_is_free(self._arm, self._scene, rows[:-1], rows[1:]).all())

    def _unswept(self, exits: Exits, likely: set[Place]) -> Exits:
        """The exits whose last legs sweep through no likely place."""
        for place in likely - self._swept_exits.keys():
            free = motion_is_free(self._arm, self._ball(place), *self._legs)
            self._swept_exits[place] = {self._exits[k] for k in np.flatnonzero(~free)}
        swept = set().union(*(self._swept_exits[place] for place in likely))
        return [exit for exit in exits if exit not in swept]

    def _touching(
        self, rows: np.ndarray, steps: list[Step | None], driven: set[Step], likely: set[Place]
    ) -> set[Step | None]:
        """Which steps between waypoints (k + 1, n) touch what is known, or sweep through a likely place."""
        known = ~motion_is_free(self._arm, self._scene, rows[:-1], rows[1:])
        bad = {steps[k] for k in np.flatnonzero(known)}
        self.barred |= {step for step in bad if step is not None}
        self._sweep(rows, steps, likely)
        for step in steps:
            if step not in driven and self._hits.get(step, set()) & likely:
                bad.add(step)
        return bad

    def _sweep(self, rows: np.ndarray, steps: list[Step | None], likely: set[Place]) -> None:
        """Note which steps sweep through which likely places, of those of which that is not known."""
        self._hits.pop(None, None)  # the last leg is another one every time
        new = np.array(
            [k for k, s in enumerate(steps) if s is None or not likely <= self._asked.get(s, set())], int
        )
        if not likely or not len(new):
            return
        swept = new[~motion_is_free(self._arm, self._balls_at(likely), rows[new], rows[new + 1])]
        for k in new:
            self._asked.setdefault(steps[k], set()).update(likely)
        for place in likely if len(swept) else ():
            for k in swept[~motion_is_free(self._arm, self._ball(place), rows[swept], rows[swept + 1])]:
                self._hits.setdefault(steps[k], set()).add(place)

    def _ball(self, place: Place) -> Scene:
        """The arm and a small ball at a place."""
        return self._balls_at({place})

    def _balls_at(self, places: set[Place]) -> Scene:
        """The arm and small balls at places."""
        key = frozenset(places)
        if key not in self._balls:
            balls = pack_primitives([sphere(np.array(place), BALL) for place in sorted(places)])
            self._balls[key] = build_scene(self._arm, balls)
        return self._balls[key]


def _least_doubt(
    below: Callable[[float, set[Step]], Found | None], closed: set[Step]
) -> tuple[Found | None, float]:
    """By halving: the path with the least certainty of ``LADDER`` beyond the first, and that certainty."""
    best = below(LADDER[-1], closed)
    low, high = 1, len(LADDER) - 1
    while best is not None and low < high:
        middle = (low + high) // 2
        tried = below(LADDER[middle], closed)
        best, low, high = (best, middle + 1, high) if tried is None else (tried, low, middle)
    return best, LADDER[high]


def _doubtful(doubts: Against, certainty: float) -> np.ndarray:
    """Bool grid of the cells that are blocked with more than a certainty, one of ``LADDER``."""
    least = max(-np.log1p(-certainty), LEAST) if certainty < 1.0 else np.inf
    return np.asarray(doubts.cells > least)


def _likely(doubts: Against, certainty: float) -> set[Place]:
    """The places of more weight than a certainty that may be risked, and than ``LIKELY``."""
    heavy = doubts.points[doubts.weights > max(LIKELY, certainty)] if certainty < 1.0 else doubts.points[:0]
    return {(float(x), float(y), float(z)) for x, y, z in heavy}


def _base_first(joints: int) -> list[str]:
    """Tie order of the network: as long as two paths are as good, the base turns before the wrist."""
    return [sign + axis_name(axis) for axis in range(joints) for sign in "+-"]
