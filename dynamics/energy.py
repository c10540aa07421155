"""Kinetic and potential energy, and where the power goes.

The energies are summed link by link, from the velocities of the links and the heights of their centres of mass, not
from M: they check the equations of motion, which come from elsewhere.
"""

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows, rows_like
from dynamics.forward import forward_dynamics
from dynamics.kinematics import jacobian
from dynamics.lagrange import dynamic_chain, euler_lagrange


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
    """Where the power of motors and world goes, as the arm moves freely under them at q, qd, tau (..., n).

    The acceleration comes from ``forward_dynamics``, M and dM/dt from ``euler_lagrange``: that both sides agree is a
    check of the equations of motion, not an identity of this function. The wrench (..., 6) is what the world exerts
    on the tool, in base axes [N, N·m]. An arm whose dynamic offsets differ from its kinematics (the as-printed set)
    is pushed at the tool point of its kinematics.

    Source: kebria2016 (6), with dM/dt - 2 C skew-symmetric.
    """
    (q, qd, tau), lead = as_rows(joint_count(arm), q=q, qd=qd, tau=tau)
    outside = np.zeros((len(q), 6)) if wrench is None else rows_like(wrench, 6, "wrench", lead)
    qdd = forward_dynamics(arm, q, qd, tau, outside)
    terms = euler_lagrange(arm, q, qd)
    rate = terms.coriolis_matrix + np.swapaxes(terms.coriolis_matrix, 1, 2)
    tool = np.einsum("kij,kj->ki", jacobian(arm, q), qd)
    powers = (
        np.einsum("ki,kij,kj->k", qd, terms.mass_matrix, qdd) + np.einsum("ki,kij,kj->k", qd, rate, qd) / 2,
        np.einsum("ki,ki->k", qd, terms.gravity_torque),
        np.einsum("ki,ki->k", qd, tau),
        np.einsum("ki,ki->k", tool, outside),
    )
    return PowerBalance(*(power.reshape(lead)[()] for power in powers))
