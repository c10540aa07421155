"""Cells out of reach are excluded one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from poses import HOME
from scenes import TOOL_MAP

from dynamics import forward_kinematics, load_arm, manipulability
from hopfield_nav import Simulation, load_world, simulate
from hopfield_nav.build import build_arm, build_obstacles
from hopfield_nav.geometry import LINK, arm_bodies, arm_distance, box, half_space, pack_primitives
from hopfield_nav.navigation.motion.reachability import (
    SINGULAR,
    follow_regular_path,
    known_solids,
    touching_links,
)


def begin(choice, *settings):
    return Simulation(load_world("behind_the_base", [f"planner.unreachable={choice}", *settings]))


def test_the_straight_path_behind_the_base_is_out_of_reach():
    ignored = begin("ignore")
    assert ignored.outcome == "unreachable"
    assert "out of reach" in ignored.reason


@pytest.mark.parametrize("settings", [(), ("planner.any_angle=true",)])
def test_lazy_finds_a_path_that_the_arm_can_follow(settings):
    sim = begin("lazy", *settings)
    run = sim.run()
    assert run.outcome == "reached"
    found = sim.navigator.map.unreachable
    assert 0 < found.sum() < 40
    assert not sim.navigator.grid.felt.any()
    assert not sim.navigator.grid.blocked.any()
    np.testing.assert_array_equal(run.data.final_map.values == 2, found)
    assert not found[tuple(run.data.first_path.values.T)].any()


def test_no_path_left_names_the_number_of_cells():
    sim = begin("lazy", "map.origin=[-0.5, -0.05, 0.0]", "map.shape=[21, 4]")
    assert sim.outcome == "no_path"
    assert "cannot be reached by the arm" in sim.reason or "cell (" in sim.reason


def test_a_goal_out_of_reach_is_no_path():
    sim = begin("lazy", "goal.position=[0.0, 0.0]")
    assert sim.outcome == "no_path"
    assert "cannot be reached by the arm" in sim.reason


def test_manipulability_vanishes_with_the_elbow_stretched():
    arm = load_arm("ur5_ragazzon2012")
    stretched = HOME.copy()
    stretched[2] = 0.0
    regular, singular = manipulability(arm, np.stack([HOME, stretched]))
    assert regular > 10 * SINGULAR
    assert singular < 1e-9


def test_a_path_ends_where_the_arm_is_singular():
    arm = load_arm("ur5_ragazzon2012")
    angles = np.linspace(0.4, 0.0, 30)
    poses = np.stack(
        [forward_kinematics(arm, np.array([0.3, -1.0, a, 0.2, 1.2, 0.1])) for a in angles]
    )
    start = np.array([0.3, -1.0, 0.4, 0.2, 1.2, 0.1])
    path = follow_regular_path(arm, poses, start)
    assert path.reason == f"singular at waypoint {path.reached}"
    assert np.isnan(path.q[path.reached :]).all()
    assert manipulability(arm, path.q[: path.reached]).min() >= SINGULAR


# --- links that touch what is known
# -----------------------------------------------------------------------

# as high as the wrist of the cell's arm
TALL = ["contact.bodies=arm", "known.2.cylinder.height=[0.2, 0.42]"]


def test_links_keep_away_from_known_obstacles_where_links_can_touch():
    """The tool's point alone goes round the cylinder; with the wrist beside it more cells are excluded."""
    spared = simulate(load_world("cell", TALL))
    touched = simulate(load_world("cell", [*TALL, "planner.unreachable=ignore"]))
    point = simulate(load_world("cell", [TALL[1]]))
    assert (spared.outcome, spared.summary["collision_count"]) == ("reached", 0)
    assert touched.summary["collision_count"] > 2
    assert (point.outcome, (point.data.final_map.values == 2).sum()) == ("reached", 0)
    assert 0 < (spared.data.final_map.values == 2).sum() < 40
    assert beyond_link_1(spared).min() > 0.0
    assert beyond_link_1(touched).min() < 0.0


# the wrist would be in the base
FORWARD = "trajectory.tool_rotation=[[0, 0, 1], [1, 0, 0], [0, 1, 0]]"


def test_a_path_whose_first_waypoint_is_out_of_reach_touches_nothing():
    """It was a traceback: none of its waypoints can be asked for what it touches."""
    arm = load_arm("ur5_ragazzon2012")
    known = known_solids(arm, pack_primitives([box([0.5, 0.0, 0.0], [0.1, 0.1, 0.1])]))
    assert touching_links(arm, np.zeros((0, 6)), known).shape == (0, 2)
    floor = ["contact.bodies=arm", "known=[{floor: {height: -0.3}}]"]
    sim = Simulation(load_world("empty", [*floor, FORWARD]))
    assert sim.outcome == "no_path"
    assert "out of reach at waypoint 0" in sim.reason


@pytest.mark.parametrize("known", ["[]", "[{floor: {height: -0.3}}]"])
@pytest.mark.parametrize("exact", [False, True])
def test_an_arm_that_is_at_its_goal_arrives(known, exact):
    world = load_world("empty")
    x, y, z = (
        float(v) for v in forward_kinematics(build_arm(world), np.array(world.start.joints))[:3, 3]
    )
    goal = f"goal={{position: [{x}, {y}]}}" if exact else "goal={cell: [1, 10]}"
    height = z if exact else 0.0
    settings = ["contact.bodies=arm", f"known={known}", goal]
    run = simulate(load_world("empty", [*settings, f"map.origin=[0.1501, -0.2499, {height}]"]))
    assert (run.outcome, run.summary["collision_count"]) == ("reached", 0)


def beyond_link_1(run):
    """Distances [m] of links 2 to 6 and the tool from all solids, over the run."""
    arm = build_arm(run.world)
    links = arm_bodies(arm)[:, LINK]
    return arm_distance(arm, run.data.q.values[::5], build_obstacles(run.world))[:, links > 1]


def test_no_path_is_known_without_a_collision_where_links_touch_everywhere():
    """By touch alone it takes a hundred collisions to end at the same place."""
    known = [
        *TOOL_MAP,
        "known=[{sphere: {center: [0.47, -0.17, 0.25], radius: 0.06}}]",
        "obstacles=[]",
    ]
    sim = Simulation(load_world("whole_arm", known))
    assert sim.outcome == "no_path"
    assert "link 3 touches known obstacle 0" in sim.reason
    assert Simulation(load_world("whole_arm", [*known, "contact.bodies=tool"])).outcome is None


def test_what_the_arm_is_mounted_on_is_not_held_against_link_1_but_against_the_others():
    arm = load_arm("ur5_ragazzon2012")
    beside = box((0.0, 0.14, 0.05), (0.1, 0.1, 0.2))  # link 1 touches it at some angles of joint 1
    solids = pack_primitives([half_space((0, 0, 0)), half_space((0, 0, -0.01)), beside])
    known = known_solids(arm, solids)
    assert known.mount.tolist() == [True, False, False]
    standing = np.array([2.5775, -0.948, 0.8776, 1.6412, 1.5708, -0.5641])
    lying = standing.copy()
    lying[1] = 0.3  # shoulder down into the floor
    floor = known_solids(arm, solids[:1])
    assert touching_links(arm, np.stack([standing, lying]), floor)[:, 1].tolist() == [-1, 0]
    held = floor._replace(mount=np.zeros(1, bool))
    assert touching_links(arm, standing[None], held).tolist() == [[1, 0]]
    q = np.tile(HOME, (73, 1))
    q[:, 0] = np.linspace(-np.pi, np.pi, 73)
    far = q.copy()
    far[:, 1:] = [-np.pi / 2, 0, 0, 0, 0]  # upright: nothing but link 1 is near
    first = (arm_distance(arm, far, solids[2:])[:, arm_bodies(arm)[:, LINK] == 1] <= 0.0).any(
        axis=(1, 2)
    )
    assert 0 < first.sum() < 73
    assert (touching_links(arm, far, known)[first, 1] == 2).all()


def test_without_known_obstacles_no_link_touches():
    arm = load_arm("ur5_ragazzon2012")
    known = known_solids(arm, pack_primitives([]))
    assert touching_links(arm, HOME[None], known).tolist() == [[-1, -1]]
