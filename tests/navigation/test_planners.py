"""A* in the place of the network."""

from __future__ import annotations

import numpy as np
from closed_steps import plan_with

from hopfield_nav import load_world, simulate
from hopfield_nav.navigation.planners import open_cells
from hopfield_nav.world import PlannerSection


def test_the_choice_of_the_world_file():
    blocked = np.zeros((20, 20), dtype=bool)
    # a pocket that opens towards the start
    blocked[12, 5:15] = blocked[8:12, 5] = blocked[8:12, 14] = True
    for kind, name in (("hopfield", "limit"), ("a_star", "a_star")):
        plan = plan_with(PlannerSection(kind=kind), blocked, (3, 10), (17, 10))
        assert plan.network == name
        assert plan.cells is not None
    around = open_cells(PlannerSection(kind="a_star"), blocked, (3, 10), (17, 10))
    np.testing.assert_array_equal(around, ~blocked)


def test_the_main_experiment():
    planner = "planner={kind: a_star, unreachable: ignore}"
    assert (
        simulate(load_world("ragazzon2012", [planner, "record.signals=none"])).outcome == "reached"
    )
