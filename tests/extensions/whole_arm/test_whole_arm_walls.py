"""Steps that are checked beside one that touches: what they are, and that they change no path."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.extensions.clearance import build_scene, motion_is_free
from hopfield_nav.extensions.whole_arm import JointGrid, numbers, step_checks
from hopfield_nav.extensions.whole_arm.arm_map import choose_path
from hopfield_nav.extensions.whole_arm.search import Query, Search
from hopfield_nav.geometry import box, pack_primitives
from hopfield_nav.navigation.map import Beliefs, Step
from hopfield_nav.plugin import CollisionEvidence

ARM = load_arm("ur5_ragazzon2012")
START = np.array([0.2, -1.6, 1.2, -1.2, -1.5, 0.0])
GRID = JointGrid(START - 1.2, START + 1.2, (5, 6, 6, 3, 2, 1))
HERE, THERE, Q = (0, 2, 2, 1, 1, 0), (4, 3, 2, 1, 1, 0), START
_AHEAD = -2.6747785938580904  # [rad] half way of the tool between two cells
_C, _S = np.cos(_AHEAD), np.sin(_AHEAD)
_TURNED = np.array([[_C, -_S, 0.0], [_S, _C, 0.0], [0.0, 0.0, 1.0]])
# a sheet on edge in the way of the tool, thinner than a step of the base
SHEET = build_scene(
    ARM, pack_primitives([box((0.5 * _C, 0.5 * _S, 0.7), (0.6, 0.004, 0.8), _TURNED)])
)

EMPTY = build_scene(ARM, pack_primitives([]))


def searched(scene, checked=None):
    """What found a path in a scene, or past other ``checked`` lines; the path, and in how many rounds."""
    search, rounds = Search(ARM, scene, GRID, GRID.centre(np.array([THERE]))), []
    search.checks.are_free = checked or search.checks.are_free
    grow = search._walls.grow
    search._walls.grow = lambda *given: rounds.append(given) or grow(*given)
    nothing = CollisionEvidence(np.zeros(GRID.shape, np.float32))
    choice = choose_path(search, Query(HERE, Q, Beliefs(GRID.shape, GRID.turn), nothing, set()))
    return search, choice.path, len(rounds)


def is_free(step):
    begin, end = np.where(np.array(GRID.shape) > 1, GRID.centre(np.array(step.ends)), Q)
    return bool(motion_is_free(ARM, SHEET, begin, end))


def not_through_a_door(begin, end):
    """Lines that do not pass between two layers of cells, but far from the straight way."""
    side = np.sign(np.stack([begin, end])[:, :, 0] - START[0] - 0.1)
    return (side[0] == side[1]) | (begin[:, 1] < START[1] - 0.9)


def test_what_is_barred_touches_and_joins_free_cells():
    search, _, _ = searched(SHEET)
    assert len(search.checks.barred) > 20
    for step in search.checks.barred:
        assert not is_free(step)
        assert not any(search.blocked[cell] for cell in step.ends)


def test_the_wall_around_a_step_is_found_and_looked_at_once(monkeypatch):
    monkeypatch.setattr(numbers, "MOST_STEPS", 100_000)
    search = Search(ARM, SHEET, GRID, GRID.centre(np.array([THERE])))
    every = (Step(cell, axis) for axis in range(5) for cell in np.ndindex(GRID.shape))
    inside = (step for step in every if step.ends[1][step.axis] < GRID.shape[step.axis])
    wall = {s for s in inside if not any(search.blocked[c] for c in s.ends) and not is_free(s)}
    found = [
        step_checks.Walls(search.checks, GRID, search.blocked).grow({step}, Q) for step in wall
    ]
    assert set.union(*found) <= wall
    assert max(map(len, found)) > 0.7 * len(wall)
    search._walls.grow(wall, Q)
    assert not search._walls.grow(wall, Q)


def test_the_path_is_the_same_and_found_in_fewer_rounds(monkeypatch):
    _, path, rounds = searched(EMPTY, not_through_a_door)
    monkeypatch.setattr(numbers, "MOST_STEPS", 0)
    _, other, single = searched(EMPTY, not_through_a_door)
    assert np.array_equal(path.cells, other.cells)
    assert rounds < 0.5 * single


@pytest.mark.parametrize("turn", [0, 5])
def test_beside_a_step_are_those_that_share_a_corner_of_the_wall(turn):
    low = np.full(3, -np.pi)
    grid = JointGrid(low, low + np.array([2 * np.pi if turn else 1.0, 1.0, 1.0]), (5, 4, 1))
    wall = step_checks.Walls(None, grid, np.zeros(grid.shape, dtype=bool))
    here, next_ = (4, 0) if turn else (3, 4)
    along = {Step((here, 0, 0), 0), Step((here, 2, 0), 0)}
    across = {Step((c, v, 0), 1) for c in (here, next_) for v in (0, 1)}
    assert set(wall._beside([Step((here, 1, 0), 0)])) == along | across
