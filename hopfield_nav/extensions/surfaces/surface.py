"""The surface that is followed.

Points that were felt on it, its normal, and which steps lead through it. Geometry alone. A point
and the normal there stand for a plane, believed in near the felt points only. After the first touch
two planes are believed in, across the force and across the motion: what either bars is barred. From
then on the normal lies across the chords between felt points.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hopfield_nav.navigation.map import CollisionMap, Step

CORNER = 0.5  # share of a touch's normal across the chord, below which it is of another surface
_NEW = 0.3  # share of a chord across those before it, from which on it is a direction of its own
_LEAST_CHORD = 0.1  # [cells] shorter ones are made of errors


class Surface(NamedTuple):
    """What was felt."""

    points: np.ndarray  # (k, 3), the latest last [m]
    normals: np.ndarray  # (m, 3) at the latest, unit vectors to the free side, the best first

    @property
    def normal(self) -> np.ndarray:
        """(3,) the best one."""
        return np.asarray(self.normals[0])

    def height(self, places: np.ndarray) -> np.ndarray:
        """Distance (k,) of places (k, 3) from its nearest plane, positive on the free side [m]."""
        return np.asarray(((places - self.points[-1]) @ self.normals.T).min(axis=1))

    def crossing(self, places: np.ndarray) -> tuple[int, np.ndarray] | None:
        """Number of the first leg between places (k, 3) that leads into it, and where (3,) [m]."""
        height = self.height(places)
        into = np.flatnonzero((height[:-1] > 0.0) & (height[1:] <= 0.0))
        if height[0] <= 0.0 or into.size == 0:
            return None
        k = int(into[0])
        return k, places[k] + height[k] / (height[k] - height[k + 1]) * (places[k + 1] - places[k])


def with_point(
    before: Surface | None,
    place: np.ndarray,
    outward: np.ndarray,
    back: np.ndarray,
    grid: CollisionMap,
) -> Surface:
    """The surface with one more point (3,) [m], or a new one.

    At the first touch, or behind a corner. Unit vectors: ``outward`` to the free side, as the force
    of this touch gives it, ``back`` against the motion.
    """
    normal, tangents = outward.copy(), list[np.ndarray]()
    for point in [] if before is None else before.points[::-1]:
        chord = place - point
        length = float(np.linalg.norm(chord))
        if length < _LEAST_CHORD * grid.spacing:
            continue
        for tangent in tangents:
            chord = chord - (chord @ tangent) * tangent
        if np.linalg.norm(chord) < _NEW * length:
            continue
        tangents.append(chord / np.linalg.norm(chord))
        normal = normal - (normal @ tangents[-1]) * tangents[-1]
        if len(tangents) == len(grid.shape) - 1:
            break
    size = float(np.linalg.norm(normal))
    if before is None or size < CORNER:
        return Surface(place[None], np.stack([outward, back]))
    return Surface(np.vstack([before.points, place]), normal[None] / size)


def crossings(
    grid: CollisionMap, surface: Surface, begin: np.ndarray, end: np.ndarray, wide: float
) -> Iterator[Step]:
    """The steps that lead through the plane of a surface no farther than ``wide`` [m] from a chord."""
    rank = len(grid.shape)
    low = grid.cell_of(np.minimum(begin, end) - wide - grid.spacing)
    high = grid.cell_of(np.maximum(begin, end) + wide + grid.spacing)
    ranges = [
        range(max(a, 0), min(b, n - 1) + 1) for a, b, n in zip(low, high, grid.shape, strict=True)
    ]
    chord = end - begin
    square = float(chord @ chord)
    for cell, axis in itertools.product(itertools.product(*ranges), range(rank)):
        if cell[axis] + 1 >= grid.shape[axis]:
            continue
        above = (*cell[:axis], cell[axis] + 1, *cell[axis + 1 :])
        ends = np.array([grid.centre(cell), grid.centre(above)])
        first, second = surface.height(ends)
        if (first > 0.0) == (second > 0.0):
            continue
        point = ends[0] + first / (first - second) * (ends[1] - ends[0])
        share = float(np.clip((point - begin) @ chord / square, 0.0, 1.0)) if square > 0.0 else 0.0
        if np.linalg.norm(point - begin - share * chord) <= wide:
            yield Step(cell, axis)
