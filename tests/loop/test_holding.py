"""How hard solids push back at most: alone, and between two that overlap."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hopfield_nav.geometry import box, finite_cylinder, half_space, pack_primitives, sphere, thickness, upright_cylinder
from hopfield_nav.loop import holding_depth

R = 0.02


def between(apart, radius=R):
    """Largest sum of two pushes along the line that leads between two discs, in its only unknown."""

    def push(y):
        distance = math.hypot(y, 0.5 * apart)
        return 2.0 * max(radius - distance, 0.0) * y / distance

    return max(map(push, np.linspace(1e-6, radius, 2001)))


@pytest.mark.parametrize("share", [0.8, 1.0, 1.5, 1.75])
@pytest.mark.parametrize("moving", [0.0, 0.01])
def test_between_two_cylinders_the_sum_of_both_pushes_is_what_holds(share, moving):
    row = pack_primitives([upright_cylinder((share * R * i, 0.3), R) for i in range(9)])
    expected = min(between(share * R, R + moving), R + moving)
    if moving == 0.0:
        np.testing.assert_allclose(holding_depth(row, moving), expected, rtol=0.01)
    else:
        assert np.all(holding_depth(row, moving) >= expected * (1 - 0.01))


def test_what_overlaps_nothing_holds_with_half_its_thickness():
    solids = pack_primitives(
        [
            sphere((0.0, 0.0, 0.0), 0.05),
            box((0.3, 0.0, 0.0), (0.1, 0.2, 0.06)),
            finite_cylinder((0.0, 0.3, 0.0), 0.05, 0.02),
            upright_cylinder((0.5, 0.5), 0.04),
            half_space((0.0, 0.0, -0.02)),
        ]
    )
    np.testing.assert_allclose(holding_depth(solids, 0.01), 0.5 * thickness(solids) + 0.01)


def test_two_spheres_are_weakest_on_the_ring_where_they_meet():
    two = pack_primitives([sphere((0.1, 0.2, 0.3), R), sphere((0.1, 0.2, 0.3 + 1.5 * R), R)])
    np.testing.assert_allclose(holding_depth(two), between(1.5 * R), rtol=0.01)


@pytest.mark.parametrize("place", [(0.1, 0.0, 0.0), (0.0, 0.17, 0.0)])
def test_a_board_that_another_one_joins_is_as_strong_as_before(place):
    """A second one square to it, or going on in its line."""
    size = (0.2, 0.04, 0.2) if place[0] else (0.04, 0.2, 0.2)
    boards = pack_primitives([box((0.0, 0.0, 0.0), (0.04, 0.2, 0.2)), box(place, size)])
    np.testing.assert_allclose(holding_depth(boards), 0.02, rtol=0.01)
