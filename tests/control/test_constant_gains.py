"""Constants in place of the mass matrix: those of the arm at hand, and what the matrix is worth (ragazzon2012 5.2)."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scenes import OMEGA, simulation

from dynamics import inverse_dynamics, jacobian, load_arm
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.work import make_work
from hopfield_nav import load_world
from hopfield_nav.control.constant_gains import (
    DOCUMENT_GAIN,
    DOCUMENT_OMEGA,
    explained_share,
    fit_gain,
    gains_of_arm,
    sample_contacts,
    settled_error,
)
from hopfield_nav.control.estimators import joint_error, joint_error_plain
from hopfield_nav.control.laws.inverse_dynamics import OMEGA as OMEGA_OF_LAW
from hopfield_nav.plugin import Gains, find_method, make_sensed
from hopfield_nav.world import remarks, start_of_arm

POSES = 1000
START = (2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905)  # [rad] of ragazzon2012 chapter 7


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
    q, true = sample_contacts(arm, POSES, 0.5, START)
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
    q, true = sample_contacts(arm, POSES, 0.5, START)
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
    q, true = sample_contacts(arm, 200, 0.5, START)
    error = settled_error(arm, q, true, OMEGA)
    gain = fit_gain(arm, q, true, OMEGA)
    inverse = np.linalg.inv(jacobian(arm, q)).transpose(0, 2, 1)

    def squares(k):
        return ((np.einsum("kij,kj->ki", inverse, k * error) - true) ** 2).sum()

    for i in range(6):
        for factor in (0.9, 1.1):
            assert squares(gain * np.where(np.arange(6) == i, factor, 1.0)) > squares(gain)


def test_the_gains_of_the_documents_arm_are_the_fit():
    assert OMEGA_OF_LAW.default == DOCUMENT_OMEGA
    arm = load_arm("ur5_ragazzon2012")
    fitted = np.maximum(fit_gain(arm, *sample_contacts(arm, POSES, 0.5, START), OMEGA), 0.0)
    np.testing.assert_allclose(DOCUMENT_GAIN, fitted, atol=0.06)
    assert gains_of_arm(arm, np.array(START), Gains(OMEGA**2, 2 * OMEGA)) == DOCUMENT_GAIN


def test_a_settled_error_is_one_that_the_loop_holds():
    """Inverse dynamics at rest: M (-K0 q~) + g + J^T F = g."""
    arm = load_arm("ur5_controller")
    q, wrench = sample_contacts(arm, 5, 1.0, START)
    error, still = settled_error(arm, q, wrench, OMEGA), np.zeros_like(q)
    torque = inverse_dynamics(arm, q, still, -(OMEGA**2) * error)
    np.testing.assert_allclose(
        inverse_dynamics(arm, q, still, still),
        torque + np.einsum("kij,ki->kj", jacobian(arm, q), wrench),
        atol=1e-9,
    )


STANDING = """
arm: {arm}
controller: {{omega: {omega}}}
detection: {{estimator: {estimator}, measure: force_norm, threshold: 1.0e5}}
pushes: [{{link: 6, times: [0.1, 0.3, 20, 21], force: [0.08, -0.05, 0.06]}}]
time_limit: 3
"""


def felt(arm, omega, estimator="joint_error_plain"):
    """Estimated and true torque (n,) on the joints of an arm that stands and is pushed for good, once it rests."""
    text = STANDING.format(arm=arm, omega=omega, estimator=estimator)
    data = simulation(text).run().data
    return data.tau_external_estimate.values[-1], data.tau_external.values[-1]


@pytest.mark.parametrize("estimator", ["joint_error_plain", "tracking_error"])
def test_what_is_felt_of_a_lasting_push_does_not_follow_omega(estimator):
    """So a sweep over omega does not sweep the threshold too."""
    usual, _ = felt("ur5_ragazzon2012", OMEGA.tolist(), estimator)
    slower, _ = felt("ur5_ragazzon2012", 15, estimator)
    np.testing.assert_allclose(slower, usual, rtol=0, atol=0.02 * np.abs(usual).max())


def test_gains_follow_the_arm():
    """With rotors M is nearly constant, and so are the best constants."""
    found, true = felt("ur5_full", OMEGA.tolist())
    assert np.linalg.norm(found - true) < 0.2 * np.linalg.norm(true)


@pytest.mark.parametrize("name", ["panda", "ur5e"])
def test_an_arm_that_constants_do_not_explain_is_refused_with_the_way_out(name):
    settings = ["detection={estimator: joint_error_plain, measure: force_norm}"]
    with refused(r"detection\.gain: .*constants explain \d+% .*numbers of your own.*joint_error"):
        simulation(f"arm: {name}\ndetection: {{estimator: joint_error_plain}}\ntime_limit: 1\n")
    arm = load_arm(name)
    pose, unit = np.array(start_of_arm(arm)), np.ones(len(arm.dh))
    q, wrench = sample_contacts(arm, 200, 0.5, pose)
    best = fit_gain(arm, q, wrench, unit)
    assert explained_share(arm, q, wrench, unit, best) < 0.5
    given = load_world({"format": 1, "arm": name}, [*settings, "detection.gain=100"])
    assert given.detection.parameters["gain"] == 100.0


def test_a_law_without_gains_is_refused_with_the_way_out():
    with refused("detection.gain: .*gains of the control law, which are not known.*numbers"):
        simulation("controller: {law: lqr}\ndetection: {estimator: joint_error_plain}\n")
    with refused("gain: follows from the arm and its control law"):
        joint_error_plain.METHOD.pack({}, 6)


def test_a_replay_follows_the_gains_of_its_world():
    from hopfield_nav.extensions.recordings import signals_of_run
    from hopfield_nav.extensions.recordings.chosen import choose

    world = load_world("ragazzon2012", ["controller.omega=15"])
    chosen = choose(world, "force_norm", "joint_error_plain", None, {}, None)
    wanted = np.array(DOCUMENT_GAIN) * 15.0**2 / OMEGA**2
    np.testing.assert_allclose(chosen.values["gain"], wanted, rtol=1e-12)
    alone = choose(None, "force_norm", "joint_error_plain", "ur5_controller", {}, None)
    with refused("gain: .*gains of the control law, which are not known"):
        alone.replay(signals_of_run(simulation("time_limit: 0.01\n").run()))


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"controller": {"law": "lqr"}}, "controller.torque_weight of lqr"),
        (
            {"detection": {"measure": "adaptive_high_pass"}},
            "detection.threshold of adaptive_high_pass",
        ),
    ],
)
def test_a_default_that_is_good_for_one_arm_alone_is_named_with_another(given, key):
    assert remarks(load_world({"format": 1, "arm": "ur5_ragazzon2012", **given})) == []
    (said,) = remarks(load_world({"format": 1, "arm": "ur5_full", **given}))
    assert said.startswith(f"{key} has its default, which was found for ur5_ragazzon2012")
    section, method = next(iter(given.items()))
    (name,) = method.values()
    parameter = next(
        p
        for p in find_method(
            "controller" if section == "controller" else "detector", name
        ).parameters
        if p.fitted_to
    )
    own = [2.0 * value for value in parameter.default]
    told = {section: {**method, parameter.name: own}}
    assert remarks(load_world({"format": 1, "arm": "ur5_full", **told})) == []
