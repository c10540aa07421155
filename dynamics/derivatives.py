"""Exact derivatives of inverse and forward dynamics with respect to q, qd, qdd and tau."""

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.composite import update_mass_and_bias
from dynamics.derivative_passes import Slopes, make_slopes, update_torque_slopes
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kinematics import update_frames
from dynamics.linear_solve import solve_symmetric
from dynamics.link_bodies import require_masses
from dynamics.work import Work, make_work


class TorqueDerivatives(NamedTuple):
    """Derivatives of tau = M qdd + C qd + g, each (..., n, n): rows tau, columns the other."""

    q: np.ndarray  # [N·m/rad]
    qd: np.ndarray  # [N·m·s/rad]
    qdd: np.ndarray  # the mass matrix [kg·m²]


class AccelerationDerivatives(NamedTuple):
    """Derivatives of qdd = M^-1 (tau - C qd - g), each (..., n, n): rows qdd, columns the other."""

    q: np.ndarray  # [1/s²]
    qd: np.ndarray  # [1/s]
    tau: np.ndarray  # the inverse of the mass matrix [1/(kg·m²)]


def inverse_dynamics_derivatives(
    arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
) -> TorqueDerivatives:
    """Derivatives d tau / d (q, qd, qdd) (..., n, n) at q, qd, qdd (..., n), without a wrench.

    Source: tu2023 (52), with the partial derivatives that its (53), (54) leave out.
    """
    n = joint_count(arm)
    (q, qd, qdd), lead = as_rows(n, q=q, qd=qd, qdd=qdd)
    found = _torque_batch(arm, q, qd, qdd, make_work(n), make_slopes(n))
    return TorqueDerivatives(*(part.reshape(*lead, n, n) for part in found))


def forward_dynamics_derivatives(
    arm: Arm, q: np.ndarray, qd: np.ndarray, tau: np.ndarray
) -> AccelerationDerivatives:
    """Derivatives d qdd / d (q, qd, tau) (..., n, n) at q, qd, tau (..., n), without a wrench.

    Raises ``BadInput``: as ``forward_dynamics``.

    Source: tu2023 (55), (56), as they should read.
    """
    n = joint_count(arm)
    (q, qd, tau), lead = as_rows(n, q=q, qd=qd, tau=tau)
    found = _acceleration_batch(arm, q, qd, tau, make_work(n), make_slopes(n))
    if not np.isfinite(found[0]).all():
        require_masses(arm)
    return AccelerationDerivatives(*(part.reshape(*lead, n, n) for part in found))


@inlined
def update_acceleration_slopes(arm, qd, tau, work, slopes):
    """Write every derivative in ``slopes``, and the acceleration; reads ``work.rotation``.

    Differentiating M(q) qdd + C qd + g = tau at constant torque: d qdd = -M^-1 d tau|qdd.
    """
    update_mass_and_bias(arm, arm.gravity, qd, work)
    bias, qdd = work.bias, slopes.qdd
    for i in range(qd.size):
        qdd[i] = tau[i] - bias[i]
    solve_symmetric(work.mass_matrix, qdd)
    update_torque_slopes(arm.gravity, qd, qdd, work, slopes)
    _invert_factored(work.mass_matrix, slopes.qdd_tau)
    _minus_product(slopes.qdd_tau, slopes.tau_q, slopes.qdd_q)
    _minus_product(slopes.qdd_tau, slopes.tau_qd, slopes.qdd_qd)


@inlined
def _invert_factored(factor, inverse):
    """Write the inverse of a matrix that ``solve_symmetric`` has left as its factors.

    First the lower triangle of L^-1, then L^-T D^-1 L^-1 on and above the diagonal, mirrored.
    """
    n = factor.shape[0]
    for j in range(n):
        inverse[j, j] = 1.0
        for i in range(j + 1, n):
            value = -factor[i, j]
            for k in range(j + 1, i):
                value -= factor[i, k] * inverse[k, j]
            inverse[i, j] = value
    for i in range(n):
        # entry (i, j) needs rows k >= j of columns i and j: none is overwritten yet
        for j in range(i, n):
            value = factor[j, j] * inverse[j, i]
            for k in range(j + 1, n):
                value += factor[k, k] * inverse[k, i] * inverse[k, j]
            inverse[i, j] = value
        for j in range(i + 1, n):
            inverse[j, i] = inverse[i, j]


@inlined
def _minus_product(a, b, out):
    """Write -a b."""
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = 0.0
        for k in range(n):
            x = a[i, k]
            for j in range(n):
                out[i, j] -= x * b[k, j]


@kernel
def _torque_batch(
    arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, work: Work, slopes: Slopes
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count, n = q.shape
    by_q, by_qd, by_qdd = np.empty((count, n, n)), np.empty((count, n, n)), np.empty((count, n, n))
    for row in range(count):
        update_frames(arm, q[row], work)
        update_mass_and_bias(arm, arm.gravity, qd[row], work)
        update_torque_slopes(arm.gravity, qd[row], qdd[row], work, slopes)
        by_q[row], by_qd[row], by_qdd[row] = slopes.tau_q, slopes.tau_qd, work.mass_matrix
    return by_q, by_qd, by_qdd


@kernel
def _acceleration_batch(
    arm: Arm, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, work: Work, slopes: Slopes
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count, n = q.shape
    by_q, by_qd, by_tau = np.empty((count, n, n)), np.empty((count, n, n)), np.empty((count, n, n))
    for row in range(count):
        update_frames(arm, q[row], work)
        update_acceleration_slopes(arm, qd[row], tau[row], work, slopes)
        by_q[row], by_qd[row], by_tau[row] = slopes.qdd_q, slopes.qdd_qd, slopes.qdd_tau
    return by_q, by_qd, by_tau
