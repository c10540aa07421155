"""The document's claim that the mass matrix improves the estimate (ragazzon2012 5.2)."""

from __future__ import annotations

import numpy as np
import pytest
from ragazzon2012.plain_gain import fit_gain, sample_contacts, settled_error
from refusals import refused
from scenes import OMEGA, PLANAR

from dynamics import inverse_dynamics, jacobian, load_arm
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.work import make_work
from hopfield_nav.control.estimators import joint_error, joint_error_plain
from hopfield_nav.plugin import make_sensed

POSES = 1000


def wrenches(arm, estimator, q, error, **values):
    """Estimates (k, 6) at poses with a settled joint error."""
    parameters = estimator.METHOD.pack({"singular_damping": 0.0, **values}, 6)
    sensed, work, found = make_sensed(6), make_work(6), np.zeros((len(q), 6))
    for k in range(len(q)):
        sensed.q[:], sensed.q_ref[:] = q[k], q[k] - error[k]
        update_frames(arm, q[k], work)
        update_tool_position(arm, work)
        estimator.METHOD.kernel(arm, sensed, parameters, np.zeros(0), work, np.zeros(6), found[k])
    return found


def share_of_error(found, true):
    return np.median(np.linalg.norm(found - true, axis=1) / np.linalg.norm(true, axis=1))


@pytest.mark.parametrize(("name", "least"), [("ur5_ragazzon2012", 0.5), ("ur5_controller", 0.1)])
def test_the_mass_matrix_improves_the_estimate_at_1000_poses(name, least):
    """The constants are fitted on these very contacts. Rotors make M less dependent on the pose."""
    arm = load_arm(name)
    q, true = sample_contacts(arm, POSES, spread=0.5)
    error = settled_error(arm, q, true, OMEGA)
    gain = np.maximum(fit_gain(arm, q, true, OMEGA), 0.0)
    plain = share_of_error(wrenches(arm, joint_error_plain, q, error, gain=tuple(gain)), true)
    with_matrix = share_of_error(
        wrenches(arm, joint_error, q, error, position_gain=tuple(OMEGA**2)), true
    )
    assert plain > least
    assert with_matrix < 1e-6


def test_it_does_so_with_masses_that_are_wrong_by_a_tenth():
    arm = load_arm("ur5_ragazzon2012")
    rng = np.random.default_rng(0)
    q, true = sample_contacts(arm, POSES, spread=0.5)
    scale = 1 + 0.1 * rng.choice([-1, 1], 6)
    model = arm._replace(mass=arm.mass * scale, inertia=arm.inertia * scale[:, None, None])
    error = settled_error(model, q, true, OMEGA)  # the controller has the wrong model
    found = wrenches(arm, joint_error, q, error, position_gain=tuple(OMEGA**2))
    plain = wrenches(
        arm, joint_error_plain, q, error, gain=tuple(np.maximum(fit_gain(arm, q, true, OMEGA), 0.0))
    )
    assert share_of_error(found, true) < 0.2 < 0.5 < share_of_error(plain, true)


def test_no_other_constants_are_better():
    arm = load_arm("ur5_ragazzon2012")
    q, true = sample_contacts(arm, 200, spread=0.5)
    error = settled_error(arm, q, true, OMEGA)
    gain = fit_gain(arm, q, true, OMEGA)
    inverse = np.linalg.inv(jacobian(arm, q)).transpose(0, 2, 1)

    def squares(k):
        return ((np.einsum("kij,kj->ki", inverse, k * error) - true) ** 2).sum()

    for i in range(6):
        for factor in (0.9, 1.1):
            assert squares(gain * np.where(np.arange(6) == i, factor, 1.0)) > squares(gain)


def test_the_defaults_are_the_fit():
    arm = load_arm("ur5_ragazzon2012")
    fitted = np.maximum(fit_gain(arm, *sample_contacts(arm, POSES, spread=0.5), OMEGA), 0.0)
    np.testing.assert_allclose(joint_error_plain.GAIN.default, fitted, atol=0.06)


def test_a_settled_error_is_one_that_the_loop_holds():
    """Inverse dynamics at rest: M (-K0 q~) + g + J^T F = g."""
    arm = load_arm("ur5_controller")
    q, wrench = sample_contacts(arm, 5, spread=1.0)
    error, still = settled_error(arm, q, wrench, OMEGA), np.zeros_like(q)
    torque = inverse_dynamics(arm, q, still, -(OMEGA**2) * error)
    np.testing.assert_allclose(
        inverse_dynamics(arm, q, still, still),
        torque + np.einsum("kij,ki->kj", jacobian(arm, q), wrench),
        atol=1e-9,
    )


def test_the_fit_is_for_six_joints(tmp_path):
    (tmp_path / "planar.yaml").write_text(PLANAR)
    with refused("six joints"):
        fit_gain(load_arm("planar.yaml", tmp_path), np.zeros((1, 3)), np.zeros((1, 6)), np.ones(3))
