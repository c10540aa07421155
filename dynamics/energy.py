"""Energies of an arm, where its power goes, and its equations of motion by Euler and Lagrange.

The energies are summed link by link, from the velocities of the links and the heights of their
centres of mass, not from M: they check the equations of motion, which come from elsewhere.

The equations are kebria2016 (6) to (10). M is the sum of m J_v^T J_v + J_w^T I J_w over the links,
with the Jacobians of their centres of mass (8). C comes from M by Christoffel symbols (9), with
exact derivatives: as joint k turns,

* column i of J_v, the velocity of the centre of mass, changes by z_min(i,k) × J_v,max(i,k);
* axis z_i as the link sees it changes by z_i × z_k if k > i, otherwise not at all.

g is the slope of the potential energy (10). Nothing is recursive: every link contributes to n³
derivatives, so n links cost O(n⁴). ``newton_euler`` and ``composite`` give the same numbers far
cheaper; these are what they are checked against, and give dM/dq.
"""

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows, rows_like
from dynamics.forward import forward_dynamics
from dynamics.kinematics import jacobian, link_frames


class PowerBalance(NamedTuple):
    """Powers at one instant [W], each (...); kinetic + potential = motors + external."""

    kinetic: np.ndarray  # rate of the kinetic energy, qd^T M qdd + qd^T (dM/dt) qd / 2
    potential: np.ndarray  # rate of the potential energy, qd^T g
    motors: np.ndarray  # qd^T tau
    external: np.ndarray  # what the wrench at the tool brings in, (J qd)^T wrench


def kinetic_energy(arm: Arm, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Kinetic energy (...) of links and rotors at q, qd (..., n) [rad, rad/s]: qd^T M qd / 2 [J].

    It is the sum of (m v² + w^T I w + I_rotor qd²) / 2.

    Source: kebria2016 (8); ragazzon2012 (3.3).
    """
    (q, qd), lead = as_rows(joint_count(arm), q=q, qd=qd)
    frames, centers = dynamic_chain(arm, q)
    angular = np.cumsum(frames[:, :-1, :3, 2] * qd[:, :, None], axis=1)
    ends = np.cumsum(np.cross(angular, np.diff(frames[:, :, :3, 3], axis=1)), axis=1)
    linear = ends + np.cross(angular, centers - frames[:, 1:, :3, 3])  # of the centres of mass
    seen = np.einsum("knij,kni->knj", frames[:, 1:, :3, :3], angular)
    twice = (
        np.einsum("n,kni,kni->k", arm.mass, linear, linear)
        + np.einsum("kni,nij,knj->k", seen, arm.inertia, seen)
        + np.einsum("n,kn->k", arm.rotor_inertia, qd**2)
    )
    return (twice / 2).reshape(lead)[()]


def potential_energy(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Potential energy (...) at q (..., n) [rad], minus the sum of m gravity · p [J].

    It is zero where every centre of mass is at the height of the base.

    Source: kebria2016 (10); ragazzon2012 (3.4) with its sign corrected.
    """
    (q,), lead = as_rows(joint_count(arm), q=q)
    _, centers = dynamic_chain(arm, q)
    return -np.einsum("n,kni,i->k", arm.mass, centers, arm.gravity).reshape(lead)[()]


def power_balance(
    arm: Arm, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, wrench: np.ndarray | None = None
) -> PowerBalance:
    """Where the power of motors and world goes, as the arm moves freely at q, qd, tau (..., n).

    The acceleration comes from ``forward_dynamics``, M and dM/dt from ``euler_lagrange``: that both
    sides agree is a check of the equations of motion, not an identity of this function. The wrench
    (..., 6) is what the world exerts on the tool, in base axes [N, N·m]. An arm whose dynamic
    offsets differ from its kinematics (the as-printed set) is pushed at the tool point of its
    kinematics.

    Source: kebria2016 (6), with dM/dt - 2 C skew-symmetric.
    """
    (q, qd, tau), lead = as_rows(joint_count(arm), q=q, qd=qd, tau=tau)
    outside = np.zeros((len(q), 6)) if wrench is None else rows_like(wrench, 6, "wrench", lead)
    qdd = forward_dynamics(arm, q, qd, tau, outside)
    terms = euler_lagrange(arm, q, qd)
    rate = terms.coriolis_matrix + np.swapaxes(terms.coriolis_matrix, 1, 2)
    tool = np.einsum("kij,kj->ki", jacobian(arm, q), qd)
    kinetic = np.einsum("ki,kij,kj->k", qd, terms.mass_matrix, qdd)
    kinetic = kinetic + np.einsum("ki,kij,kj->k", qd, rate, qd) / 2
    potential = np.einsum("ki,ki->k", qd, terms.gravity_torque)
    motors = np.einsum("ki,ki->k", qd, tau)
    external = np.einsum("ki,ki->k", tool, outside)
    return PowerBalance(
        kinetic=kinetic.reshape(lead)[()],
        potential=potential.reshape(lead)[()],
        motors=motors.reshape(lead)[()],
        external=external.reshape(lead)[()],
    )


class EulerLagrange(NamedTuple):
    """The terms of M qdd + C qd + g = tau."""

    mass_matrix: np.ndarray  # (..., n, n) rotor inertia included [kg·m²]
    coriolis_matrix: np.ndarray  # (..., n, n) from Christoffel symbols [kg·m²/s]
    gravity_torque: np.ndarray  # (..., n) [N·m]


def euler_lagrange(arm: Arm, q: np.ndarray, qd: np.ndarray) -> EulerLagrange:
    """Mass matrix, Coriolis matrix and gravity torque from energies, at q, qd (..., n).

    Source: kebria2016 (8), (9), (10); the sign of the last Christoffel term in ragazzon2012 (3.6)
    and that of the potential energy in its (3.4) are wrong.
    """
    n = joint_count(arm)
    (q, qd), lead = as_rows(n, q=q, qd=qd)
    mass, slopes, gravity = _terms(arm, q)
    coriolis = _christoffel(slopes, qd)
    return EulerLagrange(
        mass.reshape(*lead, n, n), coriolis.reshape(*lead, n, n), gravity.reshape(*lead, n)
    )


def euler_lagrange_torque(arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Torque (..., n) M qdd + C qd + g [N·m]; equal to ``inverse_dynamics`` without a wrench.

    Angles, velocities and accelerations are (..., n) [rad, rad/s, rad/s²].

    Source: kebria2016 (6).
    """
    n = joint_count(arm)
    (q, qd, qdd), lead = as_rows(n, q=q, qd=qd, qdd=qdd)
    mass, slopes, gravity = _terms(arm, q)
    turning = np.einsum("kij,kj->ki", _christoffel(slopes, qd), qd)
    return (np.einsum("kij,kj->ki", mass, qdd) + turning + gravity).reshape(*lead, n)


def mass_matrix_derivatives(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Exact derivatives (..., n, n, n) [k, i, j], dM_ij / dq_k at q (..., n) [kg·m²/rad].

    Source: kebria2016 (8), differentiated.
    """
    n = joint_count(arm)
    (rows,), lead = as_rows(n, q=q)
    return _terms(arm, rows)[1].reshape(*lead, n, n, n)


def dynamic_chain(arm: Arm, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frames (k, n + 1, 4, 4) and centres of mass (k, n, 3) [m] of the equations of motion."""
    frames = link_frames(arm._replace(offset=arm.dynamics_offset), q)
    origin = frames[:, 1:, :3, 3]
    turn = frames[:, 1:, :3, :3]
    return frames, origin + np.einsum("klij,lj->kli", turn, arm.center_of_mass)


def _terms(arm: Arm, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M (k, n, n), dM/dq (k, n, n, n) [joint, i, j] and g (k, n) of rows of joint angles (k, n).

    Axes of the arrays: k rows of q, l links, i and j joints, m the joint by which is derived, a the
    three coordinates.
    """
    size, n = q.shape
    frames, centers = dynamic_chain(arm, q)
    axis = frames[:, :-1, :3, 2]  # (k, i, a)
    origin = frames[:, :-1, :3, 3]
    turn = frames[:, 1:, :3, :3]
    moves = np.tri(n).T[:, :, None]  # (i, l, 1): joint i moves link l

    # J_v (k, i, l, a): columns of the Jacobians of all centres of mass
    velocity = moves * np.cross(axis[:, :, None], centers[:, None] - origin[:, :, None])
    weighted = (arm.mass[:, None] * velocity).reshape(size, n, 3 * n).swapaxes(1, 2)
    # I J_w of each link, summed from link m to the last one (k, m, i, a)
    inertia = turn @ arm.inertia @ turn.swapaxes(2, 3)
    momentum = moves.swapaxes(0, 1) * np.einsum("klab,kib->klia", inertia, axis)
    behind = np.cumsum(momentum[:, ::-1], axis=1)[:, ::-1]
    # (8): the links' sums of m J_v^T J_v and J_w^T I J_w
    linear = velocity.reshape(size, n, 3 * n) @ weighted
    angular = np.einsum("kia,kija->kij", axis, behind)
    mass_matrix = linear + angular + np.diag(arm.rotor_inertia)

    # dJ_v/dq_m (k, m, i, l, a), and how the links see axis i change with joint m (k, m, i, a)
    joints = np.arange(n)
    first = np.minimum.outer(joints, joints)
    last = np.maximum.outer(joints, joints)
    velocity_slope = np.cross(axis[:, first, None], velocity[:, last])
    axis_slope = np.cross(axis[:, None], axis[:, :, None]) * np.tri(n, k=-1)[..., None]
    # dM/dq_m is this and its transpose
    half = velocity_slope.reshape(size, n, n, 3 * n) @ weighted[:, None]
    half = half + axis_slope @ behind.swapaxes(2, 3)

    gravity = -np.einsum("l,kila,a->ki", arm.mass, velocity, arm.gravity)
    return mass_matrix, half + half.swapaxes(2, 3), gravity


def _christoffel(slopes: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """C (k, n, n) of (9): c_ij = sum over m of (dM_ij/dq_m + dM_im/dq_j - dM_mj/dq_i) qd_m / 2."""
    symbols = slopes + np.einsum("kjim->kmij", slopes) - np.einsum("kimj->kmij", slopes)
    return np.einsum("kmij,km->kij", symbols, qd) / 2
