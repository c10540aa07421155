"""The cheapest path over cells that cost something: against SciPy's Dijkstra."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from refusals import refused
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from hopfield_nav.planning import cheapest_path, plan_path


def graph(cost, closed):
    """Every step between free cells that is not closed, with its cost."""
    shape, rows = cost.shape, []
    shut = {frozenset((tuple(a), tuple(b))) for a, b in closed}
    for cell in np.ndindex(shape):
        for axis, sign in itertools.product(range(len(shape)), (1, -1)):
            other = tuple(c + sign * (a == axis) for a, c in enumerate(cell))
            if not all(0 <= c < n for c, n in zip(other, shape, strict=True)):
                continue
            if np.isfinite(cost[cell]) and np.isfinite(cost[other]) and frozenset((cell, other)) not in shut:
                ends = np.ravel_multi_index(cell, shape), np.ravel_multi_index(other, shape)
                rows.append((*ends, 1.0 + float(cost[other])))
    begin, end, weight = zip(*rows, strict=True)
    return csr_matrix((weight, (begin, end)), (cost.size, cost.size))


def of_path(cost, path):
    assert (np.abs(np.diff(path, axis=0)).sum(axis=1) == 1).all()
    return len(path) - 1 + float(sum(cost[tuple(cell)] for cell in path[1:]))


@pytest.mark.parametrize("seed", range(20))
def test_it_costs_what_dijkstra_says(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 7, rng.integers(2, 5)))
    cost = rng.uniform(0, 40, shape).astype(np.float32) * (rng.random(shape) < 0.5)
    cost[rng.random(shape) < 0.2] = np.inf
    start, *goals = (tuple(int(rng.integers(n)) for n in shape) for _ in range(3))
    cost[start] = 0.0
    steps = [(a, tuple(np.minimum(np.add(a, np.eye(len(shape), dtype=int)[0]), np.array(shape) - 1))) for a in
             (tuple(int(rng.integers(n)) for n in shape) for _ in range(5))]  # fmt: skip
    closed = [(a, b) for a, b in steps if a != tuple(b)]
    path = cheapest_path(cost, start, np.array(goals), np.array(closed).reshape(-1, 2, len(shape)))
    known = dijkstra(graph(cost, closed), indices=np.ravel_multi_index(start, shape))
    best = min(known[np.ravel_multi_index(goal, shape)] for goal in goals if np.isfinite(cost[goal])) \
        if any(np.isfinite(cost[goal]) for goal in goals) else np.inf  # fmt: skip
    if path is None:
        assert best == np.inf
    else:
        assert tuple(path[0]) == start
        assert tuple(path[-1]) in goals
        assert of_path(cost, path) == pytest.approx(best, rel=1e-5)


def test_a_closed_step_is_not_taken_and_costs_lead_around():
    cost = np.zeros((3, 3), dtype=np.float32)
    straight = cheapest_path(cost, (1, 0), np.array([[1, 2]]))
    assert straight.tolist() == [[1, 0], [1, 1], [1, 2]]
    around = cheapest_path(cost, (1, 0), np.array([[1, 2]]), np.array([[[1, 0], [1, 1]]]))
    assert len(around) == 5
    cost[1, 1] = 3.0
    assert len(cheapest_path(cost, (1, 0), np.array([[1, 2]]))) == 5
    cost[1, 1] = 1.0
    assert len(cheapest_path(cost, (1, 0), np.array([[1, 2]]))) == 3


def test_what_is_no_question_is_refused():
    cost = np.zeros((3, 3), dtype=np.float32)
    with refused("outside the grid"):
        cheapest_path(cost, (3, 0), np.array([[1, 2]]))
    with refused("no cost"):
        cheapest_path(cost - 1.0, (1, 0), np.array([[1, 2]]))
    with refused("no neighbours"):
        cheapest_path(cost, (1, 0), [[1, 2]], [[[0, 0], [2, 2]]])


@pytest.mark.parametrize("seed", range(10))
def test_round_closed_axes_it_is_as_short_as_the_network(seed):
    rng = np.random.default_rng(seed)
    shape, periodic = (7, 5, 4), (True, False, True)
    cost = np.where(rng.random(shape) < 0.35, np.inf, 0.0).astype(np.float32)
    start, goal = (tuple(int(rng.integers(n)) for n in shape) for _ in range(2))
    cost[start] = cost[goal] = 0.0
    path = cheapest_path(cost, start, np.array([goal]), periodic=periodic)
    network = plan_path(np.isinf(cost), start, goal, periodic=periodic)
    assert (path is None) == (network.cells is None)
    assert path is None or len(path) == len(network.cells)
