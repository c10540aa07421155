"""Cuts of closed axes: where a joint would turn beyond its limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.extensions.whole_arm import JointGrid
from hopfield_nav.extensions.whole_arm.search import one_more, opened
from hopfield_nav.navigation.map import Step, pairs
from hopfield_nav.planning import Replanner, neighbourhood_of

ARM = load_arm("ur5_ragazzon2012")


def test_a_cut_beside_the_arm_leaves_the_whole_turn_before_it():
    grid = JointGrid(np.full(6, -np.pi), np.full(6, np.pi), (36, 1, 1, 1, 1, 1))
    for cell, turns in itertools.product(range(36), (-1, 0, 1)):
        q = np.zeros(6)
        q[0] = grid.centre((cell, 0, 0, 0, 0, 0))[0] + turns * 2.0 * np.pi
        if abs(q[0]) > 2.0 * np.pi:
            continue
        for cuts in one_more((), ARM, 0, q[0]):
            first = opened(cuts, grid).shift[0]
            around = np.array([cell - 1, cell + 1]) % 36
            shut = [{cell, int(c)} == {(first - 1) % 36, first} for c in around]
            begin = cuts[0][1]
            beyond = [q[0] - grid.spacing[0] < begin, q[0] + grid.spacing[0] > begin + 2.0 * np.pi]
            assert shut == beyond


def test_a_map_without_cuts_is_the_map():
    grid = JointGrid(np.full(3, -np.pi), np.array([np.pi, np.pi, 1.0]), (9, 7, 5))
    whole, values = opened((), grid), np.arange(315).reshape(grid.shape)
    assert whole.periodic == grid.periodic == (True, True, False)
    assert whole.of(values) is values


@pytest.mark.parametrize("cuts", [((0, 1.3),), ((1, -0.4),), ((0, -3.0), (1, 2.0))])
def test_on_an_opened_map_paths_are_those_past_all_steps_over_the_cuts(cuts):
    grid = JointGrid(np.full(3, -np.pi), np.array([np.pi, np.pi, 1.0]), (9, 7, 5))
    draw, ties = np.random.default_rng(4), ["+u", "-u", "+v", "-v", "+w", "-w"]
    for _ in range(40):
        blocked = draw.uniform(size=grid.shape) < 0.3
        here, *goals = draw.integers(0, grid.shape, (4, 3))
        doors = [Step(cell, axis) for cell in np.ndindex(grid.shape) for axis in (0, 1) if draw.uniform() < 0.1]
        closed, over, map_ = pairs(doors, grid.shape), np.zeros((0, 2, 3), int), opened(cuts, grid)
        for joint, _ in cuts:
            last = (map_.shift[joint] - 1) % grid.shape[joint]
            steps = [Step(cell, joint) for cell in np.ndindex(grid.shape) if cell[joint] == last]
            over = np.concatenate([over, pairs(steps, grid.shape)])
        near = [neighbourhood_of(grid.shape, periodic=p, ties=ties) for p in (grid.periodic, map_.periodic)]
        whole = Replanner(blocked, np.array(goals), near[0], np.concatenate([closed, over]))
        other = Replanner(map_.of(blocked), map_.cells(np.array(goals)), near[1], map_.steps(closed))
        assert np.array_equal(whole.path(here), map_.back(other.path(map_.cells(here))))
