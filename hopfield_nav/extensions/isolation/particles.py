"""Where the arm is touched: a particle filter over its surface.

A particle is a point of the surface, by capsule and chart. At every measurement it is weighed by
how well a force within the friction cone there, of four edges, explains the residual. Between two
measurements particles are resampled by their weights and go for a random walk over the chart; one
that comes to lie inside another capsule goes on upon that, and a few jump to anywhere.

Source: Manuelli and Tedrake 2016, "Localizing external contact using proprioceptive sensors: the
Contact Particle Filter" (IROS), for one contact; the chart of capsules, and points that are
excluded since the arm swept them free, are this project's. In the limit of many particles, and on a
smooth surface, it weighs the patches of ``contact_link``.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dynamics import Arm, link_frames
from dynamics.kernels.decorators import kernel
from dynamics.kernels.vectors import vector
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work
from hopfield_nav.extensions.isolation import surface as outline
from hopfield_nav.extensions.isolation.contact_link import LARGEST_FORCE, misfit_bound, whitening
from hopfield_nav.extensions.isolation.fit import UnitPush, is_swept, push_columns
from hopfield_nav.geometry import LINK, RADIUS, START

COUNT = 500  # of particles
WALK = 0.01  # [m] standard deviation of a step, along each axis of the chart
JUMPS = 0.02  # share of the particles that jump to anywhere
CONE = 0.5  # coefficient of friction
# of a force: three span it
_EDGES = [list(edges) for size in (1, 2, 3) for edges in combinations(range(4), size)]
_RIDGE = 1e-9  # of a Gram matrix, so that edges without torque can be solved for

# joint angles, residual, and its noise as of ``isolate``
Measurement = tuple[np.ndarray, np.ndarray, np.ndarray]


class Particles(NamedTuple):
    """Points of the arm's surface that explain the last measurement, if any, and their weights."""

    body: np.ndarray  # (k,) rows of ``ArmSurface.bodies``
    u: np.ndarray  # (k,) [m]
    v: np.ndarray  # (k,) [rad]
    points: np.ndarray  # (k, 3) base axes, at the last measurement [m]
    normals: np.ndarray  # (k, 3) inward unit normals there
    weights: np.ndarray  # (k,) their sum is 1


def filter_contact(
    arm: Arm,
    surface: outline.ArmSurface,
    measurements: Sequence[Measurement],
    generator: np.random.Generator,
    free: np.ndarray | None = None,
    *,
    friction: float = CONE,
    margin: float = 0.003,
) -> Particles:
    """The particles after measurements of one contact, the last of which must be explained.

    Of m measurements each counts 1/m: they are of one contact, and their errors alike. ``free`` and
    ``margin`` are as of ``fit_surface``. The same generator gives the same particles.
    """
    n, count = len(arm.dh), len(measurements)
    swept = np.zeros((0, 0, 7)) if free is None else np.ascontiguousarray(free, dtype=np.float64)
    chart = draw_points(surface, COUNT, generator)
    for number, (q, residual, sigma) in enumerate(measurements, 1):
        whiten = whitening(sigma, n)
        places, columns, is_open = _look(
            arm, surface, q, *chart, whiten, swept, margin, make_work(n)
        )
        misfit, force = cone_misfit(columns, whiten @ residual, friction)
        misfit[~is_open | (force > LARGEST_FORCE)] = np.inf
        if number == count:
            misfit[misfit > misfit_bound(n)] = np.inf
        misfit, weights = misfit / count, np.zeros(len(misfit))
        if np.isfinite(misfit).any():
            likelihood = np.exp(-0.5 * (misfit - misfit.min()))
            weights = likelihood / likelihood.sum()
        if number < count and weights.any():
            chosen = resample(weights, generator)
            chart = _walk(arm, surface, q, tuple(part[chosen] for part in chart), generator)
    kept = weights > 0.0
    return Particles(*(part[kept] for part in (*chart, places[:, :3], places[:, 3:], weights)))


def resample(weights: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Numbers (k,) of particles by systematic resampling.

    One of weight w is drawn k w times, rounded up or down.

    Source: Kitagawa 1996, "Monte Carlo filter and smoother for non-Gaussian nonlinear state space
    models".
    """
    count = len(weights)
    steps = (np.arange(count) + generator.random()) / count
    drawn = np.searchsorted(np.cumsum(weights), steps, side="right")
    return np.minimum(drawn, np.flatnonzero(weights)[-1])


def draw_points(
    surface: outline.ArmSurface, count: int, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Capsule, u and v of ``count`` points (k,), uniform over the arm's surface.

    Within a patch they are uniform in u and v, as if it were not curved.
    """
    patches = surface.patches
    area = patches[:, outline.AREA]
    share = np.cumsum(area) / area.sum()
    steps = (np.arange(count) + generator.random(count)) / count
    rows = patches[np.minimum(np.searchsorted(share, steps), len(patches) - 1)]
    aside = generator.uniform(-1.0, 1.0, (2, count))
    return (
        rows[:, outline.BODY].astype(np.int64),
        rows[:, outline.U] + aside[0] * rows[:, outline.HALF_U],
        rows[:, outline.V] + aside[1] * rows[:, outline.HALF_V],
    )


def cone_misfit(
    columns: np.ndarray, r: np.ndarray, friction: float
) -> tuple[np.ndarray, np.ndarray]:
    """How far ``r`` (n,) is from the torque of a force in each friction cone: least squares (k,).

    And the normal part (k,) [N] of the force that comes so near. ``columns`` (k, 3, n): whitened
    torque of a unit push along the normal, and of unit forces along both tangents.

    A cone is spanned by four edges, whose shares cannot be negative. The least squares under that
    condition are the best of those over up to three edges whose shares are all positive: three
    edges span every force.
    """
    normal, one, other = np.moveaxis(columns, 1, 0)
    edges = np.stack([normal + friction * side for side in (one, -one, other, -other)], axis=1)
    gram = np.einsum("kin,kjn->kij", edges, edges)
    match = edges @ r
    ridge = _RIDGE * np.trace(gram, axis1=1, axis2=2) + np.finfo(float).tiny
    whole = float(r @ r)
    best = np.full(len(columns), whole)
    force = np.zeros(len(columns))
    for chosen in _EDGES:
        normal_matrix = gram[:, chosen][:, :, chosen] + ridge[:, None, None] * np.eye(len(chosen))
        share = np.linalg.solve(normal_matrix, match[:, chosen, None])[:, :, 0]
        left = whole - np.einsum("ki,ki->k", share, match[:, chosen])
        better = (share >= 0.0).all(axis=1) & (left < best)
        best[better] = np.maximum(left[better], 0.0)
        force[better] = share[better].sum(axis=1)
    return best, force


def _walk(
    arm: Arm,
    surface: outline.ArmSurface,
    q: np.ndarray,
    chart: tuple[np.ndarray, ...],
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The particles a step further; beyond a pole the walk goes down on the other side."""
    body, u, v = chart
    length = surface.shapes[body, outline.LENGTH]
    scale = surface.shapes[body, outline.SCALE]
    tilt = (u - np.clip(u, 0.0, length)) / scale
    step_u, step_v = WALK * generator.standard_normal((2, len(u)))
    u = u + step_u
    v = v + step_v / (scale * np.maximum(np.cos(tilt), 0.1))
    first_pole = -0.5 * math.pi * scale
    last_pole = length - first_pole
    before = u < first_pole
    beyond = u > last_pole
    v = np.where(before | beyond, v + math.pi, v)
    u = np.where(before, 2.0 * first_pole - u, np.where(beyond, 2.0 * last_pole - u, u))
    body, u, v = _onto_others(arm, surface, q, body, np.clip(u, first_pole, last_pole), v)
    jumps = generator.random(len(u)) < JUMPS
    new_body, new_u, new_v = draw_points(surface, len(u), generator)
    body = np.where(jumps, new_body, body)
    u = np.where(jumps, new_u, u)
    v = np.where(jumps, new_v, v)
    return body, u, v


def _onto_others(
    arm: Arm,
    surface: outline.ArmSurface,
    q: np.ndarray,
    body: np.ndarray,
    u: np.ndarray,
    v: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points moved out of other moving capsules, to the surface of the one they are deepest in."""
    n = len(arm.dh)
    nothing_swept = np.zeros((0, 0, 7))
    places, _, _ = _look(arm, surface, q, body, u, v, np.eye(n), nothing_swept, 0.0, make_work(n))
    points = places[:, :3]
    frames = link_frames(arm, q)
    depth = np.zeros(len(u))
    own = body
    body = body.copy()
    u = u.copy()
    v = v.copy()
    for b, (row, shape) in enumerate(zip(surface.bodies, surface.shapes, strict=True)):
        if row[LINK] == 0:
            continue
        frame = frames[int(row[LINK])]
        local = (points - frame[:3, 3]) @ frame[:3, :3] - row[START : START + 3]
        u_there, v_there, from_axis = _on_capsule(local, shape)
        sunk = row[RADIUS] - from_axis
        deepest = (own != b) & (sunk > depth)
        depth[deepest] = sunk[deepest]
        body[deepest] = b
        u[deepest] = u_there[deepest]
        v[deepest] = v_there[deepest]
    return body, u, v


def _on_capsule(local: np.ndarray, shape: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates u and v (k,) of a capsule nearest to points, and their distance to its axis (k,).

    The points (k, 3) are in the axes of its link, from where its axis begins; ``shape`` (11,) is
    its row of ``ArmSurface.shapes``.
    """
    axis = shape[outline.AXIS : outline.AXIS + 3]
    first = shape[outline.FIRST : outline.FIRST + 3]
    second = shape[outline.SECOND : outline.SECOND + 3]
    along = local @ axis
    s = np.clip(along, 0.0, shape[outline.LENGTH])
    radial = local - s[:, None] * axis
    from_axis = np.linalg.norm(radial, axis=1)
    tilt = np.arcsin(np.clip((along - s) / np.maximum(from_axis, 1e-12), -1.0, 1.0))
    u = s + tilt * shape[outline.SCALE]
    v = np.arctan2(radial @ second, radial @ first)
    return u, v, from_axis


@kernel
def _look(
    arm: Arm,
    surface: outline.ArmSurface,
    q: np.ndarray,
    body: np.ndarray,
    u: np.ndarray,
    v: np.ndarray,
    whiten: np.ndarray,
    free: np.ndarray,
    margin: float,
    work: Work,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places and inward normals of points (k, 6), and columns as of ``cone_misfit``.

    And whether the points are open to a touch.
    """
    n = q.size
    places = np.empty((u.size, 6))
    columns = np.zeros((u.size, 3, n))
    is_open = np.empty(u.size, dtype=np.bool_)
    unit_push = UnitPush(
        work=work,
        bodies=surface.bodies,
        shapes=surface.shapes,
        whiten=whiten,
        place=np.empty((6, 3)),
        raw=np.zeros((5, n)),
        columns=np.zeros((5, n)),
    )
    place, five = unit_push.place, unit_push.columns
    update_frames(arm, q, work)
    for k in range(u.size):
        push_columns(unit_push, body[k], u[k], v[k], 5)
        for j in range(n):
            columns[k, 0, j] = five[0, j]
            columns[k, 1, j] = five[3, j]
            columns[k, 2, j] = five[4, j]
        point = vector(place, 5, 0)
        for j in range(3):
            places[k, j] = place[5, j]
            places[k, 3 + j] = -place[1, j]
        covered = outline.inside_another(work, surface.bodies, body[k], point)
        is_open[k] = not covered and not is_swept(free, margin, point)
    return places, columns, is_open
