"""An early no: what is counted for it, what is not, and that it is asked twice."""

from types import SimpleNamespace

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.extensions.whole_arm import CollisionBelief, JointGrid, numbers
from hopfield_nav.extensions.whole_arm.separation import Separation
from hopfield_nav.geometry import capsules_in_base
from hopfield_nav.navigation.map import ContactHypotheses

ARM = load_arm("ur5_ragazzon2012")
GRID = JointGrid(np.full(6, -1.0), np.full(6, 1.0), (2,) * 6)
GOAL = np.array([0.3, -1.1, 1.4, 0.2, 0.5, 0.0])
OTHER = GOAL + 1.0


def search(*goals):
    return SimpleNamespace(
        ends=np.array(goals), exits=lambda shut_exits: [(k, (0,) * 6) for k in range(len(goals))]
    )


def inside():
    """A point on the axis of the forearm at the goal."""
    return capsules_in_base(ARM, GOAL)[5][:6].reshape(2, 3).mean(axis=0)


def place(point, weight):
    return ContactHypotheses(np.array([point]), np.array([3]), np.array([weight]))


def looked(count, weight=1.0, beside=0.0, apart=2 * numbers.APART, goals=(GOAL,), allowed=1e-3):
    """What is known after touches of one place, each from joint angles further on, and who judges it."""
    collisions = CollisionBelief(ARM, GRID)
    separation = Separation(ARM, search(*goals), allowed)
    felt = SimpleNamespace(collisions=collisions, shut_exits=set())
    for k in range(count):
        collisions.add(
            place(inside() + np.array([0.0, 0.0, beside]), weight), np.full(6, k * apart)
        )
        separation.judge(felt, {})
    return separation, felt


def test_sure_touches_of_the_goal_multiply():
    assert looked(4)[0].bound == pytest.approx((1.0 - numbers.RIGHT) ** 4)


@pytest.mark.parametrize(
    "changed",
    [{"weight": 0.8}, {"beside": 0.5}, {"apart": 0.0}, {"goals": (GOAL, OTHER)}, {"allowed": 0.0}],
    ids=[
        "unsure",
        "beside the goal",
        "from one configuration",
        "another goal is free",
        "not asked for",
    ],
)
def test_what_does_not_count(changed):
    assert looked(8, **changed)[0].bound == 1.0


def test_unsure_places_that_agree_do_not_become_sure():
    separation, felt = looked(8, weight=0.8)
    assert felt.collisions.alone().max() == 0.8
    assert separation.bound == 1.0


@pytest.mark.parametrize(
    ("outside", "bound"),
    [(0.0, 1.0 - numbers.SPREAD), (0.1, 1.0 - 0.9 * numbers.SPREAD), (0.2, 1.0)],
)
def test_a_touch_counts_where_nearly_all_that_it_may_have_been_is_in_the_arm(outside, bound):
    """Two places in the arm at its goal, and a third beside it."""
    felt, axis = (
        SimpleNamespace(collisions=CollisionBelief(ARM, GRID), shut_exits=set()),
        capsules_in_base(ARM, GOAL)[5],
    )
    points = np.array([axis[:3], axis[3:6], axis[:3] + np.array([0.0, 0.0, 0.5])])
    weights = np.array([0.5 - outside, 0.5, outside])
    felt.collisions.add(ContactHypotheses(points, np.full(3, 3), weights), np.zeros(6))
    separation = Separation(ARM, search(GOAL), 1.0)
    separation.judge(felt, {})
    assert separation.bound == pytest.approx(bound)


def test_touches_of_an_earlier_run_count_as_one():
    separation, felt = looked(1)
    for _ in range(6):
        felt.collisions.add(place(inside(), 1.0))
    separation.judge(felt, {})
    assert separation.bound == 1.0


def test_it_is_told_when_it_is_touched_once_more():
    separation, felt = looked(4, allowed=2e-4)
    assert not separation.judge(felt, {})
    felt.collisions.add(place(inside(), 1.0), np.full(6, 2.0))
    assert separation.judge(felt, {})


def test_it_is_not_told_when_the_arm_passes_through():
    separation, felt = looked(5)
    felt.collisions.passed([], GOAL[None])
    assert not separation.judge(felt, {})
    assert separation.bound == 1.0


@pytest.mark.parametrize(
    ("tilt", "counted"), [(0.9 * numbers.PROBES_APART, 1), (1.1 * numbers.PROBES_APART, 2)]
)
def test_touches_of_probes_from_one_side_count_as_one(tilt, counted):
    """An error of place that all of them share must not end a run."""
    separation, felt = looked(2, allowed=1.0)
    directions = {k: np.array([np.sin(k * tilt), 0.0, np.cos(k * tilt)]) for k in range(2)}
    separation.judge(felt, directions)
    assert separation.bound == pytest.approx((1.0 - numbers.RIGHT) ** counted)


def test_a_place_that_is_hardly_in_the_arm_does_not_count():
    """A sure touch may be wrong by so much."""
    axis = capsules_in_base(ARM, GOAL)[5]
    across = np.cross(axis[3:6] - axis[:3], [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    bounds = []
    for depth in (0.8 * numbers.INSIDE, 1.2 * numbers.INSIDE):
        felt = SimpleNamespace(collisions=CollisionBelief(ARM, GRID), shut_exits=set())
        felt.collisions.add(place(inside() + (axis[6] - depth) * across, 1.0), np.zeros(6))
        separation = Separation(ARM, search(GOAL), 1.0)
        separation.judge(felt, {})
        bounds.append(separation.bound)
    assert bounds == pytest.approx([1.0, 1.0 - numbers.RIGHT])
