"""The equations of motion from energies: Euler-Lagrange, kebria2016 (6) to (10).

M is the sum of m J_v^T J_v + J_w^T I J_w over the links, with the Jacobians of their centres of mass
(8). C comes from M by Christoffel symbols (9), with exact derivatives: as joint k turns,

* column i of J_v, the velocity of the centre of mass, changes by z_min(i,k) × J_v,max(i,k);
* axis z_i as the link sees it changes by z_i × z_k if k > i, otherwise not at all.

g is the slope of the potential energy (10). Nothing is recursive: link l moves with l joints, so it
contributes to l³ derivatives, and n links cost O(n⁴). ``newton_euler`` and ``composite`` give the same
numbers far cheaper; this file is what they are checked against, and gives dM/dq.
"""

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import (
    UP,
    ZERO,
    add,
    column,
    cross,
    dot,
    into_axes,
    matmul,
    put,
    sub,
    three,
    vector,
)
from dynamics.kinematics import update_frames
from dynamics.work import make_work


class EulerLagrange(NamedTuple):
    """The terms of M qdd + C qd + g = tau."""

    mass_matrix: np.ndarray  # (..., n, n) rotor inertia included [kg·m²]
    coriolis_matrix: np.ndarray  # (..., n, n) from Christoffel symbols [kg·m²/s]
    gravity_torque: np.ndarray  # (..., n) [N·m]


class _Chain(NamedTuple):
    """The chain at one configuration, and what one of its links does, all in base axes.

    ``axis``, ``origin`` (n, 3) of the joints; ``velocity`` (n, 3) columns of J_v of a link's centre of
    mass; ``momentum`` (n, 3) I z_i; ``velocity_slope``, ``axis_slope`` (n, n, 3) [i, k], see above.
    """

    axis: np.ndarray
    origin: np.ndarray
    velocity: np.ndarray
    momentum: np.ndarray
    velocity_slope: np.ndarray
    axis_slope: np.ndarray


def euler_lagrange(arm: Arm, q: np.ndarray, qd: np.ndarray) -> EulerLagrange:
    """Mass matrix, Coriolis matrix and gravity torque from energies.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].

    Raises:
        BadInput: wrong shapes.

    Source: kebria2016 (8), (9), (10); the sign of the last Christoffel term in ragazzon2012 (3.6) and
    that of the potential energy in its (3.4) are wrong.
    """
    n = joint_count(arm)
    (q, qd), lead = as_rows(n, q=q, qd=qd)
    mass, slopes, gravity = _terms_batch(arm, q, make_work(n), _make_chain(n))
    coriolis = _christoffel_batch(slopes, qd)
    return EulerLagrange(mass.reshape(*lead, n, n), coriolis.reshape(*lead, n, n), gravity.reshape(*lead, n))


def euler_lagrange_torque(arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Torque that gives the arm an acceleration; equal to ``inverse_dynamics`` without a wrench.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].
        qdd: (..., n) joint accelerations [rad/s²].

    Returns:
        (..., n) tau = M qdd + C qd + g [N·m].

    Raises:
        BadInput: wrong shapes.

    Source: kebria2016 (6).
    """
    n = joint_count(arm)
    (q, qd, qdd), lead = as_rows(n, q=q, qd=qd, qdd=qdd)
    return _torque_batch(arm, q, qd, qdd, make_work(n), _make_chain(n)).reshape(*lead, n)


def mass_matrix_derivatives(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Exact derivatives of the mass matrix with respect to every joint angle.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].

    Returns:
        (..., n, n, n) with element [k, i, j] = dM_ij / dq_k [kg·m²/rad].

    Raises:
        BadInput: wrong shape.

    Source: kebria2016 (8), differentiated.
    """
    n = joint_count(arm)
    (rows,), lead = as_rows(n, q=q)
    return _terms_batch(arm, rows, make_work(n), _make_chain(n))[1].reshape(*lead, n, n, n)


def _make_chain(n: int) -> _Chain:
    rows, square = np.zeros((4, n, 3)), np.zeros((2, n, n, 3))
    return _Chain(*rows, *square)


@kernel
def _place_joints(arm, work, chain):
    """Axes and origins of the joints, with the offsets that the equations of motion use."""
    axis, origin = UP, ZERO
    for i in range(chain.axis.shape[0]):
        put(chain.axis, i, 0, axis)
        put(chain.origin, i, 0, origin)
        turn = work.rotation[i]
        axis, origin = column(turn, 2), add(origin, matmul(turn, vector(arm.dynamics_offset, i, 0)))


@kernel
def _move_link(arm, work, chain, link):
    """J_v of the link's centre of mass and I z_i, for the joints i that move the link."""
    turn = work.rotation[link]
    reach = add(vector(arm.dynamics_offset, link, 0), vector(arm.center_of_mass, link, 0))
    center = add(vector(chain.origin, link, 0), matmul(turn, reach))
    for i in range(link + 1):
        axis = vector(chain.axis, i, 0)
        put(chain.velocity, i, 0, cross(axis, sub(center, vector(chain.origin, i, 0))))
        put(chain.momentum, i, 0, matmul(turn, matmul(arm.inertia[link], into_axes(turn, axis))))


@kernel
def _differentiate_link(chain, link):
    """How column i of J_v, and axis i as the link sees it, change as joint k turns."""
    axis, velocity = chain.axis, chain.velocity
    for i in range(link + 1):
        for k in range(link + 1):
            slope = cross(vector(axis, min(i, k), 0), vector(velocity, max(i, k), 0))
            put(chain.velocity_slope[i], k, 0, slope)
            put(chain.axis_slope[i], k, 0, cross(vector(axis, i, 0), vector(axis, k, 0)) if k > i else ZERO)


@inlined
def _product(a, i, b, j):
    """Scalar product of row i of one array and row j of another."""
    return dot(vector(a, i, 0), vector(b, j, 0))


@kernel
def _add_link(chain, link, mass, matrix):
    """Add m J_v^T J_v + J_w^T I J_w to ``matrix`` (8)."""
    velocity, momentum, axis = chain.velocity, chain.momentum, chain.axis
    for i in range(link + 1):
        for j in range(link + 1):
            matrix[i, j] += mass * _product(velocity, i, velocity, j) + _product(axis, i, momentum, j)


@kernel
def _add_link_slopes(chain, link, mass, slopes):
    """Add the derivatives of what ``_add_link`` adds to ``slopes`` [k, i, j]."""
    velocity, momentum = chain.velocity, chain.momentum
    moving, turning = chain.velocity_slope, chain.axis_slope
    for k in range(link + 1):
        for i in range(link + 1):
            for j in range(i + 1):
                slope = mass * (_product(moving[i], k, velocity, j) + _product(velocity, i, moving[j], k))
                slope += _product(turning[i], k, momentum, j) + _product(momentum, i, turning[j], k)
                slopes[k, i, j] += slope
                if j < i:
                    slopes[k, j, i] += slope


@kernel
def _update_terms(arm, q, work, chain, matrix, slopes, gravity):
    """Write M to ``matrix``, dM/dq to ``slopes`` and g to ``gravity``."""
    matrix[:], slopes[:], gravity[:] = 0.0, 0.0, 0.0
    update_frames(arm, q, work)
    _place_joints(arm, work, chain)
    for link in range(q.size):
        mass = arm.mass[link]
        _move_link(arm, work, chain, link)
        _differentiate_link(chain, link)
        _add_link(chain, link, mass, matrix)
        _add_link_slopes(chain, link, mass, slopes)
        matrix[link, link] += arm.rotor_inertia[link]
        for i in range(link + 1):
            gravity[i] -= mass * dot(three(arm.gravity, 0), vector(chain.velocity, i, 0))


@kernel
def _christoffel(slopes, qd, out):
    """Write C of (9): c_ij = sum over k of (dM_ij/dq_k + dM_ik/dq_j - dM_kj/dq_i) qd_k / 2."""
    n = qd.size
    for i in range(n):
        for j in range(n):
            out[i, j] = 0.0
            for k in range(n):
                out[i, j] += 0.5 * (slopes[k, i, j] + slopes[j, i, k] - slopes[i, k, j]) * qd[k]


@kernel
def _terms_batch(arm, q, work, chain):
    size, n = q.shape
    matrix, slopes, gravity = np.empty((size, n, n)), np.empty((size, n, n, n)), np.empty((size, n))
    for row in range(size):
        _update_terms(arm, q[row], work, chain, matrix[row], slopes[row], gravity[row])
    return matrix, slopes, gravity


@kernel
def _christoffel_batch(slopes, qd):
    size, n = qd.shape
    out = np.empty((size, n, n))
    for row in range(size):
        _christoffel(slopes[row], qd[row], out[row])
    return out


@kernel
def _torque_batch(arm, q, qd, qdd, work, chain):
    size, n = q.shape
    matrix, slopes, coriolis = np.empty((n, n)), np.empty((n, n, n)), np.empty((n, n))
    out = np.empty((size, n))
    for row in range(size):
        _update_terms(arm, q[row], work, chain, matrix, slopes, out[row])
        _christoffel(slopes, qd[row], coriolis)
        out[row] += matrix @ qdd[row] + coriolis @ qd[row]
    return out
