"""Boxes about a goal: a lid closes them, an opening lets the arm in, and a run says which is which."""

import numpy as np
import pytest
from benches import suite_module

from dynamics import load_arm
from hopfield_nav import Simulation
from hopfield_nav.build import build_obstacles
from hopfield_nav.extensions.clearance import build_scene, collides
from hopfield_nav.world import parse_world

FAMILIES, boxes = suite_module("closed_boxes").FAMILIES, suite_module("closed_boxes").boxes
QUICK = ("large, hard", 79)  # few touches tell


def text_of(family, seed, kind):
    return next(getattr(box, kind) for box in boxes(family) if box.seed == seed)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_arm_at_its_goal_is_in_the_lid_and_clear_of_the_opening(family):
    arm = load_arm("ur5_ragazzon2012")
    for box in boxes(family):
        goal = np.array([parse_world(box.closed).goal.joints])
        closed, opened = (build_obstacles(parse_world(text)) for text in (box.closed, box.open))
        assert collides(arm, build_scene(arm, closed), goal).all()
        assert not collides(arm, build_scene(arm, opened, 0.014), goal).any()


def ended(kind, touches, change=""):
    simulation = Simulation(parse_world(text_of(*QUICK, kind) + change))
    while simulation.outcome is None and len(simulation.detections) < touches:
        simulation.step(0.25)
    return simulation


@pytest.fixture(scope="module")
def closed():
    return ended("closed", 60)


def test_a_closed_box_ends_early_with_a_bound(closed):
    summary = closed.record().summary
    assert (summary["outcome"], summary["no_path_grade"]) == ("no_path", "probable")
    assert 0.0 < summary["no_path_error_bound"] <= 1e-3
    assert f"at most {summary['no_path_error_bound']:.1g}" in summary["reason"]


def test_facts_alone_do_not_end_it(closed):
    limit = len(closed.detections)
    assert ended("closed", limit + 3, "planner: {no_path_error: 0}\n").outcome is None


def test_the_same_box_with_an_opening_is_reached():
    assert ended("open", 60).outcome == "reached"
