"""Sine and cosine against the C library."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.kernels.decorators import kernel
from dynamics.sincos import cos_sin

pytestmark = pytest.mark.kernel


@kernel
def _all(angles, out):
    for i in range(angles.size):
        out[0, i], out[1, i] = cos_sin(angles[i])


def both(angles):
    out = np.empty((2, len(angles)))
    _all(np.asarray(angles, dtype=float), out)
    return out


@pytest.mark.parametrize("largest", [1e-8, 0.8, 7.0, 100.0, 1e5])
def test_agrees_with_the_c_library(largest):
    angles = np.random.default_rng(0).uniform(-largest, largest, 20_000)
    np.testing.assert_allclose(both(angles), [np.cos(angles), np.sin(angles)], rtol=0, atol=2.3e-16)


def test_multiples_of_an_eighth_turn():
    angles = np.arange(-64, 65) * np.pi / 4
    np.testing.assert_allclose(both(angles), [np.cos(angles), np.sin(angles)], rtol=0, atol=2.3e-16)


def test_no_angle_gives_no_number():
    assert np.isnan(both([np.nan, np.inf, -np.inf])).all()
