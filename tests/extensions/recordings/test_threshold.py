"""A threshold from free motion: quiet on it, found from anywhere, and judged by what did not choose it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from refusals import refused

from hopfield_nav import load_world, simulate
from hopfield_nav.build import build_arm, find_methods
from hopfield_nav.experiment import build_controller
from hopfield_nav.extensions.recordings import Watched, choose_threshold, halves, signals_of_run
from hopfield_nav.extensions.recordings.tuning import MARGIN, quiet_threshold
from hopfield_nav.plugin import find_method

NOISE = ["sensors.velocity_noise=0.002", "time_limit=4"]


@pytest.fixture(scope="module")
def free():
    """Model, signals and values of free motion with noisy sensors."""
    run = simulate(load_world("empty", [*NOISE, "detection.threshold=1e5"]))
    model = build_controller(run.world, build_arm(run.world), find_methods(run.world)).model
    return model, signals_of_run(run), {"omega": run.world.controller.parameters["omega"]}


def watched(free, detector, **more):
    model, _, values = free
    methods = find_method("estimator", "joint_error"), find_method("detector", detector)
    return Watched(model, *methods, {**values, **more})


def suggested(free, detector, **more):
    """The threshold that the first half chooses with which it is quiet."""
    return choose_threshold(watched(free, detector, **more), [halves(free[1])[0]], 1e-6).threshold


@pytest.mark.parametrize("detector", ["wrench_norm", "force_norm", "joint_torque"])
def test_the_first_half_is_quiet_by_the_margin(free, detector):
    threshold = suggested(free, detector)
    again = watched(free, detector).watch(halves(free[1])[0], threshold)
    assert again.level.max() == pytest.approx(1 / MARGIN, rel=1e-6)
    assert not again.detected.any()


def test_it_does_not_depend_on_where_the_search_starts(free):
    few, many = (suggested(free, "wrench_norm", threshold=start) for start in (0.01, 500.0))
    assert few == pytest.approx(many, rel=1e-6)
    for near in (0.9, 1.5, 1.9):
        found = suggested(free, "wrench_norm", threshold=near * many)
        assert found == pytest.approx(many, rel=1e-6)


def test_a_level_that_hardly_depends_on_the_threshold_ends_the_search():
    """As of a detector that allows for more than the motion shows."""
    asked = []
    found = quiet_threshold(
        lambda threshold: asked.append(threshold) or 0.6 / MARGIN, np.array([2.0]), "any"
    )
    assert found.tolist() == [1.2]
    assert len(asked) == 2


def test_alarms_of_the_other_half_are_counted(free):
    """Ten times the torque error in the second half: what the first half chose is not enough there."""
    model, signals, values = free
    later = signals.time > signals.time.mean()
    error = 40.0 * np.sin(40.0 * signals.time)[:, None] * later[:, None]
    louder = signals._replace(q=signals.q + 1e-3 * error)
    quiet, loud = suggested(free, "wrench_norm"), suggested((model, louder, values), "wrench_norm")
    assert loud == pytest.approx(quiet, rel=1e-6)
    judges = watched(free, "wrench_norm")
    assert judges.alarms(halves(louder)[1], loud) > judges.alarms(halves(signals)[1], quiet)


def test_a_detector_without_a_threshold_is_refused(free):
    none = dataclasses.replace(find_method("detector", "wrench_norm"), parameters=())
    with refused("has no parameter called threshold"):
        choose_threshold(
            dataclasses.replace(watched(free, "wrench_norm"), detector=none), [free[1]], 1e-6
        )
