"""A path at any angle in motion: straight, timed by length, and smooth in the main experiment."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import GOAL, simulation

from dynamics import forward_kinematics
from hopfield_nav import load_world, simulate
from hopfield_nav.loop import evaluate
from hopfield_nav.navigation.motion.spline import times_between
from hopfield_nav.navigation.motion.tool_path import along_chain, tight_chain


def turning(tool):
    """Sum of all changes of direction along a path [rad]."""
    step = np.diff(tool[::20, :2], axis=0)
    step = step[np.linalg.norm(step, axis=1) > 1e-4]
    angle = np.unwrap(np.arctan2(step[:, 1], step[:, 0]))
    return np.abs(np.diff(angle)).sum()


def test_an_open_path_is_one_straight_line_at_constant_speed():
    sim = simulation(GOAL + "planner: {any_angle: true}\n")
    motion = sim.navigator.motion
    tool = np.array(
        [
            forward_kinematics(sim.arm, evaluate(motion.trajectory, t)[0])[:3, 3]
            for t in motion.trajectory.knots
        ]
    )
    ends = (tool[-1] - tool[0])[:2]
    beside = (tool - tool[0])[:, :2] @ np.array([-ends[1], ends[0]]) / np.linalg.norm(ends)
    assert np.abs(beside).max() < 1e-9
    h = sim.world.map.spacing
    pace = np.linalg.norm(np.diff(tool, axis=0), axis=1) / np.diff(motion.trajectory.knots)
    np.testing.assert_allclose(pace[1:], h / 0.5, rtol=1e-6)
    assert motion.cells[0].tolist() == [1, 10]
    assert motion.cells[-1].tolist() == [17, 6]


def test_the_main_experiment_gets_shorter_and_loses_its_zigzag():
    tools, runs = [], []
    for settings in ([], ["planner.any_angle=true", "planner.clearance=0.01"]):
        run = simulate(load_world("ragazzon2012", settings))
        after = run.data.time.values > run.data.event_time.values[-1] + 4
        tools.append(run.data.tool_position.values[after])
        runs.append(run)
    assert [run.outcome for run in runs] == ["reached", "reached"]
    assert turning(tools[1]) < 0.5 * turning(tools[0])
    assert runs[1].summary["simulated_time_s"] < runs[0].summary["simulated_time_s"]


def test_a_chain_ends_where_it_is_asked_to_but_within_the_map():
    """The outermost cells are as wide as all others: half a cell beyond their centres the map ends."""
    blocked = np.zeros((20, 10), dtype=bool)
    cells, first, last = np.array([[3, 4], [4, 4]]), np.array([-2.0, 30.0]), np.array([25.0, -3.0])
    chain = tight_chain(blocked, cells, first, last, 0.02, 0.0)
    np.testing.assert_array_equal(chain, [[-0.5, 9.5], [19.5, -0.5]])


def test_places_along_a_chain():
    chain = np.array([[0.0, 0.0], [2.5, 0.0], [2.5, 1.0]])
    places = along_chain(chain)
    np.testing.assert_allclose(
        places, [[0, 0], [2.5 / 3, 0], [5 / 3, 0], [2.5, 0], [2.5, 1]], atol=1e-12
    )
    metres = np.column_stack([places, np.zeros(5)]) * 0.1
    np.testing.assert_allclose(times_between(metres, 0.1, 0.6, True), [0.6, 0.5, 0.5, 0.6])
    np.testing.assert_allclose(
        times_between(metres, 0.1, "ragazzon2012", True)[1:], [2.5 / 6, 2.5 / 6, 0.5]
    )


def test_the_documents_rule_takes_half_a_second_for_each_place():
    """Ragazzon 2012 C.2.2: round(n / 2) for a path of n places, in equal parts; halves are rounded up."""
    for n in range(2, 12):
        times = times_between(np.zeros((n, 3)), 0.02, "ragazzon2012", False)
        assert len(times) == n - 1
        assert np.ptp(times) == 0.0
        assert times.sum() == pytest.approx((n + 1) // 2)


def test_by_cell_a_longer_step_takes_longer_in_proportion():
    places = np.array([[0.0, 0.0, 0.0], [0.05, 0.0, 0.0], [0.07, 0.0, 0.0], [0.08, 0.0, 0.0]])
    np.testing.assert_allclose(times_between(places, 0.02, 0.5, False), [1.25, 0.5, 0.5])
