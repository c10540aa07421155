"""Pictures of an arm that follows nothing and searches nothing show neither a reference nor a map."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from scenes import simulation

from hopfield_nav.figures.run.joints import draw_joint
from hopfield_nav.figures.solid.scene import SceneView, add_plane

FALL = "plant: {step: 0.00025}\ncontroller: {law: damping, hold: false}\ndetection: {estimator: none}\n"
HELD = "detection: {estimator: none}\n"


@pytest.mark.parametrize(("text", "lines"), [(FALL, 0), (HELD, 1)], ids=["falls", "is held"])
def test_a_reference_is_drawn_where_the_law_follows_one(text, lines):
    ax = plt.figure().add_subplot()
    draw_joint(ax, simulation(text + "time_limit: 0.1\n").run(), 1, "angle")
    drawn = [line.get_label() for line in ax.lines]
    assert drawn.count("reference") == lines


@pytest.mark.parametrize(("goal", "drawn"), [("", False), ("goal: {cell: [17, 6]}\n", True)])
def test_a_map_is_drawn_where_something_is_searched(goal, drawn):
    run = simulation(HELD + goal + "time_limit: 0.1\n").run()
    ax = plt.figure().add_subplot()
    assert bool(add_plane(ax, SceneView(run))) == drawn
