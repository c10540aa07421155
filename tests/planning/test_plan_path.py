"""Plans: exactly shortest with the limit network, always there with the summing one, and reasons."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from hopfield_nav.planning import flat_index, iterate, neighbourhood_of, plan_path, replan
from hopfield_nav.planning.limit import plan_in_field, solve

pytestmark = pytest.mark.kernel


def distances(blocked, goal, radius, spacing, periodic):
    """Shortest distances to the goal by scipy, from edges listed by distance."""
    shape = np.array(blocked.shape)
    cells = np.argwhere(~blocked)
    gap = np.abs(cells[:, None, :] - cells[None, :, :])
    gap = np.where(periodic, np.minimum(gap, shape - gap), gap)
    squared = (gap**2).sum(axis=2)
    a, b = np.nonzero((squared > 0) & (squared <= radius**2 * (1 + 1e-12)))
    length = np.sqrt(((gap[a, b] * spacing) ** 2).sum(axis=1))
    graph = coo_matrix((length, (a, b)), shape=(len(cells), len(cells)))
    found = np.full(blocked.shape, np.inf)
    found[tuple(cells.T)] = dijkstra(
        graph.tocsr(), indices=int((cells == goal).all(axis=1).nonzero()[0][0])
    )
    return found


def check_plan(plan, blocked, start, goal, radius, spacing, periodic):
    """The cells are a path: right ends, free, each step within the radius; its length is the plan's."""
    assert plan.cells[0].tolist() == list(start)
    assert plan.cells[-1].tolist() == list(goal)
    assert not blocked[tuple(plan.cells.T)].any()
    gap = np.abs(np.diff(plan.cells, axis=0))
    gap = np.where(periodic, np.minimum(gap, np.array(blocked.shape) - gap), gap)
    assert (np.sqrt((gap**2).sum(axis=1)) <= radius * (1 + 1e-9)).all()
    assert plan.length == pytest.approx(
        np.sqrt(((gap * spacing) ** 2).sum(axis=1)).sum(), rel=1e-12, abs=0
    )


@st.composite
def problems(draw):
    rank = draw(st.integers(2, 4))
    most = {2: 12, 3: 6, 4: 4}[rank]
    shape = tuple(draw(st.integers(1, most)) for _ in range(rank))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    blocked = rng.random(shape) < draw(st.sampled_from([0.1, 0.3, 0.45]))
    start, goal = (tuple(int(rng.integers(n)) for n in shape) for _ in range(2))
    blocked[start] = blocked[goal] = False
    radius = draw(st.sampled_from([1.0, 1.0, np.sqrt(2), 2.0]))
    spacing = draw(st.sampled_from([np.ones(rank), 0.5 + rng.random(rank)]))
    periodic = np.array([draw(st.booleans()) and n >= 2 * int(radius) + 1 for n in shape])
    return blocked, start, goal, radius, spacing, periodic


@settings(max_examples=200, deadline=None, derandomize=True)
@given(problems(), st.sampled_from([1.0, 0.1, 0.3, 7.0]))
def test_one_call_of_equal_steps_gives_what_a_settled_network_does(problem, spacing):
    blocked, start, goal, _, _, periodic = problem
    near = neighbourhood_of(blocked.shape, 1.0, spacing, periodic)
    expected = plan_in_field(solve(blocked, near, goal), near, start)
    for grid in (blocked, blocked.astype(int), np.asfortranarray(blocked)):
        plan = plan_path(grid, start, goal, spacing=spacing, periodic=periodic)
        assert (plan.length, plan.reason, plan.network) == (
            expected.length,
            expected.reason,
            expected.network,
        )
        assert np.array_equal(plan.distance, expected.distance)
        assert (plan.cells is None) == (expected.cells is None)
        assert plan.cells is None or (
            np.array_equal(plan.cells, expected.cells) and plan.cells.dtype == np.int64
        )


def test_a_plan_keeps_the_distances_of_the_map_that_it_was_made_for():
    blocked = np.zeros((4, 5), bool)
    plan = plan_path(blocked, (0, 0), (3, 4))
    blocked[:] = True
    assert plan.distance[0, 0] == plan.length == 7.0
    assert plan.reachable.all()


@pytest.mark.parametrize(
    "cell", [(2, 3), [2, 3], np.array([2, 3]), (np.int64(2), np.uint8(3)), (2, np.int32(3))]
)
def test_a_cell_in_any_form_is_counted_alike(cell):
    assert flat_index(cell, (4, 5), "start") == 13
    assert type(flat_index(cell, (4, 5), "start")) is int


@pytest.mark.parametrize(
    "cell", [(2, 3.0), (2,), (2, 3, 0), (True, False), "23", None, (2, None), ((2, 3), (2, 3))]
)
def test_what_is_no_cell_is_refused(cell):
    with refused("start cell; .*2 integers"):
        plan_path(np.zeros((4, 5), bool), cell, (0, 0))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(problems())
def test_limit_is_exactly_shortest(problem):
    blocked, start, goal, radius, spacing, periodic = problem
    exact = distances(blocked, goal, radius, spacing, periodic)
    plan = plan_path(blocked, start, goal, radius=radius, spacing=spacing, periodic=periodic)
    np.testing.assert_allclose(plan.distance, exact, rtol=1e-12)
    if np.isinf(exact[start]):
        assert plan.cells is None
        assert plan.reason == "no free path from start to goal"
        assert plan.length == np.inf
    else:
        check_plan(plan, blocked, start, goal, radius, spacing, periodic)
        assert plan.length == pytest.approx(exact[start], rel=1e-12, abs=0)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems())
def test_sum_finds_a_path_where_there_is_one(problem):
    blocked, start, goal, radius, spacing, periodic = problem
    exact = distances(blocked, goal, radius, spacing, periodic)
    plan = plan_path(blocked, start, goal, "sum", radius=radius, spacing=spacing, periodic=periodic)
    assert (plan.cells is not None) == np.isfinite(exact[start])
    if plan.cells is not None:
        check_plan(plan, blocked, start, goal, radius, spacing, periodic)
        assert plan.length >= exact[start] * (1 - 1e-12)


def serpentine(rows, columns):
    """A corridor to and fro, and its two ends."""
    blocked = np.zeros((2 * rows - 1, columns), dtype=bool)
    for row in range(1, 2 * rows - 1, 2):
        blocked[row] = True
        blocked[row, -1 if row % 4 == 1 else 0] = False
    return blocked, (0, 0), (2 * rows - 2, columns - 1 if rows % 2 else 0)


@pytest.mark.parametrize("network", ["limit", "sum"])
@pytest.mark.parametrize(
    ("maze", "cells"),
    [
        ((np.zeros((1, 400), dtype=bool), (0, 0), (0, 399)), 400),
        (serpentine(20, 20), 419),
        (serpentine(100, 199), 19_999),
    ],
)
def test_long_corridors_are_solved(network, maze, cells):
    blocked, start, goal = maze
    plan = plan_path(blocked, start, goal, network)
    assert len(plan.cells) == cells
    activation, _ = iterate(blocked, goal) if cells < 1000 else (np.zeros_like(blocked), 0)
    assert activation[start] == 0  # plain doubles, to convergence, lose the path


@pytest.mark.parametrize("network", ["limit", "sum"])
def test_serpentine_of_the_documents_size(network):
    blocked, start, goal = serpentine(10, 20)
    blocked = np.vstack([blocked, np.ones((1, 20), dtype=bool)])  # 20 x 20
    assert len(plan_path(blocked, start, goal, network).cells) == 209
    assert iterate(blocked, goal, most_sweeps=199)[0][start] == 0  # the document's number of sweeps


def short_corridor_beside_a_hall():
    """Two paths from the start: 10 steps down a corridor, or 12 through an open hall."""
    blocked = np.ones((15, 24), dtype=bool)
    blocked[2:13, 0] = False  # the corridor
    blocked[1:14, 2:] = False  # the hall
    blocked[2, 1] = blocked[12, 1] = False  # doors to it
    return blocked, (2, 0), (12, 0)


def test_sum_is_not_always_shortest():
    """sigma counts all walks: a hall outweighs a shorter corridor at beta near 1/4."""
    blocked, start, goal = short_corridor_beside_a_hall()
    assert plan_path(blocked, start, goal, "limit").length == 10
    assert plan_path(blocked, start, goal, "sum", beta=0.01).length == 10
    assert plan_path(blocked, start, goal, "sum", beta=0.25).length > 10


@pytest.mark.parametrize("network", ["limit", "sum"])
def test_the_documents_first_path(network):
    blocked = np.ones((20, 20), dtype=bool)
    blocked[1:-1, 1:-1] = False
    plan = plan_path(blocked, (1, 10), (17, 6), network)
    assert plan.cells.shape == (21, 2)
    assert plan.length == 20
    assert plan.cells.dtype.kind == "i"


@pytest.mark.parametrize("network", ["limit", "sum"])
def test_trivial_and_impossible(network):
    blocked = np.zeros((5, 5), dtype=bool)
    blocked[2] = True
    assert plan_path(blocked, (1, 1), (1, 1), network).cells.tolist() == [[1, 1]]
    assert plan_path(blocked, (1, 1), (1, 1), network).length == 0
    assert plan_path(blocked, (2, 1), (0, 0), network).reason == "start cell is blocked"
    assert plan_path(blocked, (0, 0), (2, 1), network).reason == "goal cell is blocked"
    assert plan_path(blocked, (2, 1), (2, 1), network).cells is None
    assert plan_path(blocked, (0, 0), (4, 4), network).reason == "no free path from start to goal"


@pytest.mark.parametrize("network", ["limit", "sum"])
def test_replan_from_a_blocked_start_to_a_marked_goal(network):
    blocked = np.zeros((5, 5), dtype=bool)
    blocked[2] = True
    before = blocked.copy()
    assert replan(blocked, (2, 1), (4, 1), network).cells.tolist() == [[2, 1], [3, 1], [4, 1]]
    assert replan(blocked, (0, 1), (2, 1), network).cells.tolist() == [[0, 1], [1, 1], [2, 1]]
    assert replan(blocked, (2, 1), (2, 3), network).cells is not None
    assert replan(blocked, (0, 1), (4, 1), network).cells is None
    np.testing.assert_array_equal(blocked, before)


OUTSIDE = {
    "start before the grid": ((-1, 0), (1, 1), "start cell lies outside"),
    "goal past the last row": ((0, 0), (5, 0), "goal cell lies outside"),
    "goal past the last column": ((0, 0), (0, 5), "goal cell lies outside"),
    "goal of three axes": ((0, 0), (0, 0, 0), "goal cell; found .* 2 integers"),
    "start between cells": ((0.5, 0), (1, 1), "start cell; found .* 2 integers"),
}


@pytest.mark.parametrize("network", ["limit", "sum"])
@pytest.mark.parametrize(("start", "goal", "words"), OUTSIDE.values(), ids=OUTSIDE)
def test_cells_outside_are_refused(network, start, goal, words):
    with refused(words):
        plan_path(np.zeros((5, 5), dtype=bool), start, goal, network)


OPEN = np.zeros((20, 20), dtype=bool)


@pytest.mark.parametrize(
    ("blocked", "network", "options", "words"),
    [
        (OPEN, "limits", {}, "Did you mean 'limit'"),
        (OPEN, "sum", {"beta": 0.3}, r"6\.12"),
        (OPEN.astype(float), "limit", {}, "bool"),
    ],
    ids=["a misspelt network", "too large a beta", "numbers for a map"],
)
def test_bad_arguments_are_refused(blocked, network, options, words):
    with refused(words):
        plan_path(blocked, (0, 0), (1, 1), network, **options)


def test_default_beta():
    assert plan_path(np.zeros((3, 3), dtype=bool), (0, 0), (1, 1), "sum").beta == 0.1
    assert plan_path(np.zeros((3, 3), dtype=bool), (0, 0), (1, 1), "sum", radius=2.0).beta == 1 / 24
    assert plan_path(np.zeros((3, 3), dtype=bool), (0, 0), (1, 1)).beta is None
