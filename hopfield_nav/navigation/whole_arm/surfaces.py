"""Surfaces that go on beyond what was touched: obstacles are extended, and the arm would touch them again.

Around a likely place its tangent plane is believed to go on, less and less surely, and along every ray in it
only as far as to where the arm has passed through it. This speaks against cells at which the arm would cross
it. It closes no step, ends no run, and counts in no probability.
"""

from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.navigation.map import ContactHypotheses
from hopfield_nav.navigation.whole_arm.blocking import contained, levels_of, mark_balls, said_against
from hopfield_nav.navigation.whole_arm.grid import JointGrid
from hopfield_nav.navigation.whole_arm.step_checks import Place

FAR, APART, RAYS = 0.2, 0.05, 8  # [m] from a place as far as its surface is believed; points on so many rays
SURELY = 0.3  # certainty of a surface at a sure place; falls to nothing with the distance
LEAST_WEIGHT, LEAST_NORMAL = 0.3, 0.5  # of a place and of its normal: of less no surface is believed
DETOUR = 1.5, 4  # of a path around them, at most: times as many cells as through them, and so many more
BEHIND = 0.01  # [m] so far behind what was touched are the points
_AGAINST = said_against(np.arange(255, dtype=np.uint8))  # of every level of a cell
_NO_CELLS = np.zeros(0, dtype=np.int32)
_DISTANCE = np.arange(1, round(FAR / APART) + 1) * APART


class _Patch(NamedTuple):
    """The surface around one place."""

    points: np.ndarray  # (RAYS, s, 3) base axes [m]
    met: np.ndarray  # (RAYS, s) bool: whether the arm was in them
    seen: int  # with how many configurations they were compared
    cells: np.ndarray  # (c,) int32 numbers of the cells at which the arm would be in one that is left
    nearest: np.ndarray  # (c,) uint8 number on its ray of the nearest of these, from 0


class Surfaces:
    """The surfaces beside what was touched, and the cells of a map at which the arm would cross them."""

    def __init__(self, arm: Arm, grid: JointGrid) -> None:
        self._arm, self._grid = arm, grid
        self._patches: dict[Place, _Patch] = {}

    def against(self, touches: list[ContactHypotheses], passed: np.ndarray) -> np.ndarray:
        """Grid of -ln(1 - certainty), float32, of what surfaces speak against the cells of a map.

        ``passed`` (m, n) are all joint angles at which nothing touched, the latest last [rad].
        """
        said = np.zeros(np.prod(self._grid.shape), dtype=np.uint8)
        for places in touches:
            for point, weight, normal in zip(places.points, places.weights, places.normals, strict=True):
                if weight >= LEAST_WEIGHT and np.linalg.norm(normal) >= LEAST_NORMAL:
                    patch = self._patch(point, normal, passed)
                    levels = levels_of(SURELY * (1.0 - _DISTANCE / (FAR + APART)), float(weight))
                    said[patch.cells] = np.maximum(said[patch.cells], levels[patch.nearest])
        return np.asarray(_AGAINST[said]).reshape(self._grid.shape)

    def _patch(self, place: np.ndarray, normal: np.ndarray, passed: np.ndarray) -> _Patch:
        """What is left of the surface at a place (3,); each ray ends where the arm has passed through it."""
        x, y, z = (float(c) for c in place)
        patch = self._patches.get((x, y, z)) or _Patch(
            _tangent(place, normal), np.zeros((RAYS, len(_DISTANCE)), bool), 0, _NO_CELLS, _NO_CELLS
        )
        new = contained(self._arm, passed[patch.seen :], patch.points.reshape(-1, 3)).reshape(patch.met.shape)
        met = np.logical_or.accumulate(patch.met | new, axis=1)
        if not patch.seen or (met & ~patch.met).any():
            patch = self._marked(patch, ~met)
        self._patches[x, y, z] = patch = patch._replace(met=met, seen=len(passed))
        return patch

    def _marked(self, patch: _Patch, left: np.ndarray) -> _Patch:
        """The same with the cells of the points that are left, (RAYS, s) bool."""
        said, most = np.zeros(self._grid.shape, dtype=np.uint8), len(_DISTANCE)
        rank = np.broadcast_to(np.arange(most, 0, -1, dtype=np.uint8), left.shape)
        mark_balls(self._arm, self._grid, said, patch.points[left], 0.0, rank[left])
        cells = np.flatnonzero(said).astype(np.int32)
        return patch._replace(cells=cells, nearest=most - said.reshape(-1)[cells])


def _tangent(place: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Points (RAYS, s, 3) on rays in the tangent plane of a place, whose inward normal has any length."""
    inward = normal / np.linalg.norm(normal)
    across = np.linalg.svd(inward[None])[2][1:]
    angle = np.arange(RAYS) * (2.0 * np.pi / RAYS)
    ray = np.column_stack([np.cos(angle), np.sin(angle)]) @ across
    return np.asarray(place + BEHIND * inward + ray[:, None] * _DISTANCE[:, None])
