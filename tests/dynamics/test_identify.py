"""From logs to an arm: exact and filtered data, friction, rotors, incline, files, and unfit logs."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from consistency import smallest_eigenvalue
from identification_coverage import (
    ANGLE_NOISE,
    COULOMB,
    TORQUE_NOISE,
    VISCOUS,
    Experiment,
    coverage,
    simulated_log,
    the_arm,
)
from made_up_arms import INCLINE
from madsen2020.cad_error import cad_error
from madsen2020.excitation import FourierTrajectory, from_free, random_free
from refusals import refused

from dynamics import inverse_dynamics, load_arm
from dynamics.identification import (
    MotionLog,
    Options,
    base_parameters,
    base_regressor,
    identify,
    ordinary,
)

ARM = the_arm()
FRICTION = np.column_stack([COULOMB, VISCOUS])


def _trajectory(seed: int = 3) -> FourierTrajectory:
    return from_free(random_free(6, 5, np.random.default_rng(seed)), 6, 5, 10.0).scaled(
        np.full(6, 0.8)
    )


def _experiment(arm=ARM, friction=FRICTION, seed=3, **changes):
    values = {"torque_noise": np.zeros(6), "angle_noise": 0.0, "duration": 20.0, **changes}
    return Experiment(arm, _trajectory(seed), friction, **values)


def _exact_log(arm=ARM, friction=FRICTION, seed=3, **changes) -> MotionLog:
    time, q, tau = _experiment(arm, friction, seed, **changes).exact()
    return MotionLog(time, q, tau, name="exact")


@pytest.fixture(scope="module")
def noisy():
    """A log with noise, and a CAD model that is off by 10 %."""
    experiment = _experiment(torque_noise=np.array(TORQUE_NOISE), angle_noise=ANGLE_NOISE)
    time, q, tau = experiment.exact()
    log = simulated_log(
        tau, time, q, np.random.default_rng(0), experiment.torque_noise, experiment.angle_noise
    )
    cad = cad_error(ARM, 0.1, np.random.default_rng(1))
    return experiment, log, cad, identify(log, cad)


@pytest.mark.parametrize("gravity", [None, INCLINE], ids=["upright", "incline"])
@pytest.mark.parametrize("rotor", [False, True], ids=["links", "rotors"])
def test_exact_derivatives_give_the_parameters_back(gravity, rotor):
    arm = ARM if gravity is None else ARM._replace(gravity=gravity)
    arm = arm if rotor else arm._replace(rotor_inertia=np.zeros(6))
    base = base_parameters(arm, rotor)
    q, qd, qdd = _trajectory()(np.linspace(0, 10, 1000))
    found = ordinary(base_regressor(arm, base, q, qd, qdd), inverse_dynamics(arm, q, qd, qdd))
    np.testing.assert_allclose(found, base.of(arm), atol=1e-8)


@pytest.mark.parametrize(
    ("gravity", "rotor"), [(None, "known"), (INCLINE, "estimated")], ids=["upright", "incline"]
)
def test_filter_chain_costs_less_than_its_stated_bias(gravity, rotor):
    """Without friction 2e-4 kg·m², kg·m; with friction, which jumps, 2e-3, in N·m too."""
    arm = ARM if gravity is None else ARM._replace(gravity=gravity)
    still = np.zeros((6, 2))
    smooth = identify(_exact_log(arm, still), arm, Options(rotor=rotor, friction=False))
    np.testing.assert_allclose(smooth.estimate.values, smooth.base.of(arm), atol=2e-4)
    rough = identify(_exact_log(arm), arm, Options(rotor=rotor))
    truth = np.concatenate([rough.base.of(arm), FRICTION.T.ravel()])
    np.testing.assert_allclose(rough.estimate.values, truth, atol=2e-3)


def test_turning_joints_left_in_would_spoil_the_fit():
    """Protective feature, with and without its cause."""
    from dynamics.identification import observations
    from dynamics.identification.least_squares import weighted

    base = base_parameters(ARM)
    truth = np.concatenate([base.of(ARM), FRICTION.T.ravel()])
    found = observations(ARM, base, _exact_log(), Options())
    assert 0.8 < found.clear.mean() < 0.99
    owned = np.full(6, 8)
    errors = [
        np.abs(weighted(found.Y, found.tau, owned, clear=clear).values - truth).max()
        for clear in (found.clear, None)
    ]
    assert errors[1] > 5 * errors[0]
    without = observations(
        ARM, base, _exact_log(friction=np.zeros((6, 2))), Options(friction=False)
    )
    assert without.clear.all()


def test_noisy_log_beats_a_wrong_cad_model_on_other_motions(noisy):
    experiment, _, _, found = noisy
    for seed in (4, 5):
        other = _exact_log(seed=seed, duration=10.0)
        comparison = found.validate(other)
        assert comparison.improvement > 0.9
        assert found.validate(other, physical=True).improvement > 0.9
    assert found.nmse_fit < found.nmse_given
    z = (found.estimate.values - experiment.truth(found)) / found.estimate.deviations
    assert 0.5 < z.std() < 1.6


def test_ignored_rotors_cost_accuracy(noisy):
    """Rotor compensation, on and off."""
    _, log, cad, found = noisy
    off = identify(log, cad, Options(rotor="ignored"))
    assert off.nmse_fit > 1.3 * found.nmse_fit
    estimated = identify(log, cad, Options(rotor="estimated"))
    assert estimated.nmse_fit < 1.05 * found.nmse_fit
    values = dict(zip(estimated.names, estimated.estimate.values, strict=True))
    assert values["IA3"] == pytest.approx(1.9, rel=0.05)


def test_known_friction_is_taken_off(noisy):
    _, log, cad, found = noisy
    half = Options(known_friction=lambda qd: COULOMB * np.sign(qd) + 0.5 * np.array(VISCOUS) * qd)
    rest = identify(log, cad, half).friction
    np.testing.assert_allclose(
        rest[:, 1], found.friction[:, 1] - 0.5 * np.array(VISCOUS), atol=0.05
    )
    np.testing.assert_allclose(rest[:, 0], found.friction[:, 0] - COULOMB, atol=0.05)


def test_arm_file_of_a_fit_loads(noisy, tmp_path):
    _, _, _, found = noisy
    path = found.write(tmp_path / "mine.yaml", "a test")
    loaded = load_arm(path)
    np.testing.assert_allclose(loaded.inertia, found.arm.inertia, rtol=1e-14, atol=1e-16)
    np.testing.assert_array_equal(loaded.mass, found.arm.mass)
    np.testing.assert_array_equal(loaded.dh, ARM.dh)
    np.testing.assert_array_equal(loaded.capsules, ARM.capsules)
    fit = yaml.safe_load(path.read_text(encoding="utf-8"))["fit"]
    assert fit["nmse_fit_Nm"] == found.nmse_fit
    assert fit["base_parameters"]["MX2R"] == found.estimate.values[found.names.index("MX2R")]
    assert list(tmp_path.iterdir()) == [path]
    assert smallest_eigenvalue(loaded) > 0
    with refused("cannot write"):
        found.write(tmp_path / "no folder" / "mine.yaml")


def test_report_names_every_unknown(noisy):
    _, _, _, found = noisy
    rows = found.table().splitlines()
    assert [row.split()[0] for row in rows[1:]] == list(found.names)


def test_intervals_are_of_95_per_cent_about_the_values(noisy):
    estimate = noisy[3].estimate
    np.testing.assert_allclose(estimate.intervals(), estimate.intervals(0.95))
    np.testing.assert_allclose(estimate.intervals().mean(axis=1), estimate.values)
    width = np.diff(estimate.intervals(), axis=1)[:, 0]
    np.testing.assert_allclose(width, 2 * 1.959964 * estimate.deviations, rtol=1e-6)


def test_intervals_cover_in_a_quick_repeat():
    """The full one, 200 times 31 s, is in the ledger."""
    experiment = _experiment(
        torque_noise=np.array(TORQUE_NOISE), angle_noise=ANGLE_NOISE, duration=10.0
    )
    found = coverage(experiment, 12, np.random.default_rng(2))
    low, high = found.pooled_interval()
    assert low < 0.97
    assert high > 0.93
    assert found.pooled > 0.9


def test_logs_from_a_mapping_and_several_logs(noisy):
    _, log, cad, found = noisy
    again = identify({"time": log.time, "q": log.q, "tau": log.tau}, cad)
    np.testing.assert_array_equal(again.estimate.values, found.estimate.values)
    two = identify([log, _exact_log(seed=4, duration=5.0)], cad)
    assert two.samples == found.samples + 240
    xarray = pytest.importorskip("xarray")
    data = {key: (("time", "joint"), getattr(log, key)) for key in ("q", "tau")}
    third = identify(xarray.Dataset(data, {"time": log.time}), cad)
    np.testing.assert_array_equal(third.estimate.values, found.estimate.values)


GAPS = np.delete(np.arange(5000), [k + j for k in range(0, 5000, 500) for j in range(100)])
BAD_LOGS = {
    "degrees": (lambda log: log._replace(q=np.degrees(log.q)), "looks like degrees"),
    "slow degrees": (lambda log: log._replace(q=np.degrees(log.q) % 10.0), "looks like degrees"),
    "degrees a second": (
        lambda log: log._replace(qd=np.degrees(np.gradient(log.q, log.time, axis=0))),
        "qd is not the rate",
    ),
    "milliseconds": (lambda log: log._replace(time=log.time * 1000), "milliseconds"),
    "gaps": (
        lambda log: MotionLog(log.time[GAPS], log.q[GAPS], log.tau[GAPS]),
        "1 s or more without a gap",
    ),
    "low rate": (
        lambda log: MotionLog(log.time[::12], log.q[::12], log.tau[::12]),
        "rate is too low",
    ),
    "backwards": (lambda log: log._replace(time=log.time[::-1]), "time does not increase"),
    "short": (lambda log: MotionLog(log.time[:500], log.q[:500], log.tau[:500]), "too short"),
    "not a number": (
        lambda log: log._replace(tau=np.where(log.tau == log.tau[7], np.nan, log.tau)),
        "not a number",
    ),
    "wrong joints": (lambda log: log._replace(q=log.q[:, :5]), "wrong shape"),
    "dead channel": (
        lambda log: log._replace(tau=log.tau * [1, 1, 1, 1, 0, 1]),
        "tau never changes; found 'joints 5'",
    ),
    "no torque": (lambda log: {"time": log.time, "q": log.q}, "signals are missing"),
    "no log at all": (lambda log: [], "no logs"),
}


@pytest.fixture(scope="module")
def log():
    return _exact_log(duration=5.0)


@pytest.mark.parametrize(("spoil", "words"), BAD_LOGS.values(), ids=BAD_LOGS)
def test_unfit_logs_are_refused_in_one_line(spoil, words, log):
    with refused(words):
        identify(spoil(log), ARM)


def test_the_same_log_without_a_fault_is_accepted(log):
    qd = np.gradient(log.q, log.time, axis=0)
    assert identify(log._replace(qd=qd), ARM).samples == 240


def test_logs_that_do_not_excite_name_joint_and_parameters():
    trajectory = _trajectory().scaled(np.array([1, 1, 0.0, 1, 1, 1]))
    time = np.arange(10000) / 1000
    q, qd, qdd = trajectory(time)
    log = MotionLog(time, q, inverse_dynamics(ARM, q, qd, qdd), name="stiff elbow")
    with refused("joint 3 moves 0 rad") as caught:
        identify(log, ARM)
    assert "FC3" in str(caught.value)
    kept = identify(log, ARM, Options(unexcited="keep"))
    assert "FC3" in kept.open
    assert kept.consistent.distance < 1  # the given arm fills in what the log does not show


def test_a_log_at_rest_is_refused_in_any_case():
    time = np.arange(3000) / 1000
    noise = np.random.default_rng(0).normal(size=(3000, 6)) * 1e-5
    log = MotionLog(time, 0.5 + noise, 10 + noise, name="rest")
    with refused("do not excite"):
        identify(log, ARM, Options(unexcited="keep"))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"rotor": "estimate"}, "unknown value of rotor"),
        ({"unexcited": "go"}, "unknown value of unexcited"),
        ({"parallel_cutoff": -1}, "parallel_cutoff must be positive"),
    ],
)
def test_wrong_options_are_refused(wrong, words):
    with refused(words):
        Options(**wrong)
