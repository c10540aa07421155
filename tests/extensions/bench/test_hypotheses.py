"""The scenes of Saund and Berenson: their arm and boxes are those of the facts beside this checkout."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import yaml
from benches import suite_module
from oracles import random_states

from dynamics import forward_kinematics, inverse_dynamics, load_arm
from hopfield_nav import load_world
from hopfield_nav.build import build_arm, build_obstacles
from hopfield_nav.geometry import arm_clearance
from hopfield_nav.navigation.map import ContactHypotheses

SCENES = "bookshelf", "table", "slotted_wall", "close_wall"
WORLDS = Path(__file__).parents[3] / "worlds"


@pytest.fixture(scope="module")
def facts(data_folder):
    path = data_folder / "hypothesis_scenes" / "scenes.yaml"
    if not path.is_file():
        pytest.skip(f"no facts of the scenes at {path}")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def as_pinocchio(facts):
    """Their chain of joints and masses."""
    model, parent = pin.Model(), 0
    for i, joint in enumerate(facts["arm"]):
        place = pin.SE3(
            pin.rpy.rpyToMatrix(*map(float, joint["rpy"])), np.array(joint["xyz"], dtype=float)
        )
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"j{i}")
        t = joint["inertia"]
        rows = [
            [t["ixx"], t["ixy"], t["ixz"]],
            [t["ixy"], t["iyy"], t["iyz"]],
            [t["ixz"], t["iyz"], t["izz"]],
        ]
        body = pin.Inertia(
            joint["mass"], np.array(joint["centre"], dtype=float), np.array(rows, dtype=float)
        )
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
    return model


def test_the_arm_is_theirs(facts):
    arm, model = load_arm("iiwa7_gripper"), as_pinocchio(facts)
    data, beyond = model.createData(), np.array(facts["flange"]["xyz"])
    states = random_states(7, 20, seed=3)
    for q, qd, qdd in zip(states.q, states.qd, states.qdd, strict=True):
        np.testing.assert_allclose(
            inverse_dynamics(arm, q, qd, qdd), pin.rnea(model, data, q, qd, qdd), atol=1e-6
        )
        pin.forwardKinematics(model, data, q)
        last, pose = data.oMi[7], forward_kinematics(arm, q)
        np.testing.assert_allclose(pose[:3, :3], last.rotation, atol=1e-8)
        np.testing.assert_allclose(
            pose[:3, 3], last.translation + last.rotation @ beyond, atol=1e-8
        )
    limits = np.radians([joint["limit_deg"] for joint in facts["arm"]])
    np.testing.assert_allclose(arm.position_limits, np.stack([-limits, limits], axis=1), atol=1e-6)


@pytest.mark.parametrize("name", SCENES)
def test_the_boxes_and_the_ends_are_theirs_and_the_ends_are_free(facts, name):
    world, scene = load_world(str(WORLDS / f"hypotheses_{name}.yaml")), facts["scenes"][name]
    for ours, theirs in ((world.obstacles, scene["unknown"]), (world.known, scene["known"])):
        boxes = [obstacle.box for obstacle in ours]
        assert [tuple(box.size) for box in boxes] == [tuple(box["size"]) for box in theirs]
        for box, other in zip(boxes, theirs, strict=True):
            np.testing.assert_allclose(box.center, other["center_in_base_axes"], atol=1e-6)
            np.testing.assert_allclose(box.rotation, facts["box_rotation_in_base_axes"], atol=1e-9)
    np.testing.assert_allclose(world.gravity, facts["mount"]["gravity_in_base_axes"])
    assert (world.start.joints, world.goal.joints) == (tuple(scene["start"]), tuple(scene["goal"]))
    solids = build_obstacles(world)
    for q in (world.start.joints, world.goal.joints):
        assert arm_clearance(build_arm(world), np.array(q), solids) > 0.005


def test_who_is_told_the_link_keeps_the_places_on_it():
    on_link = suite_module("hypotheses").on_link
    places = ContactHypotheses(np.eye(3), np.array([5, 6, 5]), np.array([0.4, 0.4, 0.1]))
    kept = on_link(places, 5)
    np.testing.assert_array_equal(kept.points, np.eye(3)[[0, 2]])
    np.testing.assert_allclose(kept.weights, [0.8, 0.2])
    assert on_link(places, 2) is places  # the place may lie at a joint, on the link beside it
