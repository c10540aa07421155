"""Arguments with which a plan would take for ever: refused, or read as what they mean."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from hopfield_nav.planning import neighbourhood_of, plan_path

FREE = np.zeros((9, 7), dtype=bool)


@pytest.mark.parametrize("radius", [11, 1e3, 1e9, 1e300])
def test_a_radius_beyond_the_grid_is_the_whole_grid(radius):
    """Every cell sees every other: one straight step."""
    plan = plan_path(FREE, (0, 0), (8, 5), radius=radius)
    assert plan.cells.tolist() == [[0, 0], [8, 5]]
    assert plan.length == pytest.approx(89**0.5)


ODD = [
    ("radius", [1]),
    ("radius", {}),
    ("spacing", "x"),
    ("spacing", {}),
    ("ties", 3),
    ("network", []),
]


@pytest.mark.parametrize(("name", "value"), ODD)
def test_words_for_numbers_are_refused(name, value):
    with refused(name.removesuffix("s").replace("tie", "tie order")):
        plan_path(FREE, (0, 0), (8, 6), **{name: value})


def test_too_many_neighbours_are_refused():
    with refused("too many neighbours; found .radius 600.*allowed: about 79.* at most"):
        neighbourhood_of((1000, 1000), 600)
    assert len(neighbourhood_of((60, 60, 60), 16).offset) > 17_000


def test_a_neighbourhood_is_a_value():
    """However it is written it is one object, which nobody changes: tables of large grids are made once."""
    one = neighbourhood_of((9, 7), spacing=1, periodic=[False, True])
    assert one is neighbourhood_of(
        np.array([9, 7]), 1, np.ones(2), (0, 1), ["+v", "-v", "+u", "-u"]
    )
    assert one != neighbourhood_of((9, 7), periodic=[True, False])
    assert one.table is one.table
    with pytest.raises(AttributeError, match="radius"):
        one.radius = 2.0
    for array in (one.offset, one.length, one.wrap, one.table):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("spacing", [[1, 1e-11], [1e-11, 1], [1e300, 1], [1, 100_001]])
def test_spacings_far_from_each_other_are_refused(spacing):
    with refused("spacing"):
        plan_path(FREE, (0, 0), (8, 6), spacing=spacing)


@pytest.mark.parametrize("second", [1 + 1e-11, 1000])
def test_spacings_near_each_other_are_not(second):
    plan = plan_path(FREE, (0, 0), (8, 6), spacing=[1, second])
    assert plan.length == pytest.approx(8 + 6 * second)
