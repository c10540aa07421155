"""Quintic splines: their ends, their smoothness, their speed, and what a held table does to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import simulation

from dynamics import BadInput
from hopfield_nav.loop import Trajectory, evaluate, quintic_trajectory

numbers = st.floats(-2.0, 2.0)


@st.composite
def trajectories(draw):
    n, count = draw(st.integers(1, 4)), draw(st.integers(2, 6))
    points = np.array(
        draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=count, max_size=count))
    )
    times = np.array(draw(st.lists(st.floats(0.1, 2.0), min_size=count - 1, max_size=count - 1)))
    vector = st.lists(numbers, min_size=n, max_size=n)
    return points, times, draw(st.floats(0, 100)), np.array(draw(vector)), np.array(draw(vector))


@pytest.mark.kernel
@given(trajectories())
@settings(max_examples=30, deadline=None)
def test_boundary_conditions_and_continuity_at_every_knot(case):
    points, times, start, velocity, acceleration = case
    spline = quintic_trajectory(points, times, start, velocity, acceleration)
    np.testing.assert_allclose(np.diff(spline.knots), times, atol=1e-9)
    first = evaluate(spline, spline.knots[0])
    for found, wanted in zip(first, (points[0], velocity, acceleration), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)
    last = evaluate(spline, spline.knots[-1])
    for found, wanted in zip(last, (points[-1], 0, 0), strict=True):
        np.testing.assert_allclose(found, np.zeros(points.shape[1]) + wanted, atol=1e-9)
    for k, knot in enumerate(spline.knots[1:], 1):
        tau = knot - spline.knots[k - 1]
        c = spline.coefficients[k - 1]
        powers = tau ** np.arange(6)
        end = [
            powers @ c,
            (np.arange(1, 6) * powers[:5]) @ c[1:],
            (np.arange(2, 6) * np.arange(1, 5) * powers[:4]) @ c[2:],
        ]
        after = evaluate(spline, knot)
        for found, wanted in zip(end, after, strict=True):
            np.testing.assert_allclose(found, wanted, atol=1e-7 * (1 + np.abs(c).max()))
        np.testing.assert_allclose(end[0], points[k], atol=1e-8 * (1 + np.abs(c).max()))


@pytest.mark.kernel
def test_velocity_and_acceleration_are_derivatives():
    points = np.array([[0.0, 1.0], [0.3, 0.8], [0.2, 1.5]])
    spline = quintic_trajectory(
        points, [0.5, 0.7], 2.0, np.array([0.4, -0.3]), np.array([1.0, 0.5])
    )
    h = 1e-5
    for time in (2.1, 2.3, 2.6, 3.0, 3.19):
        low, here, high = (evaluate(spline, time + d) for d in (-h, 0, h))
        np.testing.assert_allclose((high[0] - low[0]) / (2 * h), here[1], atol=1e-7)
        np.testing.assert_allclose((high[1] - low[1]) / (2 * h), here[2], atol=1e-6)


@pytest.mark.kernel
def test_inner_waypoints_have_the_velocity_of_their_neighbours():
    points = np.array([[0.0], [0.2], [0.3], [0.1]])
    spline = quintic_trajectory(points, [0.5, 1.0, 0.5])
    assert evaluate(spline, 0.5)[1] == pytest.approx(0.3 / 1.5)
    assert evaluate(spline, 1.5)[1] == pytest.approx(-0.1 / 1.5)
    assert evaluate(spline, 0.5)[2] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.kernel
def test_rest_after_the_end_and_at_the_start_before_it():
    points = np.array([[0.1, 0.2], [0.4, -0.3]])
    spline = quintic_trajectory(points, 1.0, 5.0)
    for time in (6.0, 6.5, 1e6):
        q, qd, qdd = evaluate(spline, time)
        assert (q.tolist(), qd.any(), qdd.any()) == (
            pytest.approx(points[1].tolist()),
            False,
            False,
        )
    for time in (5.0, 4.0, -1e6):
        q, qd, qdd = evaluate(spline, time)
        assert (q.tolist(), qd.any(), qdd.any()) == (points[0].tolist(), False, False)
    rest = quintic_trajectory(points[:1], 1.0)
    assert [a.tolist() for a in evaluate(rest, 0.3)] == [[0.1, 0.2], [0.0, 0.0], [0.0, 0.0]]


@pytest.mark.kernel
def test_a_held_table_shows_the_row_before_and_misses_none():
    points, hold = np.array([[0.0], [1.0], [0.5]]), 0.00524
    smooth = quintic_trajectory(points, 0.52, 3.0)
    table = quintic_trajectory(points, 0.52, 3.0, sample_time=hold)
    for k in range(0, 198, 7):
        row = [a[0] for a in evaluate(smooth, 3.0 + k * hold)]
        for inside in (0.0, 0.3, 0.999):
            assert [a[0] for a in evaluate(table, 3.0 + (k + inside) * hold)] == pytest.approx(
                row, abs=1e-9
            )
        assert evaluate(table, 3.0 + (k + 1) * hold)[0][0] != pytest.approx(row[0], abs=1e-9)
    assert evaluate(table, 4.04 + hold)[0][0] == pytest.approx(0.5)


# --- speed limits
# -------------------------------------------------------------------------------------


def top_speeds(spline, points=400):
    times = np.concatenate(
        [
            np.linspace(a, b, points)
            for a, b in zip(spline.knots[:-1], spline.knots[1:], strict=True)
        ]
    )
    return np.abs([evaluate(spline, t)[1] for t in times]).max(axis=0)


@given(trajectories())
@settings(max_examples=30, deadline=None)
def test_from_rest_every_speed_limit_is_kept(case):
    """The speed is looked at in 33 points a segment; between them a parabola rises by at most 1 %."""
    points, times, start, _, _ = case
    limits = np.linspace(0.5, 1.0, points.shape[1])
    spline = quintic_trajectory(points, times, start, speed_limits=limits)
    assert (top_speeds(spline) <= limits * 1.01).all()
    assert (np.diff(spline.knots) >= times - 1e-9).all()
    np.testing.assert_allclose(evaluate(spline, spline.knots[-1])[0], points[-1], atol=1e-8)


def test_a_limit_lengthens_only_what_is_too_fast():
    points = np.array([[0.0], [0.01], [0.02], [2.0], [2.01]])
    free = quintic_trajectory(points, 0.5)
    assert top_speeds(free)[0] > 3.0
    limited = quintic_trajectory(points, 0.5, speed_limits=np.array([1.0]))
    durations = np.diff(limited.knots)
    assert durations[2] > 1.5
    assert durations[0] == 0.5
    generous = quintic_trajectory(points, 0.5, speed_limits=np.array([100.0]))
    np.testing.assert_array_equal(generous.coefficients, free.coefficients)


@given(st.floats(-3.1, 3.1), st.floats(-100.0, 100.0), st.floats(-0.5, 0.5))
@settings(max_examples=100, deadline=None)
def test_a_fast_start_never_makes_a_trajectory_endless(velocity, acceleration, distance):
    """The start is given. A longer segment swings out further from it: it was doubled fifty times."""
    spline = quintic_trajectory(
        np.array([[0.0], [distance], [2 * distance]]),
        0.5,
        start_velocity=np.array([velocity]),
        start_acceleration=np.array([acceleration]),
        speed_limits=np.array([math.pi]),
    )
    assert spline.knots[-1] < 20.0
    np.testing.assert_allclose(evaluate(spline, spline.knots[-1])[0], 2 * distance, atol=1e-7)


def test_coefficients_belong_to_the_durations_even_if_a_limit_cannot_be_kept():
    points = np.array([[0.0], [0.1], [0.3]])
    spline = quintic_trajectory(
        points, 0.1, 0.0, np.array([5.0]), np.array([200.0]), np.array([1.0])
    )
    for k in (1, 2):
        before, after = evaluate(spline, spline.knots[k] - 1e-9), evaluate(spline, spline.knots[k])
        np.testing.assert_allclose(before[0], after[0], atol=1e-6)
        np.testing.assert_allclose(after[0], points[k], atol=1e-9)


# --- bad input
# ----------------------------------------------------------------------------------------

GOOD = {"waypoints": np.zeros((3, 2)), "segment_time": 0.5}
BAD = {
    "no waypoints": {"waypoints": np.zeros((0, 2))},
    "one row": {"waypoints": np.zeros(3)},
    "NaN": {"waypoints": np.full((3, 2), np.nan)},
    "no time": {"segment_time": 0.0},
    "negative time": {"segment_time": [0.5, -0.5]},
    "endless": {"segment_time": np.inf},
    "NaN time": {"segment_time": np.nan},
    "too many times": {"segment_time": [0.5, 0.5, 0.5]},
    "negative sample time": {"sample_time": -1.0},
    "NaN sample time": {"sample_time": np.nan},
    "NaN start time": {"start_time": np.nan},
    "short velocity": {"start_velocity": np.zeros(1)},
    "NaN velocity": {"start_velocity": np.full(2, np.nan)},
    "long acceleration": {"start_acceleration": np.zeros(3)},
    "short limits": {"speed_limits": np.ones(1)},
    "limits of zero": {"speed_limits": np.zeros(2)},
}


@pytest.mark.parametrize("wrong", BAD.values(), ids=BAD.keys())
def test_bad_input(wrong):
    assert isinstance(quintic_trajectory(**GOOD), Trajectory)
    with pytest.raises(BadInput):
        quintic_trajectory(**{**GOOD, **wrong})


# --- where a new trajectory takes over
# ------------------------------------------------------------------


def test_the_reference_is_smooth_across_collisions():
    """Steps of q_ref, qd_ref, qdd_ref are those of the next derivative: no jump anywhere in the record."""
    run = simulation(
        "obstacles: [{cylinder: {center: [0.36, -0.09], radius: 0.05}}]\ngoal: {cell: [17, 6]}\n"
    ).run()
    assert run.outcome == "reached"
    assert run.summary["collision_count"] >= 3
    q, qd, qdd = (run.data[name].values for name in ("q_ref", "qd_ref", "qdd_ref"))
    h = 0.001
    np.testing.assert_allclose(np.diff(q, axis=0), h * (qd[1:] + qd[:-1]) / 2, atol=1e-7)
    np.testing.assert_allclose(np.diff(qd, axis=0), h * (qdd[1:] + qdd[:-1]) / 2, atol=1e-4)
    jerk = np.abs(np.diff(qdd, axis=0)).max(axis=1) / h
    takeover = np.searchsorted(run.data.time.values, run.data.event_time.values - h / 2)
    assert np.median(np.abs(qdd).max(axis=1)) > 0.01
    # a jump of the acceleration would be thousands of its usual change a step
    assert np.abs(np.diff(qdd, axis=0))[takeover - 1].max() <= h * np.percentile(jerk, 99.9)


def test_from_rest_a_first_segment_that_is_slowed_by_its_neighbour_keeps_the_limit():
    """Its speed rose when the second one got longer, and was then put down to its start."""
    points = np.array([[0.0, 1.0], [0.0, -1.0], [0.0, 0.0]])
    limits = np.array([0.5, 1.0])
    trajectory = quintic_trajectory(points, np.array([2.0, 0.25]), speed_limits=limits)
    assert (top_speeds(trajectory) <= 1.01 * limits).all()
