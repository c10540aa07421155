"""How well a push on each patch of the arm's surface explains a joint torque.

The kernel of isolation. For every patch the push is sought whose torque comes nearest to the
residual in units of its noise: force, place within the patch and, with friction, the two tangential
shares, by Gauss-Newton steps that stay inside their bounds. Torque is linear in the force at a
fixed line of action, and the lines of one patch turn by little, so that a few steps are enough;
``misfit`` is the squared distance that is left.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import UP, along, column, cross, dot, length, sub, vector
from dynamics.kinematics import update_frames
from dynamics.work import Work
from hopfield_nav.extensions.isolation import surface as outline
from hopfield_nav.geometry import LINK, RADIUS, to_segment

# columns of the result, and how many they are; the first four are those of a patch's best push too
MISFIT = 0
FORCE = 1
AT_U = 2
AT_V = 3
OPEN = 4
LOG_EVIDENCE = 5
WIDTH = 6
_STEPS = 25  # most Gauss-Newton steps
_SWEEPS = 400  # most rounds of each step's bounded solution
_EXACT = 1e-2  # a misfit that needs no improvement
_CURVED = 1.3  # the turn over a patch is at most so many times its linear estimate
# prior of the force: log-normal
_FORCE_MEDIAN = 40.0  # [N]
_FORCE_SPREAD = 1.0  # in e-folds
_INSET = 0.98  # of half a patch, at which its corners are looked at
_CORNERS = ((0.0, 0.0), (_INSET, _INSET), (-_INSET, _INSET), (_INSET, -_INSET), (-_INSET, -_INSET))


class UnitPush(NamedTuple):
    """A push of 1 N on the arm's surface: what its torque follows from, and that torque."""

    work: Work  # with the frames of the pose
    bodies: np.ndarray  # (k, 12) of the surface
    shapes: np.ndarray  # of the surface, a row a body
    whiten: np.ndarray  # (n, n) from a torque to units of its noise
    # what ``push_columns`` writes
    place: np.ndarray  # (6, 3) as ``surface.place_surface`` has it
    raw: np.ndarray  # (5, n) torques of the joints [N·m]
    columns: np.ndarray  # (5, n) the same in units of their noise


class BestForce(NamedTuple):
    """The force that suits a push at one place."""

    square: float  # of a unit push's torque, in units of its noise
    force: float  # [N]
    weight: float  # of the columns [N]
    free: bool  # whether the force may change


@kernel
def fit_patches(
    arm: Arm,
    surface: outline.ArmSurface,
    q: np.ndarray,
    residual: np.ndarray,
    whiten: np.ndarray,
    bound: float,
    friction: float,
    largest: float,
    free: np.ndarray,
    margin: float,
    work: Work,
) -> np.ndarray:
    """Fit every patch to a residual (n,) [N·m] at ``q`` (n,) [rad].

    ``whiten`` (n, n) is the lower triangular inverse Cholesky factor of the noise's covariance,
    ``bound`` the largest misfit of a patch that explains the residual, ``friction`` the coefficient
    of the cone; no push exceeds the force ``largest`` [N]. ``free`` (h, k, 7) are capsules of the
    arm at poses where nothing touched, the latest last [m]; a point as deep as ``margin`` in one of
    them cannot touch [m].

    Returns (m, 6): misfit (infinite where a bound already excludes the patch), force [N], u [m], v
    [rad], share of the patch that is open to contact, log of the evidence (-inf where it explains
    nothing).
    """
    patches = surface.patches
    n = q.size
    out = np.zeros((patches.shape[0], WIDTH))
    unit_push = UnitPush(
        work=work,
        bodies=surface.bodies,
        shapes=surface.shapes,
        whiten=whiten,
        place=np.empty((6, 3)),
        raw=np.zeros((5, n)),
        columns=np.zeros((5, n)),
    )
    columns = unit_push.columns
    best = np.zeros(4)
    # middle and half width of u, v and the two tangential shares
    ranges = np.zeros((4, 2))
    ranges[2, 1] = ranges[3, 1] = friction
    count = 5 if friction > 0.0 else 3
    scratch = np.zeros((7, max(n, 6)))
    update_frames(arm, q, work)
    r = np.zeros(n)  # the residual in units of its noise
    for j in range(n):
        for i in range(j + 1):
            r[j] += whiten[j, i] * residual[i]
    for p in range(patches.shape[0]):
        patch = patches[p]
        u, half_u = patch[outline.U], patch[outline.HALF_U]
        v, half_v = patch[outline.V], patch[outline.HALF_V]
        b = int(patch[outline.BODY])
        out[p, MISFIT] = np.inf
        out[p, LOG_EVIDENCE] = -np.inf
        out[p, AT_U] = u
        out[p, AT_V] = v
        push_columns(unit_push, b, u, v, count)
        if _surely_worse(columns, r, half_u, half_v, friction, bound):
            continue
        ranges[0, 0], ranges[0, 1] = u, half_u
        ranges[1, 0], ranges[1, 1] = v, half_v
        _fit(unit_push, patch, r, bound, largest, ranges, scratch, best)
        for k in range(4):
            out[p, k] = best[k]
        if best[MISFIT] > bound:
            continue
        out[p, OPEN] = _open_share(unit_push, patch, free, margin)
        if out[p, OPEN] == 0.0:
            continue
        push_columns(unit_push, b, best[AT_U], best[AT_V], 3)
        out[p, LOG_EVIDENCE] = _log_evidence(columns, patch, best, out[p, OPEN])
    return out


@inlined
def push_columns(unit_push, b, u, v, count):
    """Write the torque of a unit push at (u, v) of body ``b`` to ``unit_push.columns``.

    The rows are the push, its derivatives by u and v, and two unit tangential forces, each in units
    of the noise. ``count``: rows to write; 3 leaves those of the tangential forces as they are.
    """
    work, bodies, shapes = unit_push.work, unit_push.bodies, unit_push.shapes
    whiten, place = unit_push.whiten, unit_push.place
    raw, columns = unit_push.raw, unit_push.columns
    outline.place_surface(work, bodies, shapes, b, u, v, place)
    link = int(bodies[b, LINK])
    n = whiten.shape[0]
    point = vector(place, 0, 0)
    normal = vector(place, 1, 0)
    by_u = vector(place, 2, 0)
    by_v = vector(place, 3, 0)
    moved = vector(place, 4, 0)
    axis = UP
    cosine = length(by_v)
    turn = 1.0 / cosine if cosine > 1e-9 else 0.0
    for i in range(link):
        speed = cross(axis, sub(point, vector(work.origin, i, 0)))
        raw[0, i] = -dot(normal, speed)
        raw[1, i] = -dot(by_u, speed) - dot(normal, cross(axis, moved))
        raw[2, i] = -dot(by_v, speed)
        if count > 3:
            speed = along(speed, bodies[b, RADIUS], cross(axis, normal))
            raw[3, i] = dot(along(moved, shapes[b, outline.SCALE], by_u), speed)
            raw[4, i] = turn * dot(by_v, speed)
        axis = column(work.rotation[i], 2)
    for k in range(count):
        for j in range(n):
            total = 0.0
            for i in range(min(j + 1, link)):
                total += whiten[j, i] * raw[k, i]
            columns[k, j] = total


@inlined
def _dot(a, b):
    total = 0.0
    for j in range(a.size):
        total += a[j] * b[j]
    return total


@inlined
def _surely_worse(columns, r, half_u, half_v, friction, bound):
    """Whether no torque within the patch's turn of the middle one can come near the residual."""
    length = math.sqrt(_dot(columns[0], columns[0]))
    size = math.sqrt(_dot(r, r))
    spread = half_u * math.sqrt(_dot(columns[1], columns[1]))
    spread += half_v * math.sqrt(_dot(columns[2], columns[2]))
    spread *= _CURVED
    for k in range(3, 5):
        spread += friction * math.sqrt(_dot(columns[k], columns[k]))
    if size * size <= bound or spread >= length:
        return False
    cosine = _dot(columns[0], r) / (length * size)
    angle = math.acos(min(max(cosine, -1.0), 1.0)) - math.asin(spread / length)
    least = size if angle >= 0.5 * math.pi else size * math.sin(max(angle, 0.0))
    return least * least > bound


@inlined
def _fit(unit_push, patch, r, bound, largest, ranges, scratch, best):
    """Write to ``best`` the least misfit within the patch, its force, u and v.

    ``scratch``: (7, n); ``ranges``: (4, 2) middle and half width of u, v and the tangential shares.
    """
    columns = unit_push.columns
    b = int(patch[outline.BODY])
    size = _dot(r, r)
    count = 4 if ranges[2, 1] > 0.0 else 2
    # u, v and the tangential shares: those that are tried, and the best so far
    step, x, at = scratch[:4], scratch[4], scratch[5]
    total = scratch[6, : r.size]  # torque of a unit push with its tangential forces
    for k in range(4):
        x[k] = at[k] = ranges[k, 0]
    best[MISFIT] = np.inf
    best[FORCE] = 0.0
    best[AT_U] = patch[outline.U]
    best[AT_V] = patch[outline.V]
    trust = 1.0  # share of a step that is gone
    for _ in range(_STEPS):
        push_columns(unit_push, b, x[0], x[1], count + 1)
        for j in range(r.size):
            total[j] = columns[0, j] + x[2] * columns[3, j] + x[3] * columns[4, j]
        square = _dot(total, total)
        match = _dot(total, r)
        force = min(max(match / square, 0.0), largest) if square > 0.0 else 0.0
        misfit = size - force * (2.0 * match - force * square)
        if misfit < best[MISFIT]:
            gained = best[MISFIT] - misfit
            best[MISFIT] = max(misfit, 0.0)
            best[FORCE] = force
            best[AT_U] = x[0]
            best[AT_V] = x[1]
            for k in range(4):
                at[k] = x[k]
            worth_while = (0.1 if misfit > 100.0 * bound else 1e-2) * misfit
            if misfit < _EXACT or gained < worth_while:
                return  # good enough, or as near as this patch comes
            # at least a fifth of the force whose torque is as large as the residual
            least = min(0.2 * math.sqrt(size / square), largest) if square > 0.0 else largest
            weight = max(force, least)
            push = BestForce(square, force, weight, force < largest and square > 0.0)
            _bounded_step(columns, r, total, push, ranges, count, at, step)
            trust = 1.0
        else:
            trust *= 0.3
        for k in range(count):
            x[k] = at[k] + trust * step[k, 0]


@inlined
def _bounded_step(columns, r, total, push, ranges, count, at, step):
    """Write the Gauss-Newton step within the bounds to the first column of ``step`` (4, 6 or more).

    The force, a ``BestForce``, is left free where it may change.
    """
    for k in range(count):
        along = _dot(columns[k + 1], total) / push.square if push.free else 0.0
        for j in range(r.size):
            columns[k + 1, j] = push.weight * (columns[k + 1, j] - along * total[j])
        step[k, 0] = 0.0
    # columns 1 to 5 of a row: its products with the others and with what is left
    for k in range(count):
        for m in range(count):
            step[k, 1 + m] = _dot(columns[k + 1], columns[m + 1])
        step[k, 5] = _dot(columns[k + 1], r) - push.force * _dot(columns[k + 1], total)
    for _ in range(_SWEEPS):
        moved = 0.0
        for k in range(count):
            if step[k, 1 + k] <= 0.0:
                continue
            pull = step[k, 5]
            for m in range(count):
                pull -= step[k, 1 + m] * step[m, 0]
            middle, half = ranges[k, 0], ranges[k, 1]
            wanted = at[k] + step[k, 0] + pull / step[k, 1 + k]
            inside = min(max(wanted, middle - half), middle + half) - at[k]
            moved = max(moved, abs(inside - step[k, 0]) / half)
            step[k, 0] = inside
        if moved < 1e-6:
            break


@inlined
def _open_share(unit_push, patch, free, margin):
    """Share of middle and corners that lie in no other capsule and not in the space swept free."""
    work, bodies, shapes = unit_push.work, unit_push.bodies, unit_push.shapes
    b = int(patch[outline.BODY])
    count = 0
    for du, dv in _CORNERS:
        u = patch[outline.U] + du * patch[outline.HALF_U]
        v = patch[outline.V] + dv * patch[outline.HALF_V]
        outline.place_surface(work, bodies, shapes, b, u, v, unit_push.place)
        point = vector(unit_push.place, 5, 0)
        if not outline.inside_another(work, bodies, b, point) and not is_swept(free, margin, point):
            count += 1
    return count / 5.0


@inlined
def is_swept(free, margin, point):
    """Whether a point lies ``margin`` deep in the arm of an earlier free pose."""
    for h in range(free.shape[0] - 1, -1, -1):
        for b in range(free.shape[1]):
            radius = free[h, b, 6] - margin
            if radius <= 0.0:
                continue
            start = vector(free[h], b, 0)
            r = to_segment(point, start, sub(vector(free[h], b, 3), start))
            if dot(r, r) < radius * radius:
                return True
    return False


@inlined
def _log_evidence(columns, patch, best, share):
    """Log of the integral over patch and force of the likelihood, by Laplace's method.

    Uniform over the open area, log-normal in the force. A bound that the best push lies on halves
    it.
    """
    f = best[FORCE]
    hu, hv = patch[outline.HALF_U], patch[outline.HALF_V]
    a, c, d = columns[0], columns[1], columns[2]
    # curvatures by the logarithm of the force, and by u and v in half widths
    h00 = f * f * _dot(a, a) + _FORCE_SPREAD**-2
    h11 = f * f * hu * hu * _dot(c, c) + 3.0  # a uniform density of half width 1 has variance 1/3
    h22 = f * f * hv * hv * _dot(d, d) + 3.0
    h01 = f * f * hu * _dot(a, c)
    h02 = f * f * hv * _dot(a, d)
    h12 = f * f * hu * hv * _dot(c, d)
    by_force = h00 * (h11 * h22 - h12 * h12)
    by_u = h01 * (h01 * h22 - h12 * h02)
    by_v = h02 * (h01 * h12 - h11 * h02)
    det = by_force - by_u + by_v
    if f <= 0.0 or det <= 0.0:
        return -np.inf
    edge = 0.0
    if abs(best[AT_U] - patch[outline.U]) > 0.999 * hu:
        edge += math.log(2.0)
    if abs(best[AT_V] - patch[outline.V]) > 0.999 * hv:
        edge += math.log(2.0)
    away = math.log(f / _FORCE_MEDIAN) / _FORCE_SPREAD
    spread = best[MISFIT] + away * away + math.log(det)
    return math.log(patch[outline.AREA] * share) - 0.5 * spread - edge
