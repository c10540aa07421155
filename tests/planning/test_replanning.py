"""A planner that remembers gives what a new one would: random sequences of obstacles, all kinds of grids."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from hopfield_nav.planning import Replanner, neighbourhood_of, plan_path, replan

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
    cells = [
        tuple(int(rng.integers(n)) for n in shape) for _ in range(2 * draw(st.integers(1, 12)))
    ]
    return blocked, goal, cells, neighbourhood_of(shape, radius, spacing, periodic)


def is_same(plan, other):
    if plan.cells is None or other.cells is None:
        return plan.cells is other.cells and plan.reason == other.reason
    return np.array_equal(plan.cells, other.cells) and plan.length == other.length


@settings(max_examples=250, deadline=None, derandomize=True)
@given(sequences())
def test_repaired_limit_network_is_a_new_one(sequence):
    blocked, goal, cells, near = sequence
    planner = Replanner(blocked, goal, near=near)
    for cell, start in zip(cells[::2], cells[1::2], strict=True):
        planner.block(cell)
        blocked[cell] = True
        anew = replan(blocked, start, goal, near=near)
        np.testing.assert_array_equal(planner.distance, anew.distance)
        assert is_same(planner.plan(start), anew)
    np.testing.assert_array_equal(planner.blocked, blocked)


def steps_between(cells, near):
    """Pairs of neighbouring cells, one from each cell of a list along some axis."""
    found = []
    for n, cell in enumerate(cells):
        axis = n % len(near.shape)
        beyond = list(cell)
        beyond[axis] += 1
        if beyond[axis] == near.shape[axis]:
            beyond[axis] = 0 if near.periodic[axis] else beyond[axis] - 2
        found.append((cell, tuple(beyond)))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("spacing", [None, [0.3, 0.7, 1.1]])
def test_the_nearest_of_several_goals(seed, spacing):
    """Against planning to every goal by itself; a blocked goal counts as free."""
    rng = np.random.default_rng(seed)
    blocked = rng.random((7, 6, 5)) < 0.25
    cells = np.argwhere(~blocked)
    start, *goals = cells[rng.permutation(len(cells))[:5]]
    step = [[start, start + e] for e in np.eye(3, dtype=int) if (start + e < blocked.shape).all()][
        :1
    ]
    planner = Replanner(
        blocked, np.array(goals), near=neighbourhood_of(blocked.shape, spacing=spacing)
    )
    for closed in (None, np.array(step).reshape(-1, 2, 3)):
        if closed is not None:
            planner.close(closed)
        found = planner.plan(start)
        lengths = [
            plan_path(blocked, start, g, spacing=spacing, closed=closed).length for g in goals
        ]
        assert found.length == pytest.approx(min(lengths), rel=1e-14)
        if found.cells is not None:
            assert tuple(found.cells[0]) == tuple(start)
            ends = [
                g
                for g, length in zip(goals, lengths, strict=True)
                if length <= found.length * (1 + 1e-12)
            ]
            assert tuple(found.cells[-1]) in {tuple(g) for g in ends}
            assert np.abs(np.diff(found.cells, axis=0)).sum(axis=1).max(initial=1) == 1


def two_halls(door=True):
    """Two halls of 40 x 40 cells with one door between them."""
    blocked = np.zeros((40, 81), dtype=bool)
    blocked[:, 40] = True
    blocked[20, 40] = not door
    return blocked


def test_bottleneck_closes():
    """Half the map loses its path: more than is repaired, so it is settled anew."""
    planner = Replanner(two_halls(), (5, 5))
    assert planner.path((5, 75)) is not None
    assert planner.block((20, 40)) == -1
    assert planner.path((5, 75)) is None
    assert planner.plan((5, 75)).reason == "no free path from start to goal"
    assert planner.path((30, 30)) is not None


def test_a_small_change_is_a_repair():
    planner = Replanner(np.zeros((200, 200), dtype=bool), (0, 0))
    assert planner.block((100, 100)) == 0  # every cell has another path as short
    assert planner.block((0, 10)) == 0 + 189  # the row behind it has lost its only one
    assert planner.block((0, 10)) == 0  # again: nothing new


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
OTHER = neighbourhood_of((5, 6))
REFUSED = {
    "a neighbourhood of another grid": (
        lambda: Replanner(OPEN, (2, 2), near=OTHER),
        r"of another grid; found \(5, 6\); allowed: of \(5, 5\)",
    ),
    "one to plan with": (lambda: replan(OPEN, (2, 2), (0, 0), near=OTHER), "of another grid"),
    "no goal": (lambda: Replanner(OPEN, np.zeros((0, 2), int)), "allowed: one or more"),
    "a step that is none": (
        lambda: Replanner(OPEN, (2, 2)).close([[(0, 0), (2, 2)]]),
        "no neighbours",
    ),
    "a goal outside": (lambda: Replanner(OPEN, (2, 5)), "goal cell lies outside"),
    "a blocked cell outside": (
        lambda: Replanner(OPEN, (2, 2)).block((7, 0)),
        "blocked cell lies outside",
    ),
    "a start outside": (lambda: Replanner(OPEN, (2, 2)).plan((0, -1)), "start cell lies outside"),
}


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_bad_arguments_are_refused(call, words):
    with refused(words):
        call()
