"""Closed steps: both networks and A* against graphs, linear systems and eigenvalues without these steps."""

import itertools

import numpy as np
import pytest
from closed_steps import plan_with
from refusals import refused
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from hopfield_nav.navigation.planners import open_cells
from hopfield_nav.planning import (
    iterate,
    largest_eigenvalue,
    neighbourhood_of,
    plan_a_star,
    plan_path,
    replan,
)
from hopfield_nav.world import PlannerSection

pytestmark = pytest.mark.kernel

GRIDS = [
    ((9, 11), {}),
    ((9, 11), {"radius": np.sqrt(2), "spacing": [0.3, 2.0]}),
    ((8, 7), {"radius": 2.0}),
    ((6, 9), {"periodic": [True, False], "spacing": 0.3}),
    ((7, 6), {"radius": 2.0, "periodic": [True, True], "spacing": [1.0, 1.7]}),
    ((5, 4, 6), {}),
    ((4, 5, 4), {"radius": np.sqrt(2), "periodic": [False, True, False]}),
]
CASES = [(*grid, seed) for grid in GRIDS for seed in range(4)]


def all_pairs(shape, radius=1.0, periodic=None, spacing=None):
    """Every pair of neighbours once, (n, 2, rank), and its length, by distance alone."""
    cells = np.argwhere(np.ones(shape, dtype=bool))
    gap = np.abs(cells[:, None] - cells[None])
    if periodic is not None:
        gap = np.where(periodic, np.minimum(gap, np.array(shape) - gap), gap)
    squared = (gap**2).sum(axis=2)
    one, other = np.nonzero(np.triu((squared > 0) & (squared <= radius**2 * (1 + 1e-12))))
    scale = np.ones(len(shape)) if spacing is None else np.broadcast_to(spacing, len(shape))
    length = np.sqrt(((gap[one, other] * scale) ** 2).sum(axis=1))
    return np.stack([cells[one], cells[other]], axis=1), length


def draw(shape, options, seed, share=0.3):
    """A map, its ends, closed pairs in either order with some twice, and the graph that is left."""
    rng = np.random.default_rng(seed)
    pairs, length = all_pairs(shape, **options)
    shut = rng.random(len(pairs)) < share
    blocked = rng.random(shape) < 0.15
    start, goal = (tuple(int(rng.integers(n)) for n in shape) for _ in range(2))
    blocked[start] = blocked[goal] = False
    closed = pairs[shut]
    turned = rng.random(len(closed)) < 0.5
    closed[turned] = closed[turned, ::-1]
    closed = np.concatenate([closed, closed[:5, ::-1], closed[:3]])
    one, other = (np.ravel_multi_index(tuple(pairs[:, end].T), shape) for end in range(2))
    free = ~blocked.ravel()
    kept = ~shut & free[one] & free[other]
    size = (blocked.size,) * 2
    graph = csr_matrix((length[kept], (one[kept], other[kept])), shape=size)
    return blocked, start, goal, closed, graph + graph.T


def reduced_weights(shape, closed, **options):
    """T without the closed pairs, all cells free."""
    pairs, _ = all_pairs(shape, **options)
    T = np.zeros((np.prod(shape),) * 2)
    for chosen, value in ((pairs, 1.0), (np.asarray(closed), 0.0)):
        one, other = (np.ravel_multi_index(tuple(chosen[:, end].T), shape) for end in range(2))
        T[one, other] = T[other, one] = value
    return T


def steps_of(cells, shape):
    """The steps of a path as pairs of flat cells, the lower first."""
    flat = np.ravel_multi_index(tuple(np.asarray(cells).T), shape).tolist()
    return {tuple(sorted(step)) for step in itertools.pairwise(flat)}


def uses_none(cells, closed, shape):
    return not any(steps_of(cells, shape) & steps_of(pair, shape) for pair in closed)


@pytest.mark.parametrize(("shape", "options", "seed"), CASES)
def test_limit_is_exact_on_the_graph_without_these_steps(shape, options, seed):
    blocked, start, goal, closed, graph = draw(shape, options, seed)
    exact = dijkstra(graph, indices=int(np.ravel_multi_index(goal, shape))).reshape(shape)
    plan = plan_path(blocked, start, goal, closed=closed, **options)
    np.testing.assert_allclose(plan.distance, exact, rtol=1e-12)
    assert (plan.cells is None) == np.isinf(exact[start])
    assert plan.length == pytest.approx(exact[start], rel=1e-12)
    if plan.cells is not None:
        assert uses_none(plan.cells, closed, shape)
    if "periodic" not in options and "spacing" not in options:
        other = plan_a_star(blocked, start, goal, options.get("radius", 1.0), closed)
        assert other.length == pytest.approx(exact[start], rel=1e-12)
        assert other.cells is None or uses_none(other.cells, closed, shape)


@pytest.mark.parametrize(("shape", "options", "seed"), CASES)
def test_sum_is_the_synchronous_network_and_the_linear_system(shape, options, seed):
    blocked, start, goal, closed, graph = draw(shape, options, seed)
    near = neighbourhood_of(shape, **options)
    beta = 0.8 / largest_eigenvalue(near)
    ties = None if seed % 2 else [sign + "uvw"[axis] for axis in range(len(shape)) for sign in "-+"]
    plan = plan_path(blocked, start, goal, "sum", beta, closed=closed, ties=ties, **options)
    activation, _ = iterate(blocked, goal, beta, near, closed=closed)
    live = activation > 0
    np.testing.assert_array_equal(np.isfinite(plan.log_activation), live)
    np.testing.assert_allclose(np.exp(plan.log_activation[live]), activation[live], rtol=1e-11)
    once, _ = iterate(blocked, goal, beta, near, most_sweeps=1, start=activation, closed=closed)
    np.testing.assert_allclose(once, activation, rtol=1e-15)
    target = int(np.ravel_multi_index(goal, shape))
    system = np.eye(blocked.size) - beta * (graph.toarray() > 0)
    system[target] = np.eye(blocked.size)[target]
    exact = np.linalg.solve(system, np.eye(blocked.size)[target])
    np.testing.assert_allclose(activation.ravel(), np.minimum(exact, 1.0), rtol=1e-11, atol=1e-17)
    if plan.cells is not None:
        assert uses_none(plan.cells, closed, shape)


@pytest.mark.parametrize("network", ["limit", "sum"])
def test_a_wall_of_closed_steps_and_a_gap_in_it(network):
    blocked = np.zeros((8, 8), dtype=bool)
    wall = np.array([[[3, v], [4, v]] for v in range(8)])
    none = plan_path(blocked, (1, 1), (6, 1), network, closed=wall)
    assert none.reason == "no free path from start to goal"
    assert none.reachable.tolist() == [[u > 3] * 8 for u in range(8)]
    through = plan_path(blocked, (1, 1), (6, 1), network, closed=wall[wall[:, 0, 1] != 5])
    assert [3, 5] in through.cells.tolist()
    assert [4, 5] in through.cells.tolist()
    assert through.length == 13
    longer = plan_path(blocked, (1, 1), (6, 1), network, radius=2.0, closed=wall)
    assert longer.cells is not None  # longer steps pass over the wall
    assert uses_none(longer.cells, wall, (8, 8))


@pytest.mark.parametrize("network", ["limit", "sum"])
def test_a_blocked_start_leaves_by_an_open_step(network):
    blocked = np.zeros((5, 5), dtype=bool)
    blocked[2, 2] = True
    closed = [[[2, 2], [2, 3]], [[3, 2], [2, 2]]]
    assert replan(blocked, (2, 2), (2, 4), network).cells[1].tolist() == [2, 3]
    cells = replan(blocked, (2, 2), (2, 4), network, closed=closed).cells.tolist()
    assert cells[1] in ([1, 2], [2, 1])
    around = [*closed, [[2, 2], [1, 2]], [[2, 2], [2, 1]]]
    assert replan(blocked, (2, 2), (2, 4), network, closed=around).cells is None
    assert replan(blocked, (2, 4), (2, 2), network, closed=around).cells is None


@pytest.mark.parametrize("options", [{}, {"network": "sum"}, {"radius": np.sqrt(2)}])
def test_no_closed_step_changes_no_bit(options):
    blocked, start, goal, _, _ = draw((20, 20), {}, 1)
    plain = plan_path(blocked, start, goal, **options)
    for empty in (None, [], np.empty((0, 2, 2), np.int64)):
        plan = plan_path(blocked, start, goal, closed=empty, **options)
        np.testing.assert_array_equal(plan.cells, plain.cells)
        assert plan.length == plain.length
        for grid in ("distance", "log_activation"):
            found, expected = getattr(plan, grid), getattr(plain, grid)
            assert (None if found is None else found.tobytes()) == (
                None if expected is None else expected.tobytes()
            )


def test_a_closed_step_far_away_changes_no_path():
    """The buckets take the same of equally short paths as the wave of bits does, with the same lengths."""
    for seed in range(10):
        blocked, start, goal, _, _ = draw((12, 12), {}, seed)
        blocked[0, :2] = True
        near = neighbourhood_of(blocked.shape, spacing=0.3)
        plain = replan(blocked, start, goal, near=near)
        plan = replan(blocked, start, goal, near=near, closed=[[[0, 0], [0, 1]]])
        np.testing.assert_array_equal(plan.cells, plain.cells)
        assert plan.distance.tobytes() == plain.distance.tobytes()


@pytest.mark.parametrize(
    ("closed", "words"),
    [
        (
            [[[0, 0], [0, 5]]],
            r"outside the grid; found \[\[0, 0\], \[0, 5\]\]; allowed: 0 to below \(4, 5\)",
        ),
        ([[[0, -1], [0, 0]]], "outside the grid"),
        (
            [[[0, 0], [0, 1]], [[1, 1], [2, 2]]],
            r"joins no neighbours; found \[\[1, 1\], \[2, 2\]\]",
        ),
        ([[[0, 0], [0, 2]]], "joins no neighbours"),
        ([[[0, 0], [3, 0]]], "joins no neighbours"),  # only where the axis is periodic
        ([[[1, 1], [1, 1]]], "joins no neighbours"),
        ([[0, 0], [0, 1]], r"closed steps; .*integers of shape \(m, 2, 2\)"),
        ([[[0, 0, 0], [0, 0, 1]]], r"shape \(m, 2, 2\)"),
        ([[[0.0, 0.0], [0.0, 1.0]]], "float64"),
        ([[[0, 0], [0]]], "rows that differ in length"),
    ],
)
def test_bad_pairs_are_refused(closed, words):
    blocked, ends = np.zeros((4, 5), dtype=bool), ((0, 0), (3, 3))
    section = PlannerSection()
    for plan in (
        lambda: plan_path(blocked, *ends, closed=closed),
        lambda: plan_path(blocked, *ends, "sum", closed=closed),
        lambda: plan_a_star(blocked, *ends, closed=closed),
        lambda: iterate(blocked, ends[1], closed=closed),
        lambda: plan_with(section, blocked, *ends, closed),
    ):
        with refused(words):
            plan()


def test_sum_without_a_table_refuses():
    blocked = np.zeros((1600, 1600), dtype=bool)
    with refused("too many connections .*network sum; found 10240000; .*network limit"):
        plan_path(blocked, (0, 0), (9, 9), "sum", closed=[[[0, 0], [0, 1]]])
    assert plan_path(blocked, (0, 0), (0, 1), closed=[[[0, 0], [0, 1]]]).length == 3


@pytest.mark.parametrize("network", ["limit", "sum"])
def test_the_planner_of_a_world(network):
    section = PlannerSection(network=network)
    blocked, start, goal = np.zeros((9, 9), dtype=bool), (1, 5), (7, 5)
    closed = np.array([[[4, 4], [4, 5]], [[3, 5], [4, 5]], [[1, 5], [1, 4]]])
    plan = plan_with(section, blocked, start, goal, closed)
    assert plan.length == 8
    assert uses_none(plan.cells, closed, (9, 9))
    wall = np.array([[[3, v], [4, v]] for v in range(9)])
    assert plan_with(section, blocked, start, goal, wall).cells is None
    assert plan_with(section, blocked, start, goal, wall[:2]).cells is not None
    assert open_cells(section, blocked, start, goal).all()
    for empty in (None, np.empty((0, 2, 2), np.int64)):
        found = plan_with(section, blocked, start, goal, empty)
        np.testing.assert_array_equal(found.cells, plan_with(section, blocked, start, goal).cells)
