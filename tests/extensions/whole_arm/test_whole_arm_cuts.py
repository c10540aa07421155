"""Cuts of closed axes: where a joint would turn beyond its limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.extensions.whole_arm import JointGrid
from hopfield_nav.extensions.whole_arm.search import Network, first_behind, one_more
from hopfield_nav.navigation.map import Step

ARM = load_arm("ur5_ragazzon2012")


def test_a_cut_beside_the_arm_leaves_the_whole_turn_before_it():
    grid = JointGrid(np.full(6, -np.pi), np.full(6, np.pi), (36, 1, 1, 1, 1, 1))
    for cell, turns in itertools.product(range(36), (-1, 0, 1)):
        q = np.zeros(6)
        q[0] = grid.centre((cell, 0, 0, 0, 0, 0))[0] + turns * 2.0 * np.pi
        if abs(q[0]) > 2.0 * np.pi:
            continue
        for cuts in one_more((), ARM, 0, q[0]):
            first = first_behind(*cuts[0], grid)
            around = np.array([cell - 1, cell + 1]) % 36
            shut = [{cell, int(c)} == {(first - 1) % 36, first} for c in around]
            begin = cuts[0][1]
            beyond = [q[0] - grid.spacing[0] < begin, q[0] + grid.spacing[0] > begin + 2.0 * np.pi]
            assert shut == beyond


@pytest.mark.parametrize("cuts", [(), ((0, 1.3),), ((1, -0.4),), ((0, -3.0), (1, 2.0))])
def test_on_a_cut_map_paths_are_those_past_all_steps_over_the_cuts(cuts):
    grid = JointGrid(np.full(3, -np.pi), np.array([np.pi, np.pi, 1.0]), (9, 7, 5))
    draw, over = np.random.default_rng(4), set()
    for joint, angle in cuts:
        last = (first_behind(joint, angle, grid) - 1) % grid.shape[joint]
        over |= {Step(cell, joint) for cell in np.ndindex(grid.shape) if cell[joint] == last}
    for _ in range(40):
        blocked = draw.uniform(size=grid.shape) < 0.3
        here, *goals = draw.integers(0, grid.shape, (4, 3))
        doors = {
            Step(cell, axis)
            for cell in np.ndindex(grid.shape)
            for axis in (0, 1)
            if draw.uniform() < 0.1
        }
        cut, whole = (Network(grid, tuple(here), blocked) for _ in range(2))
        found = cut.plan(np.array(goals), doors, cuts)
        assert np.array_equal(found, whole.plan(np.array(goals), doors | over, ()))
        later = doors | {Step(tuple(here), 2)}  # settles on from the last answer
        assert np.array_equal(
            cut.plan(np.array(goals), later, cuts), whole.plan(np.array(goals), later | over, ())
        )
        assert (cut.landscape is None) == bool(cuts)
