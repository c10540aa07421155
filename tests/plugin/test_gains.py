"""Gains of a control law, K0 and K1: what an estimator feels with them, which laws say them, and who may ask."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scenes import CONSTANT, OMEGA, REST, simulation, world

from hopfield_nav.build import find_methods
from hopfield_nav.experiment import build_controller, simulate
from hopfield_nav.extensions.recordings import replay, signals_of_run
from hopfield_nav.extensions.recordings.chosen import values_of_world
from hopfield_nav.plugin import Gains, find_method, inheritable, loop_gains

RATIOS = (0.5, 0.7, 1.0, 1.5, 2.0)
LAWS = {
    f"zeta {ratio:g}": (f"omega: 20, damping_ratio: {ratio}", 400.0, 40.0 * ratio)
    for ratio in RATIOS
}
LAWS |= {
    "computed torque": ("law: computed_torque, proportional: 225, derivative: 50", 225.0, 50.0)
}
LAW = pytest.mark.parametrize(("law", "k0", "k1"), LAWS.values(), ids=LAWS)
OWN = """
from hopfield_nav.plugin import Gains, Method, Parameter
from dynamics.newton_euler import newton_euler


def control(model, sensed, parameters, memory, work, tau):
    acceleration = work.vector[0]
    for i in range(sensed.q.size):
        error, rate = sensed.q[i] - sensed.q_ref[i], sensed.qd[i] - sensed.qd_ref[i]
        acceleration[i] = sensed.qdd_ref[i] - parameters[0] ** 2 * error - 2.0 * parameters[0] * rate
    newton_euler(model, model.gravity, sensed.qd, acceleration, work, tau)
    return 0


OMEGA = Parameter("omega", 20.0, 1.0, 99.0, "rad/s", "")
FORM = dict(kind="controller", name="own", kernel=control, parameters=[OMEGA])
OLD = Method(**FORM)
NEW = Method(**FORM, gains=lambda values: Gains(values["omega"] ** 2, 2 * values["omega"]))
BROKEN = Method(**FORM, gains=lambda values: Gains(values["speed"], 1.0))
FEW = Method(**FORM, gains=lambda values: Gains([4.0, 4.0], 1.0))
WORDS = Method(**FORM, gains=lambda values: Gains("stiff", 1.0))
NEGATIVE = Method(**FORM, gains=lambda values: Gains(-4.0, 1.0))


def estimate(model, sensed, parameters, memory, work, tau_external, wrench):
    for i in range(tau_external.size):
        tau_external[i] = parameters[i]
    return 0


HEIR = Method("estimator", "heir", estimate, (Parameter("omega", 1.0, 0.0, 1e4, "rad/s", "", True, inherit=True),))
"""


def response(time, k0, k1):
    """Of k0/(s² + k1 s + k0) to a step of one at time 0, by its poles; these are not equal."""
    a, b = np.roots([1.0, k1, k0]).astype(complex)
    return (1 + (b * np.exp(a * time) - a * np.exp(b * time)) / (a - b)).real


def pushed(law, size, times="[0, 100]", force="[0.6, -0.8, 0]", seconds=1.0):
    """Time, and force that is felt (k, 3), of an arm at rest that is pushed at its tool point."""
    x, y, z = np.array([float(v) for v in force.strip("[]").split(",")]) * size
    text = (
        f"plant: {{step: 0.0005}}\ncontroller: {{hold: false, saturate: false, {law}}}\ntime_limit: {seconds}\n"
        f"pushes: [{{link: 6, times: {times}, force: [{x}, {y}, {z}]}}]\ndetection: {{threshold: 1000}}\n"
    )
    data = simulation(text).run().data
    return data.time.values, data.force_estimate.values


@LAW
def test_a_push_is_felt_as_the_second_order_system_of_the_gains(law, k0, k1):
    """A small one, so that M and J stay what they are; at its start, its overshoot and its end."""
    k1 += 1e-6  # unequal poles
    time, felt = pushed(law, 1e-3)
    wanted = 1e-3 * response(time, k0, k1)
    np.testing.assert_allclose(felt[:, 0], 0.6 * wanted, atol=1e-6)
    np.testing.assert_allclose(felt[:, 1], -0.8 * wanted, atol=1e-6)
    assert np.abs(felt[:, 2]).max() < 1e-6
    zeta = k1 / (2 * np.sqrt(k0))
    if zeta < 1:
        overshoot = np.exp(-np.pi * zeta / np.sqrt(1 - zeta**2))
        assert np.linalg.norm(felt, axis=1).max() == pytest.approx(1e-3 * (1 + overshoot), rel=1e-3)


@LAW
def test_a_large_push_is_felt_whole_in_the_end(law, k0, k1):
    """12 N bend the arm by some centimetres, and yet ``M K0 q~`` is the torque that they put on it."""
    slowest = -np.roots([1.0, k1, k0]).real.max()
    _, felt = pushed(law, 12.0, seconds=25.0 / slowest)
    assert np.linalg.norm(felt[-1]) == pytest.approx(12.0, abs=1e-5)


@LAW
def test_a_growing_push_is_felt_late_by_the_ratio_of_the_gains(law, k0, k1):
    """A ramp lags by K1/K0, which is 2 zeta/omega; and by half a step, over which a push is held."""
    text = (
        f"plant: {{step: 0.0005}}\ncontroller: {{hold: false, saturate: false, {law}}}\ntime_limit: 1.5\n"
        "pushes: [{link: 6, times: [0, 10], force: [[0, 0, 0], [1.0e-2, 0, 0]]}]\ndetection: {threshold: 1000}\n"
    )
    data = simulation(text).run().data
    late = data.time.values[-1] - 1e3 * data.force_estimate.values[-1, 0]
    assert late == pytest.approx(k1 / k0 + 0.25e-3, rel=1e-3)


@pytest.mark.parametrize(
    "law",
    ["omega: 20, damping_ratio: 0.5", "law: computed_torque, proportional: 400, derivative: 20"],
)
def test_the_tracking_error_leads_by_the_ratio_of_the_gains(law):
    head = f"controller: {{{law}}}\ntime_limit: 0.3\npushes: [{{link: 6, times: [0, 9], force: [5, 5, 0]}}]\n"
    run = simulation(
        head + "detection: {estimator: tracking_error, gain: 100, threshold: 1000}\n"
    ).run()
    error, rate = (
        run.data[a].values - run.data[b].values for a, b in (("q", "q_ref"), ("qd", "qd_ref"))
    )
    wanted = 100 * (error + 20 / 400 * rate)
    assert np.abs(wanted).max() > 0.1
    np.testing.assert_allclose(run.data.tau_external_estimate.values, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", ["joint_error", "momentum_observer"])
def test_both_laws_with_the_same_gains_are_the_same_arm_to_the_last_alarm(estimator):
    """With the observer also while it slides."""
    scene = "obstacles: [{cylinder: {center: [0.4, -0.09], radius: 0.05}}]\ngoal: {cell: [17, 6]}\ntime_limit: 12\n"
    scene += f"detection: {{estimator: {estimator}}}\n"
    scene += "explore: slide\n" if estimator == "momentum_observer" else ""
    one = simulate(world(scene + "controller: {omega: 32, damping_ratio: 0.75}\n"))
    other = simulate(
        world(scene + "controller: {law: computed_torque, proportional: 1024, derivative: 48}\n")
    )
    assert one.summary["collision_count"] > 0
    assert (one.summary["slide_time_s"] > 0) == (estimator == "momentum_observer")
    np.testing.assert_array_equal(other.data.q.values, one.data.q.values)
    np.testing.assert_array_equal(other.data.event_time.values, one.data.event_time.values)


@pytest.mark.parametrize("estimator", ["joint_error", "tracking_error"])
@pytest.mark.parametrize(
    ("law", "words"),
    [
        ("law: lqr", "needs K0 of the control law, which law lqr has not"),
        ("law: damping", "needs K0 of the control law, which law damping has not"),
        (
            "law: hybrid_force_motion",
            "needs K0 of the control law, which law hybrid_force_motion has not",
        ),
        (
            "law: computed_torque, proportional: [9, 9, 0, 9, 9, 9]",
            "needs K0 of the control law on every joint; that of law computed_torque is 0",
        ),
    ],
)
def test_a_law_without_such_gains_is_refused_with_the_name_of_what_works(law, words, estimator):
    with refused(words) as caught:
        world(f"controller: {{{law}}}\ndetection: {{estimator: {estimator}}}\n")
    assert "momentum_observer" in str(caught.value)
    assert world(f"controller: {{{law}}}\ndetection: {{estimator: momentum_observer}}\n")


def test_a_fault_of_the_gains_is_not_told_twice():
    with refused("damping_ratio: wrong number of values"):
        world("controller: {damping_ratio: [1, 1]}\n")
    with refused(r"damping_ratio: out of range; found 0.0"):
        world("controller: {damping_ratio: 0}\n")


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path


def test_a_law_of_ones_own_that_declares_its_gains_is_felt_by(own):
    push = "pushes: [{link: 6, times: [0, 9], force: [3, 4, 0]}]\ntime_limit: 2\ndetection: {threshold: 1000}\n"
    run = simulation(f"controller: {{law: 'own.py:NEW', omega: 15}}\n{push}", own).run()
    np.testing.assert_allclose(run.data.force_estimate.values[-1], [3, 4, 0], atol=1e-6)
    (warning,) = simulation(
        "controller: {law: 'own.py:NEW', omega: 60, period: 0.02}\n", own
    ).warnings
    assert warning.startswith("the gains of joint 1, 2, 3, 4, 5, 6")


def test_a_law_of_ones_own_without_gains_and_one_that_cannot_say_them(own):
    with refused("needs K0 of the control law, which law own.py:OLD has not"):
        world("controller: {law: 'own.py:OLD'}\n", own)
    with refused(r"the gains of the controller 'own' cannot be had: KeyError: 'speed'"):
        world("controller: {law: 'own.py:BROKEN'}\n", own)


@pytest.mark.parametrize("name", ["FEW", "WORDS", "NEGATIVE"])
def test_gains_that_are_none_are_refused_whatever_feels_the_arm(own, name):
    for estimator in ("joint_error", "none"):
        with refused(
            "gains of the controller 'own' cannot be had|needs K0 of the control law on every joint|one a joint"
        ):
            simulation(
                f"controller: {{law: 'own.py:{name}'}}\ndetection: {{estimator: {estimator}}}\n",
                own,
            )


def test_an_estimator_of_ones_own_inherits_a_parameter_as_before(own):
    heir = "detection: {estimator: 'own.py:HEIR'}\n"
    felt = simulation(
        f"controller: {{law: 'own.py:OLD', omega: 30}}\ntime_limit: 0.01\n{heir}", own
    ).run()
    np.testing.assert_array_equal(felt.data.tau_external_estimate.values, 30.0)
    with refused("needs omega of the control law, which law computed_torque has not"):
        world(f"controller: {{law: computed_torque}}\n{heir}", own)
    (own / "push.py").write_text(CONSTANT)
    with refused("needs omega of the control law, which law push.py:PUSH has not"):
        world(f"controller: {{law: 'push.py:PUSH'}}\n{heir}", own)


def test_a_replay_of_a_run_has_its_gains():
    text = "controller: {omega: 20, damping_ratio: 0.6}\ngoal: {cell: [17, 6]}\ntime_limit: 2\n"
    run = simulation(
        text + "detection: {estimator: tracking_error, measure: force_norm, threshold: 1.0e5}\n"
    ).run()
    methods = find_methods(run.world)
    model = build_controller(run.world, simulation(text).arm, methods).model
    of_world = values_of_world(run.world, methods[1:])
    by_hand = {**run.world.detection.parameters, "omega": 20, "damping_ratio": 0.6}
    for values in (of_world, by_hand):
        found = replay(model, signals_of_run(run), *methods[1:], values)
        np.testing.assert_array_equal(found.level, run.data.level)


def test_what_a_law_offers():
    law = find_method("controller", "inverse_dynamics")
    found = inheritable(law, {"omega": tuple(OMEGA), "damping_ratio": 0.5})
    np.testing.assert_array_equal(found["position_gain"], OMEGA**2)
    np.testing.assert_array_equal(found["velocity_gain"], OMEGA)
    hybrid = find_method("controller", "hybrid_force_motion")
    of_its_own = loop_gains(hybrid, {"natural_frequency": 10.0, "damping_ratio": 2.0}, 2)
    np.testing.assert_array_equal(of_its_own, [[100.0, 100.0], [40.0, 40.0]])
    assert loop_gains(find_method("controller", "lqr"), {}, 6) is None


@pytest.mark.parametrize(
    "law",
    ["omega: 20, damping_ratio: 1.5", "law: computed_torque, proportional: 400, derivative: 60"],
)
def test_an_arm_that_slides_keeps_its_gains(law):
    sim = simulation(f"controller: {{{law}}}\n{REST}")
    from hopfield_nav.experiment.limits import gains_of_law
    from hopfield_nav.extensions.surfaces import with_sliding

    axis, normal = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    slides = with_sliding(
        sim.controller, 10.0, 0.03, normal, axis, np.zeros(3), 1e-3, gains_of_law(sim.world)
    )
    np.testing.assert_allclose(slides.law.parameters[-12:], [20.0] * 6 + [1.5] * 6)
    soft = with_sliding(
        sim.controller, 10.0, 0.03, normal, axis, np.zeros(3), 1e-3, Gains(np.zeros(6), np.ones(6))
    )
    np.testing.assert_array_equal(soft.law.parameters[-12:], [*OMEGA, *np.ones(6)])
