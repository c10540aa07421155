"""What no real arm does is told in the summary's warnings, each by its cause, and nothing is without it."""

from __future__ import annotations

import pytest
from scenes import simulation

GOAL = "goal: {cell: [17, 6]}\ntime_limit: 1.5\ndetection: {estimator: none}\n"
HIT = "obstacles: [{cylinder: {center: [0.36, -0.09], radius: 0.05}}]\ntrajectory: {time_per_cell: 0.05}\n"
HARD = "contact: {stiffness: 3.0e7}\nplant: {step: 1.0e-4}\n"
CAUSES = {
    "kilonewtons": (HIT + HARD + GOAL, "kN at "),
    "speeds": (
        "controller: {omega: 200, saturate: false, period: 0.02}\n" + GOAL,
        "times its limit: no",
    ),
    "saturation": (
        "controller: {omega: 100, period: 0.02}\n" + GOAL,
        "motors were at their limits for ",
    ),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_what_no_arm_does_is_a_warning(cause):
    text, words = CAUSES[cause]
    summary = simulation(text).run().summary
    assert sum(words in warning for warning in summary["warnings"]) == 1
    if cause == "kilonewtons":
        force, time = summary["peak_contact_force_N"], summary["peak_contact_force_time_s"]
        assert force > 1000
        assert any(
            f"{1e-3 * force:.3g} kN at {time:.3g} s" in warning for warning in summary["warnings"]
        )


def test_a_sound_run_has_none():
    """The same motion with nothing in its way, and with a soft obstacle that is touched at some newtons."""
    assert simulation(GOAL).run().summary["warnings"] == []
    soft = simulation(HIT + "contact: {stiffness: 1.0e4}\n" + GOAL).run().summary
    assert 0 < soft["peak_contact_force_N"] < 1000
    assert not any("kN" in warning for warning in soft["warnings"])
