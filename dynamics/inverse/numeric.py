"""A configuration that puts the tool at a pose, by damped least squares, for any number of joints.

Minimises ½‖e‖² within the joint limits, e = [position error (m); rotation vector of the remaining
turn (rad)], base axes: a metre weighs as much as a radian. Each step is (JᵀJ + λ 1)⁻¹ Jᵀ e with the
geometric Jacobian; the damping λ keeps it short near a singularity (Nakamura and Hanafusa, 1986). λ
is a multiple of ‖e‖² (so it vanishes at a solution, Sugihara, 2011) that falls or grows with the
ratio of the gain of the last step to the predicted one (Levenberg, 1944; Nielsen, 1999). Unlike
nowoczyn2023 (2.3), which subtracts Euler angles and uses no inverse, the turn is a rotation vector.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.errors import BadInput
from dynamics.inverse.poses import as_poses
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import dot, length, matmul, times, vector
from dynamics.kinematics import update_frames, update_jacobian, update_tool
from dynamics.linear_solve import solve_symmetric
from dynamics.work import make_work

_LEAST_DAMPING = 1e-13  # keeps the system definite at a singular solution
_HOPELESS = 1e12  # multiple of ‖e‖² beyond which no step can help


class NumericSolution(NamedTuple):
    """What ``numeric_inverse_kinematics`` found."""

    q: np.ndarray  # (n,) joint angles, within the limits [rad]
    converged: bool  # whether ``error`` is at most the tolerance
    iterations: int  # steps tried, of all starts together
    error: float  # ‖e‖ at ``q`` (m and rad)


def numeric_inverse_kinematics(
    arm: Arm,
    T_base_tool: np.ndarray,
    q_start: np.ndarray,
    tolerance: float = 1e-10,
    max_iterations: int = 200,
    position_only: bool = False,
    restarts: int = 0,
    rng: np.random.Generator | None = None,
) -> NumericSolution:
    """One configuration within the limits that puts the tool at a pose, or comes closest.

    An arm with fewer than six joints (three with ``position_only``) cannot reach every pose: it
    ends, not converged, where ½‖e‖² has a local minimum. One with more ends at one of infinitely
    many solutions, near the start.

    Args:
        arm: any arm.
        T_base_tool: (4, 4), lengths in metres.
        q_start: (n,) where to begin [rad]; an angle beyond its limit begins at the limit.
        tolerance: on ‖e‖ (m and rad).
        max_iterations: steps a start may try.
        position_only: leave the orientation free; e is the position error alone.
        restarts: how many random starts, uniform within the limits (±π where there is none), are
            tried after ``q_start`` has failed; the best end counts.
        rng: source of the random starts; needed with ``restarts``.

    Raises ``BadInput``: malformed pose, tool frame or start, a negative or NaN number, or no
    ``rng``.

    Source: nowoczyn2023 2.2 (corrected), and the papers named at the head of the module.
    """
    n = joint_count(arm)
    rows, lead = as_poses(T_base_tool)
    if lead:
        raise BadInput("one pose is needed", found=f"{len(rows)} of them", allowed="(4, 4)")
    T = rows[0]
    as_poses(arm.tool, "the arm's tool frame")
    start = checked_start(q_start, n)
    if not (tolerance >= 0 and max_iterations >= 0 and restarts >= 0):
        found = (tolerance, max_iterations, restarts)
        raise BadInput("tolerance, max_iterations and restarts cannot be negative", found=found)
    if restarts and rng is None:
        raise BadInput("random restarts need rng", allowed="a numpy.random.Generator")
    work, total, limits = make_work(n), 0, arm.position_limits
    low, high = np.where(np.isfinite(limits), limits, (-math.pi, math.pi)).T
    best = NumericSolution(start, False, 0, np.inf)
    for attempt in range(int(restarts) + 1):
        q = start.copy() if attempt == 0 or rng is None else rng.uniform(low, high)
        iterations, error = solve_from(
            arm, T, q, float(tolerance), int(max_iterations), bool(position_only), work
        )
        total += iterations
        if error < best.error:
            best = NumericSolution(q, bool(error <= tolerance), total, float(error))
        if best.converged:
            break
    return best._replace(iterations=total)


def checked_start(q_start: object, n: int) -> np.ndarray:
    """``q_start`` as one finite row (n,), a copy. Raises ``BadInput``."""
    (rows,), lead = as_rows(n, q_start=q_start)
    if lead or not np.isfinite(rows).all():
        raise BadInput(
            "q_start must be one finite joint position", found=q_start, allowed=f"({n},)"
        )
    return rows[0].copy()


@kernel
def solve_from(arm, T, q, tolerance, max_iterations, position_only, work):
    """Improve ``q`` (n,) in place until ‖e‖ ≤ tolerance; returns (steps tried, ‖e‖).

    Reads and writes ``rotation``, ``origin``, ``tool``, ``jacobian``, ``mass_matrix``, ``square``
    and ``vector`` of ``work``; allocates one row.
    """
    n, limits, trial = q.size, arm.position_limits, np.empty(q.size)
    error, step = np.empty(6), np.empty(q.size)
    for i in range(n):
        q[i] = min(max(q[i], limits[i, 0]), limits[i, 1])
    square = _update_error(arm, T, q, position_only, error, work)
    factor, growth = 1.0, 2.0
    for iteration in range(max_iterations):
        if not math.sqrt(square) > tolerance or factor > _HOPELESS:
            return iteration, math.sqrt(square)
        update_jacobian(arm, work)
        _freeze_at_limits(work.jacobian, error, q, limits, position_only)
        damping = _LEAST_DAMPING + factor * square
        _damped_step(work, error, damping, step)
        predicted = _predicted_gain(work.jacobian, step, damping)
        moved = 0.0
        for i in range(n):
            trial[i] = min(max(q[i] + step[i], limits[i, 0]), limits[i, 1])
            moved = max(moved, abs(trial[i] - q[i]))
        if moved < 1e-16:
            return iteration, math.sqrt(square)
        lower = _update_error(arm, T, trial, position_only, error, work)
        if lower < square:
            q[:] = trial
            ratio = min((square - lower) / predicted, 1.0)
            factor, growth = factor * max(0.2, 1.0 - (2.0 * ratio - 1.0) ** 3), 2.0
            square = lower
        else:
            factor, growth = max(growth * factor, 1e-6), 2.0 * growth
            _update_error(arm, T, q, position_only, error, work)
    return max_iterations, math.sqrt(square)


@inlined
def _freeze_at_limits(jacobian, error, q, limits, position_only):
    """Clear the columns of joints that the error pushes against their limit, and unused rows."""
    for i in range(q.size):
        if position_only:
            jacobian[3, i] = jacobian[4, i] = jacobian[5, i] = 0.0
        push = 0.0
        for k in range(6):
            push += jacobian[k, i] * error[k]
        if (q[i] <= limits[i, 0] and push < 0.0) or (q[i] >= limits[i, 1] and push > 0.0):
            for k in range(6):
                jacobian[k, i] = 0.0


@inlined
def _damped_step(work, error, damping, step):
    """(JᵀJ + λ 1)⁻¹ Jᵀ e, or the equal Jᵀ (J Jᵀ + λ 1)⁻¹ e where that system is smaller."""
    jacobian, n = work.jacobian, step.size
    if n <= 6:
        matrix = work.mass_matrix
        for i in range(n):
            step[i] = 0.0
            for k in range(6):
                step[i] += jacobian[k, i] * error[k]
            for j in range(n):
                matrix[i, j] = damping if i == j else 0.0
                for k in range(6):
                    matrix[i, j] += jacobian[k, i] * jacobian[k, j]
        solve_symmetric(matrix, step)
    else:
        matrix, right = work.square, error
        for i in range(6):
            for j in range(6):
                matrix[i, j] = damping if i == j else 0.0
                for k in range(n):
                    matrix[i, j] += jacobian[i, k] * jacobian[j, k]
        solve_symmetric(matrix, right)
        for i in range(n):
            step[i] = 0.0
            for k in range(6):
                step[i] += jacobian[k, i] * right[k]


@inlined
def _predicted_gain(jacobian, step, damping):
    """By how much ‖e‖² falls in the linear model: ‖J step‖² + 2 λ ‖step‖²."""
    gain = 0.0
    for k in range(6):
        moved = 0.0
        for i in range(step.size):
            moved += jacobian[k, i] * step[i]
        gain += moved * moved
    for i in range(step.size):
        gain += 2.0 * damping * step[i] * step[i]
    return gain


@kernel
def _update_error(arm, T, q, position_only, error, work):
    """Write e at ``q``, with the frames and the tool's pose in ``work``; returns ‖e‖²."""
    update_frames(arm, q, work)
    update_tool(arm, work)
    tool = work.tool
    for k in range(3):
        error[k] = T[k, 3] - tool[k, 3]
        error[3 + k] = 0.0
    if not position_only:
        error[3], error[4], error[5] = turn_between(tool, T)
    square = 0.0
    for k in range(6):
        square += error[k] * error[k]
    return square


@inlined
def turn_between(T_from, T_to):
    """Rotation vector [rad], base axes, that turns the axes of ``T_from`` into those of ``T_to``.

    A turn R by the angle θ about the unit axis k is cos θ 1 + sin θ [k]× + (1 - cos θ) k k^T
    (Rodrigues): its skew part is sin θ [k]×, and the symmetric part less cos θ 1 is a multiple of
    k k^T.
    """
    # the rows of R, which is T_to's rotation times the transposed one of T_from
    x = matmul(T_from, vector(T_to, 0, 0))
    y = matmul(T_from, vector(T_to, 1, 0))
    z = matmul(T_from, vector(T_to, 2, 0))
    skew = times(0.5, (z[1] - y[2], x[2] - z[0], y[0] - x[1]))
    sine = length(skew)
    cosine = 0.5 * (x[0] + y[1] + z[2] - 1.0)
    angle = math.atan2(sine, cosine)
    if cosine >= 0.0:
        return times(angle / sine if sine > 1e-7 else 1.0, skew)
    # near half a turn the skew part is small: k is along the largest column of the other one
    xy = 0.5 * (x[1] + y[0])
    xz = 0.5 * (x[2] + z[0])
    yz = 0.5 * (y[2] + z[1])
    along = (x[0] - cosine, xy, xz)
    if y[1] > x[0] or z[2] > x[0]:
        along = (xz, yz, z[2] - cosine) if z[2] > y[1] else (xy, y[1] - cosine, yz)
    scale = angle / length(along)
    return times(-scale if dot(along, skew) < 0.0 else scale, along)
