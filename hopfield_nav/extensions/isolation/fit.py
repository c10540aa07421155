"""How well a push on each patch of the arm's surface explains a joint torque: the kernel of isolation.

For every patch the push is sought whose torque comes nearest to the residual in units of its noise:
force, place within the patch and, with friction, the two tangential shares, by Gauss-Newton steps
that stay inside their bounds. Torque is linear in the force at a fixed line of action, and the
lines of one patch turn by little, so that a few steps are enough; ``misfit`` is the squared
distance that is left.
"""

import math

import numpy as np

from dynamics import Arm
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import UP, along, column, cross, dot, length, sub, vector
from dynamics.kinematics import update_frames
from dynamics.work import Work
from hopfield_nav.extensions.isolation import surface as outline
from hopfield_nav.geometry import LINK, RADIUS, to_segment

MISFIT, FORCE, AT_U, AT_V, OPEN, LOG_EVIDENCE, WIDTH = 0, 1, 2, 3, 4, 5, 6  # columns of the result
_STEPS, _SWEEPS = 25, 400  # most Gauss-Newton steps, and rounds of each step's bounded solution
_EXACT = 1e-2  # a misfit that needs no improvement
_CURVED = 1.3  # the turn over a patch is at most so many times its linear estimate
_FORCE_MEDIAN, _FORCE_SPREAD = 40.0, 1.0  # prior of the force: log-normal [N], spread in e-folds


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
    bodies, shapes, patches = surface.bodies, surface.shapes, surface.patches
    n = q.size
    out = np.zeros((patches.shape[0], WIDTH))
    place, raw, columns, step = (
        np.empty((6, 3)),
        np.zeros((5, n)),
        np.zeros((5, n)),
        np.zeros((7, max(n, 6))),
    )
    r, best, ranges = np.zeros(n), np.zeros(4), np.zeros((4, 2))
    ranges[2, 1] = ranges[3, 1] = friction
    count = 5 if friction > 0.0 else 3
    of_push = work, bodies, shapes, whiten, place, raw, columns
    update_frames(arm, q, work)
    for j in range(n):
        for i in range(j + 1):
            r[j] += whiten[j, i] * residual[i]
    for p in range(patches.shape[0]):
        out[p, MISFIT], out[p, LOG_EVIDENCE] = np.inf, -np.inf
        out[p, AT_U], out[p, AT_V] = patches[p, outline.U], patches[p, outline.V]
        b = int(patches[p, outline.BODY])
        push_columns(of_push, b, patches[p, outline.U], patches[p, outline.V], count)
        if _surely_worse(
            columns, r, patches[p, outline.HALF_U], patches[p, outline.HALF_V], friction, bound
        ):
            continue
        ranges[0, 0], ranges[0, 1] = patches[p, outline.U], patches[p, outline.HALF_U]
        ranges[1, 0], ranges[1, 1] = patches[p, outline.V], patches[p, outline.HALF_V]
        _fit(of_push, patches[p], r, bound, largest, ranges, step, best)
        for k in range(4):
            out[p, k] = best[k]
        if best[0] > bound:
            continue
        out[p, OPEN] = _open_share(work, bodies, shapes, patches[p], free, margin, place)
        if out[p, OPEN] == 0.0:
            continue
        push_columns(of_push, b, best[2], best[3], 3)
        out[p, LOG_EVIDENCE] = _log_evidence(columns, patches[p], best, out[p, OPEN])
    return out


@inlined
def push_columns(of_push, b, u, v, count):
    """Whitened torque of a unit push at (u, v), its derivatives by u and v, and of unit tangential forces.

    ``of_push``: arm, surface and noise, and what is written: place, torques before and after
    whitening. ``count``: rows to write; 3 leaves those of the tangential forces as they are.
    """
    work, bodies, shapes, whiten, place, raw, columns = of_push
    outline.place_surface(work, bodies, shapes, b, u, v, place)
    link, n = int(bodies[b, LINK]), whiten.shape[0]
    point, normal, moved = vector(place, 0, 0), vector(place, 1, 0), vector(place, 4, 0)
    by_u, by_v, axis = vector(place, 2, 0), vector(place, 3, 0), UP
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
    length, size = math.sqrt(_dot(columns[0], columns[0])), math.sqrt(_dot(r, r))
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
def _fit(of_push, patch, r, bound, largest, ranges, step, best):
    """Write to ``best`` the least misfit within the patch, its force, u and v.

    ``of_push`` as for ``push_columns``; ``step``: (7, n) scratch; ``ranges``: (4, 2) middle and
    half width of u, v and the tangential shares.
    """
    columns, b, size, trust = of_push[6], int(patch[outline.BODY]), _dot(r, r), 1.0
    count = 4 if ranges[2, 1] > 0.0 else 2
    x, at, total = step[4], step[5], step[6, : r.size]
    for k in range(4):
        x[k], at[k] = ranges[k, 0], ranges[k, 0]
    best[0], best[1], best[2], best[3] = np.inf, 0.0, patch[outline.U], patch[outline.V]
    for _ in range(_STEPS):
        push_columns(of_push, b, x[0], x[1], count + 1)
        for j in range(r.size):
            total[j] = columns[0, j] + x[2] * columns[3, j] + x[3] * columns[4, j]
        square, match = _dot(total, total), _dot(total, r)
        force = min(max(match / square, 0.0), largest) if square > 0.0 else 0.0
        misfit = size - force * (2.0 * match - force * square)
        if misfit < best[0]:
            gained = best[0] - misfit
            best[0], best[1], best[2], best[3] = max(misfit, 0.0), force, x[0], x[1]
            for k in range(4):
                at[k] = x[k]
            if misfit < _EXACT or gained < (0.1 if misfit > 100.0 * bound else 1e-2) * misfit:
                return  # good enough, or as near as this patch comes
            weight = max(
                force, min(0.2 * math.sqrt(size / square), largest) if square > 0.0 else largest
            )
            push = square, force, weight, force < largest and square > 0.0
            _bounded_step(columns, r, total, push, ranges, count, at, step)
            trust = 1.0
        else:
            trust *= 0.3
        for k in range(count):
            x[k] = at[k] + trust * step[k, 0]


@inlined
def _bounded_step(columns, r, total, push, ranges, count, at, step):
    """Write to ``step`` (its first column) the Gauss-Newton step within the bounds, the force left free.

    ``push``: square of a unit force's torque, force, weight of the columns, whether the force may
    change.
    """
    square, force, weight, share = push
    for k in range(count):
        along = _dot(columns[k + 1], total) / square if share else 0.0
        for j in range(r.size):
            columns[k + 1, j] = weight * (columns[k + 1, j] - along * total[j])
        step[k, 0] = 0.0
    # columns 1 to 5 of a row: its products with the others and with what is left
    for k in range(count):
        for m in range(count):
            step[k, 1 + m] = _dot(columns[k + 1], columns[m + 1])
        step[k, 5] = _dot(columns[k + 1], r) - force * _dot(columns[k + 1], total)
    for _ in range(_SWEEPS):
        moved = 0.0
        for k in range(count):
            if step[k, 1 + k] <= 0.0:
                continue
            pull = step[k, 5]
            for m in range(count):
                pull -= step[k, 1 + m] * step[m, 0]
            wanted = at[k] + step[k, 0] + pull / step[k, 1 + k]
            wanted = (
                min(max(wanted, ranges[k, 0] - ranges[k, 1]), ranges[k, 0] + ranges[k, 1]) - at[k]
            )
            moved = max(moved, abs(wanted - step[k, 0]) / ranges[k, 1])
            step[k, 0] = wanted
        if moved < 1e-6:
            break


@inlined
def _open_share(work, bodies, shapes, patch, free, margin, place):
    """Share of middle and corners that lie in no other capsule and not in the space swept free."""
    count, b = 0, int(patch[outline.BODY])
    for k in range(5):
        du = 0.0 if k == 0 else (0.98 if k % 2 else -0.98)
        dv = 0.0 if k == 0 else (0.98 if k < 3 else -0.98)
        u, v = (
            patch[outline.U] + du * patch[outline.HALF_U],
            patch[outline.V] + dv * patch[outline.HALF_V],
        )
        outline.place_surface(work, bodies, shapes, b, u, v, place)
        point = vector(place, 5, 0)
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
    f, hu, hv = best[1], patch[outline.HALF_U], patch[outline.HALF_V]
    a, c, d = columns[0], columns[1], columns[2]
    h00 = f * f * _dot(a, a) + _FORCE_SPREAD**-2
    h11 = f * f * hu * hu * _dot(c, c) + 3.0  # a uniform density of half width 1 has variance 1/3
    h22 = f * f * hv * hv * _dot(d, d) + 3.0
    h01, h02, h12 = f * f * hu * _dot(a, c), f * f * hv * _dot(a, d), f * f * hu * hv * _dot(c, d)
    det = (
        h00 * (h11 * h22 - h12 * h12)
        - h01 * (h01 * h22 - h12 * h02)
        + h02 * (h01 * h12 - h11 * h02)
    )
    if f <= 0.0 or det <= 0.0:
        return -np.inf
    edge = 0.0
    if abs(best[2] - patch[outline.U]) > 0.999 * hu:
        edge += math.log(2.0)
    if abs(best[3] - patch[outline.V]) > 0.999 * hv:
        edge += math.log(2.0)
    away = math.log(f / _FORCE_MEDIAN) / _FORCE_SPREAD
    return (
        math.log(patch[outline.AREA] * share) - 0.5 * (best[0] + away * away + math.log(det)) - edge
    )
