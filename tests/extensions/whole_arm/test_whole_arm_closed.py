"""A map of joint angles has no edge where the arm can go: closed axes, goals by whole turns, joint limits."""

import itertools

import numpy as np
import pytest

from dynamics import forward_kinematics, load_arm
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.whole_arm import default_bounds
from hopfield_nav.loop import evaluate, sample
from hopfield_nav.navigation.map import Beliefs, Step, pairs, step_between
from hopfield_nav.world import parse_world

ARM = load_arm("ur5_ragazzon2012")
HOME = np.array([0.2, -1.2, 1.5, -1.0, 1.2, 0.0])
SMALL = "[12, 9, 8, 6, 4, 1]"


def planned(start, goal, more="", shape=SMALL):
    joints = ", ".join(f"{v:.6f}" for v in start), ", ".join(f"{v:.6f}" for v in goal)
    return Simulation(
        parse_world(
            f"format: 1\nmap: {{space: joints, shape: {shape}}}\nstart: {{joints: [{joints[0]}]}}\n"
            f"goal: {{joints: [{joints[1]}]}}\nrecord: {{signals: none}}\n{more}"
        )
    )


def ends_at(simulation):
    trajectory = simulation.first_motion.trajectory
    return evaluate(trajectory, float(trajectory.knots[-1]))[0]


def within_limits(simulation):
    _, q, _, _ = sample(simulation.first_motion.trajectory, 8)
    low, high = ARM.position_limits.T
    return bool(((q >= low - 1e-9) & (q <= high + 1e-9)).all())


def test_a_goal_behind_the_fold_of_the_elbow_is_reached_on_this_side_of_it():
    start = [1.134464, -2.007129, -2.058333, 2.356194, 0.392699, 0]
    goal = np.array([0.610865, -1.308997, 1.841667, -0.261799, -0.392699, 0])
    simulation = planned(start, goal, shape="[36, 18, 24, 12, 8, 1]")
    assert ends_at(simulation) == pytest.approx(goal)
    assert within_limits(simulation)


def test_a_goal_at_a_limit_is_left_on_another_turn_of_it():
    """By the turn that is given its only free centres lie beyond the limit, by the next they do not."""
    start = [-5.8085, -3.2005, 2.3501, 1.3529, 5.5797, -2.3747]
    goal = np.array([-1.5563, -6.235, -0.2414, -3.211, 0.2179, -4.8318])
    floor = "known: [{floor: {height: -0.03}}]\n"
    simulation = planned(start, goal, floor, shape="[36, 18, 24, 12, 8, 1]")
    turns = (ends_at(simulation) - goal) / (2 * np.pi)
    assert turns == pytest.approx(np.rint(turns), abs=1e-9)
    assert within_limits(simulation)


def test_a_goal_is_met_by_whole_turns_within_the_limits_and_the_other_way_round_beyond_them():
    for first, last, met in (
        (5.5, -0.1, 2 * np.pi - 0.1),
        (5.8, 1.0, 1.0),
        (-5.8, -1.0, -1.0),
        (0.2, 0.9, 0.9),
    ):
        start, goal = HOME.copy(), HOME.copy()
        start[0], goal[0] = first, last
        simulation = planned(start, goal)
        assert ends_at(simulation)[0] == pytest.approx(met)
        assert within_limits(simulation)
        tool = forward_kinematics(ARM, np.array([ends_at(simulation), goal]))
        assert tool[0] == pytest.approx(tool[1], abs=1e-9)


def test_whole_turns_of_a_goal_change_no_path():
    goal = HOME + np.array([2.0, -0.4, -0.5, 0.8, 0.3, 0.0])
    cells = planned(HOME, goal).first_motion.cells
    for turns in ([-1, 0, 0, 0, 0, 0], [0, 0, 0, 1, -1, 0]):
        assert np.array_equal(
            planned(HOME, goal + 2 * np.pi * np.array(turns)).first_motion.cells, cells
        )


def test_a_joint_with_less_than_a_turn_has_all_of_it_and_others_are_closed():
    limits = ARM.position_limits.copy()
    limits[0] = [-3.0, 1.0]
    grid = default_bounds(ARM._replace(position_limits=limits), HOME, (12, 9, 8, 6, 4, 1))
    assert (grid.lower[0], grid.upper[0]) == (-3.0, 1.0)
    assert grid.turn == (0, 9, 8, 6, 4, 0)
    assert "joint 1 from -3 to 1 rad" in grid.edges()


def test_angles_are_unwound_step_by_step():
    grid, generator = default_bounds(ARM, HOME, (12, 9, 8, 6, 4, 1)), np.random.default_rng(3)
    rows = np.cumsum(generator.uniform(-1.5, 1.5, (200, 6)), axis=0)
    rows[:, 5] = 0.0
    wrapped = grid.beside(rows, np.zeros(6))
    wrapped[0] = rows[0]
    assert grid.unwound(wrapped) == pytest.approx(rows)
    assert np.all(np.abs(wrapped[1:]) <= np.pi + 1e-12)


def test_steps_lead_round_a_closed_axis_and_planners_take_them():
    shape, turn = (5, 4), (5, 0)
    assert (
        step_between((4, 1), (0, 1), turn) == step_between((0, 1), (4, 1), turn) == Step((4, 1), 0)
    )
    assert step_between((4, 1), (0, 1)) is step_between((1, 3), (1, 0), turn) is None
    assert pairs([Step((4, 1), 0)], shape).tolist() == [[[4, 1], [0, 1]]]
    beliefs = Beliefs(shape, turn)
    for cell in itertools.product(range(5), range(4)):
        ends = pairs(beliefs.steps_of(cell), shape)
        others = {tuple(c) for c in ends.reshape(-1, 2).tolist()} - {cell}
        expected = {((cell[0] + d) % 5, cell[1]) for d in (1, -1)}
        expected |= {(cell[0], cell[1] + d) for d in (1, -1) if 0 <= cell[1] + d < 4}
        assert others == expected
