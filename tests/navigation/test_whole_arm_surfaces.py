"""Surfaces that go on beside what was touched: what they doubt, what rules them out, what they leave."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.experiment import Simulation
from hopfield_nav.geometry import arm_distance, pack_primitives, sphere
from hopfield_nav.navigation.map import ContactHypotheses
from hopfield_nav.navigation.whole_arm import JointGrid
from hopfield_nav.navigation.whole_arm.search import Found
from hopfield_nav.navigation.whole_arm.surfaces import (
    BEHIND,
    DETOUR,
    FAR,
    LEAST_NORMAL,
    LEAST_WEIGHT,
    SURELY,
    Surfaces,
)
from hopfield_nav.plugin import Against
from hopfield_nav.world import load_world

ARM = load_arm("ur5_ragazzon2012")
START = np.array([0.2, -1.6, 1.2, -1.2, -1.5, 0.0])
GRID = JointGrid(START - 0.8, START + 0.8, (12, 8, 6, 3, 2, 1))
CENTRES = GRID.centre(np.stack(np.unravel_index(np.arange(np.prod(GRID.shape)), GRID.shape), axis=1))
NONE = np.zeros((0, 6))
WALL_AT = -0.4  # [m] x of a wall before the arm, which it would come through from above


def touches(weight=1.0, length=1.0):
    """Three touches of the wall at x = ``WALL_AT``, each at one place, 12 cm and more apart."""
    places = [(WALL_AT, -0.2, 0.35), (WALL_AT, -0.08, 0.35), (WALL_AT, -0.14, 0.47)]
    normal = length * np.array([[np.sign(WALL_AT), 0.0, 0.0]])
    return [ContactHypotheses(np.array([p]), np.array([5]), np.array([weight]), normal) for p in places]


def depth(far=FAR):
    """How deep (cells,) the arm is at each centre in the wall so near to a place [m], below 0 beside it."""
    rays = np.linspace(0.0, far, 13)[:, None]
    angles = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    disc = np.concatenate([rays * [0.0, np.cos(angle), np.sin(angle)] for angle in angles])
    behind = np.array([np.sign(WALL_AT) * BEHIND, 0.0, 0.0])
    points = np.concatenate([places.points + behind + disc for places in touches()])
    balls = pack_primitives([sphere(point, 1e-6) for point in points])
    return -arm_distance(ARM, CENTRES, balls).min(axis=(1, 2))


def certainty(surfaces, felt, passed=NONE):
    """Of each cell, flat."""
    return 1.0 - np.exp(-surfaces.against(felt, passed).reshape(-1).astype(float))


def test_cells_at_which_the_arm_would_cross_a_touched_wall_are_doubted_and_no_others():
    found, deep = certainty(Surfaces(ARM, GRID), touches()), depth(0.6 * FAR)
    assert (found[deep > 0.04] > 0.0).all()
    assert np.count_nonzero(deep > 0.04) > 300
    assert (found[depth() <= 0.0] == 0.0).all()
    assert 0.5 * SURELY < found.max() < SURELY
    near = certainty(Surfaces(ARM, GRID), touches()[:1])
    assert (near <= found + 1e-6).all()
    assert (near < found).any()


def test_a_place_that_is_not_likely_or_has_no_normal_says_nothing():
    half = certainty(Surfaces(ARM, GRID), touches(weight=0.5))
    assert half == pytest.approx(0.5 * certainty(Surfaces(ARM, GRID), touches()), abs=0.005)
    for felt in (
        touches(weight=LEAST_WEIGHT - 0.01),
        touches(length=LEAST_NORMAL - 0.01),
        touches(length=0.0),
    ):
        assert not certainty(Surfaces(ARM, GRID), felt).any()


def test_a_motion_through_a_surface_rules_it_out_there_and_beyond():
    surfaces, deep = Surfaces(ARM, GRID), depth()
    before = certainty(surfaces, touches())
    through = CENTRES[[deep.argmax()]]
    after = certainty(surfaces, touches(), through)
    assert (after <= before).all()
    assert (after < before).sum() > 10
    assert after == pytest.approx(certainty(Surfaces(ARM, GRID), touches(), through))  # whenever it is told
    beside = CENTRES[deep < -0.02]
    assert certainty(Surfaces(ARM, GRID), touches(), beside) == pytest.approx(before)
    everywhere = np.vstack([through, CENTRES[deep > 0.0]])
    assert np.count_nonzero(certainty(surfaces, touches(), everywhere)) < 0.02 * np.count_nonzero(before)


def until_replanned(*changes):
    """A bundled run after its first touch, with a path around it."""
    simulation = Simulation(load_world("whole_arm", changes))
    navigator, replan, ended = simulation.navigator, simulation.navigator.replan, []
    navigator.replan = lambda *given: ended.append(given) or replan(*given)
    while not ended:
        simulation.step(0.05)
    return simulation.navigator


def test_facts_beliefs_of_steps_and_places_are_the_same_without_surfaces():
    with_them, without = until_replanned(), until_replanned("planner.surfaces=false")
    assert with_them.collisions.touches
    for part in ("facts", "rough", "free", "visited"):
        assert getattr(with_them.beliefs, part) == getattr(without.beliefs, part)
    assert with_them.beliefs.touched() == without.beliefs.touched()
    np.testing.assert_array_equal(with_them.collisions.against, without.collisions.against)
    for mine, other in zip(with_them.collisions.places(), without.collisions.places(), strict=True):
        np.testing.assert_array_equal(mine, other)
    assert with_them._separation.bound == without._separation.bound
    assert with_them._learning.surfaces().any()
    assert without._learning.surfaces() is None


def test_without_surfaces_a_path_is_what_places_alone_leave():
    """With ``planner.surfaces: false`` the strategy answers what the places say, to the bit."""
    navigator = until_replanned("planner.surfaces=false")
    _, against = navigator._search_path(
        navigator.trail.cell or navigator._entry(navigator.trail.row), navigator.trail.row
    )
    np.testing.assert_array_equal(against.cells, navigator.collisions.risk())


def test_a_way_around_surfaces_is_taken_if_it_is_not_much_longer():
    navigator = until_replanned()
    search = navigator.search
    here, q = navigator.trail.cell or navigator._entry(navigator.trail.row), navigator.trail.row
    none = Against(np.zeros(navigator.grid.shape, np.float32))
    found = search.path(here, q, navigator.beliefs, none, set())
    there = tuple(found.cells[1:-1].T)
    wary = none._replace(cells=none.cells.copy())
    assert navigator._around_surfaces(found, q, none, wary) == (found, wary)
    wary.cells[there] = 0.2
    around, believed = navigator._around_surfaces(found, q, none, wary)
    assert believed is wary
    assert not wary.cells[tuple(around.cells[1:].T)].any()
    assert search.risk == 0.0
    longest = int(DETOUR[0] * len(found.cells) + DETOUR[1])
    for length, taken in ((longest, True), (longest + 1, False)):
        search.path = lambda *_, n=length: Found(np.repeat(found.cells[:1], n, axis=0), found.goal)
        assert (len(navigator._around_surfaces(found, q, none, wary)[0].cells) == length) == taken
