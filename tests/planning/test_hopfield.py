"""The networks: eigenvalues, the synchronous reference, and the equilibrium that cannot underflow."""

import numpy as np
import pytest
from refusals import refused
from scipy.sparse import csr_matrix, identity
from scipy.sparse.linalg import spsolve

from hopfield_nav.planning import flat_index, iterate, largest_eigenvalue, neighbourhood_of, settle
from hopfield_nav.planning.hopfield import check_beta
from hopfield_nav.planning.sum_exact import CONVERGED, PATIENCE, counts_as_none, log_activation

pytestmark = pytest.mark.kernel


def weights(shape, radius=1.0, periodic=None, blocked=None):
    """T of (6.2) written out by distance, independently of the neighbour table."""
    cells = np.argwhere(np.ones(shape, dtype=bool))
    gap = np.abs(cells[:, None, :] - cells[None, :, :])
    if periodic is not None:
        gap = np.where(periodic, np.minimum(gap, np.array(shape) - gap), gap)
    squared = (gap**2).sum(axis=2)
    T = ((squared > 0) & (squared <= radius**2 * (1 + 1e-12))).astype(float)
    if blocked is not None:
        T[blocked.ravel()] = 0
        T[:, blocked.ravel()] = 0
    return T


def random_map(rng, shape, share):
    blocked = rng.random(shape) < share
    free = np.argwhere(~blocked)
    return blocked, tuple(int(c) for c in free[rng.integers(len(free))])


def settled(blocked, target, beta, radius=1.0):
    shape = blocked.shape
    near, index = neighbourhood_of(shape, radius), flat_index(target, shape, "target")
    return settle(near.table, blocked.ravel(), index, beta, largest_eigenvalue(near), 100_000)


@pytest.mark.parametrize("radius", [1.0, np.sqrt(2), 2.0])
@pytest.mark.parametrize("shape", [(5,), (4, 6), (3, 4, 3), (1, 7)])
def test_table_is_the_weight_matrix(shape, radius):
    table = neighbourhood_of(shape, radius).table
    T = np.zeros((len(table), len(table) + 1))
    np.put_along_axis(T, table.astype(int), 1.0, axis=1)
    np.testing.assert_array_equal(T[:, :-1], weights(shape, radius))


def test_periodic_table():
    table = neighbourhood_of((5, 4), periodic=[True, False]).table
    T = np.zeros((20, 21))
    np.put_along_axis(T, table.astype(int), 1.0, axis=1)
    np.testing.assert_array_equal(T[:, :-1], weights((5, 4), periodic=[True, False]))


@pytest.mark.parametrize("shape", [(20, 20), (7,), (3, 9), (4, 5, 3), (3, 2, 4, 3), (1, 6)])
def test_largest_eigenvalue_is_exact(shape):
    exact = np.linalg.eigvalsh(weights(shape))[-1]
    assert largest_eigenvalue(neighbourhood_of(shape)) == pytest.approx(exact, rel=1e-12)


def test_largest_eigenvalue_periodic():
    shape, periodic = (5, 4), [True, False]
    exact = np.linalg.eigvalsh(weights(shape, periodic=periodic))[-1]
    near = neighbourhood_of(shape, periodic=periodic)
    assert largest_eigenvalue(near) == pytest.approx(exact, rel=1e-12)


def test_the_documents_eigenvalue_is_wrong():
    # not 3.0 (6.2.1)
    assert largest_eigenvalue(neighbourhood_of((20, 20))) == pytest.approx(3.955, abs=5e-4)


@pytest.mark.parametrize("radius", [np.sqrt(2), 2.0, 2.5])
def test_larger_neighbourhood_is_bounded(radius):
    near = neighbourhood_of((6, 7), radius)
    assert np.linalg.eigvalsh(weights((6, 7), radius))[-1] <= largest_eigenvalue(near)


def test_obstacles_lower_the_eigenvalue():
    blocked = np.random.default_rng(1).random((8, 8)) < 0.2
    largest = largest_eigenvalue(neighbourhood_of((8, 8)))
    assert np.linalg.eigvalsh(weights((8, 8), blocked=blocked))[-1] < largest


@pytest.mark.parametrize("beta", [0.0, -0.1, 1 / 3, 0.2529, np.nan, np.inf])
def test_beta_outside_its_limits_is_refused(beta):
    with refused(r"beta < 0\.252824 = "):
        check_beta(beta, neighbourhood_of((20, 20)))


@pytest.mark.parametrize("beta", [0.02, 0.1, 0.2, 0.24])
@pytest.mark.parametrize(
    ("shape", "share"), [((9, 11), 0.25), ((20, 20), 0.1), ((5, 4, 6), 0.2), ((12,), 0.0)]
)
def test_equilibrium_is_that_of_the_synchronous_network(shape, share, beta):
    beta = min(beta, 0.99 / largest_eigenvalue(neighbourhood_of(shape)))
    for seed in range(5):
        blocked, target = random_map(np.random.default_rng(seed), shape, share)
        activation, _ = iterate(blocked, target, beta)
        result = settled(blocked, target, beta)
        assert result.settled
        np.testing.assert_allclose(
            np.exp(log_activation(result)), activation.ravel(), rtol=1e-12, atol=0
        )


@pytest.mark.parametrize("radius", [1.0, np.sqrt(2), 2.0])
def test_equilibrium_solves_the_linear_system(radius):
    blocked, target = random_map(np.random.default_rng(7), (12, 13), 0.2)
    beta = 0.8 / largest_eigenvalue(neighbourhood_of(blocked.shape, radius))
    T = csr_matrix(weights(blocked.shape, radius, blocked=blocked)).tolil()
    index = flat_index(target, blocked.shape, "target")
    T[index] = 0
    input_ = np.zeros(blocked.size)
    input_[index] = 1
    exact = spsolve((identity(blocked.size) - beta * T).tocsc(), input_)
    result = settled(blocked, target, beta, radius)
    assert not result.saturated
    live = exact > 0
    np.testing.assert_array_equal(live, np.isfinite(log_activation(result)))
    np.testing.assert_allclose(np.exp(log_activation(result))[live], exact[live], rtol=1e-12)


def test_saturating_network_is_that_of_the_synchronous_one():
    blocked = np.zeros((20, 20), dtype=bool)
    activation, _ = iterate(blocked, (18, 18), 0.2528)
    result = settled(blocked, (18, 18), 0.2528)
    assert result.settled
    assert result.saturated
    np.testing.assert_allclose(np.exp(log_activation(result)), activation.ravel(), rtol=1e-10)


def test_corridor_matches_its_closed_form():
    """In a corridor sigma = sinh(mu (n - x)) / sinh(mu n), with 2 beta cosh(mu) = 1."""
    cells, beta = 3000, 0.1
    logs = log_activation(settled(np.zeros((1, cells), dtype=bool), (0, 0), beta))
    mu = np.arccosh(1 / (2 * beta))
    left = mu * (cells - np.arange(cells))
    exact = left + np.log1p(-np.exp(-2 * left)) - mu * cells
    np.testing.assert_allclose(logs, exact, rtol=1e-12, atol=1e-11)


def test_many_paths_do_not_overflow():
    """Beside 1e380 shortest paths through an open map, a double would overflow."""
    result = settled(np.zeros((640, 640), dtype=bool), (0, 0), 1e-3)
    assert result.settled
    logs = log_activation(result)
    walks = np.exp(logs[-1] - 1278 * np.log(1e-3) - 1278 * np.log(2)) * np.sqrt(np.pi * 639)
    assert 0.9 < walks < 1.1 * np.exp(1278 * 8e-6)  # binomial(1278, 639), and a few detours


def test_sweep_clamps_target_and_obstacles():
    blocked = np.array([[False, True, False], [False, False, False]])
    once, _ = iterate(blocked, (0, 0), 0.1, most_sweeps=1, start=np.where(blocked, 0.0, 0.5))
    np.testing.assert_allclose(once, [[1.0, 0.0, 0.05], [0.1, 0.1, 0.1]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"radius": 0.5}, "radius of the neighbourhood"),
        ({"radius": np.nan}, "radius of the neighbourhood"),
        ({"spacing": [1.0, 0.0]}, "spacing"),
        ({"spacing": [1.0, 1.0, 1.0]}, "spacing"),
        ({"periodic": [True]}, "2 booleans"),
        ({"periodic": [True, False], "radius": 2.0}, "axis u is too short"),
    ],
)
def test_bad_neighbourhood_is_refused(arguments, words):
    with refused(words):
        neighbourhood_of((4, 9), **arguments)


def test_a_change_counts_as_none_sooner_the_slower_the_errors_fall_and_the_longer_it_takes():
    """Errors fall by omega - 1 a sweep; after PATIENCE of their times nothing but rounding is left."""
    for omega in (1.0, 1.5, 1.98):
        bound = CONVERGED / (2.0 - omega)
        usual = PATIENCE / (2.0 - omega)
        for share, times in ((0.0, 1.0), (1.0, 1.0), (3.0, 9.0)):
            assert counts_as_none(omega, share * usual) == pytest.approx(times * bound)
