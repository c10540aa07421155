"""Both gains of a control law and the threshold, swept with the detector of ragazzon2012."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from hopfield_nav.sweeps import execute, load_sweep, read_rows

SWEEP = """\
format: 1
world: ragazzon2012
set:
  time_limit: 12
  controller: {law: computed_torque, saturate: false, proportional: [506, 506, 1406, 3600, 4556, 5625],
               derivative: [45, 45, 75, 120, 135, 150]}
vary:
  controller.proportional: {scale: [0.25, 1]}
  controller.derivative: {scale: [0.5, 1.5]}
  detection.threshold: [8, 12]
"""


@pytest.fixture
def written(tmp_path):
    def write(text):
        (tmp_path / "gains.yaml").write_text(text)
        return tmp_path / "gains.yaml"

    return write


def test_proportional_derivative_and_threshold(written, tmp_path):
    """A stiffer arm feels a wall sooner, and a higher threshold later, whatever the damping."""
    rows = read_rows(execute(load_sweep(written(SWEEP)), tmp_path / "out", workers=0))
    assert [row["outcome"] for row in rows] == ["time_limit"] * 8
    delay = np.array([row["detection_delay_median_s"] for row in rows]).reshape(2, 2, 2)
    assert (delay[0] > 1.5 * delay[1]).all()
    assert (delay[..., 1] > delay[..., 0]).all()
    assert {"controller.proportional*", "controller.derivative*", "detection.threshold"} <= set(
        rows[0]
    )


def test_a_gain_that_the_detector_cannot_work_with_is_refused_before_the_sweep(written):
    text = SWEEP.replace(
        "controller.proportional: {scale: [0.25, 1]}", "controller.proportional: [0, 500]"
    )
    with refused(r"gains\.yaml.*needs K0 of the control law on every joint; .*momentum_observer"):
        load_sweep(written(text))


def test_damping_ratio_is_a_key_to_sweep(written):
    vary = "{controller.damping_ratio: [0.5, 1], controller.omega: {scale: [1, 2]}}"
    made = load_sweep(written(f"format: 1\nworld: ragazzon2012\nvary: {vary}\n"))
    assert made.world_for(made.job(0)).controller.parameters["damping_ratio"] == 0.5
