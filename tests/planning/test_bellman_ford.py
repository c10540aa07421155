"""The limit network is the algorithm of Bellman and Ford: SciPy's, and its relaxation sweep by sweep."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import bellman_ford

from hopfield_nav.planning import neighbourhood_of, plan_path


def graph_of(blocked, radius):
    """Lengths of the steps between free cells, as a sparse array."""
    near = neighbourhood_of(blocked.shape, radius)
    cells = np.argwhere(~blocked)
    beside, inside = near.beside(cells[:, None], near.offset)
    step, cell = np.nonzero(inside.T)
    to = beside[cell, step]
    free = ~blocked[tuple(to.T)]
    flat = [np.ravel_multi_index(tuple(rows[free].T), blocked.shape) for rows in (cells[cell], to)]
    return coo_array((near.length[step[free]], flat), shape=(blocked.size, blocked.size)).tocsr()


@pytest.mark.parametrize("radius", [1.0, 1.5, 2.0])
def test_its_distances_are_those_of_scipy(radius):
    generator = np.random.default_rng(2201)
    for _ in range(10):
        shape = tuple(int(n) for n in generator.integers(4, 16, 2))
        blocked = generator.random(shape) < 0.3
        goal = tuple(int(generator.integers(n)) for n in shape)
        blocked[goal] = False
        ours = plan_path(blocked, goal, goal, radius=radius).distance
        index = int(np.ravel_multi_index(goal, shape))
        theirs = bellman_ford(graph_of(blocked, radius), directed=True, indices=index)
        np.testing.assert_allclose(ours.ravel(), theirs, rtol=1e-12)


def test_a_synchronous_sweep_is_a_relaxation_of_all_edges():
    """σ = max β^length σ_j from zero: after t sweeps ln σ/ln β is the shortest walk of less than t steps."""
    blocked = np.random.default_rng(11104).random((9, 12)) < 0.25
    blocked[4, 5] = False
    goal, beta = int(np.ravel_multi_index((4, 5), blocked.shape)), 0.1
    weights = graph_of(blocked, 1.0).toarray()
    length = np.where(weights > 0, weights, np.inf)
    sigma = np.zeros(blocked.size)
    relaxed = np.full(blocked.size, np.inf)
    for _ in range(blocked.size):
        sigma = np.max(beta**length * sigma, axis=1)
        sigma[goal] = 1.0
        relaxed = np.min(length + relaxed, axis=1)
        relaxed[goal] = 0.0
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(np.log(sigma) / np.log(beta), relaxed, rtol=1e-12)
    distance = plan_path(blocked, (4, 5), (4, 5)).distance
    np.testing.assert_array_equal(distance.ravel(), relaxed)
