"""What follows a touch: values in, a value out."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from hopfield_nav import Simulation, load_world
from hopfield_nav.navigation import answer
from hopfield_nav.navigation.motion import FirstSegment, PlannedMotion
from hopfield_nav.navigation.responses import Response


def touched(world: str, *changes: str):
    """What was told of the third touch, the motion and the map until then, and the answer."""
    simulation = Simulation(load_world(world, [*changes, "record.signals=none"]))
    navigator = simulation.navigator
    ask = navigator.on_detection
    told = []

    def watched(detection):
        before = navigator.motion, copy.deepcopy(navigator.map)
        answered = ask(detection)
        assert navigator.motion is before[0]  # who answers does not set it
        told.append((detection, *before, answered))
        return answered

    navigator.on_detection = watched
    while len(told) < 3:
        simulation.step(0.1)
    return navigator.means, *told[2]


def same(one: PlannedMotion, other: PlannedMotion) -> None:
    np.testing.assert_array_equal(one.cells, other.cells)
    np.testing.assert_array_equal(one.trajectory.knots, other.trajectory.knots)
    np.testing.assert_array_equal(one.trajectory.coefficients, other.trajectory.coefficients)
    assert (one.start, one.phase, one.first_segment) == (
        other.start, other.phase, other.first_segment,
    )  # fmt: skip


@pytest.mark.parametrize("world", ["u_trap", "over_the_wall"])
def test_the_same_touch_has_the_same_answer(world):
    means, detection, motion, map_, (cell, answered) = touched(world)
    again = answer.after_touch(detection, motion, map_, means, Response())
    assert again.cell == cell
    same(again.motion, answered)
    assert again.motion.first_segment in (FirstSegment.RETREAT, FirstSegment.REST)


def test_the_same_mark_has_the_same_answer():
    means, detection, motion, map_, (cell, answered) = touched("ragazzon2012")
    again = answer.after_mark(detection, motion, map_, means)
    assert again.cell == cell
    assert map_.grid.felt[cell]
    same(again.motion, answered)


def test_a_response_takes_the_place_of_back_and_on():
    """Whatever it answers begins by leading back; where it answers nothing, the page stays."""

    class Stays(Response):
        def after_touch(self, start, touch, motion, map, means):
            self.start = start
            return motion._replace(start=start)

    means, detection, motion, map_, _ = touched("u_trap", "detection.graze=retreat")
    response = Stays()
    given = answer.after_touch(detection, motion, map_, means, response).motion
    assert given.trajectory is motion.trajectory
    assert given.start == response.start
    assert given.first_segment is FirstSegment.RETREAT
