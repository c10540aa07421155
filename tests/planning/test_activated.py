"""Other activation functions as planners: where theory lets them, and what they do to the path."""

import numpy as np
import pytest
from refusals import refused

from hopfield_nav.planning import iterate, plan_path
from hopfield_nav.planning.hopfield import activation
from hopfield_nav.world import parse_world, remarks

WALL = np.zeros((12, 12), dtype=bool)
WALL[6, 1:] = True
ENDS = (2, 9), (10, 9)
WORLD = "format: 1\nplanner: {network: sum, activation: %s}\n"


def test_what_each_function_does_to_the_path():
    """tanh climbs as the document's does; with g(0) above 0 the light of a wide room draws the climb away."""
    linear, tanh = (
        plan_path(WALL, *ENDS, "sum", 0.1, activation=name) for name in ("linear", "tanh")
    )
    np.testing.assert_array_equal(linear.cells, tanh.cells)
    assert (tanh.network, tanh.beta, tanh.length) == ("sum", 0.1, linear.length)
    for name, slope in (("saturated", 0.1), ("sigmoid", 0.4)):
        plan = plan_path(WALL, *ENDS, "sum", slope, activation=name)
        assert plan.cells is None
        assert "not the goal" in plan.reason
        beside = plan_path(WALL, (10, 8), (10, 9), "sum", slope, activation=name)
        assert beside.cells.tolist() == [[10, 8], [10, 9]]


def test_the_climb_is_over_the_networks_own_activations():
    sigma, _ = iterate(WALL, ENDS[1], function=activation("tanh", 0.2))
    plan = plan_path(WALL, *ENDS, "sum", 0.2, activation="tanh")
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(plan.log_activation, np.log(sigma))
    assert (np.diff(sigma[tuple(plan.cells.T)]) > 0).all()
    assert not plan.saturated


def test_a_goal_out_of_reach_is_dark_with_tanh_and_lit_with_a_sigmoid():
    shut = WALL.copy()
    shut[6, 0] = True
    dark = plan_path(shut, *ENDS, "sum", activation="tanh")
    assert (dark.cells, dark.reason) == (None, "no free path from start to goal")
    assert not dark.reachable[ENDS[0]]
    lit = plan_path(shut, *ENDS, "sum", activation="sigmoid")
    assert lit.cells is None
    assert "not the goal" in lit.reason
    assert lit.reachable[ENDS[0]]


def test_closed_steps_are_not_climbed():
    open_map, closed = np.zeros((3, 8), dtype=bool), np.array([[[1, 3], [1, 4]]])
    plan = plan_path(open_map, (1, 0), (1, 7), "sum", activation="tanh", closed=closed)
    steps = {tuple(map(tuple, pair)) for pair in zip(plan.cells[:-1], plan.cells[1:], strict=True)}
    assert ((1, 3), (1, 4)) not in steps
    assert plan.length == 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("limit", None, "tanh"), "limit has no activation function"),
        (("sum", 0.3, "tanh"), r"tanh breaks .*\(6.12\)"),
        (("sum", 1.2, "sigmoid"), r"sigmoid breaks .*\(6.12\)"),
        (("sum", 0.1, "threshold"), r"threshold breaks .*\(6.12\)"),
        (("sum", 0.1, "step"), "step"),
    ],
)
def test_what_theory_forbids_is_refused(arguments, message):
    network, beta, name = arguments
    with refused(message):
        plan_path(WALL, *ENDS, network, beta, activation=name)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("threshold", r"planner.activation: .*threshold breaks .*\(6.12\)"),
        ("tanh, beta: 0.26", r"planner.beta: .*tanh breaks .*\(6.12\)"),
        ("tanh, network: limit", "planner.activation: only the summing network"),
        ("relu", "planner.activation"),
    ],
)
def test_worlds_are_refused_for_the_same_reasons(section, message):
    text = WORLD % section
    with refused(message):
        parse_world(text.replace("network: sum, ", "") if "network: limit" in section else text)


def test_a_map_of_joint_angles_has_none():
    with refused("planner.activation: a map of joint angles"):
        parse_world("format: 1\nmap: {space: joints}\nplanner: {network: sum, activation: tanh}\n")


def test_a_sigmoid_may_be_four_times_as_steep_and_is_told_about():
    (told,) = remarks(parse_world(WORLD % "sigmoid, beta: 0.9"))
    assert "cells without a path to the goal are lit" in told
    assert remarks(parse_world(WORLD % "tanh, beta: 0.2")) == []
