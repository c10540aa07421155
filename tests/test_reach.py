"""Cells out of reach are left out one after the other, or all before the start."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import forward_kinematics, inverse_kinematics, load_arm
from hopfield_nav import Simulation, load_world
from hopfield_nav.reach import SINGULAR, follow_regular_path, manipulability, unreachable_places

Q = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])


def begin(choice, *settings):
    return Simulation(load_world("behind_the_base", [f"planner.unreachable={choice}", *settings]))


def test_the_straight_way_behind_the_base_is_out_of_reach():
    ignored = begin("ignore")
    assert ignored.outcome == "unreachable"
    assert "out of reach" in ignored.reason


@pytest.mark.parametrize("settings", [(), ("planner.any_angle=true",)])
def test_lazy_finds_a_way_that_the_arm_can_follow(settings):
    sim = begin("lazy", *settings)
    run = sim.run()
    assert run.outcome == "reached"
    found = sim.navigator.unreachable
    assert 0 < found.sum() < 40
    assert not sim.navigator.grid.felt.any()
    assert not sim.navigator.grid.blocked.any()
    np.testing.assert_array_equal(run.data.final_map.values == 2, found)
    assert not found[tuple(run.data.first_path.values.T)].any()


def test_precomputed_cells_are_those_without_a_solution():
    sim = begin("precompute")
    grid, found = sim.navigator.grid, sim.navigator.unreachable
    pose = np.eye(4)
    pose[:3, :3] = sim.world.trajectory.tool_rotation
    for cell in np.ndindex(found.shape):
        pose[:3, 3] = grid.centre(cell)
        solutions = np.asarray(inverse_kinematics(sim.arm, pose)).reshape(-1, 6)
        solutions = solutions[np.isfinite(solutions).all(axis=1)]
        if len(solutions) == 0:
            assert found[cell]
        elif not found[cell]:
            assert manipulability(sim.arm, solutions).max() >= SINGULAR
    assert found.any()
    assert sim.run().outcome == "reached"


def test_no_way_left_names_the_number_of_cells():
    sim = begin("lazy", "map.origin=[-0.5, -0.05, 0.0]", "map.shape=[21, 4]")
    assert sim.outcome == "no_path"
    assert "cannot be reached by the arm" in sim.reason or "cell (" in sim.reason


def test_a_goal_out_of_reach_is_no_path():
    sim = begin("lazy", "goal.position=[0.0, 0.0]")
    assert sim.outcome == "no_path"
    assert "cannot be reached by the arm" in sim.reason


def test_manipulability_vanishes_with_the_elbow_stretched():
    arm = load_arm("ur5_ragazzon2012")
    stretched = Q.copy()
    stretched[2] = 0.0
    regular, singular = manipulability(arm, np.stack([Q, stretched]))
    assert regular > 10 * SINGULAR
    assert singular < 1e-9


def test_a_path_ends_where_the_arm_is_singular():
    arm = load_arm("ur5_ragazzon2012")
    angles = np.linspace(0.4, 0.0, 30)
    poses = np.stack([forward_kinematics(arm, np.array([0.3, -1.0, a, 0.2, 1.2, 0.1])) for a in angles])
    start = np.array([0.3, -1.0, 0.4, 0.2, 1.2, 0.1])
    path = follow_regular_path(arm, poses, start)
    assert path.reason == f"singular at waypoint {path.reached}"
    assert np.isnan(path.q[path.reached :]).all()
    assert manipulability(arm, path.q[: path.reached]).min() >= SINGULAR
    nearly = forward_kinematics(arm, np.array([0.3, -1.0, 0.003, 0.2, 1.2, 0.1]))
    assert unreachable_places(arm, np.stack([poses[0], nearly]), start).tolist() == [False, True]
