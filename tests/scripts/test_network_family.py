"""The study of activation functions: counts on one map by hand, and the continuous network at rest."""

from __future__ import annotations

import math

import network_family as study
import numpy as np
import pytest
from ragazzon2012 import continuous

from hopfield_nav.planning import activation


@pytest.mark.parametrize("name", study.FUNCTIONS)
def test_the_continuous_network_rests_where_the_sweeps_do(name):
    assert continuous.largest_difference(activation(name, 0.1), maps=3, size=10) < 1e-11


@pytest.mark.parametrize("method", study.METHODS)
def test_a_corridor_has_one_path_and_a_room_beside_it_none(method):
    blocked = np.ones((3, 9), dtype=bool)
    blocked[0, :7] = blocked[2, 8] = False
    found = study.METHODS[method](study.Map(blocked, (0, 0)))
    assert found[:4] == (7, 7, 0, 0)
    assert all(seconds > 0 for seconds in found.seconds)
    assert math.isnan(found.sweeps[0]) == (method in ("limit", "A*"))


def test_neurons_that_are_zero_in_plain_doubles_are_counted():
    corridor = np.zeros((1, 400), dtype=bool)
    found = study.of_function("shunting", study.Map(corridor, (0, 0)))
    assert found.cells == 400
    assert 60 < found.dark < 120
    assert found.shortest == found.cells - found.dark
    assert study.of_limit(study.Map(corridor, (0, 0)))[:4] == (400, 400, 0, 0)


def test_maps_are_the_same_for_every_method():
    first, again = list(study.random_maps(3)), list(study.random_maps(3))
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.blocked, other.blocked)
        assert one.goal == other.goal
        assert not one.blocked[one.goal]
    (maze,) = study.mazes(1, 15)
    free = int((~maze.blocked).sum())
    assert free == 2 * 8 * 8 - 1  # a tree of 64 rooms
