"""The Riccati equation against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import solve_continuous_are

from dynamics.riccati_equation import SCRATCH, riccati


def solved(a, g, h):
    """Solution and whether it was found."""
    out, scale = np.empty_like(a), np.sqrt(np.sqrt(np.abs(g).max() * np.abs(h).max())) + 1e-6
    return out, riccati(a, g, h, scale, np.empty((SCRATCH, *a.shape)), out)


@pytest.mark.kernel
def test_riccati_against_scipy():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(20, 8, 8)), rng.normal(size=(20, 8, 3))
    weights = np.eye(8) * rng.uniform(0.1, 10, (20, 8, 1))
    for k in range(20):
        found, fine = solved(a[k], b[k] @ b[k].T, weights[k])
        expected = solve_continuous_are(a[k], b[k], weights[k], np.eye(3))
        assert fine
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())


@pytest.mark.kernel
def test_riccati_without_a_stabilising_solution():
    """A growing mode that no input reaches."""
    assert not solved(np.diag([1.0, -1.0]), np.diag([0.0, 1.0]), np.eye(2))[1]
