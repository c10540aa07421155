"""Which motions may be driven: steps between centres, and straight lines that shorten a path over them.

A step has to be proven free of what is known, and to sweep through no likely place, as far as a
certainty is risked. What was checked is remembered. What parts two free centres by something known
parts others beside them as well, but the network knows of such a step only once a path led over it:
a thin wall would be met step by step, with a new path each time. So the steps around one that
touches are checked along with it, some in every round. They are closed for what they are, and every
path is the one that would be found without this.

A line of all joints together is taken only where nothing speaks against it: it is proven free of
what is known, sweeps through no likely place, and meets no doubted or rough cell between its ends
and no step that was touched. What no line replaces is driven from centre to centre, at rest at
both. A line that was touched makes the cells that it joined *rough*. No line joins a rough cell, so
it is never driven again, and there are at most as many touched lines as cells.
"""

import itertools
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dynamics import Arm
from hopfield_nav.extensions.clearance import CLOSEST, Scene, build_scene, motion_is_free
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.extensions.whole_arm.lines import BlendedPath, Route, blend_points
from hopfield_nav.geometry import pack_primitives, sphere
from hopfield_nav.navigation.map import LIKELY, Beliefs, Cell, Step, pairs
from hopfield_nav.plugin import CollisionEvidence

Place = tuple[float, float, float]  # base axes [m]
Name = TypeVar("Name", bound=Hashable)


class StepChecks:
    """Checks the motions of the arm of a scene."""

    def __init__(self, arm: Arm, scene: Scene) -> None:
        self._arm, self._scene = arm, scene
        self.barred: set[Step] = set()  # steps that touch what is known on the way
        self._scenes: dict[frozenset[Place], Scene] = {}  # of places, of balls about them
        # by names of lines: places with which each was compared
        self._asked: dict[Hashable, set[Place]] = {}
        self._hits: dict[Hashable, set[Place]] = {}  # those of them through which it sweeps

    def are_free(self, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """(k,) bool: whether the lines between joint angles (k, n) [rad] touch nothing known."""
        return motion_is_free(self._arm, self._scene, begin, end)

    def sweep(self, places: set[Place], begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """(k,) bool: whether the lines between joint angles (k, n) [rad] sweep through one of the places."""
        key = frozenset(places)
        if key not in self._scenes:
            self._scenes[key] = build_scene(self._arm, _balls(sorted(places)))
        return ~motion_is_free(self._arm, self._scenes[key], begin, end)

    def through(self, likely: set[Place]) -> set[Step]:
        """The steps of which it is known that they sweep through a likely place."""
        return {step for step, hit in self._hits.items() if isinstance(step, Step) and hit & likely}

    def touching(
        self, rows: np.ndarray, steps: list[Step | None], driven: set[Step], likely: set[Place]
    ) -> set[Step | None]:
        """Which steps between waypoints (k + 1, n) touch what is known, or sweep through a likely place.

        None stands for a last leg; what was ``driven`` sweeps through nothing.
        """
        bad = {steps[k] for k in np.flatnonzero(~self.are_free(rows[:-1], rows[1:]))}
        self.barred |= {step for step in bad if step is not None}
        for known in (self._asked, self._hits):
            known.pop(None, None)  # the last leg is another one every time
        return bad | self.sweeping(rows, rows[1:], steps, likely) - driven

    def sweeping(
        self, begin: np.ndarray, end: np.ndarray, names: Sequence[Name], likely: set[Place]
    ) -> set[Name]:
        """Which of some lines (k, n) sweep through a likely place, by names under which this is remembered."""
        left = [likely - self._asked.get(name, set()) for name in names]
        new, places = (
            np.array([k for k, some in enumerate(left) if some], int),
            set[Place]().union(*left),
        )
        swept = new[self.sweep(places, begin[new], end[new])] if len(new) else new
        for k in new:
            self._asked.setdefault(names[k], set()).update(places)
        for place in places if len(swept) else ():
            for k in swept[self.sweep({place}, begin[swept], end[swept])]:
                self._hits.setdefault(names[k], set()).add(place)
        return {name for name in names if self._hits.get(name, set()) & likely}


class Walls:
    """The known walls of a map with bool ``blocked`` cells, as far as ``checks`` have found them."""

    def __init__(self, checks: StepChecks, grid: JointGrid, blocked: np.ndarray) -> None:
        self._checks, self._grid, self._blocked = checks, grid, blocked
        # the edge: those whose neighbours are to be checked
        self._seen, self._edge = (set[Step](), list[Step]())

    def grow(self, touching: set[Step], q: np.ndarray) -> set[Step]:
        """Other steps that touch, near these and those of earlier calls; ``q`` (n,) [rad] is for axes of one cell."""
        several, touched, left = np.array(self._grid.shape) > 1, set[Step](), numbers.MOST_STEPS
        self._edge += [step for step in touching if step not in self._seen]
        self._seen |= touching
        while self._edge and left > 0:
            batch, self._edge = self._edge[:left], self._edge[left:]
            steps = self._beside(batch)
            left -= max(len(steps), 1)
            ends = (
                np.array([step.ends for step in steps], int).reshape(-1, 2, len(q)).swapaxes(0, 1)
            )
            bad = ~self._checks.are_free(*np.where(several, self._grid.centre(ends), q))
            self._edge += itertools.compress(steps, bad)
            touched.update(itertools.compress(steps, bad))
        self._checks.barred |= touched
        return touched

    def _beside(self, steps: list[Step]) -> list[Step]:
        """The steps beside others that join free cells and were not checked yet."""
        shape, unit = np.array(self._grid.shape), np.eye(len(self._grid.shape), dtype=int)
        at, own = np.array([step.cell for step in steps]), np.array([step.axis for step in steps])
        along, cells, axes = unit[own], [], []
        for other in np.flatnonzero(shape > 1):
            aside, turned = unit[other], np.full_like(own, other)
            around = [(at + aside, own), (at - aside, own), (at, turned), (at - aside, turned),
                      (at + along, turned), (at + along - aside, turned)]  # fmt: skip
            cells += [c[own != other] for c, _ in around]
            axes += [a[own != other] for _, a in around]
        near, axis = np.concatenate(cells), np.concatenate(axes)
        is_open = self._is_open(near) & self._is_open(near + unit[axis])
        found = zip((near % shape)[is_open].tolist(), axis[is_open].tolist(), strict=True)
        new = [
            step
            for step in dict.fromkeys(Step(tuple(c), a) for c, a in found)
            if step not in self._seen
        ]
        self._seen.update(new)
        return new

    def _is_open(self, cells: np.ndarray) -> np.ndarray:
        return (
            self._grid.holds(cells) & ~self._blocked[tuple((cells % np.array(self._grid.shape)).T)]
        )


class Corners(NamedTuple):
    """What straight lines leave of a route."""

    kept: list[int]  # numbers of the waypoints that are corners, the first and the last among them
    # (k,) whether each line between corners is one against which nothing speaks
    straight: np.ndarray
    # (k + 1,) how much a blend cuts off the lines at each corner [rad]; 0 where the arm rests
    cut: np.ndarray

    def route_along(self, path: BlendedPath, route: Route) -> Route:
        """The route as it is driven along a path over its corners: a blend is a segment beside the lines it joins.

        Only corners at which the arm rests are waypoints over the centre of a cell.
        """
        cells, joins = [route.cells[0]], list[list[Cell]]()
        for k, straight in enumerate(self.straight):
            first, last = self.kept[k : k + 2]
            line = (
                [cell for cell in route.cells[first : last + 1] if cell is not None]
                if straight
                else []
            )
            if self.cut[k] > 0.0:
                joins.append([*joins[-1], *line])
                cells.append(None)
            joins.append(line)
            cells.append(None if self.cut[k + 1] > 0.0 else route.cells[last])
        return route._replace(rows=path.rows, cells=cells, joined=tuple(joins), times=path.times)


class Shortener:
    """Knows what speaks against lines: solids, doubts of cells and places, beliefs of steps, rough cells."""

    def __init__(
        self, arm: Arm, scene: Scene, grid: JointGrid, evidence: CollisionEvidence, beliefs: Beliefs
    ) -> None:
        self._arm, self._grid, self._evidence = arm, grid, evidence
        balls = _balls(evidence.points[evidence.weights > LIKELY])
        # a mesh has a wider row
        balls = np.pad(balls, ((0, 0), (0, scene.solids.shape[1] - balls.shape[1])))
        self._scene = (
            build_scene(arm, np.concatenate([scene.solids, balls])) if len(balls) else scene
        )
        self._rough, rank = beliefs.rough, len(grid.shape)
        self._rough_numbers = self._numbers(
            np.array(sorted(beliefs.rough), dtype=int).reshape(-1, rank)
        )
        self._touched = self._numbers(
            pairs(beliefs.doubted(), grid.shape).reshape(-1, rank)
        ).reshape(-1, 2)

    def shorten(self, rows: np.ndarray, cells: list[Cell | None], as_it_is: int = 0) -> Corners:
        """The corners of a path over waypoints (k + 1, n) [rad], whose centres those of cells are.

        So many of its last segments are driven as they are.
        """
        # of each the last without rough cells between
        last, smooth = (len(rows) - 1 - as_it_is, list(range(len(cells))))
        for k in range(len(cells) - 2, -1, -1):
            smooth[k] = k if self._rough & {cells[k], cells[k + 1]} else smooth[k + 1]
        kept, straight = [0], list[bool]()
        while kept[-1] < len(rows) - 1:
            here = kept[-1]
            there = self._farthest(rows, here, min(smooth[here], last))
            straight.append(there > here)
            kept.append(max(there, here + 1))
        return Corners(kept, np.array(straight), self._cuts(rows[kept], np.array(straight)))

    def _farthest(self, rows: np.ndarray, here: int, most: int) -> int:
        """The last waypoint to which the line is free, looked for by halving; ``here`` where none is."""
        if most > here and self._is_free(rows[here], rows[most]):
            return most
        low, high = here, most
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._is_free(rows[here], rows[middle]) else (low, middle)
        return low

    def _is_free(self, begin: np.ndarray, end: np.ndarray) -> bool:
        count = (
            int(np.ceil(numbers.LOOKS_PER_CELL * (np.abs(end - begin) / self._grid.spacing).max()))
            + 1
        )
        line = begin + np.linspace(0.0, 1.0, count + 1)[:, None] * (end - begin)
        return not self._is_doubted(line) and bool(
            motion_is_free(self._arm, self._scene, begin, end)
        )

    def _is_doubted(self, q: np.ndarray) -> bool:
        """Whether a curve through joint angles (k, n) leaves the map, or anything that is believed speaks against it.

        That are cells between its ends, and steps between two of its cells.
        """
        cells = np.where(
            np.array(self._grid.shape) > 1, np.floor(self._grid.along(q)).astype(int), 0
        )
        if not self._grid.holds(cells).all():
            return True
        met = self._numbers(cells)
        between = np.setdiff1d(met, met[[0, -1]])
        return bool(
            (self._evidence.cells.reshape(-1)[between] > numbers.NO_DOUBT).any()
            or np.isin(between, self._rough_numbers).any()
            or np.isin(self._touched, met).all(axis=1).any()
        )

    def _numbers(self, cells: np.ndarray) -> np.ndarray:
        shape = self._grid.shape
        return np.asarray(np.ravel_multi_index(tuple((cells % np.array(shape)).T), shape))

    def _cuts(self, corners: np.ndarray, straight: np.ndarray) -> np.ndarray:
        """How much is cut off at each corner: as much as leaves a blend against which nothing speaks."""
        cut, length = np.zeros(len(corners)), np.linalg.norm(np.diff(corners, axis=0), axis=1)
        for k in np.flatnonzero(straight[:-1] & straight[1:]) + 1:
            cut[k] = min(numbers.LARGEST_CUT, numbers.CUT_SHARE * length[k - 1 : k + 1].min())
            while cut[k] >= numbers.LEAST_CUT and self._is_barred(corners[k - 1 : k + 2], cut[k]):
                cut[k] *= 0.5
            cut[k] *= cut[k] >= numbers.LEAST_CUT
        return cut

    def _is_barred(self, corners: np.ndarray, cut: float) -> bool:
        """Whether the blend between two lines is doubted, or not proven free.

        Between chords no component of the curve is further from them than 10 / 8 of what is cut
        off, as share of its line, over their number squared: as many are taken as leave half of
        what the proof keeps free.
        """
        if self._is_doubted(blend_points(corners, cut, numbers.LOOKS_ON_BLEND)):
            return True
        share = np.abs(
            np.diff(corners, axis=0) / np.linalg.norm(np.diff(corners, axis=0), axis=1)[:, None]
        )
        rate = float(share.max(axis=0) @ self._scene.reach.max(axis=0))
        chords = max(2, int(np.ceil(np.sqrt(1.25 * cut * rate / (0.5 * CLOSEST)))))
        q = blend_points(corners, cut, chords + 1)
        return not motion_is_free(self._arm, self._scene, q[:-1], q[1:]).all()


def _balls(places: Iterable[ArrayLike]) -> np.ndarray:
    """(m, 17) primitives about places (3,) that are likely."""
    return pack_primitives([sphere(np.array(place), numbers.PLACE_RADIUS) for place in places])


def doubtful(against: np.ndarray, certainty: float) -> np.ndarray:
    """Whether more than a certainty, one of ``CERTAINTY_LEVELS``, speaks against each cell, as -ln(1 - certainty)."""
    least = max(-np.log1p(-certainty), numbers.NO_DOUBT) if certainty < 1.0 else np.inf
    return np.asarray(against > least)


def heavy_places(evidence: CollisionEvidence, certainty: float) -> set[Place]:
    """The places of more weight than a certainty that may be risked, and than ``LIKELY``."""
    heavy = (
        evidence.points[evidence.weights > max(LIKELY, certainty)]
        if certainty < 1.0
        else evidence.points[:0]
    )
    return {(float(x), float(y), float(z)) for x, y, z in heavy}
