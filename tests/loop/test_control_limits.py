"""How fast a sampled, delayed loop may be: against simulation, and the warning that names it."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import simulation

from hopfield_nav.loop import omega_warning
from hopfield_nav.loop.step_limits import largest_stable_omega


@pytest.mark.parametrize(("delay", "published"), [(0, 125.0), (1, 53.0)])
def test_the_limits_at_8_ms(delay, published):
    assert largest_stable_omega(0.008, delay) == pytest.approx(published, rel=0.01)


@pytest.mark.parametrize("delay", [0, 1, 2, 4])
def test_a_double_integrator_grows_just_beyond_the_limit_and_decays_just_below(delay):
    def amplitude(omega):
        q, qd, under_way, period = 1.0, 0.0, [0.0] * delay, 0.004
        early = late = 0.0
        for k in range(6000):
            under_way.append(-(omega**2) * q - 2 * omega * qd)
            a = under_way.pop(0)
            q, qd = q + period * qd + 0.5 * period**2 * a, qd + period * a
            early = max(early, abs(q)) if 500 <= k < 1000 else early
            late = max(late, abs(q)) if k >= 5500 else late
        return late / early

    limit = largest_stable_omega(0.004, delay)
    assert amplitude(0.99 * limit) < 1.0
    assert amplitude(1.01 * limit) > 1.0


def test_the_warning_names_joints_and_limit():
    assert omega_warning(np.array([10.0, 50.0]), 0.008, 1) is None
    told = omega_warning(np.array([10.0, 60.0]), 0.008, 1)
    assert "joint 2" in told
    assert "53.3 rad/s" in told
    assert "8 ms and a delay of 1 period" in told


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


def test_a_law_in_every_stage_needs_no_warning():
    assert simulation("controller: {hold: false, omega: 500}\n").warnings == []
