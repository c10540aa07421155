"""A finer map: its cells, and what is carried over to it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dynamics import load_arm
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.extensions.clearance import build_scene
from hopfield_nav.extensions.whole_arm import JointGrid, numbers
from hopfield_nav.extensions.whole_arm.arm_map import choose_path
from hopfield_nav.extensions.whole_arm.grid import Carried, finer
from hopfield_nav.extensions.whole_arm.search import Query, Search
from hopfield_nav.geometry import pack_primitives
from hopfield_nav.navigation.map import Beliefs, Step
from hopfield_nav.plugin import CollisionEvidence
from hopfield_nav.world import parse_world

COARSE = JointGrid(np.array([-np.pi, -1.0, 0.0]), np.array([np.pi, 1.0, 1.0]), (12, 6, 1))
# the first axis is closed: 12 is 0
FINE = COARSE.split(np.array([[0, 5, 0], [11, 0, 0], [12, 2, 0]]))
CARRIED = Carried(COARSE, FINE)
STEPS = [Step((11, 0, 0), 0), Step((0, 4, 0), 1), Step((5, 2, 0), 1), Step((3, 2, 0), 0)]


def test_every_cell_of_a_split_map_is_the_one_of_its_centre():
    assert FINE.shape == (12 + 2 * 2, 6 + 2 * 3, 1)
    cells = np.stack(np.unravel_index(np.arange(np.prod(FINE.shape)), FINE.shape), axis=1)
    assert [FINE.cell_of(q) for q in FINE.centre(cells)] == [tuple(cell) for cell in cells.tolist()]
    size, turn = np.array([FINE.shape[0], 0, 0]), np.array([2.0 * np.pi, 0.0, 0.0])
    np.testing.assert_allclose(FINE.centre(cells + size), FINE.centre(cells) + turn)
    assert FINE.cell_of(FINE.centre(np.array([-1, 3, 0]))) == (-1, 3, 0)


def test_every_centre_is_one_of_the_finer_map_too():
    for cell in np.ndindex(COARSE.shape):
        np.testing.assert_allclose(FINE.centre(CARRIED.cell(cell)), COARSE.centre(cell), atol=1e-12)
        assert tuple(CARRIED.around(np.array([CARRIED.cell(cell)]))[0]) == cell


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_the_parts_of_a_step_lead_from_its_one_end_to_the_other(step):
    parts = CARRIED.parts(step)
    ends = [np.array([FINE.centre(c) for c in part.ends])[:, step.axis] for part in parts]
    length = sum(float(end[1] - end[0]) for end in ends)
    assert length == pytest.approx(COARSE.spacing[step.axis])
    assert all(CARRIED.whole({part: 0.5}) == {step: 0.5} for part in parts)
    begin = COARSE.centre(step.cell)[step.axis]
    for part, end in zip(parts, ends, strict=True):
        share = (end.mean() - begin) % (2.0 * np.pi)
        for turns in (-2.0 * np.pi, 0.0) if step.axis == 0 else (0.0,):
            assert CARRIED.part_at(step, begin + share + turns) == (part, True)


def carried(step, shift):
    """What is believed on the finer map after a true stop so far behind the middle of a step [rad]."""
    beliefs = Beliefs(COARSE.shape, COARSE.turn)
    beliefs.touch(step, True)
    beliefs.confirm(True)
    middle = COARSE.centre(step.cell)[step.axis] + 0.5 * COARSE.spacing[step.axis]
    return CARRIED.beliefs(beliefs, {step: middle + shift})


def test_a_fact_stays_one_well_inside_a_part_and_on_a_whole_step():
    parts = CARRIED.parts(STEPS[0])
    assert carried(STEPS[0], 0.0).facts == {parts[1]}
    assert carried(STEPS[3], 0.0).facts == {Step(CARRIED.cell((3, 2, 0)), 0)}
    near = 0.5 * COARSE.spacing[0] / 3.0 - 0.5 * numbers.ON_STEP
    assert not carried(STEPS[0], near).facts
    assert carried(STEPS[0], near).touched() == {parts[1]: 0.95}


def test_what_an_earlier_run_felt_is_not_forgotten():
    """In which part of a step it was touched is not known: each is believed closed, none a fact."""
    beliefs = Beliefs(COARSE.shape, COARSE.turn)
    beliefs.load_prior({STEPS[0]: 1.0, STEPS[1]: 0.6, STEPS[3]: 1.0}, {})
    found = CARRIED.beliefs(beliefs, {})
    whole = Step(CARRIED.cell((3, 2, 0)), 0)
    assert found.facts == {whole}
    expected = dict.fromkeys(CARRIED.parts(STEPS[0]), 0.95) | dict.fromkeys(
        CARRIED.parts(STEPS[1]), 0.6
    )
    assert found.touched() == {**expected, whole: 1.0}


def test_what_was_driven_is_free_in_every_part():
    beliefs = Beliefs(COARSE.shape, COARSE.turn)
    beliefs.passed([(0, 0, 0)], [STEPS[0]])
    found = CARRIED.beliefs(beliefs, {})
    assert found.free == set(CARRIED.parts(STEPS[0]))
    assert found.visited == {CARRIED.cell((0, 0, 0))}


def test_a_map_that_would_be_too_large_is_not_made():
    side = round(numbers.MOST_CELLS ** (1 / 3)) - 3
    large = JointGrid(np.zeros(3), np.ones(3), (side,) * 3)
    assert finer(large, np.full(3, 0.5)) is None
    small = JointGrid(np.zeros(3), np.ones(3), (9,) * 3)
    found = finer(small, np.full(3, 0.5))
    assert found is not None
    assert found.shape == (15,) * 3


ARM = load_arm("ur5_ragazzon2012")
START = np.array([0.2, -1.6, 1.2, -1.2, -1.5, 0.0])
GRID = JointGrid(START - 1.2, START + 1.2, (8, 6, 6, 3, 2, 1))


@pytest.mark.parametrize(("most", "clean"), [(numbers.EXITS, False), (numbers.MOST_EXITS, True)])
def test_a_goal_is_reached_from_further_cells_where_the_nearest_are_doubted(most, clean):
    goal = GRID.centre(np.array([[6, 3, 2, 1, 1, 0]]))
    search = Search(ARM, build_scene(ARM, pack_primitives([])), GRID, goal, most_exits=most)
    cells = np.zeros(GRID.shape, np.float32)
    for _, cell in search.exits(set(), "near"):
        cells[cell] = 3.0
    here = (1, 2, 2, 1, 1, 0)
    evidence, beliefs = CollisionEvidence(cells), Beliefs(GRID.shape, GRID.turn)
    found = choose_path(search, Query(here, GRID.centre(here), beliefs, evidence, set()))
    assert found is not None
    assert (cells[tuple(found.path.cells.T)] == 0.0).all() == clean
    assert (found.risk <= numbers.EVEN_CHANCE) == clean


BALLS = (
    (0.355, -0.224, 0.818), (0.191, -0.317, 0.652), (0.206, -0.328, 0.664), (0.229, -0.449, 0.539),
    (0.183, -0.378, 0.553), (-0.016, -0.498, 0.700),
)  # fmt: skip


@pytest.mark.parametrize(("is_finer", "outcome"), [(False, "no_path"), (True, "reached")])
def test_a_wrong_no_on_a_coarse_map_is_none_with_all_cells_about_the_goal(is_finer, outcome):
    """Six balls about the arm at its goal, which has 4 to 20 mm to spare there; step by step."""
    world = {
        "format": 1, "map": {"space": "joints", "shape": [9, 6, 6, 1, 1, 1]},
        "trajectory": {"tool_speed": 0.25}, "record": {"signals": "none"}, "time_limit": 300,
        "start": {"joints": START.tolist()}, "goal": {"joints": [1.6, -1.5, 1.1, -1.2, -1.5, 0.5]},
        "obstacles": [{"sphere": {"center": list(ball), "radius": 0.07}} for ball in BALLS],
        "planner": {"finer": is_finer, "any_angle": False},
    }  # fmt: skip
    assert simulate(parse_world(json.dumps(world))).outcome == outcome


def test_the_finest_map_says_no_in_steps_of_the_worlds_map():
    """A fence that one joint alone would have to pass: what is recorded are steps of the coarse map."""
    fence = {"box": {"center": [0.0, 0.65, 0.5], "size": [0.04, 1.3, 1.6]}}
    world = {
        "format": 1, "map": {"space": "joints", "shape": [8, 1, 1, 1, 1, 1]},
        "trajectory": {"tool_speed": 0.25}, "record": {"signals": "none"}, "time_limit": 300,
        "start": {"joints": START.tolist()}, "goal": {"joints": [1.6, -1.5, 1.1, -1.2, -1.5, 0.5]},
        "obstacles": [fence],
    }  # fmt: skip
    simulation = Simulation(parse_world(json.dumps(world)))
    run = simulation.run()
    assert run.outcome == "no_path"
    navigator = simulation.navigator
    assert navigator.map.grid.shape[0] > 8
    assert navigator.map.learning.beliefs.facts
    assert navigator.closed_steps()
    assert all(step.cell[0] < 8 and not any(step.cell[1:]) for step in navigator.closed_steps())
