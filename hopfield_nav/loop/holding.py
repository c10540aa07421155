"""How hard obstacles push back at most before a body has gone through them.

One alone pushes with stiffness times half its thickness. Between two that overlap a body is less deep in each, and
their forces partly cancel: the middle of a wall of cylinders one radius apart pushes back with less than half of
that. The way through is taken to lead from the point that is deepest in both straight to the surface. Two that
overlap by so little that they rather touch are left out: nobody takes them for a wall.
"""

import math

import numpy as np

from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import ZERO, add, along, dot, times, vector
from hopfield_nav import geometry

_TRIES = 40  # steps to the deepest common point of two solids; those that lead nowhere halve the next
_PLACES = 50  # on the way from there to the surface at which the force is looked at
_OVERLAP = 0.1  # of half the thinner one's thickness, the least depth in both that makes a wall of two
_MIDDLE = 0.75  # of half the way through: the point is about in the middle of the two


def holding_depth(primitives: np.ndarray, radius: float = 0.0) -> np.ndarray:
    """Depth (m,) at which one solid alone would push as hard as each does before a body is through [m].

    It is the largest force against the body, a ball of this radius [m], of the solid and what overlaps it, over the
    stiffness; infinite for a half-space. ``primitives`` (m, 17) are from ``geometry.pack_primitives``.

    Raises ``BadInput``: wrong shape.
    """
    solids = geometry.as_primitives(primitives)
    half = 0.5 * geometry.thickness(solids)
    return np.minimum(half + radius, _between_two(solids, half, radius))


@kernel
def _between_two(solids: np.ndarray, half: np.ndarray, radius: float) -> np.ndarray:
    """(m,) the least that each holds against together with one that it overlaps; infinite where none does."""
    least = np.full(solids.shape[0], np.inf)
    for i in range(solids.shape[0]):
        for j in range(i):
            upright = solids[j, geometry.KIND] == geometry.UPRIGHT  # it has no height of its own
            a, b = (j, i) if upright else (i, j)
            if solids[i, geometry.KIND] == geometry.HALF_SPACE or solids[j, geometry.KIND] == geometry.HALF_SPACE:
                continue
            if geometry.gap_to_bound(solids, a, vector(solids, b, geometry.CENTRE)) > solids[b, geometry.BOUND]:
                continue
            point, worst = _deepest_in_both(solids, a, b)
            if -worst < _OVERLAP * min(half[i], half[j]):
                continue
            near = _neighbours(solids, point, 2.0 * max(solids[a, geometry.BOUND], solids[b, geometry.BOUND]))
            holds = _largest_push(near, radius, point)
            least[i], least[j] = min(least[i], holds), min(least[j], holds)
    return least


@inlined
def _deepest_in_both(solids, a, b):
    """A point that is deepest in both of two solids, and its larger signed distance."""
    p = times(0.5, add(vector(solids, a, geometry.CENTRE), vector(solids, b, geometry.CENTRE)))
    if solids[a, geometry.KIND] == geometry.UPRIGHT:
        p = p[0], p[1], solids[b, geometry.CENTRE + 2]
    step, worst = min(solids[a, geometry.BOUND], solids[b, geometry.BOUND]), math.inf
    for _ in range(_TRIES):
        s, _, g = geometry.segment_distance(solids, a, p, ZERO)
        r, _, h = geometry.segment_distance(solids, b, p, ZERO)
        worst, found = max(s, r), False
        for k in range(3):
            u, v = (1.0 if k != 1 else 0.0), (1.0 if k != 0 else 0.0)
            there = along(p, -step, along(times(u, g), v, h))
            s, _, _ = geometry.segment_distance(solids, a, there, ZERO)
            r, _, _ = geometry.segment_distance(solids, b, there, ZERO)
            if max(s, r) < worst:
                p, worst, found = there, max(s, r), True
                break
        if not found:
            step *= 0.5
    return p, worst


@inlined
def _largest_push(solids, radius, point):
    """Largest push against a ball on its way from the nearest surface to a point, over the stiffness [m].

    Infinite where that point is not about half-way through all that overlaps there.
    """
    high, _, u = geometry.ways_out(solids, point)
    deepest, _, _ = geometry.deepest_solid(solids, point)
    low, _ = geometry.union_chord(solids, deepest, point, u, math.inf, math.inf)
    if high < _MIDDLE * 0.5 * (high - low):
        return math.inf
    largest = 0.0
    for k in range(_PLACES):
        place, push = along(point, (high + radius) * k / _PLACES, u), 0.0
        for j in range(solids.shape[0]):
            s, _, g = geometry.segment_distance(solids, j, place, ZERO)
            push += max(radius - s, 0.0) * dot(g, u)
        largest = max(largest, push)
    return largest


@kernel
def _neighbours(solids: np.ndarray, point: tuple[float, float, float], reach: float) -> np.ndarray:
    """The solids (k, 17) whose bound is within reach of a point [m]."""
    near = np.empty_like(solids)
    count = 0
    for j in range(solids.shape[0]):
        if geometry.gap_to_bound(solids, j, point) <= reach:
            for k in range(solids.shape[1]):  # a row at once: 1.3 s of compiling for errors
                near[count, k] = solids[j, k]
            count += 1
    return near[:count]
