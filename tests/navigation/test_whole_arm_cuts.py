"""Cuts of closed axes: where a joint would turn beyond its limits."""

from __future__ import annotations

import itertools

import numpy as np

from dynamics import load_arm
from hopfield_nav.navigation.whole_arm import JointGrid
from hopfield_nav.navigation.whole_arm.cuts import one_more, steps_over

ARM = load_arm("ur5_ragazzon2012")


def test_a_cut_beside_the_arm_leaves_the_whole_turn_before_it():
    grid = JointGrid(np.full(6, -np.pi), np.full(6, np.pi), (36, 1, 1, 1, 1, 1))
    for cell, turns in itertools.product(range(36), (-1, 0, 1)):
        q = np.zeros(6)
        q[0] = grid.centre((cell, 0, 0, 0, 0, 0))[0] + turns * 2.0 * np.pi
        if abs(q[0]) > 2.0 * np.pi:
            continue
        for cuts in one_more((), ARM, 0, q[0]):
            ((a, b),) = steps_over(cuts, grid)[:, :, 0].tolist()
            around = np.array([cell - 1, cell + 1]) % 36
            shut = [{cell, int(c)} == {a, b} for c in around]
            begin = cuts[0][1]
            beyond = [q[0] - grid.spacing[0] < begin, q[0] + grid.spacing[0] > begin + 2.0 * np.pi]
            assert shut == beyond
