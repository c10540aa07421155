"""A planner that remembers gives what a new one would: random sequences of obstacles, all kinds of grids."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from hopfield_nav.planning import Replanner, replan

pytestmark = pytest.mark.kernel


@st.composite
def sequences(draw):
    rank = draw(st.integers(1, 6))
    most = {1: 40, 2: 12, 3: 6, 4: 4, 5: 4, 6: 3}[rank]
    shape = tuple(draw(st.integers(2, most)) for _ in range(rank))
    radius = draw(st.sampled_from([1.0, 1.0, np.sqrt(2), 2.0])) if rank < 4 else 1.0
    spacing = draw(st.sampled_from([None, [0.3 + 0.41 * a for a in range(rank)]]))
    periodic = [draw(st.booleans()) and n >= 2 * int(radius) + 1 for n in shape]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    blocked = rng.random(shape) < draw(st.sampled_from([0.0, 0.2, 0.4]))
    goal = tuple(int(rng.integers(n)) for n in shape)
    cells = [tuple(int(rng.integers(n)) for n in shape) for _ in range(2 * draw(st.integers(1, 12)))]
    return blocked, goal, cells, {"radius": radius, "spacing": spacing, "periodic": periodic}


def is_same(plan, other):
    if plan.cells is None or other.cells is None:
        return plan.cells is other.cells and plan.reason == other.reason
    return np.array_equal(plan.cells, other.cells) and plan.length == other.length


@settings(max_examples=250, deadline=None, derandomize=True)
@given(sequences())
def test_repaired_limit_network_is_a_new_one(sequence):
    blocked, goal, cells, options = sequence
    planner = Replanner(blocked, goal, **options)
    for cell, start in zip(cells[::2], cells[1::2], strict=True):
        planner.block(cell)
        blocked[cell] = True
        anew = replan(blocked, start, goal, **options)
        np.testing.assert_array_equal(planner.distance, anew.distance)
        assert is_same(planner.plan(start), anew)
    np.testing.assert_array_equal(planner.blocked, blocked)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(sequences())
def test_restarted_summing_network_is_a_new_one(sequence):
    blocked, goal, cells, options = sequence
    planner = Replanner(blocked, goal, "sum", **options)
    for cell, start in zip(cells[::2], cells[1::2], strict=True):
        planner.block(cell)
        blocked[cell] = True
        anew = replan(blocked, start, goal, "sum", **options)
        np.testing.assert_array_equal(np.isneginf(planner.log_activation), np.isneginf(anew.log_activation))
        live = np.isfinite(anew.log_activation)
        gap = np.abs(planner.log_activation[live] - anew.log_activation[live])
        assert gap.size == 0 or gap.max() < 1e-12 * max(1, np.abs(anew.log_activation[live]).max())
        assert is_same(planner.plan(start), anew)


def two_halls(door=True):
    """Two halls of 40 x 40 cells with one door between them."""
    blocked = np.zeros((40, 81), dtype=bool)
    blocked[:, 40] = True
    blocked[20, 40] = not door
    return blocked


@pytest.mark.parametrize("network", ["limit", "sum"])
def test_bottleneck_closes(network):
    """Half the map loses its path: more than is repaired, so it is settled anew."""
    planner = Replanner(two_halls(), (5, 5), network)
    assert planner.path((5, 75)) is not None
    assert planner.block((20, 40)) == (-1 if network == "limit" else 0)
    assert planner.path((5, 75)) is None
    assert planner.plan((5, 75)).reason == "no free path from start to goal"
    assert planner.path((30, 30)) is not None


def test_a_small_change_is_a_repair():
    planner = Replanner(np.zeros((200, 200), dtype=bool), (0, 0))
    assert planner.block((100, 100)) == 0  # every cell has another path as short
    assert planner.block((0, 10)) == 0 + 189  # the row behind it has lost its only one
    assert planner.block((0, 10)) == 0  # again: nothing new


def test_restart_needs_fewer_sweeps():
    blocked = np.random.default_rng(3).random((150, 150)) < 0.25
    blocked[75, 75] = False
    planner = Replanner(blocked, (75, 75), "sum", beta=0.24)
    planner.block((20, 20) if not blocked[20, 20] else (21, 20))
    warm = planner._settled().sweeps
    cold = Replanner(planner.blocked, (75, 75), "sum", beta=0.24)._settled().sweeps
    assert warm < cold


def test_marked_goal_stays_the_target():
    planner = Replanner(np.zeros((5, 5), dtype=bool), (2, 2))
    planner.block((2, 2))
    assert planner.path((0, 0))[-1].tolist() == [2, 2]
    assert planner.blocked[2, 2]


def test_map_of_the_caller_is_his_own():
    blocked = np.zeros((5, 5), dtype=bool)
    planner = Replanner(blocked, (2, 2))
    planner.block((0, 1))
    assert not blocked.any()
    with pytest.raises(ValueError, match="read-only"):
        planner.blocked[0, 0] = True


OPEN = np.zeros((5, 5), dtype=bool)
REFUSED = {
    "a misspelt network": (lambda: Replanner(OPEN, (2, 2), "limitt"), "Did you mean 'limit'"),
    "a goal outside": (lambda: Replanner(OPEN, (2, 5)), "goal cell lies outside"),
    "a blocked cell outside": (lambda: Replanner(OPEN, (2, 2)).block((7, 0)), "blocked cell lies outside"),
    "a start outside": (lambda: Replanner(OPEN, (2, 2)).plan((0, -1)), "start cell lies outside"),
    "distances of the sum": (lambda: Replanner(OPEN, (2, 2), "sum").distance, "network sum"),
    "activations of the limit": (lambda: Replanner(OPEN, (2, 2)).log_activation, "network limit"),
}


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_bad_arguments_are_refused(call, words):
    with refused(words):
        call()
