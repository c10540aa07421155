"""Derivatives of the dynamics against Pinocchio, differences of the kernels, and their own laws."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from made_up_arms import random_arm
from oracles import largest_relative_error, pinocchio_model, random_states

from dynamics import (
    coriolis_matrix,
    forward_dynamics,
    forward_dynamics_derivatives,
    gravity_torque,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    load_arm,
    mass_matrix,
)
from dynamics.composite import update_mass_and_bias
from dynamics.derivative_passes import make_slopes
from dynamics.derivatives import update_acceleration_slopes
from dynamics.kinematics import update_frames
from dynamics.work import make_work


def _pinocchio(function, arm, *arrays):
    """Three stacks (count, n, n); Pinocchio fills the upper triangle of the third, which is symmetric."""
    model, data = pinocchio_model(arm)
    found = [
        [np.array(part) for part in function(model, data, *rows)]
        for rows in zip(*arrays, strict=True)
    ]
    q, qd, third = (np.array(part) for part in zip(*found, strict=True))
    upper = np.triu(third)
    return q, qd, upper + np.swapaxes(np.triu(third, 1), 1, 2)


def _central(function, arrays, which, step=1e-5):
    """(count, n, n) fourth-order central differences with respect to one of the arrays."""
    columns = []
    for unit in np.eye(arrays[0].shape[1]):
        at = [
            function(*[a + k * step * unit if i == which else a for i, a in enumerate(arrays)])
            for k in (-2, -1, 1, 2)
        ]
        columns.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step))
    return np.stack(columns, axis=-1)


LAWS = {
    "inverse": (inverse_dynamics_derivatives, pin.computeRNEADerivatives, "qdd", 1e-13),
    # the mass matrix of the UR5 has a condition of 1e5, which both solutions feel
    "forward": (forward_dynamics_derivatives, pin.computeABADerivatives, "tau", 1e-11),
}
LAW = pytest.mark.parametrize(("law", "reference", "third", "tolerance"), LAWS.values(), ids=LAWS)


@LAW
def test_derivatives_are_pinocchio_s(arm, law, reference, third, tolerance):
    s = random_states(6, 50, seed=1)
    state = s.q, s.qd, getattr(s, third)
    for ours, theirs in zip(law(arm, *state), _pinocchio(reference, arm, *state), strict=True):
        assert largest_relative_error(ours, theirs) < tolerance


@LAW
@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
def test_any_number_of_joints(n, law, reference, third, tolerance):
    arm, s = random_arm(n), random_states(n, 20, seed=n)
    state = s.q, s.qd, getattr(s, third)
    for ours, theirs in zip(law(arm, *state), _pinocchio(reference, arm, *state), strict=True):
        allowed = 10 * tolerance * (np.abs(theirs).max() + 1)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=allowed)


def test_inverse_dynamics_derivatives_are_central_differences(arm):
    """The as-printed set too: what is differentiated is the torque that the package computes."""
    s = random_states(6, 30, seed=3)
    arrays = (s.q, s.qd, s.qdd)
    found = inverse_dynamics_derivatives(arm, *arrays)
    for which, ours in enumerate(found):
        expected = _central(lambda *x: inverse_dynamics(arm, *x), arrays, which, 1e-3)
        assert largest_relative_error(ours, expected) < 1e-9


def test_forward_dynamics_derivatives_are_central_differences(arm):
    s = random_states(6, 30, seed=4)
    arrays = (s.q, s.qd, s.tau)
    for which, ours in enumerate(forward_dynamics_derivatives(arm, *arrays)):
        expected = _central(lambda *x: forward_dynamics(arm, *x), arrays, which, 1e-3)
        assert largest_relative_error(ours, expected) < 1e-7


def test_derivative_by_velocity_is_the_coriolis_matrix_at_rest_and_twice_it_along_qd(arm):
    """C qd is quadratic in qd: its derivative times qd is twice C qd, and vanishes at rest."""
    s = random_states(6, 20, seed=5)
    by_qd = inverse_dynamics_derivatives(arm, s.q, s.qd, s.qdd).qd
    coriolis = np.einsum("kij,kj->ki", coriolis_matrix(arm, s.q, s.qd), s.qd)
    np.testing.assert_allclose(
        np.einsum("kij,kj->ki", by_qd, s.qd), 2 * coriolis, rtol=1e-9, atol=1e-10
    )
    assert np.abs(inverse_dynamics_derivatives(arm, s.q, 0 * s.qd, s.qdd).qd).max() < 1e-13


def test_stiffness_at_rest_is_symmetric_and_blind_to_joint_1(arm):
    """dg/dq is the Hessian of the potential; turning about the vertical changes no torque."""
    q = random_states(6, 20, seed=6).q
    stiffness = inverse_dynamics_derivatives(arm, q, 0 * q, 0 * q).q
    np.testing.assert_allclose(stiffness, np.swapaxes(stiffness, 1, 2), atol=1e-12)
    assert np.abs(stiffness[:, :, 0]).max() < 1e-13


def test_the_two_are_each_other_s_inverse(arm):
    """tau and qdd of one state: d qdd/d q = -M^-1 d tau/d q, and M times d qdd/d tau is one."""
    s = random_states(6, 20, seed=7)
    qdd = forward_dynamics(arm, s.q, s.qd, s.tau)
    torque = inverse_dynamics_derivatives(arm, s.q, s.qd, qdd)
    acceleration = forward_dynamics_derivatives(arm, s.q, s.qd, s.tau)
    np.testing.assert_allclose(
        mass_matrix(arm, s.q) @ acceleration.tau, np.tile(np.eye(6), (20, 1, 1)), atol=1e-9
    )
    assert largest_relative_error(-torque.qdd @ acceleration.q, torque.q) < 1e-9
    assert largest_relative_error(-torque.qdd @ acceleration.qd, torque.qd) < 1e-9


def test_batches_keep_their_leading_dimensions():
    arm, q = load_arm("ur5e"), np.zeros((2, 3, 6))
    found = forward_dynamics_derivatives(arm, q, np.ones(6), gravity_torque(arm, q))
    assert {part.shape for part in found} == {(2, 3, 6, 6)}


@pytest.mark.kernel
def test_the_kernel_is_the_batch():
    arm, s = load_arm("ur5_ragazzon2012"), random_states(6, 1, seed=8)
    work, slopes = make_work(6), make_slopes(6)
    _slopes_at(arm, s.q[0], s.qd[0], s.tau[0], work, slopes)
    expected = forward_dynamics_derivatives(arm, s.q[0], s.qd[0], s.tau[0])
    for ours, theirs in zip((slopes.qdd_q, slopes.qdd_qd, slopes.qdd_tau), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        slopes.qdd, forward_dynamics(arm, s.q[0], s.qd[0], s.tau[0]), rtol=1e-10
    )


def _slopes_at(arm, q, qd, tau, work, slopes):
    update_frames(arm, q, work)
    update_mass_and_bias(arm, arm.gravity, qd, work)
    update_acceleration_slopes(arm, qd, tau, work, slopes)
