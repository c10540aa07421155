"""Glancing contacts of the whole arm: passed by on request, guarded, and told from what stops the arm."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.whole_arm.glancing import rest_of_line
from hopfield_nav.extensions.whole_arm.way import Way
from hopfield_nav.geometry import LINK, arm_bodies, capsules_in_base
from hopfield_nav.navigation import ContactHypotheses
from hopfield_nav.world import parse_world

MOTION = """format: 1
map: {space: joints, shape: [24, 12, 16, 6, 4, 1]}
start: {joints: [0.2, -1.6, 1.2, -1.2, -1.5, 0.0]}
goal: {joints: [1.6, -1.5, 1.1, -1.2, -1.5, 0.5]}
time_limit: 300
"""
# [m] middle of a ball beside the way, by a hair and 3 mm into it, and of one in the way
BRUSHED, BESIDE, AHEAD = [-0.2, -0.436, 0.754], [-0.2, -0.436, 0.751], [-0.2, -0.436, 0.588]


def run(middle, detection="{}"):
    ball = f"obstacles: [{{sphere: {{center: {middle}, radius: 0.06}}}}]\n"
    simulation = Simulation(parse_world(f"{MOTION}{ball}detection: {detection}\n"))
    return simulation, simulation.run()


@pytest.fixture(scope="module")
def passed():
    return run(BRUSHED, "{graze: pass}")


def test_a_ball_beside_the_way_is_passed_by_where_that_is_wanted(passed):
    simulation, found = passed
    assert found.outcome == "reached"
    assert [d.passed_by for d in simulation.detections] == [True]
    assert found.summary["graze_count"] == 1
    assert found.summary["collision_count"] == 0
    _, back = run(BRUSHED)
    assert back.outcome == "reached"
    assert back.summary["graze_count"] == 0
    assert back.summary["collision_count"] >= 1
    assert back.data.event_time.values[0] == found.data.event_time.values[0]
    assert found.summary["simulated_time_s"] < back.summary["simulated_time_s"]


def test_the_arm_goes_on_more_slowly(passed):
    data = passed[1].data
    time, first = data.time.values, float(data.event_time[0])
    speed = np.linalg.norm(data.qd_ref.values, axis=1)
    before = data.qd_ref.values[np.searchsorted(time, first) - 1]
    on = (time > first + 0.05) & (time < first + 1.0)
    assert (data.qd_ref.values[on] @ before > 0.0).all()
    assert speed[on][-1] < 0.85 * np.linalg.norm(before)
    assert (np.diff(speed[on][-200:]) < 0.0).all()


def test_the_passage_ends_where_the_force_grows_by_a_threshold():
    simulation, found = run(BESIDE, "{graze: pass}")
    assert found.outcome == "reached"
    first, second = simulation.detections[:2]
    assert first.passed_by
    assert not second.passed_by
    time, level = found.data.time.values, found.data.level.values
    at_alarm = level[np.searchsorted(time, first.time + 0.01)]
    assert at_alarm + 0.5 < level[(time > first.time) & (time <= second.time)].max() < at_alarm + 1.1


def test_a_ball_in_the_way_is_not_passed_by():
    simulation, found = run(AHEAD, "{graze: pass}")
    assert found.outcome == "reached"
    assert found.summary["collision_count"] >= 1
    assert not simulation.detections[0].passed_by


def test_how_likely_a_touch_is_a_glancing_one(passed):
    assert passed[0].detections[0].places.glancing > 0.9
    assert run(AHEAD)[0].detections[0].places.glancing < 0.1


ARM = load_arm("ur5_ragazzon2012")
TURN = np.array([[0.2, -1.6, 1.2, -1.2, -1.5, 0.0], [0.6, -1.6, 1.2, -1.2, -1.5, 0.0]])  # [rad] of joint 1


def place(aside, ahead):
    """A place so far from the forearm's axis, above it and in the way of a turn of joint 1 [m]."""
    row = capsules_in_base(ARM, TURN[0])[arm_bodies(ARM)[:, LINK] == 3][-1]
    middle = 0.5 * (row[:3] + row[3:6])
    way = np.cross([0.0, 0.0, 1.0], middle)
    return middle + ahead * way / np.linalg.norm(way) + aside * np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("aside", "ahead", "glancing", "line", "goes_on"),
    [
        (0.2, 0.0, 1.0, True, True),
        (0.2, 0.0, 0.5, True, False),
        (0.2, 0.0, 1.0, False, False),
        (0.0, 0.05, 1.0, True, False),
    ],
)
def test_where_the_arm_goes_on(aside, ahead, glancing, line, goes_on):
    """Past what it surely only grazes, on a straight line, and where it does not sink into the place."""
    cells = [(0,) * 6, (1, 0, 0, 0, 0, 0)]
    way = Way(TURN, [None, cells[1]], 3, (), (cells,) if line else ())
    places = ContactHypotheses(place(aside, ahead)[None], np.array([3]), np.ones(1), glancing)
    rest = rest_of_line(ARM, way, 0, TURN[0] + 0.01, places)
    assert (rest is not None) is goes_on
    if rest is not None:
        np.testing.assert_array_equal(rest.rows[0], TURN[0] + 0.01)
        axes = capsules_in_base(ARM, rest.rows)[..., :6].reshape(2, -1, 3)
        assert 0.09 < np.linalg.norm(axes[1] - axes[0], axis=1).max() < 0.101
        assert rest.line(0) == cells
        assert rest.goal == 3
