"""A touch of an inner link speaks for its block: whatever the joints beyond are, it touches there."""

from types import SimpleNamespace

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.control import Onset
from hopfield_nav.extensions.whole_arm import CollisionBelief, JointGrid, numbers
from hopfield_nav.extensions.whole_arm.grid import finer
from hopfield_nav.extensions.whole_arm.learning import WholeArmLearning, block_of
from hopfield_nav.navigation.map import ContactHypotheses

ARM = load_arm("ur5_ragazzon2012")
GRID = JointGrid(np.full(6, -1.2), np.full(6, 1.2), (6, 6, 4, 3, 2, 1))
FAR = [5.0, 5.0, 5.0]  # [m] a place at which no cell has the arm
Q = np.array([0.1, 0.3, -0.5, 0.2, 0.1, 0.0])  # in cell (3, 3, 1, 1, 1, 0)
BASE = np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.0])  # [rad/s] joint 1 alone moves


def touched(links, weights):
    return ContactHypotheses(np.tile(FAR, (len(links), 1)), np.array(links), np.array(weights))


def felt(places, velocity=BASE, q=Q, grid=GRID):
    doubts = CollisionBelief(ARM, grid)
    doubts.add(places, q, block_of(places, q, velocity))
    return doubts


def test_all_cells_beyond_an_inner_link_are_closed_and_no_others():
    doubts = felt(touched([2, 2, 1], [0.4, 0.3, 0.25]))
    certainty = -np.expm1(-doubts.evidence())
    # half a cell further along joint 1 than 0.1 rad
    assert doubts.closed_blocks == {(3, 3): pytest.approx(0.95)}
    assert certainty[3, 3] == pytest.approx(0.95, abs=1e-5)
    certainty[3, 3] = 0.0
    assert not certainty.any()


def test_the_block_lies_where_the_arm_went():
    """From 0.1 rad, a quarter into its cell, half a cell back is the cell before."""
    places = touched([2], [1.0])
    assert list(felt(places, -BASE).closed_blocks) == [(2, 3)]
    assert list(felt(places, BASE).closed_blocks) == [(3, 3)]
    # another joint moves as well, and faster
    assert list(felt(places, -BASE + 2.0 * np.eye(6)[1]).closed_blocks) == [(3, 4)]


def test_it_is_never_more_certain_than_a_belief_may_be():
    (certainty,) = felt(touched([2], [1.0])).closed_blocks.values()
    assert certainty == numbers.BLOCK_CERTAINTY < 1.0


@pytest.mark.parametrize(
    ("links", "weights", "velocity"),
    [
        ([2, 6], [0.9, 0.06], BASE),  # it may have been the tool
        ([2], [1.0], np.eye(6)[3]),  # what moved cannot have touched with link 2
        ([2], [1.0], None),
    ],
    ids=["a place beyond", "joints beyond moved", "nothing is remembered"],
)
def test_where_it_says_nothing(links, weights, velocity):
    assert not felt(touched(links, weights), velocity).closed_blocks


def test_a_light_place_beyond_does_not_matter():
    assert list(felt(touched([2, 6], [0.9, 0.04])).closed_blocks) == [(3, 3)]


def test_where_the_arm_was_in_the_block_it_is_open():
    places = touched([2], [1.0])
    doubts = CollisionBelief(ARM, GRID)
    doubts.passed([(3, 3, 0, 0, 0, 0)], np.zeros((0, 6)))
    doubts.add(places, Q, block_of(places, Q, BASE))
    assert not doubts.closed_blocks
    later = felt(places)
    later.passed([(3, 3, 0, 0, 0, 0)], np.zeros((0, 6)))
    assert not later.closed_blocks
    assert later.evidence().max() <= numbers.NO_DOUBT


def test_a_block_is_carried_to_a_finer_map():
    doubts = felt(touched([2], [1.0]))
    fine = finer(GRID, Q)
    carried = doubts.on(fine, set(), numbers.FINE_SHELLS)
    (block,) = carried.closed_blocks
    assert len(block) == 2
    ahead = Q + np.array([0.5 * fine.spacing[0], 0, 0, 0, 0, 0])
    assert block == tuple(int(c) for c in np.floor(fine.along(ahead))[:2])


def test_the_arm_does_not_set_out_against_the_push_that_it_has_just_felt():
    torque = np.array([-8.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    onset = Onset(1.0, Q)
    learning = SimpleNamespace(_last=SimpleNamespace(onset=onset, torque=torque))
    near = Q - 0.05
    ends = near + np.array([[0.2, 0, 0, 0, 0, 0], [-0.2, 0, 0, 0, 0, 0], [0, 0.2, 0, 0, 0, 0]])
    against = WholeArmLearning.is_against_push(learning, near, ends)
    assert against.tolist() == [True, False, False]
    far = WholeArmLearning.is_against_push(learning, near - 1.0, ends - 1.0)
    assert not far.any()
