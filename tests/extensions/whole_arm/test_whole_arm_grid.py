"""Cells of a joint grid and their centres."""

from __future__ import annotations

import numpy as np
import pytest
from poses import HOME
from refusals import refused

from dynamics import load_arm
from hopfield_nav.extensions.whole_arm import JointGrid, default_bounds

GRID = JointGrid(np.array([-3.0, 0.0, 1.0]), np.array([3.0, 1.0, 1.4]), (6, 4, 1))


def test_every_cell_is_the_one_of_its_centre():
    cells = np.stack(np.unravel_index(np.arange(24), GRID.shape), axis=1)
    assert [GRID.cell_of(q) for q in GRID.centre(cells)] == [tuple(cell) for cell in cells.tolist()]


def test_no_other_centre_is_nearer_than_that_of_the_cell():
    q = np.random.default_rng(0).uniform(GRID.lower, GRID.upper, (200, 3))
    for row in q:
        assert np.all(np.abs(GRID.centre(GRID.cell_of(row)) - row) <= 0.5 * GRID.spacing + 1e-12)


def test_axis_values_are_the_centres():
    corner = [values[-1] for values in GRID.axis_values()]
    assert corner == pytest.approx(GRID.centre((5, 3, 0)))
    assert [len(values) for values in GRID.axis_values()] == [6, 4, 1]
    assert GRID.axis_values()[2] == pytest.approx([1.2])


def test_cells_go_on_outside_of_the_grid():
    cell = GRID.cell_of(np.array([-3.5, 1.1, 1.2]))
    assert cell == (-1, 4, 0)
    assert not GRID.inside(cell)
    assert GRID.inside((0, 3, 0))
    assert not GRID.inside((0, 3, 1))


def test_the_centre_of_an_axis_of_one_cell_is_its_middle():
    grid = JointGrid(np.array([0.0, 0.4]), np.array([1.0, 0.6]), (2, 1))
    assert grid.cell_of(np.array([0.7, 0.5])) == (1, 0)
    assert grid.centre((1, 0)) == pytest.approx([0.75, 0.5])


def test_the_default_is_one_turn_around_the_start():
    arm = load_arm("ur5_controller")
    grid = default_bounds(arm, HOME, (36, 18, 24, 12, 8, 1))
    assert np.all(grid.upper - grid.lower <= 2 * np.pi + 1e-12)
    assert np.all(grid.lower >= arm.position_limits[:, 0])
    assert np.all(grid.upper <= arm.position_limits[:, 1])
    assert grid.axis_values()[5] == pytest.approx(HOME[5:])


def test_joint_limits_cut_the_turn_and_a_single_angle_stays_that_of_the_start():
    arm = load_arm("ur5_controller")
    limits = arm.position_limits.copy()
    limits[[1, 5]] = HOME[[1, 5], None] + [-0.5, 2.0]
    grid = default_bounds(arm._replace(position_limits=limits), HOME, (4, 4, 4, 4, 4, 1))
    assert (grid.lower[1], grid.upper[1]) == pytest.approx(HOME[1] + np.array([-0.5, 2.0]))
    assert (grid.lower[5], grid.upper[5]) == pytest.approx(HOME[5] + np.array([-0.5, 0.5]))


def test_a_start_beyond_the_limits_is_refused():
    with refused("start of a joint grid"):
        default_bounds(load_arm("ur5_controller"), HOME + 100.0, (4,) * 6)
