"""A settled network as it is seen: the neighbour that every cell climbs to, against the kernels that find paths."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from hopfield_nav import plan_path
from hopfield_nav.planning import Replanner, replan

CASES = [
    ((14, 17), "limit", 1.0, None), ((14, 17), "sum", 1.0, None), ((14, 17), "limit", 1.5, None),
    ((14, 17), "sum", 1.5, (True, False)), ((6, 7, 5), "limit", 1.0, (True, False, True)),
    ((6, 7, 5), "sum", 1.0, None),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "network", "radius", "periodic"), CASES)
def test_one_climbs_where_the_path_goes(shape, network, radius, periodic):
    rng = np.random.default_rng(sum(shape))
    for _ in range(5):
        blocked = rng.random(shape) < 0.25
        goal, start = (tuple(int(rng.integers(n)) for n in shape) for _ in range(2))
        blocked[goal] = blocked[start] = False
        beside = np.array([[start, (*start[:-1], start[-1] - 1)]]) if start[-1] else None
        how = {"radius": radius, "periodic": periodic, "closed": beside}
        plan = plan_path(blocked, start, goal, network, **how)
        if plan.cells is None:
            continue
        np.testing.assert_array_equal(plan.landscape.climbed(plan.cells[:-1]), plan.cells[1:])
        np.testing.assert_array_equal(plan.landscape.climbed(plan.cells[-1:]), plan.cells[-1:])


def test_every_free_cell_climbs_to_the_goal_and_a_dark_one_stays():
    blocked = np.random.default_rng(2).random((20, 20)) < 0.3
    blocked[3, 3] = False
    plan = plan_path(blocked, (3, 3), (3, 3), "sum", 0.1)
    here = np.argwhere(~blocked)
    lit = np.isfinite(plan.log_activation[tuple(here.T)])
    assert 0 < lit.sum() < len(here)
    for _ in range(400):
        here = plan.landscape.climbed(here)
    np.testing.assert_array_equal(here[lit], np.tile([3, 3], (lit.sum(), 1)))
    np.testing.assert_array_equal(here[~lit], np.argwhere(~blocked)[~lit])


def test_from_a_blocked_start_its_neighbours_decide():
    blocked = np.zeros((5, 5), bool)
    blocked[2, 1] = True
    for network in ("limit", "sum"):
        plan = replan(blocked, (2, 1), (2, 4), network)
        np.testing.assert_array_equal(plan.landscape.climbed(plan.cells[:1]), plan.cells[1:2])


@pytest.mark.parametrize("network", ["limit", "sum"])
def test_a_plan_goes_to_another_process_with_its_network(network):
    plan = plan_path(np.zeros((4, 5), bool), (0, 0), (3, 4), network)
    other = pickle.loads(pickle.dumps(plan))
    np.testing.assert_array_equal(other.landscape.activation, plan.landscape.activation)


def test_a_planner_that_remembers_has_the_network_of_a_new_plan():
    planner, blocked = Replanner(np.zeros((4, 5), bool), (3, 4)), np.zeros((4, 5), bool)
    planner.block((2, 2))
    blocked[2, 2] = True
    plan = plan_path(blocked, (0, 0), (3, 4))
    np.testing.assert_array_equal(planner.landscape.activation, plan.landscape.activation)
