"""How fast a sampled, delayed loop may be: against simulation, and the warning that names it."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import REST, simulation

from hopfield_nav.experiment.sampled_loop import largest_factor, warn_of_gains
from hopfield_nav.plugin import Gains


@pytest.mark.parametrize(("delay", "published"), [(0, 125.0), (1, 53.0)])
def test_the_limits_at_8_ms(delay, published):
    assert largest_factor(1.0, 2.0, delay) / 0.008 == pytest.approx(published, rel=0.01)


@pytest.mark.parametrize("ratio", [0.25, 0.5, 0.7, 1.0, 1.5, 2.0, 10.0])
def test_without_delay_the_limit_is_that_of_the_characteristic_polynomial(ratio):
    """z² + (K0 T²/2 + K1 T - 2) z + 1 + K0 T²/2 - K1 T: stable below K1 T = 2 and K0 T = 2 K1 (Jury)."""
    assert largest_factor(1.0, 2.0 * ratio, 0) == pytest.approx(min(4 * ratio, 1 / ratio), rel=1e-6)


# [ms], periods; up to 8 ms
BESIDE = ((1, 0), (1, 1), (1, 4), (1, 8), (2, 0), (2, 4), (4, 1), (4, 2), (8, 0), (8, 1))


@pytest.mark.parametrize(("milliseconds", "delay"), BESIDE)
@pytest.mark.parametrize("ratio", [0.5, 0.7, 1.0, 1.5, 2.0])
def test_the_arm_in_free_motion_swings_up_just_beyond_the_border_and_calms_down_just_below(
    ratio, milliseconds, delay
):
    """Joint errors of 1 µrad: 4 % on either side of the natural frequency from which a run warns."""
    period = 1e-3 * milliseconds
    border = largest_factor(1.0, 2.0 * ratio, delay) / period
    for factor, swings in ((0.96, False), (1.04, True)):
        sim = simulation(
            f"gravity: [0, 0, 0]\nplant: {{step: {period}}}\ntime_limit: 100\n{REST}controller: {{saturate: false, "
            f"omega: {factor * border}, damping_ratio: {ratio}, delay: {delay * period}}}\n"
        )
        assert bool(sim.warnings) == swings
        q0, sizes = sim.state.q.copy(), []
        sim.state.q[:] += 1e-6
        for _ in range(2):
            sim.step(100 * (1 + delay) * period)
            sizes.append(np.hypot(sim.state.q - q0, period * sim.state.qd).max())
        assert (sim.outcome == "diverged" or sizes[1] > sizes[0]) == swings


def test_gains_without_stiffness_are_judged_by_their_damping():
    """q' falls by K1 T a period, so that K1 = 2/T is the limit; neither gain is no loop."""
    assert warn_of_gains(Gains(np.zeros(1), np.array([1990.0])), "the gains", 0.001, 0) == []
    assert warn_of_gains(Gains(np.zeros(1), np.zeros(1)), "the gains", 0.001, 0) == []
    (told,) = warn_of_gains(Gains(np.zeros(1), np.array([2010.0])), "the gains", 0.001, 0)
    assert "K1 2e+03 1/s" in told


def test_a_sentence_names_source_joints_and_limit():
    gains = Gains(np.array([10.0, 60.0, 60.0, 40.0]) ** 2, np.array([20.0, 120.0, 120.0, 160.0]))
    assert warn_of_gains(Gains(gains.position[:1], gains.velocity[:1]), "x", 0.008, 1) == []
    critical, damped = warn_of_gains(gains, "controller.omega", 0.008, 1)
    assert critical.startswith("controller.omega of joint 2, 3: ")
    assert "53.3 rad/s (K0 2.84e+03 1/s², K1 107 1/s)" in critical
    assert "8 ms and a delay of 1 period" in critical
    assert "joint 4" in damped
    assert "30.2 rad/s" in damped


def test_the_arm_itself_is_unstable_there_and_the_summary_says_so():
    """The same arm with and without the delay: the warning comes with the explosion alone."""
    text = (
        "plant: {step: 0.001}\ncontroller: {period: 0.008, delay: %s, omega: 60, saturate: false}\n"
        "detection: {estimator: none}\ntime_limit: 1\n"
    )
    for delay, outcome, count in ((0.0, "time_limit", 0), (0.008, "diverged", 1)):
        sim = simulation(text % delay)
        sim.state.q[:] += 0.01
        run = sim.run()
        assert run.outcome == outcome
        assert sum("controller.omega" in words for words in run.summary["warnings"]) == count
        assert sum("turned at" in words for words in run.summary["warnings"]) == count


@pytest.mark.parametrize(
    ("law", "keys"),
    [
        (
            "omega: 40, damping_ratio: 2",
            "controller.omega and controller.damping_ratio of joint 1, 2, 3, 4, 5, 6",
        ),
        (
            "law: computed_torque, proportional: 1600, derivative: [1, 1, 1, 1, 1, 160]",
            "controller.proportional and controller.derivative of joint 6",
        ),
    ],
)
def test_a_damping_that_makes_the_loop_unstable_is_warned_of(law, keys):
    """With critical damping the same natural frequency is within the limit."""
    sampled = "plant: {step: 0.001}\ncontroller: {period: 0.008, delay: 0.008, "
    assert any(
        words.startswith(keys) for words in simulation(f"{sampled}{law}}}\n" + REST).warnings
    )
    assert simulation(f"{sampled}omega: 40}}\n" + REST).warnings == []


def test_a_law_in_every_stage_needs_no_warning():
    assert simulation("controller: {hold: false, omega: 500}\n").warnings == []
