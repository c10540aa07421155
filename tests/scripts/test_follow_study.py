"""The study of following: its worlds are free at start and goal, its rows compare what is alike."""

import numpy as np
import pytest
from following.runs import Ran, _normal, row
from following.worlds import FAMILIES, world_of

from dynamics import forward_kinematics
from hopfield_nav import load_world
from hopfield_nav.geometry import capsule_distance, pack_primitives, upright_cylinder
from hopfield_nav.world import build_arm, build_obstacles


def ran(**change) -> Ran:
    values = {
        "outcome": "reached", "false": False, "collisions": 4, "contact_time": 1.0, "time": 20.0,
        "length": 1.0, "peak": 10.0, "strides": 0, "angles": np.zeros((0, 2)),
    }  # fmt: skip
    return Ran(**{**values, **change})


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_gives_one_world_that_is_free_at_start_and_goal(family):
    scenes = []
    for seed in range(4):
        name, change = world_of(family, seed)
        assert (name, change) == world_of(family, seed)
        world = load_world(name, change).resolve(seed, [(0.203, 0.039)])
        tool = forward_kinematics(build_arm(world), np.array(world.start.joints))[:3, 3]
        ends = np.array([[*place, *place, 0.0] for place in (tool, world.goal_point)])
        assert capsule_distance(ends, build_obstacles(world)).min() > 0.01
        scenes.append(build_obstacles(world).tobytes())
    assert len(set(scenes)) == 4


def test_only_pairs_with_the_same_end_are_compared():
    pairs = [(ran(), ran(time=10.0)), (ran(time=200.0, outcome="time_limit"), ran(time=10.0))]
    cells = [cell.strip() for cell in row("a", pairs).strip("|").split("|")]
    assert cells[:3] == ["a", "2", "1 / 2"]
    assert cells[6] == "20.0 / 10.0 s"
    assert cells[9].startswith("1 of 1")
    assert cells[10].startswith("0.50")


def test_the_true_normal_is_that_of_the_nearest_obstacle_unless_two_are_as_near():
    solids = pack_primitives([upright_cylinder([0.0, 0.0], 0.05), upright_cylinder([0.2, 0.0], 0.05)])
    np.testing.assert_allclose(_normal(solids, np.array([0.03, 0.04, 0.0]), 2), [0.6, 0.8, 0.0], atol=1e-5)
    assert _normal(solids, np.array([0.1, 0.02, 0.0]), 2) is None
