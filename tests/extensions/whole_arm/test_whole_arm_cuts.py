"""Cuts of closed axes: where a joint would turn beyond its limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.extensions.whole_arm import JointGrid
from hopfield_nav.extensions.whole_arm.cell_planners import Costs, Network, cut_steps, one_more
from hopfield_nav.navigation.map import Step

ARM = load_arm("ur5_ragazzon2012")


def test_a_cut_beside_the_arm_leaves_the_whole_turn_before_it():
    grid = JointGrid(np.full(6, -np.pi), np.full(6, np.pi), (36, 1, 1, 1, 1, 1))
    for cell, turns in itertools.product(range(36), (-1, 0, 1)):
        q = np.zeros(6)
        q[0] = grid.centre((cell, 0, 0, 0, 0, 0))[0] + turns * 2.0 * np.pi
        if abs(q[0]) > 2.0 * np.pi:
            continue
        for ((joint, begin),) in one_more((), ARM, 0, q[0]):
            (over,) = cut_steps((joint, begin), grid)[:, :, 0].tolist()
            around = np.array([cell - 1, cell + 1]) % 36
            shut = [{cell, int(c)} == set(over) for c in around]
            beyond = [q[0] - grid.spacing[0] < begin, q[0] + grid.spacing[0] > begin + 2.0 * np.pi]
            assert shut == beyond


@pytest.mark.parametrize("cuts", [((0, 1.3),), ((1, -0.4),), ((0, -3.0), (1, 2.0))])
def test_no_path_leads_over_a_cut_and_none_is_missed(cuts):
    """A path on the map whose cut axes begin behind the cuts is as long."""
    grid = JointGrid(np.full(3, -np.pi), np.array([np.pi, np.pi, 1.0]), (9, 7, 5))
    shift = np.zeros(3, int)
    for joint, begin in cuts:
        shift[joint] = np.argmin((grid.axis_values()[joint] - begin) % (2.0 * np.pi))
    upper = np.where([joint in dict(cuts) for joint in range(3)], np.pi - 1e-6, grid.upper)
    opened, draw = grid._replace(upper=upper), np.random.default_rng(4)
    assert (np.array(grid.periodic) & ~np.array(opened.periodic)).sum() == len(cuts)
    for _ in range(40):
        blocked = draw.uniform(size=grid.shape) < 0.3
        cost = np.where(blocked, np.inf, draw.integers(0, 3, grid.shape)).astype(np.float32)
        here, *goals = draw.integers(0, grid.shape, (4, 3))
        doors = {Step(cell, axis) for cell in np.ndindex(grid.shape) for axis in (0, 1) if draw.uniform() < 0.1}
        moved = {Step(tuple((np.array(step.cell) - shift) % grid.shape), step.axis) for step in doors}
        moved = {
            step for step in moved if opened.periodic[step.axis] or step.cell[step.axis] + 1 < grid.shape[step.axis]
        }
        for kind, values in ((Network, blocked), (Costs, cost)):
            path = kind(grid, tuple(here), values).plan(np.array(goals), doors, cuts)
            there = tuple((here - shift) % grid.shape), np.roll(values, -shift, range(3))
            other = kind(opened, *there).plan((np.array(goals) - shift) % grid.shape, moved, ())
            assert np.array_equal(path, None if other is None else (other + shift) % grid.shape)
