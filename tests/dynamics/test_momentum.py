"""Generalised momentum against M qd, C^T qd - g, and the gradient of the kinetic energy."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import coriolis_matrix, gravity_torque, mass_matrix
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames
from dynamics.momentum import update_momentum
from dynamics.work import make_work

pytestmark = pytest.mark.kernel


@kernel
def _of_rows(arm, q, qd, work, momentum, rate):
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        update_momentum(arm, arm.gravity, qd[row], work, momentum[row], rate[row])


def generalized_momentum(arm, q, qd):
    """p = M qd [N·m·s] and C^T qd - g [N·m] at states (k, n)."""
    momentum, rate = np.empty_like(q), np.empty_like(q)
    _of_rows(arm, q, qd, make_work(len(arm.dh)), momentum, rate)
    return momentum, rate


def states(n, count=50):
    rng = np.random.default_rng(3)
    return rng.uniform(-np.pi, np.pi, (count, n)), rng.uniform(-2, 2, (count, n))


def test_momentum_and_its_rate_are_those_of_the_matrices(arm):
    """Also for the set as printed: its equations have a kinetic energy of their own."""
    q, qd = states(len(arm.dh))
    p, rate = generalized_momentum(arm, q, qd)
    np.testing.assert_allclose(
        p, np.einsum("kij,kj->ki", mass_matrix(arm, q), qd), rtol=1e-10, atol=1e-10
    )
    turned = np.einsum("kji,kj->ki", coriolis_matrix(arm, q, qd), qd)
    np.testing.assert_allclose(rate, turned - gravity_torque(arm, q), rtol=1e-10, atol=1e-10)


def test_the_rate_is_the_gradient_of_kinetic_minus_potential_energy(rigid_arm):
    from dynamics import kinetic_energy, potential_energy

    q, qd = (x[0] for x in states(len(rigid_arm.dh), 1))
    h = 1e-6
    steps = h * np.eye(len(q))
    lagrangian = lambda x: kinetic_energy(rigid_arm, x, qd) - potential_energy(rigid_arm, x)  # noqa: E731
    slope = [(lagrangian(q + s) - lagrangian(q - s)) / (2 * h) for s in steps]
    np.testing.assert_allclose(
        generalized_momentum(rigid_arm, q[None], qd[None])[1][0], slope, atol=1e-7
    )


def test_an_arm_at_rest_has_none_and_falls(rigid_arm):
    q, _ = states(len(rigid_arm.dh), 1)
    p, rate = generalized_momentum(rigid_arm, q, np.zeros_like(q))
    assert not p.any()
    np.testing.assert_allclose(rate, -gravity_torque(rigid_arm, q), rtol=1e-10, atol=1e-10)


def test_gravity_need_not_point_down(rigid_arm):
    tilted = rigid_arm._replace(gravity=np.array([3.0, -5.0, 7.0]))
    q, qd = states(len(tilted.dh))
    turned = np.einsum("kji,kj->ki", coriolis_matrix(tilted, q, qd), qd)
    rate = generalized_momentum(tilted, q, qd)[1]
    np.testing.assert_allclose(rate, turned - gravity_torque(tilted, q), rtol=1e-10, atol=1e-10)
