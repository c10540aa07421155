"""Other planners: A* is exactly shortest, the roadmap sees its points."""

from __future__ import annotations

import numpy as np
import pytest
from closed_steps import plan_with
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scenes import world

from hopfield_nav import load_world, simulate
from hopfield_nav.navigation.planners import open_cells
from hopfield_nav.navigation.planners.roadmap import plan_roadmap
from hopfield_nav.planning import neighbourhood_of, plan_a_star, replan
from hopfield_nav.planning.a_star import _least
from hopfield_nav.planning.line_of_sight import in_sight
from hopfield_nav.world import PlannerSection


def pocket():
    """A pocket that opens towards the start."""
    blocked = np.zeros((20, 20), dtype=bool)
    blocked[12, 5:15] = blocked[8:12, 5] = blocked[8:12, 14] = True
    return blocked, (3, 10), (17, 10)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.integers(1, 3), st.sampled_from([1.0, 1.5, 2.0]), st.integers(0, 2**32))
def test_a_star_is_as_short_as_the_limit_network(rank, radius, seed):
    rng = np.random.default_rng(seed)
    blocked = rng.random(tuple(rng.integers(2, 8, rank))) < 0.35
    start, goal = (tuple(int(rng.integers(n)) for n in blocked.shape) for _ in range(2))
    near = neighbourhood_of(blocked.shape, radius)
    plan, exact = plan_a_star(blocked, start, goal, radius), replan(blocked, start, goal, near=near)
    assert (plan.cells is None) == (exact.cells is None)
    assert plan.length == pytest.approx(exact.length, rel=1e-12)
    if plan.cells is None:
        assert plan.reason == exact.reason
        return
    steps = np.linalg.norm(np.diff(plan.cells, axis=0), axis=1)
    assert steps.sum() == pytest.approx(plan.length, rel=1e-12)
    assert (steps <= radius).all()
    assert (plan.cells[0].tolist(), plan.cells[-1].tolist()) == (list(start), list(goal))
    assert not blocked[tuple(plan.cells[1:-1].T)].any()


def test_roadmap_sees_from_point_to_point_and_nears_the_shortest_path_with_more_samples():
    blocked, start, goal = pocket()
    exact = 2 * np.hypot(8.5, 5.5) + 1  # about the wall alone; the pocket makes it longer
    lengths = []
    for samples in (300, 3000):
        plan = plan_roadmap(blocked, start, goal, samples, seed=2)
        assert plan.waypoints[0].tolist() == list(start)
        assert plan.waypoints[-1].tolist() == list(goal)
        assert in_sight(blocked, plan.waypoints[:-1], plan.waypoints[1:]).all()
        assert not blocked[tuple(plan.cells.T)].any()
        lengths.append(plan.length)
    assert 16 < lengths[1] < lengths[0]
    assert lengths[1] < 1.15 * exact


def test_roadmap_without_enough_samples_says_so():
    blocked, start, goal = pocket()
    plan = plan_roadmap(blocked, start, goal, 2, seed=0)
    assert plan.reason == "a roadmap of 2 samples does not connect start and goal"
    sealed = np.zeros((5, 5), dtype=bool)
    sealed[2] = True
    assert plan_roadmap(sealed, (0, 0), (4, 4), 500).cells is None


def test_a_point_is_no_connection_of_itself():
    """With one connection each, start and goal see each other where there is nothing else."""
    plan = plan_roadmap(np.zeros((9, 9), dtype=bool), (0, 0), (8, 8), samples=0, connections=1)
    assert plan.length == pytest.approx(np.hypot(8, 8))


def test_the_choice_of_the_world_file():
    blocked, start, goal = pocket()
    for kind in ("a_star", "roadmap", "hopfield"):
        plan = plan_with(PlannerSection(kind=kind), blocked, start, goal)
        assert plan.network == ("limit" if kind == "hopfield" else kind)
        assert plan.cells is not None
    around = open_cells(PlannerSection(kind="a_star"), blocked, start, goal)
    np.testing.assert_array_equal(around, ~blocked)
    with refused("clearance"):
        world("planner: {clearance: 0.01}\n")


def test_what_a_star_expects_is_the_length_on_open_ground():
    """Any other expectation that changes as slowly finds the same paths, but looks at more cells."""
    shape = np.array([4, 5, 3])
    cells = np.stack(np.unravel_index(np.arange(60), shape), axis=1)
    for last in (0, 33, 59):
        gap = np.abs(cells - cells[last])
        for city, length in ((True, gap.sum(axis=1)), (False, np.linalg.norm(gap, axis=1))):
            found = [_least(i, last, shape, city) for i in range(60)]
            np.testing.assert_allclose(found, length, atol=1e-12)


@pytest.mark.parametrize("kind", ["a_star", "roadmap"])
def test_the_main_experiment(kind):
    planner = f"planner={{kind: {kind}, unreachable: ignore}}"
    assert simulate(load_world("ragazzon2012", [planner, "record.signals=none"])).outcome == "reached"
