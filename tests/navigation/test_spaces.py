"""Both kinds of map answer what ``Cells`` asks, in the same way."""

from __future__ import annotations

import numpy as np
import pytest

from hopfield_nav import load_world
from hopfield_nav.build import build_arm
from hopfield_nav.navigation import space_of


@pytest.mark.parametrize("name", ["ragazzon2012", "over_the_wall", "whole_arm"])
def test_the_centre_of_a_cell_lies_in_it(name):
    world = load_world(name)
    cells = space_of(world).cells(world, build_arm(world))
    assert cells.shape == tuple(world.map.shape)
    for seed in range(20):
        cell = tuple(int(c) for c in np.random.default_rng(seed).integers(0, cells.shape))
        assert cells.inside(cell)
        assert cells.cell_of(cells.centre(cell)) == cell
    outside = (-1, *(0 for _ in cells.shape[1:]))
    assert not cells.inside(outside)
    assert cells.cell_of(cells.centre(outside)) == outside


@pytest.mark.parametrize("name", ["ragazzon2012", "whole_arm"])
def test_neighbouring_centres_are_one_spacing_apart(name):
    world = load_world(name)
    cells = space_of(world).cells(world, build_arm(world))
    here = tuple(0 for _ in cells.shape)
    for axis in np.flatnonzero(np.array(cells.shape) > 1):
        there = tuple(int(k == axis) for k in range(len(here)))
        gap = np.linalg.norm(cells.centre(there) - cells.centre(here))
        assert gap == pytest.approx(np.broadcast_to(cells.spacing, len(here))[axis])
