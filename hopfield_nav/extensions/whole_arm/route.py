"""The route of the whole arm: its waypoints, and straight lines that shorten it.

A line of all joints together is taken only where nothing speaks against it: it is proven free of what is known, sweeps
through no likely place, and meets no doubted or rough cell between its ends and no step that was touched. What no line
replaces is driven from centre to centre, at rest at both.

A line that was touched makes the cells that it joined *rough*. No line joins a rough cell, so it is never driven
again, and there are at most as many touched lines as cells.
"""

from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.clearance import CLOSEST, Scene, build_scene, motion_is_free
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.extensions.whole_arm.lines import BlendedPath, blend_points
from hopfield_nav.geometry import join_primitives, pack_primitives, sphere
from hopfield_nav.loop import Trajectory
from hopfield_nav.navigation.map import LIKELY, Beliefs, Cell, Step, pairs, step_between
from hopfield_nav.plugin import CollisionEvidence


class Route(NamedTuple):
    """The waypoints of a motion."""

    rows: np.ndarray  # (k + 1, n) joint angles [rad]
    cells: list[Cell | None]  # of each the cell whose centre it is, if it is one
    goal: int = -1  # number of the solution that it leads to; -1 for none
    turn: tuple[int, ...] = ()  # cells of the closed axes of the map, 0 of others
    # of each segment the cells that it joins, where it is a straight line or a blend of such lines; none of
    # others. Empty where there are no lines.
    joined: tuple[list[Cell], ...] = ()
    # (k + 1,) when the arm is at the waypoints [s]; None: at the knots of the trajectory
    times: np.ndarray | None = None
    on_tool_line: int = 0  # how many of the last segments are the tool's line to the goal

    def segment_at(self, trajectory: Trajectory, time: float) -> int:
        """Number of the segment on which the reference is at a time [s]."""
        knots = trajectory.knots if self.times is None else self.times
        number = int(np.searchsorted(knots, time, side="right")) - 1
        return min(max(number, 0), max(len(self.rows) - 2, 0))

    def ahead(self, number: int) -> Cell | None:
        """The first cell behind segment ``number``; None where it leads over no more."""
        if self.joint_line(number):
            return self.joint_line(number)[-1]
        return next((c for c in self.cells[number + 1 :] if c is not None), None)

    def joint_line(self, number: int) -> list[Cell]:
        """The cells that segment ``number`` joins as a straight line; none where it is no such line."""
        return self.joined[number] if self.joined else []

    def up_to(self, number: int, row: np.ndarray) -> "Route":
        """The segments before number ``number``, and this one as far as to joint angles (n,) [rad]."""
        rows = np.vstack([self.rows[: number + 1], row])
        return self._replace(rows=rows, cells=[*self.cells[: number + 1], None])

    def step(self, number: int) -> Step | None:
        """The step that a segment is; None where it is none."""
        begin, end = self.cells[number : number + 2]
        return None if begin is None or end is None else step_between(begin, end, self.turn)

    def passed(self, until: int) -> tuple[list[Cell], list[Step]]:
        """Centres and steps on the segments before number ``until``."""
        steps = [self.step(k) for k in range(until)]
        return [c for c in self.cells[1 : until + 1] if c is not None], [s for s in steps if s is not None]

    def swept(self, until: int) -> np.ndarray:
        """Configurations (m, n) on these segments [rad]."""
        driven = self.rows[: until + 1]
        share = np.linspace(0.0, 1.0, numbers.SWEPT_POSES)[:, None, None]
        if self.joined:
            longest = float(np.abs(np.diff(driven, axis=0)).max(initial=0.0))
            share = np.linspace(0.0, 1.0, max(numbers.SWEPT_POSES, int(longest / numbers.SWEPT_APART)))[:, None, None]
        return (driven[:-1] + share * np.diff(driven, axis=0)).reshape(-1, driven.shape[1])


class Waypoint(NamedTuple):
    """Where the arm was free, and may go back to."""

    row: np.ndarray  # (n,) joint angles [rad]
    cell: Cell | None  # whose centre it is, if it is one


class Shortened(NamedTuple):
    """Corners of a path."""

    kept: list[int]  # numbers of the waypoints that are corners, the first and the last among them
    straight: np.ndarray  # (k,) whether each line between corners is one against which nothing speaks
    cut: np.ndarray  # (k + 1,) how much a blend cuts off the lines at each corner [rad]; 0 where the arm rests


class Shortener:
    """Knows what speaks against lines: solids, doubts of cells and places, beliefs of steps, rough cells."""

    def __init__(self, arm: Arm, scene: Scene, grid: JointGrid, evidence: CollisionEvidence, beliefs: Beliefs) -> None:
        self._arm, self._grid, self._evidence = arm, grid, evidence
        likely = evidence.points[evidence.weights > LIKELY]
        balls = pack_primitives([sphere(place, numbers.PLACE_RADIUS) for place in likely])
        self._scene = build_scene(arm, join_primitives(scene.solids, balls)) if len(balls) else scene
        self._rough, shape = beliefs.rough, grid.shape
        self._rough_numbers = self._numbers(np.array(sorted(beliefs.rough), dtype=int).reshape(-1, len(shape)))
        self._touched = self._numbers(pairs(beliefs.doubted(), shape).reshape(-1, len(shape))).reshape(-1, 2)

    def shorten(self, rows: np.ndarray, cells: list[Cell | None], as_it_is: int = 0) -> Shortened:
        """The corners of a path over waypoints (k + 1, n) [rad], whose centres those of cells are.

        So many of its last segments are driven as they are.
        """
        last, smooth = len(rows) - 1 - as_it_is, list(range(len(cells)))  # of each the last without rough cells between
        for k in range(len(cells) - 2, -1, -1):
            smooth[k] = k if self._rough & {cells[k], cells[k + 1]} else smooth[k + 1]
        ahead = [max(min(there, last), k) for k, there in enumerate(smooth)]
        kept, straight = [0], list[bool]()
        while kept[-1] < len(rows) - 1:
            here = kept[-1]
            there = self._farthest(rows, here, ahead[here])
            straight.append(there > here)
            kept.append(max(there, here + 1))
        kind = np.array(straight)
        return Shortened(kept, kind, self._cuts(rows[kept], kind))

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
        count = int(np.ceil(numbers.LOOKS_PER_CELL * (np.abs(end - begin) / self._grid.spacing).max())) + 1
        line = begin + np.linspace(0.0, 1.0, count + 1)[:, None] * (end - begin)
        return not self._is_doubted(line) and bool(motion_is_free(self._arm, self._scene, begin, end))

    def _is_doubted(self, q: np.ndarray) -> bool:
        """Whether a curve through joint angles (k, n) leaves the map, or anything that is believed speaks against it.

        That are cells between its ends, and steps between two of its cells.
        """
        cells = np.where(np.array(self._grid.shape) > 1, np.floor(self._grid.along(q)).astype(int), 0)
        if (((cells < 0) | (cells >= self._grid.shape)) & ~np.array(self._grid.periodic)).any():
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
            around = slice(k - 1, k + 2)
            cut[k] = min(numbers.LARGEST_CUT, numbers.CUT_SHARE * length[k - 1 : k + 1].min())
            while cut[k] >= numbers.LEAST_CUT and self._is_barred(corners[around], cut[around]):
                cut[k] *= 0.5
            cut[k] *= cut[k] >= numbers.LEAST_CUT
        return cut

    def _is_barred(self, corners: np.ndarray, cut: np.ndarray) -> bool:
        """Whether the blend between two lines is doubted, or not proven free.

        Between chords no component of the curve is further from them than 10 / 8 of what is cut off, as share of its
        line, over their number squared: as many are taken as leave half of what the proof keeps free.
        """
        if self._is_doubted(blend_points(corners, cut, numbers.LOOKS_ON_BLEND)[0]):
            return True
        share = np.abs(np.diff(corners, axis=0) / np.linalg.norm(np.diff(corners, axis=0), axis=1)[:, None])
        rate = float(share.max(axis=0) @ self._scene.reach.max(axis=0))
        chords = max(2, int(np.ceil(np.sqrt(1.25 * cut[1] * rate / (0.5 * CLOSEST)))))
        q = blend_points(corners, cut, chords + 1)[0]
        return not motion_is_free(self._arm, self._scene, q[:-1], q[1:]).all()


def without_repeats(route: Route) -> Route:
    """The waypoints without those at which the one before is as well."""
    steps = np.abs(np.diff(route.rows, axis=0)).max(axis=1)
    new = np.flatnonzero(np.concatenate([[True], steps > numbers.SAME_ANGLE]))
    cells = [route.cells[k] or (route.cells[k + 1] if k + 1 < len(route.cells) and k + 1 not in new else None)
             for k in new]  # fmt: skip
    return route._replace(rows=route.rows[new], cells=cells)


def straight_route(route: Route, short: Shortened, path: BlendedPath) -> Route:
    """The route along a shortened path: a blend is a segment beside the two lines that it joins.

    Only corners at which the arm rests are waypoints over the centre of a cell.
    """
    cells, joined = [route.cells[0]], list[list[Cell]]()
    for k, straight in enumerate(short.straight):
        first, last = short.kept[k : k + 2]
        line = [cell for cell in route.cells[first : last + 1] if cell is not None] if straight else []
        if short.cut[k] > 0.0:
            joined.append([*joined[-1], *line])
            cells.append(None)
        joined.append(line)
        cells.append(None if short.cut[k + 1] > 0.0 else route.cells[last])
    return route._replace(rows=path.rows, cells=cells, joined=tuple(joined), times=path.times)
