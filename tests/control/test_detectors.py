"""Force estimate and alarm level: exact where they can be, damped and finite near singularities."""

from __future__ import annotations

import numpy as np
import pytest
from poses import HOME
from scenes import OMEGA, PLANAR, push_with_force, simulation

from dynamics import jacobian, load_arm, mass_matrix
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.work import make_work
from hopfield_nav.control.detectors import force_norm, wrench_norm
from hopfield_nav.control.estimators import joint_error, none
from hopfield_nav.control.sampling import SAMPLING, elapsed
from hopfield_nav.plugin import DAMPED, make_sensed

ARM = load_arm("ur5_ragazzon2012")
LIMIT = 1e-3  # m³


def estimate(q, wrench, limit=LIMIT, arm=ARM, omega=OMEGA):
    """What is estimated of a constant wrench once the joint error it causes has settled."""
    q = np.asarray(q, dtype=float)
    n = len(q)
    sensed, work, torque, found = make_sensed(n), make_work(n), np.zeros(n), np.zeros(6)
    sensed.q[:] = q
    sensed.q_ref[:] = (
        q - np.linalg.solve(mass_matrix(arm, q), jacobian(arm, q).T @ wrench) / omega**2
    )
    update_frames(arm, q, work)
    update_tool_position(arm, work)
    status = joint_error.estimate(
        arm, sensed, np.array([*omega**2, limit]), np.zeros(0), work, torque, found
    )
    return found, torque, status


def level(detector, wrench, threshold=12.0):
    return detector.detect(
        ARM,
        make_sensed(6),
        np.array([threshold]),
        np.zeros(0),
        make_work(6),
        np.zeros(6),
        np.asarray(wrench, float),
    )


@pytest.mark.kernel
def test_a_settled_wrench_is_estimated_exactly_away_from_singularities():
    rng = np.random.default_rng(5)
    for q in (HOME, *(HOME + 0.2 * rng.normal(size=(5, 6)))):
        assert abs(np.linalg.det(jacobian(ARM, q))) > LIMIT
        wrench = rng.normal(size=6) * [20, 20, 20, 2, 2, 2]
        found, torque, status = estimate(q, wrench)
        assert status == 0
        np.testing.assert_allclose(found, wrench, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(torque, jacobian(ARM, q).T @ wrench, rtol=1e-6, atol=1e-6)


NEAR = {"wrist": [0.3, -1.2, 1.4, 0.2, 1e-3, 0.1], "elbow": [0.3, -1.2, 1e-3, 0.2, 1.0, 0.1]}


@pytest.mark.kernel
@pytest.mark.parametrize("q", NEAR.values(), ids=NEAR.keys())
def test_near_a_singularity_the_estimate_is_damped_and_bounded(q):
    wrench = np.array([10.0, -20.0, 15.0, 1.0, 2.0, -1.0])
    found, _, status = estimate(q, wrench)
    assert status == DAMPED
    # the damped inverse never amplifies
    assert np.linalg.norm(found) <= 1.001 * np.linalg.norm(wrench)


@pytest.mark.kernel
def test_a_torque_that_no_wrench_explains_is_amplified_without_damping_only():
    """Noise of 0.1 N·m at 1e-4 rad from the wrist singularity: with and without the protection."""
    q = np.array([0.3, -1.2, 1.4, 0.2, 1e-4, 0.1])

    def of_noise(limit):
        sensed, work, found = make_sensed(6), make_work(6), np.zeros(6)
        sensed.q[:] = q
        sensed.q_ref[:] = (
            q
            - np.linalg.solve(mass_matrix(ARM, q), np.array([0.1, -0.1, 0.1, -0.1, 0.1, 0.1]))
            / OMEGA**2
        )
        update_frames(ARM, q, work)
        update_tool_position(ARM, work)
        joint_error.estimate(
            ARM, sensed, np.array([*OMEGA, limit]), np.zeros(0), work, np.zeros(6), found
        )
        return np.linalg.norm(found)

    assert of_noise(0.0) > 100
    assert of_noise(LIMIT) < 10


@pytest.mark.kernel
def test_damping_sets_in_without_a_step():
    """Just inside the limit the estimate is nearly the exact one."""
    q = np.array([0.3, -1.2, 1.4, 0.2, 0.5, 0.1])
    limit = abs(np.linalg.det(jacobian(ARM, q))) * (1 + 1e-6)
    wrench = np.array([10.0, -20.0, 15.0, 1.0, 2.0, -1.0])
    found, _, status = estimate(q, wrench, limit)
    assert status == DAMPED
    np.testing.assert_allclose(found, wrench, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    "q", [np.zeros(6), [0.3, -1.0, 0.0, 0.2, 0.5, 0.0], [0.3, -1.0, 1.0, 0.2, 0.0, 0.0]]
)
@pytest.mark.parametrize("limit", [0.0, 1e-13, LIMIT])
def test_exactly_at_a_singularity_the_estimate_is_finite(q, limit):
    found, _, status = estimate(q, np.array([10.0, -20.0, 15.0, 1.0, 2.0, -1.0]), limit)
    assert np.isfinite(found).all()
    # 0 switches the damping off; rounding leaves no exact zero
    assert status == DAMPED or limit < LIMIT


@pytest.mark.parametrize("limit", [0.0, LIMIT])
def test_an_arm_with_three_joints_feels_what_it_can(tmp_path, limit):
    """Rows of its Jacobian are zero: the estimate was NaN here, and nothing was ever detected."""
    (tmp_path / "planar.yaml").write_text(PLANAR)
    arm = load_arm("planar.yaml", tmp_path)
    found, _, status = estimate(
        [0.3, 0.5, 0.4], np.array([10.0, -20.0, 0, 0, 0, 0]), limit, arm, np.full(3, 20.0)
    )
    assert status == DAMPED
    np.testing.assert_allclose(found[:2], [10.0, -20.0], rtol=0.3)
    np.testing.assert_allclose(found[2:5], 0.0, atol=1e-9)


@pytest.mark.kernel
def test_wrench_norm_mixes_in_the_moment_and_force_norm_does_not():
    wrench = [3.0, 4.0, 12.0, 8.0, 0.0, 6.0]  # a force of 13 N and a moment of 10 N·m
    assert level(force_norm, wrench, 13.0) == pytest.approx(1.0, rel=1e-12)
    assert level(wrench_norm, wrench, np.sqrt(269.0)) == pytest.approx(1.0, rel=1e-12)
    moment = [0, 0, 0, 8.0, 0.0, 6.0]
    assert level(force_norm, moment) == 0.0
    assert level(wrench_norm, moment, 10.0) == pytest.approx(1.0)


@pytest.mark.kernel
def test_nothing_is_nothing():
    torque, wrench = np.ones(6), np.ones(6)
    assert (
        none.estimate(ARM, make_sensed(6), np.zeros(0), np.zeros(0), make_work(6), torque, wrench)
        == 0
    )
    assert not torque.any()
    assert not wrench.any()


# --- in the closed loop
# --------------------------------------------------------------------------------


def test_a_constant_force_is_known_when_the_arm_has_come_to_rest():
    sim = simulation("detection: {threshold: 1000}\ntime_limit: 5\nrecord: {signals: none}\n")
    push_with_force(sim, (6.0, -8.0))
    sim.step(3.0)
    truth = np.append(sim.state.truth.touch.force, np.zeros(3))
    assert np.abs(sim.state.qd).max() < 1e-12
    np.testing.assert_allclose(truth[:2], [6.0, -8.0], rtol=1e-6)
    assert np.linalg.norm(sim.state.control.belief.wrench - truth) < 1e-6 * np.linalg.norm(truth)
    assert sim.state.control.belief.now.level == pytest.approx(0.01, rel=1e-6)


def test_the_step_response_of_the_estimate_is_critically_damped():
    """omega² / (s + omega)² in every joint: 1 - (1 + omega t) exp(-omega t)."""
    sim = simulation(
        "detection: {threshold: 1000}\ncontroller: {hold: false}\nplant: {step: 0.0005}\ntime_limit: 0.4\n"
    )
    q0 = sim.state.q.copy()
    push_with_force(sim, (6e-4, -8e-4))  # small: M and J stay what they are
    wanted = np.linalg.solve(mass_matrix(sim.arm, q0), jacobian(sim.arm, q0)[:2].T @ [6e-4, -8e-4])
    data = sim.run().data
    x = np.outer(data.time.values, OMEGA)
    found = OMEGA**2 * (data.q.values - data.q_ref.values)
    shape = 1 - (1 + x) * np.exp(-x)
    assert np.abs(found / wanted - shape).max() < 1e-3
    assert np.abs(found[-1] / wanted[-1:] - 1).max() != 0  # and it is not simply constant
    assert np.abs(found[20] / wanted).max() < 0.2


def test_the_record_says_where_the_estimate_was_damped():
    near = "start: {joints: [2.5511, -1.1193, 2.5706, 0.1196, 0.001, -0.5905]}\n"
    for text, share in (("", 0.0), (near, 1.0)):
        run = simulation(text + "time_limit: 0.02\n").run()
        assert run.summary["damped_estimate_share"] == share
        assert run.data.estimate_damped.values.mean() == share
        assert np.isfinite(run.data.force_estimate.values).all()


@pytest.mark.parametrize("period", [0.008, 0.06, 0.2])
def test_slow_control_periods_do_not_make_an_observer_blind(period):
    """Once the second gap is as long as the first the clock has not jumped: it is a slow computer."""
    sensed, memory = make_sensed(6), np.zeros(SAMPLING)
    gaps = []
    for k in range(5):
        sensed.time[0] = k * period
        gaps.append(elapsed(sensed, memory))
    assert gaps[0] == 0.0
    np.testing.assert_allclose(gaps[2:], period)
    sensed.time[0] += 10.0
    assert elapsed(sensed, memory) == 0.0  # a jump: start anew
