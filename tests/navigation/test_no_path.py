"""What an end without a path rests on: every way to it has its grade and its words."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import world

from hopfield_nav.navigation.map import Step, ToolMap
from hopfield_nav.navigation.marks import MarkedMap
from hopfield_nav.navigation.motion import Grade
from hopfield_nav.navigation.planners.no_path import (
    FACTS_ALONE,
    GOAL_SHUT,
    KNOWN_ALONE,
    why_no_path,
    why_no_path_past_marks,
    why_planner_failed,
)
from hopfield_nav.record.quantities import GRADES

START, GOAL_CELL = (1, 2), (6, 2)
FLAT = "map: {origin: [0.15, -0.15, 0.0], spacing: 0.03, shape: [8, 6], rim: free}\n"
AT_CENTRE = "goal: {cell: [6, 2]}\n"
ASIDE = "goal: {position: [0.335, -0.085]}\n"
COLUMN = 4


def a_map(goal: str = AT_CENTRE, kind: type[ToolMap] = ToolMap, more: str = "") -> ToolMap:
    return kind(world(FLAT + goal + more))


def close_column(map_: ToolMap) -> None:
    """Facts on every step into a column."""
    map_.beliefs.facts |= {Step((COLUMN - 1, row), 0) for row in range(6)}


def exclude_column(map_: ToolMap, but: int | None = None) -> None:
    """A column of cells out of the arm's reach."""
    map_.unreachable[COLUMN] = True
    if but is not None:
        map_.unreachable[COLUMN, but] = False


def test_the_record_has_the_same_words():
    assert set(GRADES) == {grade.value for grade in Grade}


def test_facts_alone_separate_and_say_of_which_steps():
    map_ = a_map()
    close_column(map_)
    reason, grade = why_no_path(START, map_)
    assert grade == Grade.FACTS
    assert reason.startswith(f"{FACTS_ALONE}: 6 closed steps")
    assert "steps of 30 mm" in reason
    assert "map.spacing: 0.015" in reason


def test_what_is_known_alone_separates():
    wall = "known: [{box: {center: [0.27, -0.075, 0.0], size: [0.002, 0.4, 0.4]}}]\n"
    map_ = a_map(more=wall)
    map_.beliefs.facts.add(Step((0, 0), 0))  # which has no part in it
    reason, grade = why_no_path(START, map_)
    assert (reason.split(",")[0], grade) == (KNOWN_ALONE, Grade.FACTS)


def test_a_goal_that_known_things_shut():
    """Four walls around it, inside its own cell."""
    x, y = 0.33, -0.09
    thin = [(0.012, 0.0, 0.002, 0.026), (-0.012, 0.0, 0.002, 0.026)]
    thin += [(0.0, 0.012, 0.026, 0.002), (0.0, -0.012, 0.026, 0.002)]
    walls = [
        f"{{box: {{center: [{x + dx}, {y + dy}, 0], size: [{sx}, {sy}, 0.4]}}}}"
        for dx, dy, sx, sy in thin
    ]
    map_ = a_map(more=f"known: [{', '.join(walls)}]\n")
    assert why_no_path(START, map_) == (GOAL_SHUT, Grade.FACTS)


@pytest.mark.parametrize("fact", [False, True], ids=["no fact", "one irrelevant fact"])
def test_cells_out_of_reach_are_no_facts(fact):
    map_ = a_map()
    exclude_column(map_)
    if fact:
        map_.beliefs.facts.add(Step((0, 0), 0))
    reason, grade = why_no_path(START, map_)
    assert grade == Grade.EXCLUDED
    assert FACTS_ALONE not in reason
    assert "out of the arm's reach" in reason


def test_facts_that_close_what_the_arm_reaches_are_not_facts_alone():
    map_ = a_map()
    exclude_column(map_, but=3)
    map_.beliefs.facts.add(Step((COLUMN - 1, 3), 0))
    reason, grade = why_no_path(START, map_)
    assert grade == Grade.EXCLUDED
    assert "and 1 closed steps" in reason


def test_last_legs_that_were_touched_once_are_no_proof():
    map_ = a_map(ASIDE)
    for step in map_.beliefs.steps_of(map_.goal_cell):
        for cell in step.ends:
            map_.beliefs.touch_to_goal(cell)
    reason, grade = why_no_path(START, map_)
    assert grade == Grade.DOUBTFUL
    assert "last legs to the goal were touched, which is no proof" in reason


def test_an_arm_that_went_back_in_vain_proves_nothing():
    map_ = a_map()
    map_.beliefs.facts |= set(map_.beliefs.steps_of(START))
    map_.beliefs.visited.add((0, 0))
    map_.tries[0, 0] = 2
    reason, grade = why_no_path(START, map_)
    assert grade == Grade.DOUBTFUL
    assert "in vain" in reason


def test_marks_are_beliefs():
    map_ = a_map(kind=MarkedMap)
    for row in range(6):
        map_.grid.mark((COLUMN, row))
    reason, grade = why_no_path_past_marks(START, map_)
    assert grade == Grade.DOUBTFUL
    assert reason.startswith("6 marked cells")
    map_ = a_map(kind=MarkedMap)
    exclude_column(map_)
    map_.grid.mark((0, 0))
    assert why_no_path_past_marks(START, map_).grade == Grade.EXCLUDED


def test_a_planner_that_fails_says_nothing_of_a_way():
    map_ = a_map(kind=MarkedMap)
    failed = why_planner_failed(START, map_, "the climb ends nowhere")
    assert failed is not None
    assert failed.grade == Grade.PLANNER
    assert failed.reason.startswith("the climb ends nowhere")
    map_.unreachable[COLUMN] = True
    assert why_planner_failed(START, map_, "the climb ends nowhere") is None


def test_a_cell_that_was_felt_often_stays_a_belief():
    """After some sixty touches its certainty was 1.0, and all steps into it were closed as facts are."""
    beliefs = a_map().beliefs
    for _ in range(200):
        beliefs.believe_occupied((COLUMN, 2), 0.5)
    for row in (0, 1, 3, 4, 5):
        beliefs.facts.add(Step((COLUMN - 1, row), 0))
    path = beliefs.likeliest_path(np.zeros((8, 6), dtype=bool), START, GOAL_CELL)
    assert path is not None
    assert beliefs.certainty(Step((COLUMN - 1, 2), 0)) < 1.0
