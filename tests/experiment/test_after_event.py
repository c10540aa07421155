"""What follows an alarm: every reaction, on every kind of map, with every response."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from hopfield_nav import Simulation, load_world

REACTIONS = ["retreat", "stop", "float"]
RESPONSES = ["replan", "follow", "own"]
NEXT_CELL = """
from hopfield_nav.plugin import Method


class NextCell:
    def on_touch(self, touch):
        path = touch.path(touch.believed.start)
        return None if path is None or len(path) < 3 else path[1:2]

    def on_rest(self, touch):
        return None


RESPONSE = Method("response", "next_cell", NextCell)
"""


def ended(world, *changes):
    simulation = Simulation(load_world(world, [*changes, "record.signals=none"], allow_code=True))
    assert simulation.run().outcome == "reached", simulation.reason
    return simulation


@pytest.fixture
def own(tmp_path):
    file = tmp_path / "next_cell.py"
    file.write_text(NEXT_CELL, encoding="utf-8")
    return f"{file}:RESPONSE"


@pytest.mark.parametrize("reaction", REACTIONS)
@pytest.mark.parametrize("response", RESPONSES)
def test_on_a_map_of_the_tool(reaction, response, own):
    method = own if response == "own" else response
    simulation = ended("u_trap", f"detection.reaction={reaction}", f"explore={method}")
    assert len(simulation.detections) > 3


@pytest.mark.parametrize("reaction", REACTIONS)
@pytest.mark.parametrize("mark", ["actual", "desired"])
def test_with_marked_cells(reaction, mark):
    simulation = ended(
        "ragazzon2012_real", f"detection.reaction={reaction}", f"detection.mark={mark}"
    )
    assert simulation.navigator.felt_count() > 0


@pytest.mark.parametrize("reaction", REACTIONS)
def test_on_a_map_of_joint_angles_every_touch_is_located(reaction):
    """A reaction switched that off: 179 touches with ``stop``, none of them located, and no goal."""
    simulation = ended("whole_arm", f"detection.reaction={reaction}")
    assert 0 < len(simulation.detections) < 20
    assert all(len(detection.places.points) for detection in simulation.detections)


@pytest.mark.parametrize("reaction", REACTIONS)
def test_with_an_own_response_they_are_located_too(reaction, own):
    world = load_world("whole_arm", [f"detection.reaction={reaction}", f"explore={own}"])
    simulation = Simulation(world)
    while len(simulation.detections) < 5:
        simulation.step(0.5)
    first = simulation.detections[:4]
    assert all(len(detection.places.points) for detection in first)


def test_a_time_that_is_rounded_up_is_still_that_of_its_step(monkeypatch):
    """38.742000000000004 s is step 38742, though 38742 · 0.001 s is less.

    The arm went on from the middle of its retreat as if it rested, and looked for no place.
    """
    simulation = Simulation(load_world("whole_arm", ["record.signals=none"]))
    step = simulation.world.plant.step
    learning = type(simulation.navigator.map.learning)
    look_at = learning.look_at

    def rounded_up(self, detection):
        number = round(look_at(self, detection) / step)
        while True:
            time = float(np.nextafter(number * step, np.inf))
            if time / step == number:
                return time
            number += 1

    monkeypatch.setattr(learning, "look_at", rounded_up)
    simulation.run()
    assert simulation.detections
    assert all(len(detection.places.points) for detection in simulation.detections)


@pytest.mark.parametrize("reaction", ["stop", "float"])
def test_who_slides_does_not_come_to_rest_first(reaction):
    with refused("detection.reaction: retreat"):
        load_world("u_trap", ["explore=slide", f"detection.reaction={reaction}"])


def test_the_run_alone_says_which_motion_the_arm_makes():
    """Whatever the navigator answers, its motion is the reaction while that lasts, then the answer."""
    simulation = Simulation(load_world("u_trap", ["detection.reaction=stop"]))
    told = []
    simulation.on_plan = told.append
    before = simulation.navigator.motion
    while not simulation.detections:
        assert simulation.navigator.motion is before
        simulation.step(0.01)
    assert simulation.navigator.motion.reacts
    assert simulation.navigator.motion.start == told[0].start
    while simulation.navigator.motion.reacts:
        simulation.step(0.01)
    assert simulation.navigator.motion is told[-1]
    np.testing.assert_array_equal(
        simulation.trajectory.knots, simulation.navigator.motion.trajectory.knots
    )
