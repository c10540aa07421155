"""Cuts of closed axes: where a joint would turn beyond its limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.extensions.whole_arm import JointGrid
from hopfield_nav.extensions.whole_arm.search import Network, one_more, steps_over
from hopfield_nav.navigation.map import Step, pairs
from hopfield_nav.planning import Replanner, first_axis_first, neighbourhood_of

ARM = load_arm("ur5_ragazzon2012")


def test_a_cut_beside_the_arm_leaves_the_whole_turn_before_it():
    grid = JointGrid(np.full(6, -np.pi), np.full(6, np.pi), (36, 1, 1, 1, 1, 1))
    for cell, turns in itertools.product(range(36), (-1, 0, 1)):
        q = np.zeros(6)
        q[0] = grid.centre((cell, 0, 0, 0, 0, 0))[0] + turns * 2.0 * np.pi
        if abs(q[0]) > 2.0 * np.pi:
            continue
        for cuts in one_more((), ARM, 0, q[0]):
            first = steps_over(cuts[0], grid)[0, 1, 0]
            around = np.array([cell - 1, cell + 1]) % 36
            shut = [{cell, int(c)} == {(first - 1) % 36, first} for c in around]
            begin = cuts[0][1]
            beyond = [q[0] - grid.spacing[0] < begin, q[0] + grid.spacing[0] > begin + 2.0 * np.pi]
            assert shut == beyond


@pytest.mark.parametrize("cuts", [(), ((0, 1.3),), ((1, -0.4),), ((0, -3.0), (1, 2.0))])
def test_paths_lead_over_no_cut_as_on_a_map_that_begins_and_ends_there(cuts):
    grid = JointGrid(np.full(3, -np.pi), np.array([np.pi, np.pi, 1.0]), (9, 7, 5))
    draw, shape, shift = np.random.default_rng(4), np.array(grid.shape), np.zeros(3, int)
    for joint, angle in cuts:
        centres = grid.axis_values()[joint]
        shift[joint] = np.argmin((centres - angle) % (2.0 * np.pi))  # the first centre behind the cut
        assert {tuple(two) for two in steps_over((joint, angle), grid)[:, :, joint].tolist()} == {
            ((shift[joint] - 1) % shape[joint], shift[joint])
        }
    is_cut = np.isin(np.arange(3), [joint for joint, _ in cuts])
    near = neighbourhood_of(grid.shape, periodic=grid.periodic & ~is_cut, ties=first_axis_first(3))
    for _ in range(40):
        blocked = draw.uniform(size=grid.shape) < 0.3
        here, *goals = draw.integers(0, grid.shape, (4, 3))
        doors = [Step(cell, axis) for cell in np.ndindex(grid.shape) for axis in (0, 1) if draw.uniform() < 0.1]
        ends = (pairs(doors, grid.shape) - shift) % shape
        ends = ends[(np.abs(ends[:, 0] - ends[:, 1])[:, is_cut] <= 1).all(axis=1)]
        opened = Replanner(np.roll(blocked, -shift, range(3)), (np.array(goals) - shift) % shape, near, ends)
        path, whole = opened.path((here - shift) % shape), Network(grid, tuple(here), blocked)
        found = whole.plan(np.array(goals), set(doors), cuts)
        assert (found is None) == (path is None)
        if path is not None:
            np.testing.assert_array_equal(found, (path + shift) % shape)
        assert (whole.landscape is None) == bool(cuts)
