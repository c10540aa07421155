"""A threshold for a wanted rate of false alarms: no less than it takes, no more than it has to be."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from refusals import refused

from hopfield_nav import load_world
from hopfield_nav.build import build_model, find_methods
from hopfield_nav.extensions.recordings import (
    Watched,
    choose_threshold,
    felt_force,
    free_motion,
    halves,
)
from hopfield_nav.extensions.recordings.tuning import MARGIN, quiet_time
from hopfield_nav.record import alarm_rate

NOISY = [
    "sensors.velocity_noise=0.002",
    "detection.measure=joint_torque",
    "detection.estimator=momentum_observer",
]


@pytest.fixture(scope="module")
def world():
    return load_world("u_trap", NOISY)


@pytest.fixture(scope="module")
def free(world):
    return [free_motion(world, seed) for seed in range(3)]


@pytest.fixture(scope="module")
def watched(world):
    methods = find_methods(world)
    return Watched(build_model(world, world.bare_arm()), methods.estimator, methods.detector, {})


def test_nothing_touches_the_arm_in_free_motion_and_every_seed_moves_it_elsewhere(world, free):
    """The obstacles of the world are gone: the arm goes through where they stand, and arrives."""
    assert world.obstacles
    ends = np.array([signals.q_ref[-1] for signals in free])
    assert np.abs(np.diff(ends, axis=0)).max(axis=1).min() > 0.01
    again = free_motion(world, 1)
    np.testing.assert_array_equal(again.q, free[1].q)


def test_too_short_a_motion_is_quiet_by_the_margin(watched, free):
    found = choose_threshold(watched, free, 1.0)
    assert found.allowed == 0
    levels = [watched.watch(signals, found.threshold).level.max() for signals in free]
    assert max(levels) == pytest.approx(1 / MARGIN, rel=1e-6)
    assert found.seconds == pytest.approx(sum(np.ptp(signals.time) for signals in free))


@pytest.mark.parametrize("allowed", [1, 20])
def test_as_many_alarms_as_the_rate_allows(watched, free, allowed):
    """A tenth below the threshold, where it was found, there are as many; a little lower, there are more."""
    seconds = sum(float(np.ptp(signals.time)) for signals in free)
    per_hour = alarm_rate(allowed, seconds)[2] * 1.0001
    found = choose_threshold(watched, free, per_hour)
    assert found.allowed == allowed

    def alarms(share):
        return sum(watched.alarms(signals, share * found.threshold) for signals in free)

    assert alarms(1.0001 / MARGIN) <= allowed < alarms(0.97 / MARGIN)
    assert alarms(1.0) <= alarms(1.0001 / MARGIN)


def test_a_higher_rate_takes_a_lower_threshold(watched, free):
    few, many = (choose_threshold(watched, free, rate).threshold for rate in (10.0, 1e5))
    assert np.all(many < few)


def test_thresholds_of_joints_stand_as_their_torques_do(watched, free):
    threshold = choose_threshold(watched, free, 1.0).threshold
    torques = np.max(
        [np.abs(watched.watch(s, threshold).tau_external).max(axis=0) for s in free], axis=0
    )
    expected = np.maximum(torques / torques.max(), 1e-3)
    np.testing.assert_allclose(threshold / threshold.max(), expected, rtol=1e-6)


def test_a_detector_that_allows_for_all_of_it_gets_the_least_threshold(world, watched, free):
    generous = load_world("u_trap", ["detection.measure=adaptive_joint_torque"])
    detector = find_methods(generous).detector
    values = {"friction_error": 0.25, "mass_error": 10.0, "velocity_noise": [0.1] * 6}
    found = choose_threshold(
        dataclasses.replace(watched, detector=detector, values=values), free, 1.0
    )
    # without the allowance
    assert sum(watched.alarms(signals, found.threshold) for signals in free) > 0
    parameter = next(p for p in detector.parameters if p.name == "threshold")
    assert np.all(found.threshold >= parameter.low)
    assert found.threshold.max() < 1e-6


def test_halves_are_all_of_it(free):
    early, late = halves(free[0])
    np.testing.assert_array_equal(np.concatenate([early.time, late.time]), free[0].time)
    assert abs(len(early.time) - len(late.time)) <= 1


def test_what_is_felt_grows_with_the_threshold(world):
    """The same push, twice the threshold: the force is larger when it is felt."""
    forces = []
    for threshold in (1.0, 2.0, 4.0):
        section = world.detection.model_copy(update={"threshold": threshold})
        forces.append(felt_force(world.with_changes(detection=section), 0)[0])
    assert forces[0] < forces[1] < forces[2]


@pytest.mark.parametrize("most", [3, 1000])
def test_alarms_that_never_become_more_bound_no_threshold(watched, free, most, monkeypatch):
    """Where the allowance alone keeps the motion as quiet as it may be, the threshold is that without any alarm."""
    quiet = choose_threshold(watched, free, 1.0).threshold
    monkeypatch.setattr(
        Watched,
        "alarms",
        lambda self, signals, threshold: int(most * np.all(threshold < 0.5 * quiet)),
    )
    found = choose_threshold(
        watched, free, alarm_rate(20, sum(float(np.ptp(s.time)) for s in free))[2] * 1.001
    )
    assert found.threshold == pytest.approx(quiet if most == 3 else MARGIN * 0.5 * quiet, rel=1e-4)


def test_any_rate_has_its_alarms_at_once(watched, free):
    assert choose_threshold(watched, free, 1e9).allowed > 10**6


def test_refusals(watched, free):
    for rate in (0.0, np.inf, np.nan):
        with refused("no rate"):
            choose_threshold(watched, free, rate)
    with refused("no free motion"):
        choose_threshold(watched, [], 1.0)
    nothing = dataclasses.replace(watched.detector, parameters=())
    with refused("has no parameter called threshold"):
        choose_threshold(dataclasses.replace(watched, detector=nothing), free, 1.0)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_a_rate_that_is_none_needs_no_time(rate):
    with refused("no rate"):
        quiet_time(rate)
