"""What is concluded from a collision: both rules, and their corner cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopfield_nav.navigation import CollisionMap
from hopfield_nav.navigation.marks import (
    ContactEstimate,
    cell_to_mark,
    start_against_velocity,
    start_along_force,
)

SPACING = 0.1


def grid(shape=(8, 6), rim="free"):
    return CollisionMap.create((0.0, 0.0, 0.0), SPACING, shape, rim)


def felt(
    position=(3, 3), desired=None, velocity=(1, 0), force=(-1, 0), path=((3, 3), (4, 3), (5, 3))
):
    """A collision; positions in cells."""
    desired = position if desired is None else desired
    point = lambda p: np.array([p[0] * SPACING, p[1] * SPACING, 0.0])  # noqa: E731
    return ContactEstimate(
        point(position),
        point(desired),
        np.array([*velocity, 0.0]),
        np.array([*force, 0.0]),
        np.array(path),
    )


# --- the document's rule
# --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("desired", "cell"),
    [
        ((3.2, 2.9), (3, 3)),
        ((3.5, 2.49), (4, 2)),
        ((-3, 2), (0, 2)),
        ((99, 99), (7, 5)),
        ((7, 3), (7, 3)),
    ],
)
def test_document_marks_the_rounded_desired_cell_whatever_is_in_it(desired, cell):
    """Also the goal's cell, (7, 3), and one that is marked already; outside the map the nearest cell."""
    map_ = grid()
    map_.mark(cell)
    assert cell_to_mark(map_, felt(desired=desired), (7, 3), "desired") == cell


@pytest.mark.parametrize(
    ("velocity", "start"),
    [
        ((2, 1), (3, 3)),
        ((-2, 1), (5, 3)),
        ((1, 2), (4, 2)),
        ((1, -2), (4, 4)),
        ((1, 1), (4, 2)),
        ((0, 0), (4, 3)),
        ((-1, 1), (4, 2)),
        ((1e-9, 0), (3, 3)),
    ],
)
def test_document_backs_off_one_cell_against_the_larger_component(velocity, start):
    """Among equals along y, as `abs(v1) > abs(v2)` has it; at rest not at all."""
    assert start_against_velocity(grid(), (4, 3), felt(velocity=velocity)) == start


@pytest.mark.parametrize(
    ("marked", "velocity", "start"),
    [
        ((1, 3), (1, 0), (1, 3)),
        ((0, 3), (1, 0), (1, 3)),
        ((6, 3), (-1, 0), (6, 3)),
        ((7, 3), (-1, 0), (6, 3)),
        ((3, 1), (0, 1), (3, 1)),
        ((3, 4), (0, -1), (3, 4)),
        ((3, 5), (0, -1), (3, 4)),
    ],
)
def test_back_off_never_leaves_the_inner_map(marked, velocity, start):
    """The document clips u to 2, counted from 1; the other three sides are treated alike."""
    assert start_against_velocity(grid(), marked, felt(velocity=velocity)) == start


def test_a_blocked_back_off_cell_is_kept():
    map_ = grid()
    map_.mark((3, 3))
    assert start_against_velocity(map_, (4, 3), felt(velocity=(1, 0))) == (3, 3)


# --- the second rule
# ------------------------------------------------------------------------------------


def test_the_cell_against_the_force_comes_first():
    assert cell_to_mark(grid(), felt(force=(-5, 0)), (7, 5), "actual") == (4, 3)
    assert cell_to_mark(grid(), felt(position=(3, 2.9), force=(0, 5)), (7, 5), "actual") == (3, 2)


def test_then_the_next_ahead_and_never_one_that_is_marked():
    map_, seen = grid(), []
    for _ in range(10):
        cell = cell_to_mark(map_, felt(position=(3.2, 3)), (7, 5), "actual")
        seen.append(cell)
        map_.mark(cell)
    assert seen[0] == (4, 3)
    assert len(set(seen)) == 10


def test_without_a_force_it_follows_the_path():
    assert cell_to_mark(grid(), felt(force=(0, 0)), (7, 5), "actual") == (3, 3)
    map_ = grid()
    map_.mark((3, 3))
    assert cell_to_mark(map_, felt(force=(0, 0)), (7, 5), "actual") == (4, 3)


cells = st.tuples(st.integers(0, 7), st.integers(0, 5))
places = st.tuples(st.floats(-2, 10), st.floats(-2, 8))


@given(places, places, places, cells, st.integers(0, 2**32 - 1))
@settings(max_examples=150, deadline=None)
def test_always_a_new_cell_and_never_the_goal(position, desired, force, goal, seed):
    map_ = grid()
    rng = np.random.default_rng(seed)
    for index in np.argwhere(rng.random(map_.shape) < rng.random()):
        map_.mark(tuple(index))
    left = ~map_.felt
    left[goal] = False
    cell = cell_to_mark(map_, felt(position, desired, force=force), goal, "actual")
    assert map_.inside(cell)
    if left.any():
        assert cell != goal
        assert not map_.felt[cell]


@given(places, places, cells)
@settings(max_examples=10, deadline=None)
def test_it_comes_to_an_end(position, force, goal):
    """At most as many collisions as cells: here they all happen at one place."""
    map_ = grid((4, 4))
    goal = (goal[0] % 4, goal[1] % 4)
    for _ in range(15):
        cell = cell_to_mark(map_, felt(position, force=force), goal, "actual")
        assert not map_.felt[cell]
        map_.mark(cell)
    assert map_.felt.sum() == 15
    assert not map_.felt[goal]


def test_without_a_goal_every_cell_may_be_marked():
    map_ = grid((2, 2))
    marked = set()
    for _ in range(4):
        cell = cell_to_mark(map_, felt((0, 0)), None, "actual")
        map_.mark(cell)
        marked.add(cell)
    assert len(marked) == 4


def test_back_off_along_the_force_to_a_passed_open_cell():
    map_ = grid()
    passed = np.zeros(map_.shape, bool)
    passed[1:4, 3] = True
    open_cells = ~map_.blocked
    collision = felt(position=(3.4, 3), force=(-9, 0))
    assert start_along_force(map_, collision, open_cells, passed) == (3, 3)
    open_cells[3, 3] = False
    assert start_along_force(map_, collision, open_cells, passed) == (2, 3)


def test_back_off_falls_back_to_a_touching_cell_and_then_to_its_own():
    map_, nothing = grid(), np.zeros((8, 6), bool)
    collision = felt(position=(3.4, 3), force=(-9, 0))
    assert start_along_force(map_, collision, ~map_.blocked, nothing) == (3, 3)
    far = nothing.copy()
    far[7, 5] = True
    assert start_along_force(map_, collision, far, nothing) == (3, 3)  # its own, which is not open
    assert start_along_force(map_, felt(position=(-5, 99)), nothing, nothing) == (0, 5)


def test_against_the_velocity_on_a_map_of_one_layer_stays_in_the_map():
    layer = CollisionMap.create(shape=(8, 8, 1), rim="free")
    place, forward = layer.centre((4, 4, 0)), np.array([0.1, 0.0, 0.0])
    touch = ContactEstimate(
        place, place, forward, force=-forward, path=np.array([[3, 4, 0], [4, 4, 0]])
    )
    assert start_against_velocity(layer, (5, 4, 0), touch) == (4, 4, 0)


def test_where_nothing_is_left_to_mark_the_tools_own_cell_is_marked_again():
    """Also at the edge of the map."""
    map_ = grid()
    map_.felt[:] = True
    assert cell_to_mark(map_, felt(position=(0, 3), path=((0, 3),)), (7, 3), "felt") == (0, 3)
