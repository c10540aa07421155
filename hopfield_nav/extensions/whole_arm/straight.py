"""The path of the network, shortened by straight lines of all joints together.

A line is taken only where nothing speaks against it: it is proven free of what is known, sweeps through no likely
place, and meets no doubted or rough cell between its ends and no step that was touched. What no line replaces is
driven from centre to centre, at rest at both.

A line that was touched makes the cells that it joined *rough*. No line joins a rough cell, so it is never driven
again, and there are at most as many touched lines as cells.
"""

from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.clearance import CLOSEST, Scene, build_scene, motion_is_free
from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.extensions.whole_arm.lines import BlendedPath, blend_points
from hopfield_nav.extensions.whole_arm.route import Route
from hopfield_nav.extensions.whole_arm.step_checks import BALL, LEAST
from hopfield_nav.geometry import join_primitives, pack_primitives, sphere
from hopfield_nav.navigation.map import LIKELY, Beliefs, Cell, pairs
from hopfield_nav.plugin import CollisionEvidence

LARGEST_CUT, LEAST_CUT = 0.3, 0.01  # [rad] that a blend takes off each of two lines
_SHARE = 0.45  # of a line that a blend takes off at most
_SAME = 1e-9  # [rad]
_PER_CELL, _ON_BLEND = 4, 9  # places at which cells are looked up: a cell of a line, a blend


class Shortened(NamedTuple):
    """Corners of a path."""

    kept: list[int]  # numbers of the waypoints that are corners, the first and the last among them
    straight: np.ndarray  # (k,) whether each line between corners is one against which nothing speaks
    cut: np.ndarray  # (k + 1,) how much a blend cuts off the lines at each corner [rad]; 0 where the arm rests


class Shortener:
    """Knows what speaks against lines: solids, doubts of cells and places, beliefs of steps, rough cells."""

    def __init__(self, arm: Arm, scene: Scene, grid: JointGrid, doubts: CollisionEvidence, beliefs: Beliefs) -> None:
        self._arm, self._grid, self._doubts = arm, grid, doubts
        likely = doubts.points[doubts.weights > LIKELY]
        balls = pack_primitives([sphere(place, BALL) for place in likely])
        self._scene = build_scene(arm, join_primitives(scene.solids, balls)) if len(balls) else scene
        shape = grid.shape
        self._rough = self._flat(np.array(sorted(beliefs.rough), dtype=int).reshape(-1, len(shape)))
        self._touched = self._flat(pairs(beliefs.doubted(), shape).reshape(-1, len(shape))).reshape(-1, 2)

    def shorten(self, rows: np.ndarray, cells: list[Cell | None], as_it_is: int = 0) -> Shortened:
        """The corners of a path over waypoints (k + 1, n) [rad], whose centres those of cells are.

        So many of its last segments are driven as they are.
        """
        last = len(rows) - 1 - as_it_is
        ahead = [max(min(there, last), k) for k, there in enumerate(self._smooth_until(cells))]
        kept, straight = [0], list[bool]()
        while kept[-1] < len(rows) - 1:
            here = kept[-1]
            there = self._farthest(rows, here, ahead[here])
            straight.append(there > here)
            kept.append(max(there, here + 1))
        kind = np.array(straight)
        return Shortened(kept, kind, self._cuts(rows[kept], kind))

    def _smooth_until(self, cells: list[Cell | None]) -> list[int]:
        """Of every waypoint the last one to which no rough cell lies on the way."""
        rough = [cell is not None and bool(np.isin(self._flat(np.array([cell])), self._rough)[0])
                 for cell in cells]  # fmt: skip
        found = [len(cells) - 1] * len(cells)
        for k in range(len(cells) - 2, -1, -1):
            found[k] = k if rough[k] or rough[k + 1] else found[k + 1]
        return found

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
        width = np.where(self._grid.spacing > 0.0, self._grid.spacing, np.inf)
        count = int(np.ceil(_PER_CELL * (np.abs(end - begin) / width).max())) + 1
        met = self._cells(begin + np.linspace(0.0, 1.0, count + 1)[:, None] * (end - begin))
        return (
            met is not None
            and not self._speaks_against(met, met[[0, -1]])
            and bool(motion_is_free(self._arm, self._scene, begin, end))
        )

    def _speaks_against(self, met: np.ndarray, ends: np.ndarray) -> bool:
        """Whether anything that is believed speaks against cells (k,), or those between the ends."""
        between = np.setdiff1d(met, ends)
        return bool(
            (self._doubts.cells.reshape(-1)[between] > LEAST).any()
            or np.isin(between, self._rough).any()
            or np.isin(self._touched, met).all(axis=1).any()
        )

    def _cells(self, q: np.ndarray) -> np.ndarray | None:
        """Numbers (k,) of the cells in which joint angles (k, n) lie; None where some lie beside the map."""
        cells = np.floor(self._grid.along(q)).astype(int)
        shape = np.array(self._grid.shape)
        cells = np.where(shape > 1, cells, 0)
        if (((cells < 0) | (cells >= shape)) & ~np.array(self._grid.periodic)).any():
            return None
        return self._flat(cells)

    def _flat(self, cells: np.ndarray) -> np.ndarray:
        shape = self._grid.shape
        return np.asarray(np.ravel_multi_index(tuple((cells % np.array(shape)).T), shape))

    def _cuts(self, corners: np.ndarray, straight: np.ndarray) -> np.ndarray:
        """How much is cut off at each corner: as much as leaves a blend against which nothing speaks."""
        cut, length = np.zeros(len(corners)), np.linalg.norm(np.diff(corners, axis=0), axis=1)
        for k in np.flatnonzero(straight[:-1] & straight[1:]) + 1:
            around = slice(k - 1, k + 2)
            cut[k] = min(LARGEST_CUT, _SHARE * length[k - 1 : k + 1].min())
            while cut[k] >= LEAST_CUT and self._is_barred(corners[around], cut[around]):
                cut[k] *= 0.5
            cut[k] *= cut[k] >= LEAST_CUT
        return cut

    def _is_barred(self, corners: np.ndarray, cut: np.ndarray) -> bool:
        """Whether the blend between two lines is doubted, or not proven free.

        Between chords no component of the curve is further from them than 10 / 8 of what is cut off, as share of its
        line, over their number squared: as many are taken as leave half of what the proof keeps free.
        """
        if self._is_doubted(corners, cut):
            return True
        share = np.abs(np.diff(corners, axis=0) / np.linalg.norm(np.diff(corners, axis=0), axis=1)[:, None])
        rate = float(share.max(axis=0) @ self._scene.reach.max(axis=0))
        chords = max(2, int(np.ceil(np.sqrt(1.25 * cut[1] * rate / (0.5 * CLOSEST)))))
        q = blend_points(corners, cut, chords + 1)[0]
        return not motion_is_free(self._arm, self._scene, q[:-1], q[1:]).all()

    def _is_doubted(self, corners: np.ndarray, cut: np.ndarray) -> bool:
        """Whether anything that is believed speaks against the blend between two lines."""
        met = self._cells(blend_points(corners, cut, _ON_BLEND)[0])
        return met is None or self._speaks_against(met, met[[0, -1]])


def without_repeats(way: Route) -> Route:
    """The waypoints without those at which the one before is as well."""
    steps = np.abs(np.diff(way.rows, axis=0)).max(axis=1)
    new = np.flatnonzero(np.concatenate([[True], steps > _SAME]))
    cells = [way.cells[k] or (way.cells[k + 1] if k + 1 < len(way.cells) and k + 1 not in new else None)
             for k in new]  # fmt: skip
    return way._replace(rows=way.rows[new], cells=cells)


def straight_way(way: Route, short: Shortened, path: BlendedPath) -> Route:
    """The way along a shortened path: a blend is a segment beside the two lines that it joins.

    Only corners at which the arm rests are waypoints over the centre of a cell.
    """
    cells, joined = [way.cells[0]], list[list[Cell]]()
    for k, straight in enumerate(short.straight):
        first, last = short.kept[k : k + 2]
        line = [cell for cell in way.cells[first : last + 1] if cell is not None] if straight else []
        if short.cut[k] > 0.0:
            joined.append([*joined[-1], *line])
            cells.append(None)
        joined.append(line)
        cells.append(None if short.cut[k + 1] > 0.0 else way.cells[last])
    return way._replace(rows=path.rows, cells=cells, joined=tuple(joined), times=path.times)
