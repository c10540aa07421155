"""Settings that make a loop swing are warned of, and it swings."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import REST, simulation


@pytest.mark.parametrize(("velocity", "swings"), [(9, True), (11, False)])
def test_the_end_of_a_path_swings_where_the_correction_is_faster_than_k1(velocity, swings):
    """Routh: s³ + K1 s² + K0 s + K0 rate has roots on the right where K1 is below the rate."""
    sim = simulation(
        f"controller: {{law: computed_torque, proportional: 300, derivative: {velocity}, settling: 10}}\n"
        "goal: {cell: [4, 2], tolerance: 1.0e-12}\n" + REST
    )
    assert (
        any(words.startswith("controller.settling swings joint 1, 2") for words in sim.warnings)
        == swings
    )
    sim.step(10.0)
    sim.state.q[:] += 1e-5
    sizes = []
    for _ in range(2):
        sim.step(2.0)
        sizes.append(np.linalg.norm([sim.state.control.correction, sim.state.qd]))
    assert (sizes[1] > sizes[0]) == swings


def test_settling_is_not_warned_of_where_it_is_off_or_has_no_stiffness_to_move():
    for gains in (
        "proportional: 300, derivative: 0.5, settling: 0",
        "proportional: 0, derivative: 0.5",
    ):
        assert simulation(f"controller: {{law: computed_torque, {gains}}}\n" + REST).warnings == []
