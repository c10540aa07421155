"""What touched points forbid: a grid of how certain it is that the arm, in the middle of a cell, is in one.

Every place at which a touch may have been is a ball. Where the arm would be near it the cell is blocked with
less certainty than where it would contain it; places through which the arm has passed are ruled out. What
several touches say of a cell adds up: what is left of doubt is the product of what each leaves.
"""

from __future__ import annotations

import numpy as np

from dynamics import Arm
from hopfield_nav.geometry import arm_distance, pack_primitives, sphere
from hopfield_nav.navigation.joints.blocking import mark_ball
from hopfield_nav.navigation.joints.grid import JointGrid
from hopfield_nav.navigation.joints.guess import Places

SHELLS = ((0.03, 0.35), (0.01, 0.6), (-0.02, 0.9))  # [m] from the arm's surface to a place, and certainty
MOST = 255  # what certainty 1 is in the grid
_POINT = 1e-6  # [m] radius of what stands for a point
_DEEP = 0.005  # [m] in the arm a place must have been to be ruled out


class Doubts:
    """Places that were touched, and the cells that they make doubtful.

    Attributes:
        certainty: uint8 grid, 0 to ``MOST``.
        touches: the places of each touch, those not yet ruled out.
    """

    def __init__(self, arm: Arm, grid: JointGrid) -> None:
        self._arm, self._grid = arm, grid
        self.certainty = np.zeros(grid.shape, dtype=np.uint8)
        self.touches: list[Places] = []
        self._free: set[tuple[int, ...]] = set()

    def add(self, places: Places) -> None:
        """One more touch."""
        self.touches.append(places)
        self._mark(places)
        self._keep_free()

    def passed(self, cells: list[tuple[int, ...]], q: np.ndarray) -> None:
        """The arm was at the centres of cells, and at joint angles (m, n), and touched nothing."""
        self._free.update(cells)
        ruled_out = [self._inside(places, q) for places in self.touches]
        if not any(out.any() for out in ruled_out):
            self._keep_free()
            return
        self.touches = [_left(p, out) for p, out in zip(self.touches, ruled_out, strict=True)]
        self.certainty[...] = 0
        for places in self.touches:
            self._mark(places)
        self._keep_free()

    def levels(self) -> np.ndarray:
        """The certainties that there are, rising, without 0."""
        return np.flatnonzero(np.bincount(self.certainty.reshape(-1), minlength=MOST + 1)[1:]) + 1

    def _mark(self, places: Places) -> None:
        said = np.zeros_like(self.certainty)
        for point, weight in zip(places.points, places.weights, strict=True):
            for radius, certainty in SHELLS:
                level = max(1, round(MOST * certainty * min(float(weight), 1.0)))
                mark_ball(self._arm, self._grid, said, point, radius, level)
        left = (MOST - said[said > 0].astype(np.uint16)) * (MOST - self.certainty[said > 0])
        self.certainty[said > 0] = np.minimum(MOST - left // MOST, MOST - 1)

    def _inside(self, places: Places, q: np.ndarray) -> np.ndarray:
        """(k,) bool: the places that the arm contained at one of the joint angles (m, n)."""
        if not len(places.points) or not len(q):
            return np.zeros(len(places.points), dtype=bool)
        distance = arm_distance(self._arm, q, pack_primitives(sphere(p, _POINT) for p in places.points))
        return np.asarray((distance < -_DEEP).any(axis=(0, 1)))

    def _keep_free(self) -> None:
        for cell in self._free:
            self.certainty[cell] = 0


def _left(places: Places, ruled_out: np.ndarray) -> Places:
    """The places that are left, with the weight of those that are not."""
    kept = ~ruled_out
    total = places.weights[kept].sum()
    scale = places.weights.sum() / total if total > 0.0 else 0.0
    return Places(places.points[kept], places.links[kept], scale * places.weights[kept])
