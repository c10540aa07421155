"""Random scenes: drawn from a seed, free at start and goal, written out solid by solid."""

import numpy as np
import pytest
from inside_solids import contains
from refusals import refused

from dynamics import forward_kinematics, load_arm
from hopfield_nav.build import all_solids
from hopfield_nav.geometry import capsules_in_base
from hopfield_nav.sweeps import load_sweep
from hopfield_nav.world import load_world, parse_world

FAMILIES = ("solids", "shelf", "box", "pipes")
KIND = {"shelf": {"box"}, "box": {"box"}, "pipes": {"box", "cylinder"}, "solids": {"box", "sphere"}}
START, GOAL = (
    [2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905],
    [0.0, -1.0, 1.2, -0.2, 1.5708, 0.0],
)


def world_of(scene: str, goal: str = f"{{joints: {GOAL}}}"):
    text = f"format: 1\nmap: {{space: joints}}\nobstacles: [{{random_scene: {{{scene}}}}}]\ngoal: {goal}\n"
    return parse_world(text)


def skin(q):
    """Points (k, 3) on and in the arm: along the axis of every link, and a radius beside it."""
    lines = capsules_in_base(load_arm("ur5_ragazzon2012"), np.array(q))
    share = np.linspace(0.0, 1.0, 9)[:, None, None]
    axis = lines[:, :3] + share * (lines[:, 3:6] - lines[:, :3])
    beside = lines[:, 6:7, None] * np.vstack([np.zeros(3), np.eye(3), -np.eye(3)])
    return (axis[:, :, None] + beside).reshape(-1, 3)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_arm_is_free_at_start_and_goal_and_somewhere_it_is_not(family):
    """Asked of points on the arm and of what a world file calls inside, not of the distance that was kept."""
    generator, touched = np.random.default_rng(0), 0
    for seed in range(5):
        solids = all_solids(world_of(f"family: {family}").resolve(seed))
        for q in (START, GOAL):
            x, y, z = skin(q).T
            assert not any(np.any(contains(solid, x, y, z)) for solid in solids)
        for q in generator.uniform([-3, -2, -2, -2, -2, -2], [3, -0.5, 2, 2, 2, 2], (40, 6)):
            x, y, z = skin(q).T
            touched += any(np.any(contains(solid, x, y, z)) for solid in solids)
    assert touched > 0


@pytest.mark.parametrize("family", FAMILIES)
def test_a_scene_is_written_out_solid_by_solid(family):
    drawn = world_of(f"family: {family}").resolve(3)
    kinds = {key for obstacle in drawn.obstacles for key in obstacle.model_dump()}
    assert kinds <= KIND[family]
    assert len(drawn.obstacles) >= 3
    assert parse_world(drawn.to_yaml()) == drawn
    assert drawn.resolve(4).obstacles == drawn.obstacles


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_gives_the_same_scene(family):
    world, own = world_of(f"family: {family}"), world_of(f"family: {family}, seed: 5")
    assert world.resolve(1) == world.resolve(1)
    assert world.resolve(1).obstacles != world.resolve(2).obstacles
    assert own.resolve(1).obstacles == own.resolve(2).obstacles


@pytest.mark.parametrize("family", ["shelf", "box"])
def test_the_goal_is_reached_into(family):
    tool = forward_kinematics(load_arm("ur5_ragazzon2012"), np.array(GOAL))[:3, 3]
    for seed in range(5):
        middles = np.array(
            [solid.center for solid in all_solids(world_of(f"family: {family}").resolve(seed))]
        )
        assert (np.linalg.norm(middles - tool, axis=1) < 0.9).all()
        directions = (middles - tool) / np.linalg.norm(middles - tool, axis=1)[:, None]
        assert (directions @ directions.T).min() < 0.0  # on opposite sides of the tool


@pytest.mark.parametrize(
    "goal",
    [
        "{position: [0.45, -0.2, 0.3]}",
        "{pose: {position: [0.45, -0.2, 0.3], rotation: [3.1, 0, 0]}}",
    ],
)
def test_a_goal_of_the_tool_is_kept_free_too(goal):
    solids = all_solids(world_of("family: box", goal).resolve(0))
    assert not any(contains(solid, 0.45, -0.2, 0.3) for solid in solids)


FREE = "trajectory: {tool_rotation: free}\n"
POINT = (0.74, 0.58, 0.08)  # out of reach with the tool up


@pytest.mark.parametrize(
    "head",
    [
        FREE,
        "arm: iiwa7_gripper\ncontroller: {omega: 20}\nstart: {joints: [0, 0.5, 0, -1.5, 0, 1, 0]}\n",
    ],
)
def test_a_box_is_put_about_a_goal_that_is_reached_with_another_rotation_or_by_another_arm(head):
    point = POINT if head == FREE else (0.5, 0.1, 0.4)
    goal = (
        f"{{position: {list(point)}}}"
        if head == FREE
        else f"{{pose: {{position: {list(point)}, rotation: [3.1, 0, 0]}}}}"
    )
    cells = "" if head == FREE else ", shape: [6, 6, 6, 6, 6, 6, 1]"
    text = f"map: {{space: joints{cells}}}\nobstacles: [{{random_scene: {{family: box}}}}]\n"
    for seed in range(3):
        solids = all_solids(parse_world(f"format: 1\n{head}{text}goal: {goal}\n").resolve(seed))
        middles = np.array([solid.center for solid in solids])
        assert np.linalg.norm(middles - point, axis=1).min() < 0.35
        assert not any(contains(solid, *point) for solid in solids)


def test_without_a_goal_the_start_alone_is_kept_free():
    text = "format: 1\nmap: {space: joints}\nobstacles: [{random_scene: {family: pipes}}]\n"
    assert 4 <= len(parse_world(text).resolve(0).obstacles) <= 8


def test_what_makes_no_sense_is_refused():
    with refused("unknown value; found .bathtub.; allowed: solids, shelf, box, pipes"):
        world_of("family: bathtub")
    with refused("family"):
        world_of("clearance: 0.02")
    with refused("unknown key"):
        parse_world("format: 1\nknown: [{random_scene: {family: box}}]")
    with refused("no room for a random scene: box"):
        world_of("family: box, clearance: 0.9").resolve(0)


def test_a_sweep_knows_that_a_scene_is_drawn(tmp_path):
    for scene, drawn in (("family: box", True), ("family: box, seed: 2", False)):
        (tmp_path / "world.yaml").write_text(world_of(scene).to_yaml())
        file = tmp_path / "sweep.yaml"
        file.write_text("format: 1\nworld: world.yaml\nvary: {time_limit: [1, 2]}\n")
        assert load_sweep(file).is_random == drawn


def test_a_bundled_world_can_be_given_a_scene():
    world = load_world("whole_arm", ["obstacles=[{random_scene: {family: shelf, seed: 1}}]"])
    assert len(world.resolve(0).obstacles) >= 5
