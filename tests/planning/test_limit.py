"""The fast solvers of the limit network, against a plain search and scipy, on all kinds of grids."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from hopfield_nav.planning import blocks, neighbourhood_of, places_of, plan_path, solve
from hopfield_nav.planning.closed import closed_keys, without
from hopfield_nav.planning.limit import activation_grid

pytestmark = pytest.mark.kernel

# longest side for each rank, so that a map has some thousand cells at most
SIDES = {1: 200, 2: 40, 3: 13, 4: 7, 5: 5, 6: 4, 7: 3}


def plain_search(blocked, goal, periodic):
    """Hops by dilation of the reached set, one hop a pass; -1 where there is no path."""
    reached = np.zeros(blocked.shape, dtype=bool)
    reached[goal] = True
    hops, now = np.where(reached, 0, -1), 0
    while True:
        around = np.zeros_like(reached)
        for axis, closed in enumerate(periodic):
            for step in (1, -1):
                moved = np.roll(reached, step, axis)
                if not closed:
                    edge = [slice(None)] * blocked.ndim
                    edge[axis] = 0 if step == 1 else -1
                    moved[tuple(edge)] = False
                around |= moved
        new = around & ~blocked & (hops < 0)
        if not new.any():
            return hops
        now += 1
        hops[new] = now
        reached = new


@st.composite
def maps(draw):
    rank = draw(st.sampled_from(sorted(SIDES)))
    shape = tuple(draw(st.integers(1, SIDES[rank])) for _ in range(rank))
    periodic = [draw(st.booleans()) and n >= 3 for n in shape]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    blocked = rng.random(shape) < draw(st.sampled_from([0.0, 0.2, 0.35, 0.5, 0.7, 0.85]))
    goal, start = (tuple(int(rng.integers(n)) for n in shape) for _ in range(2))
    blocked[goal] = blocked[start] = False
    return blocked, start, goal, periodic


def test_no_path_is_right_in_every_dimension():
    """A thousand maps of one to seven axes; they are worth their number: about a third has no path."""
    without = {rank: [] for rank in SIDES}

    @settings(max_examples=1000, deadline=None, derandomize=True)
    @given(maps())
    def compare(problem):
        blocked, start, goal, periodic = problem
        hops = plain_search(blocked, goal, periodic)
        plan = plan_path(blocked, start, goal, periodic=periodic)
        without[blocked.ndim].append(plan.cells is None)
        np.testing.assert_array_equal(plan.distance, np.where(hops < 0, np.inf, hops))
        assert (plan.cells is None) == (hops[start] < 0)
        assert plan.reason == ("no free path from start to goal" if hops[start] < 0 else "")
        if plan.cells is not None:
            assert plan.length == hops[start] == len(plan.cells) - 1
            assert not blocked[tuple(plan.cells.T)].any()
            assert hops[tuple(plan.cells.T)].tolist() == list(range(hops[start], -1, -1))

    compare()
    assert min(map(len, without.values())) > 50
    assert all(rank == 1 or 0.05 < np.mean(none) < 0.95 for rank, none in without.items())


@settings(max_examples=200, deadline=None, derandomize=True)
@given(maps())
def test_no_path_of_the_sum_is_right_too(problem):
    blocked, start, goal, periodic = problem
    hops = plain_search(blocked, goal, periodic)
    assert (plan_path(blocked, start, goal, "sum", periodic=periodic).cells is None) == (
        hops[start] < 0
    )


@pytest.mark.parametrize(
    "shape", [(64,), (65,), (8, 8), (9, 7), (64, 1), (1, 1, 130), (2,) * 9, (16, 3)]
)
def test_every_cell_has_a_place_of_its_own(shape):
    layout = blocks(shape, (False,) * len(shape))
    places = [int(places_of(layout.place, cell)[0]) for cell in np.ndindex(shape)]
    assert len(set(places)) == len(places)
    assert max(places) < 64 * layout.edge.size


def test_a_wave_through_many_blocks_in_memory_order():
    """100^3: the wave fills more than 1/16 of the blocks, and is sorted."""
    blocked = np.random.default_rng(0).random((48, 48, 48)) < 0.25
    blocked[24, 24, 24] = False
    plan = plan_path(blocked, (24, 24, 24), (24, 24, 24))
    hops = plain_search(blocked, (24, 24, 24), [False] * 3)
    np.testing.assert_array_equal(plan.distance, np.where(hops < 0, np.inf, hops))


def winding(shape):
    """A corridor two cells wide, back and forth over the plane of the last two axes, and through holes to the next."""
    blocked = np.zeros(shape, dtype=bool)
    row = np.arange(shape[-2])
    blocked[..., row % 4 >= 2, :] = True
    blocked[..., row % 8 // 2 == 1, -2:] = blocked[..., row % 8 // 2 == 3, :2] = False
    if len(shape) == 3:
        blocked[1::2] = True
        blocked[1::2, :2, :2] = False
    return blocked


def searched(blocked, goals, near, closed):
    """Hops to the nearest of the goals (m, rank) by scipy's search of a graph; goals count as free."""
    free = np.append(~blocked.ravel(), False)
    aims = np.ravel_multi_index(tuple(np.transpose(goals)), blocked.shape)
    free[aims] = True
    table = without(near.table, closed_keys(closed, near))
    a, k = np.nonzero(free[table] & free[:-1, None])
    graph = coo_matrix((np.ones(a.size), (a, table[a, k])), shape=(blocked.size,) * 2)
    return dijkstra(graph.tocsr(), indices=aims, unweighted=True, min_only=True).reshape(
        blocked.shape
    )


@pytest.mark.parametrize("share_blocked", [None, 0.0, 0.02, 0.35])
@pytest.mark.parametrize("share_closed", [0.0, 0.03])
@pytest.mark.parametrize(
    ("shape", "periodic"),
    [((90, 70), None), ((70, 1), None), ((64, 80), (True, False)), ((5, 40, 32), None)],
)
def test_long_and_wide_waves(shape, periodic, share_closed, share_blocked):
    """Waves of one cell, of a few and of hundreds, beyond the levels that a byte holds; several goals."""
    rng = np.random.default_rng(0)
    blocked = winding(shape) if share_blocked is None else rng.random(shape) < share_blocked
    near = neighbourhood_of(shape, periodic=periodic)
    cells = np.argwhere(rng.random((*shape[:-1], shape[-1] - 1)) < share_closed)
    closed = np.stack([cells, cells + np.eye(len(shape), dtype=int)[-1]], axis=1)
    goals = (
        [(0,) * len(shape)] if share_blocked is None else rng.integers(0, shape, (3, len(shape)))
    )
    hops = searched(blocked, goals, near, closed)
    found = 0.0 - activation_grid(
        solve(blocked, near, np.array(goals), closed_keys(closed, near)), near
    )
    np.testing.assert_array_equal(found, hops)
    if share_blocked is None and shape[-1] > 1 and periodic is None:
        assert hops[np.isfinite(hops)].max() > 255


@st.composite
def weighted(draw):
    rank = draw(st.integers(1, 4))
    shape = tuple(draw(st.integers(1, {1: 60, 2: 16, 3: 7, 4: 5}[rank])) for _ in range(rank))
    radius = draw(st.sampled_from([1.0, np.sqrt(2), np.sqrt(3), 2.0, 2.5]))
    spacing = [draw(st.sampled_from([1.0, 0.3, 2.0, 1e-3, 40.0])) for _ in range(rank)]
    periodic = [draw(st.booleans()) and n >= 2 * int(radius) + 1 for n in shape]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    blocked = rng.random(shape) < draw(st.sampled_from([0.0, 0.3, 0.6]))
    goal = tuple(int(rng.integers(n)) for n in shape)
    blocked[goal] = False
    return blocked, goal, radius, spacing, periodic


@settings(max_examples=300, deadline=None, derandomize=True)
@given(weighted())
def test_buckets_are_exact(problem):
    """Euclidean lengths, spacings that differ up to 40,000-fold, closed axes; scipy's Dijkstra."""
    blocked, goal, radius, spacing, periodic = problem
    shape = blocked.shape
    near = neighbourhood_of(shape, radius, spacing, periodic)
    free = np.append(~blocked.ravel(), False)
    a, k = np.nonzero(free[near.table] & free[:-1, None])
    graph = coo_matrix((near.length[k], (a, near.table[a, k])), shape=(blocked.size,) * 2)
    exact = dijkstra(graph.tocsr(), indices=int(np.ravel_multi_index(goal, shape))).reshape(shape)
    found = 0.0 - activation_grid(solve(blocked, near, goal), near)
    np.testing.assert_allclose(found, exact, rtol=1e-12)


def test_more_axes_than_a_word_has_room_for():
    with refused("too many axes; .*32"):
        plan_path(np.zeros((1,) * 33, dtype=bool), (0,) * 33, (0,) * 33)
    assert plan_path(np.zeros((1,) * 32, dtype=bool), (0,) * 32, (0,) * 32).length == 0
