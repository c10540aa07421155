"""Motor constants and friction: known ones come back, intervals tell the truth, and refusals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import xarray
from refusals import refused

from dynamics import inverse_dynamics, load_arm
from hopfield_nav.extensions.recordings import (
    fit_motors,
    label_signals,
    load_recording,
    signals_of_recording,
)

ARM = load_arm("ur5_controller")
K = np.array([10.0, 11.0, 9.0, 7.0, 6.0, 8.0])
COULOMB = np.array([8.0, 7.0, 6.0, 1.4, 1.3, 1.2])
VISCOUS = np.array([9.0, 11.0, 8.0, 1.5, 1.3, 0.8])
ZERO = np.array([0.02, -0.1, 0.0, 0.05, -0.03, 0.01])


def recording(rng, noise=0.0, moving=1.0, amplitude=1.0, seconds=40.0, correlation=0.0):
    """Sines in every joint, and the current of motors with the constants above."""
    time = np.arange(0.0, seconds, 0.008)
    rate = rng.uniform(0.8, 1.6, 6) * amplitude
    phase = rng.uniform(0, 6, 6)
    size = 0.8 * np.multiply(moving, np.ones(6))
    angle = np.outer(time, rate) + phase
    q, qd, qdd = size * np.sin(angle), size * rate * np.cos(angle), -size * rate**2 * np.sin(angle)
    q += [0.0, -1.2, 1.0, -0.5, 0.8, 0.0]
    friction = COULOMB * np.sign(qd) + VISCOUS * qd
    current = (inverse_dynamics(ARM, q, qd, qdd) + friction) / K + ZERO
    shock = rng.normal(0.0, noise, current.shape)
    for k in range(1, len(shock)):  # noise that is as correlated as that of a real arm
        shock[k] += correlation * shock[k - 1]
    names = {"q_ref": q, "qd_ref": qd, "qdd_ref": qdd, "current": current + shock}
    return xarray.Dataset(
        {name: (("time", "joint"), values) for name, values in names.items()},
        {"time": time},
        {"title": "made"},
    )


def test_known_constants_come_back_exactly():
    fit = fit_motors(
        [recording(np.random.default_rng(1)), recording(np.random.default_rng(2))], ARM
    )
    np.testing.assert_allclose(fit.motor_constant, K, rtol=1e-8)
    np.testing.assert_allclose(fit.friction, np.column_stack([COULOMB, VISCOUS]), rtol=1e-7)
    np.testing.assert_allclose(fit.zero_current, ZERO, atol=1e-9)
    assert fit.residual_rms.max() < 1e-9


def test_torque_and_friction_explain_the_current():
    data = recording(np.random.default_rng(3))
    fit = fit_motors([data], ARM)
    model = fit.on(ARM)
    np.testing.assert_allclose(model.friction[:, :2], fit.friction)
    motion = inverse_dynamics(ARM, data.q_ref.values, data.qd_ref.values, data.qdd_ref.values)
    left = fit.torque(data.current.values) - motion
    expected = COULOMB * np.sign(data.qd_ref.values) + VISCOUS * data.qd_ref.values
    np.testing.assert_allclose(left, expected, atol=1e-6)


def test_intervals_are_honest_where_noise_is_correlated():
    """Of 60 fits the scatter is what they claim; a plain least squares would claim a third of it."""
    truth = np.column_stack([K, COULOMB, VISCOUS, ZERO])
    pulls = []
    for seed in range(60):
        data = recording(np.random.default_rng([4, seed]), 0.01, correlation=0.9, amplitude=2.0)
        fit = fit_motors([data], ARM)
        value = np.column_stack([fit.motor_constant, fit.friction, fit.zero_current])
        pulls.append((value - truth) / fit.std)
    scatter = np.std(pulls, axis=0)
    assert scatter.min() > 0.75
    assert scatter.max() < 1.6
    inside = np.mean(np.abs(pulls) < 1.96)
    assert 0.88 < inside < 0.98


def test_outliers_count_little():
    rng = np.random.default_rng(5)
    data = recording(rng, 0.02)
    hit = rng.random(data.current.shape) < 0.05
    data["current"] = data.current + 10.0 * hit
    fit = fit_motors([data], ARM)
    np.testing.assert_allclose(fit.motor_constant, K, rtol=0.08)
    np.testing.assert_allclose(fit.friction[:, 0], COULOMB, rtol=0.08)


def test_joints_with_the_same_motor_share_its_constant():
    data = recording(np.random.default_rng(6), 0.02)
    fit = fit_motors([data], ARM, same_motor=[(2, 3)])
    assert fit.motor_constant[1] == fit.motor_constant[2]
    assert 8.9 < fit.motor_constant[1] < 11.1
    alone = fit_motors([data], ARM)
    np.testing.assert_allclose(
        np.delete(fit.motor_constant, [1, 2]), np.delete(alone.motor_constant, [1, 2])
    )


def with_noise(rng, joints):
    """A recording with joints that draw a current of noise."""
    data = recording(rng)
    for j in joints:
        data["current"][:, j] = rng.normal(0.0, 3.0, data.sizes["time"])
    return data


def test_of_a_joint_of_noise_no_constant_is_assumed():
    rng = np.random.default_rng(7)
    data = with_noise(rng, [5])
    fit = fit_motors([data], ARM)
    np.testing.assert_allclose(fit.motor_constant[:5], K[:5], rtol=1e-8)
    assert np.isnan(fit.motor_constant[5])
    assert fit.words().endswith("these logs do not tell joint 6's sign")
    with refused("do not tell joint 6's sign"):
        fit.require_signs()
    with refused("motors are not known; found 'joints 6'"):
        signals_of_recording(data.assign(q=data.q_ref, qd=data.qd_ref), fit)
    signals = signals_of_recording(data.assign(q=data.q_ref, qd=data.qd_ref), fit, fit.on(ARM))
    needed = inverse_dynamics(ARM, signals.q, signals.qd, signals.qdd_ref)
    np.testing.assert_allclose(signals.tau[:, 5], needed[:, 5])  # so that nothing is felt there


# Which way motors run: the 64 patterns of six signs.


@pytest.fixture(scope="module", params=["rotors in the model", "none"])
def signed(request):
    """A log of ``ur5_full`` with rotors and friction, by arm and noise; and the model that is given."""
    full = load_arm("ur5_full")
    time = np.arange(0.0, 16.0, 0.016)
    rate = 2 * np.pi * np.array([0.10, 0.15, 0.20, 0.30, 0.35, 0.23])
    angle = np.outer(time, rate)
    q = [0.0, -1.2, 1.0, -0.5, 0.8, 0.0] + 0.8 * np.sin(angle) + 0.2 * np.sin(2.3 * angle)
    qd = rate * (0.8 * np.cos(angle) + 0.46 * np.cos(2.3 * angle))
    qdd = -(rate**2) * (0.8 * np.sin(angle) + 1.058 * np.sin(2.3 * angle))
    torque = inverse_dynamics(full, q, qd, qdd)
    torque += full.friction[:, 0] * np.sign(qd) + full.friction[:, 1] * qd
    noise = np.random.default_rng(9).normal(0.0, 0.05, q.shape)
    names = {"q": q, "qd": qd, "q_ref": q, "qd_ref": qd, "qdd_ref": qdd}
    data = label_signals(time, {**names, "current": torque / K + noise}, "made")
    rotors = full.rotor_inertia if request.param != "none" else np.zeros(6)
    return data, full._replace(rotor_inertia=rotors)


def test_every_sign_that_a_log_tells_is_found_and_of_the_others_none_is_assumed(signed):
    data, model = signed
    straight = fit_motors([data], model)
    untold = np.isnan(straight.motor_constant)
    assert untold.sum() <= 1
    for pattern in itertools.product((1.0, -1.0), repeat=6):
        fit = fit_motors([data.assign(current=data.current * np.array(pattern))], model)
        np.testing.assert_array_equal(np.isnan(fit.motor_constant), untold)
        told = ~untold
        np.testing.assert_allclose(
            fit.motor_constant[told], straight.motor_constant[told] * np.array(pattern)[told]
        )
        np.testing.assert_allclose(fit.friction, straight.friction, atol=1e-9)
        against = [j + 1 for j in range(6) if pattern[j] < 0 and told[j]]
        if against:
            scale = ", ".join("-1" if j + 1 in against else "1" for j in range(6))
            which = ", ".join(map(str, against))
            assert f"{which}: the current runs against the model's torque" in fit.words()
            assert f"scale: [{scale}]" in fit.words()
        else:
            assert "against" not in fit.words()


def test_motors_of_one_constant_may_run_either_way():
    data = recording(np.random.default_rng(6), 0.02)
    turned = data.assign(current=data.current * np.array([1.0, 1.0, -1.0, 1.0, 1.0, 1.0]))
    straight = fit_motors([data], ARM, same_motor=[(2, 3)])
    fit = fit_motors([turned], ARM, same_motor=[(2, 3)])
    np.testing.assert_allclose(fit.motor_constant, straight.motor_constant * [1, 1, -1, 1, 1, 1])
    np.testing.assert_allclose(fit.friction, straight.friction)


REFUSED = {
    "joint at rest": (
        lambda rng: [recording(rng, moving=[1, 1, 1, 0, 1, 1])],
        r"joint 4 is not excited; found '0 rows of motion'",
    ),
    "noise alone": (
        lambda rng: [with_noise(rng, range(6))],
        "no motor constant can be told from these logs",
    ),
    "no current": (lambda rng: [recording(rng).drop_vars("current")], "no motor currents"),
    "no recording": (lambda rng: [], "no recordings"),
    "five joints": (lambda rng: [recording(rng).isel(joint=slice(5))], "number of joints"),
}


@pytest.mark.parametrize(("recordings", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_excited_is_refused(recordings, words):
    with refused(words):
        fit_motors(recordings(np.random.default_rng(7)), ARM)


def test_a_joint_in_two_groups_of_motors_is_refused():
    with refused("two groups"):
        fit_motors([recording(np.random.default_rng(6), 0.02)], ARM, same_motor=[(2, 3), (3, 4)])


def test_a_push_on_the_force_sensor_is_no_free_run():
    data = recording(np.random.default_rng(8))
    force = np.zeros((data.sizes["time"], 3))
    data["force_sensor"] = (("time", "axis"), force)
    fit_motors([data], ARM)
    force[100:200, 0] = 25.0
    with refused("force sensor felt a push; found '25 N'"):
        fit_motors([data], ARM)
    force[:] = np.nan  # it was not there meanwhile
    fit_motors([data], ARM)


def test_the_real_arm(data_folder):
    """Joints 2 and 3 carry gravity and agree with the ratio the arm's own controller computes with."""
    runs = [
        load_recording(data_folder / "ur5_kufieta2014" / name)
        for name in ("no1", "no8", "no5_free")
    ]
    fit = fit_motors(runs, ARM)
    for j in (1, 2):
        table = np.concatenate(
            [np.column_stack([d.tau[:, j], d.qd_ref[:, j], np.sign(d.qd_ref[:, j])]) for d in runs]
        )
        own = np.linalg.lstsq(
            table, np.concatenate([d.current_ref[:, j] for d in runs]), rcond=None
        )[0]
        assert fit.motor_constant[j] == pytest.approx(1 / own[0], rel=0.15)
        assert fit.std[j, 0] < 0.2
    assert (fit.friction > 0).all()
    # the joints of the larger size
    assert fit.friction[:3, 0].min() > 2 * fit.friction[3:, 0].max()
    assert fit.std[5, 0] / fit.motor_constant[5] > 10 * fit.std[1, 0] / fit.motor_constant[1]
