"""What one run felt, the next one knows: with it and without it."""

import json
import textwrap

import numpy as np
import pytest
import yaml
from refusals import refused

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.build import build_arm, build_obstacles
from hopfield_nav.cli.app import main
from hopfield_nav.geometry import arm_clearance, capsule_distance
from hopfield_nav.navigation import LIKELY
from hopfield_nav.record import felt_places, load_prior, with_felt
from hopfield_nav.world import parse_world


@pytest.fixture(scope="module")
def trap():
    return simulate(load_world("u_trap"))


@pytest.fixture(scope="module")
def whole():
    return simulate(load_world("whole_arm"))


def collisions(run):
    return run.summary["collision_count"]


def test_the_tool_does_not_touch_again_what_was_touched(trap):
    again = simulate(trap.world, felt=trap)
    assert again.outcome == trap.outcome == "reached"
    assert collisions(again) < collisions(trap) / 2
    assert again.summary["handed_on"]["steps"] == trap.data.sizes["closed"] > 0
    assert trap.summary["handed_on"] == {}


def test_the_arm_does_not_touch_again_what_was_touched(whole):
    again = simulate(whole.world, felt=whole)
    assert again.outcome == whole.outcome == "reached"
    assert collisions(again) < collisions(whole) / 2
    assert again.summary["handed_on"]["touches"] == len(felt_places(whole))


def test_a_run_after_a_run_after_a_run(trap):
    """Facts stay facts, and what was handed on is handed on again."""
    felt = load_prior(trap, trap.world)
    again = simulate(trap.world, felt=trap)
    driven = {step for step, certainty in felt.steps.items() if certainty == 1.0}
    assert driven <= set(load_prior(again, trap.world).steps)


def test_what_is_free_was_free(whole):
    """No joint angles are handed on at which the arm touched anything in truth."""
    felt = load_prior(whole, whole.world)
    assert len(felt.free) > 100
    solids = build_obstacles(whole.world)[: len(whole.world.obstacles)]
    assert (arm_clearance(build_arm(whole.world), felt.free, solids) > 0.0).all()


def test_another_map_is_refused(trap):
    with refused("on one map says nothing on another"):
        simulate(load_world("over_the_wall"), felt=trap)
    with refused("marked cells are not handed on"):
        load_prior(trap, load_world("u_trap", ["detection.mark=actual"]))


def certain(run, *changes):
    """How many steps are handed on as facts to the run's world with changes; and for which keys none is."""
    now = load_world_like(run.world, changes)
    felt = load_prior(run, now)
    return sum(certainty == 1.0 for certainty in felt.steps.values()), felt.differs


def load_world_like(world, changes):
    return load_world(yaml.safe_load(world.to_yaml()), list(changes))


@pytest.fixture(scope="module")
def links():
    """The whole arm over a map of the tool, which a wall ends that the tool point alone passes."""
    text = """
        obstacles: [{box: {center: [0.4, 0.0, 0.55], size: [0.10, 0.9, 0.9]}}]
        contact: {bodies: arm}
        goal: {position: [0.5972, 0.0131]}
        time_limit: 150"""
    return simulate(parse_world("format: 1\n" + textwrap.dedent(text)))


def test_what_another_body_felt_ends_no_search(links):
    assert links.outcome == "no_path"
    alone = load_world_like(links.world, ["contact.bodies=tool"])
    assert simulate(alone).outcome == "reached"
    with refused(
        "contact.bodies: what one body felt says nothing of another.*another than in the run of"
    ):
        simulate(alone, felt=links)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ("map.spacing=0.027", "map"),
        ("contact.bodies=tool", "contact.bodies"),
        ("arm=ur5e", "arm"),
        ("tool.frame.position=[0, 0, 0.1]", "tool.frame"),
    ],
)
def test_what_decides_which_body_moves_where_is_the_same(links, change, key):
    with refused(f"^{key}: what .* says nothing o.*the same {key}$"):
        load_prior(links, load_world_like(links.world, [change]))


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ("start.joints.1=-1.3", "start.joints"),
        ("trajectory.tool_rotation=free", "trajectory.tool_rotation"),
        ("obstacles=[]", "obstacles"),
        ("obstacles.0.box.size=[0.1, 0.9, 0.8]", "obstacles"),
    ],
)
def test_what_decides_how_it_stands_there_makes_beliefs_of_facts(links, change, key):
    assert certain(links)[0] > 10
    assert certain(links, change) == (0, (key,))


def test_what_is_new_or_known_now_keeps_the_facts(links):
    facts = certain(links)
    wall = links.world.model_dump(mode="json")["obstacles"]
    assert certain(links, f"known={json.dumps(wall)}", "obstacles=[]") == facts
    assert certain(links, "known=[{floor: {height: -1}}]", "goal.position=[0.5, 0.1]") == facts


def test_a_tool_point_is_the_same_on_any_arm(trap):
    facts = certain(trap)
    assert facts[0] > 0
    assert certain(trap, "arm=ur5e", "start.joints.0=2.5") == facts


def test_axes_of_one_cell_stand_as_start_and_goal_say(whole):
    assert 1 in whole.world.map.shape
    assert certain(whole) == (0, ())  # on straight lines no step is closed
    assert certain(whole, "goal.position.0=0.55") == (0, ("goal",))


def test_a_run_says_why_nothing_is_proven(links):
    open_now = load_world_like(links.world, ["obstacles=[]"])
    run = simulate(open_now, felt=links)
    assert run.outcome == "reached"
    assert (
        "what the earlier run felt proves nothing here: its obstacles differed"
        in run.summary["warnings"]
    )


def test_cells_become_known_boxes(trap):
    """One for each, where an obstacle is at most a cell away."""
    known = with_felt(trap.world, trap)
    boxes = [entry.solids[0] for entry in known.known[len(trap.world.known) :]]
    assert len(boxes) == np.count_nonzero(trap.data.final_map == 3) > 0
    solids = build_obstacles(trap.world)[: len(trap.world.obstacles)]
    for box in boxes:
        point = np.array([*box.center, *box.center, 0.0])
        assert capsule_distance(point, solids).min() < trap.world.map.spacing
    assert parse_world(known.to_yaml()) == known


def test_places_become_known_spheres(whole):
    """Of the likely places, but none in which the arm would start."""
    likely = sum(int((places.weights >= LIKELY).sum()) for places in felt_places(whole))
    near = with_felt(whole.world, whole)
    spheres = [entry.solids[0] for entry in near.known[len(whole.world.known) :]]
    assert 0 < len(spheres) <= likely
    arm, start = build_arm(near), np.array(near.start.joints)
    assert arm_clearance(arm, start, build_obstacles(near)[len(near.obstacles) :]) > 0.0


def test_the_command(trap, tmp_path, capsys):
    trap.save(tmp_path / "first")
    folders = ["--felt", str(tmp_path / "first"), "--out", str(tmp_path / "second")]
    assert main(["run", "u_trap", "--no-plots", *folders]) == 0
    assert collisions(load_run(tmp_path / "second")) < collisions(trap) / 2
    assert main(["run", "shelf", "--no-plots", *folders[:2], "--out", str(tmp_path / "third")]) == 2
    assert "on one map says nothing on another" in capsys.readouterr().err
