"""Defaults that fit the arm: start, cells of the joints, and lists with a number a joint."""

from __future__ import annotations

import math

import numpy as np
import pytest
from made_up_arms import random_arm
from scenes import PLANAR
from seven_joints import write_urdf

from dynamics import forward_kinematics, list_arms, load_arm
from dynamics.files import write_arm
from hopfield_nav import load_world
from hopfield_nav.plugin import Parameter
from hopfield_nav.world import changed_settings
from hopfield_nav.world.derived import cells_of_arm, start_of_arm
from hopfield_nav.world.ends import Q0
from hopfield_nav.world.map import JOINT_CELLS

WHOLE = {"format": 1, "map": {"space": "joints"}}
OMEGA = (22.5, 22.5, 37.5, 60.0, 67.5, 75.0)


@pytest.fixture
def arms(tmp_path):
    """Arms with seven joints and with three, by the names that a world has for them."""
    (tmp_path / "planar.yaml").write_text(PLANAR)
    return [
        "panda",
        "iiwa7_gripper",
        str(write_urdf(tmp_path / "seven.urdf")),
        str(tmp_path / "planar.yaml"),
    ]


@pytest.mark.parametrize("name", [name for name in list_arms() if name.startswith("ur5")])
def test_nothing_changes_for_the_arms_of_universal_robots(name):
    world = load_world({**WHOLE, "arm": name})
    assert (world.start.joints, world.map.shape) == (Q0, JOINT_CELLS)
    assert world.controller.parameters == {"omega": OMEGA, "damping_ratio": 1.0}


def test_a_world_that_names_an_arm_alone_is_one_for_it(arms):
    for name in arms:
        arm, world = (
            load_arm(name),
            load_world({**WHOLE, "arm": name, "detection": {"measure": "joint_torque"}}),
        )
        low, high = arm.position_limits.T
        assert np.all((low < world.start.joints) & (world.start.joints < high))
        every = (
            world.map.shape,
            world.controller.parameters["omega"],
            world.detection.parameters["threshold"],
        )
        assert {len(values) for values in every} == {len(arm.dh)}


def test_the_tool_starts_ahead_of_the_base_and_points_down(arms):
    for name in arms[:3]:
        arm = load_arm(name)
        tool = forward_kinematics(arm, np.array(load_world({**WHOLE, "arm": name}).start.joints))
        length = np.abs(arm.dh[:, 1:3]).sum()
        np.testing.assert_allclose(tool[:3, 3], [0.5 * length, 0, 0.3 * length], atol=1e-6)
        np.testing.assert_allclose(tool[:3, 2], [0, 0, -1], atol=1e-6)


def test_what_is_given_comes_first(arms):
    start, shape = [0.1, 0.2, 0.3, -1.0, 0.5, 0.6, 0.7], [5, 5, 5, 5, 5, 5, 1]
    given = {
        "start": {"joints": start},
        "map": {"space": "joints", "shape": shape},
        "controller": {"omega": 20},
    }
    world = load_world({**WHOLE, "arm": "panda", **given})
    assert world.start.joints == tuple(start)
    assert world.map.shape == tuple(shape)
    assert world.controller.parameters["omega"] == 20.0
    at = {"position": [0.45, 0.0, 0.4]}
    tool = forward_kinematics(
        load_arm("panda"), np.array(load_world({**WHOLE, "arm": "panda", "start": at}).start.joints)
    )
    np.testing.assert_allclose(tool[:3, 3], at["position"], atol=1e-6)


@pytest.mark.parametrize("n", [2, 3, 5, 7, 9, 12, 16])
def test_a_map_of_any_number_of_joints_has_at_most_two_million_cells(n):
    arm = random_arm(n)
    cells = cells_of_arm(arm)
    assert len(cells) == n
    assert math.prod(cells) <= 2e6
    assert min(cells) >= 1


def test_six_joints_that_turn_less_far_have_a_start_of_their_own(tmp_path):
    arm = load_arm("ur5e")
    limits = np.tile([-2.0, 2.0], (6, 1))
    write_arm(arm._replace(position_limits=limits), tmp_path / "less.yaml", "less far", "made up")
    less = load_arm(tmp_path / "less.yaml")
    assert start_of_arm(arm) == Q0
    assert np.all(np.abs(start_of_arm(less)) < 2.0)


def test_the_start_lies_within_limits_of_every_kind():
    """Without an end, with one end, beyond half a turn, and far from zero."""
    rows = [
        (-math.inf, math.inf),
        (-1.0, math.inf),
        (0.0, 6.28),
        (-6.2, -3.3),
        (-2.0, 2.0),
        (-0.1, 3.7),
        (-3.0, 3.0),
    ]
    low, high = np.array(rows).T
    start = np.array(start_of_arm(load_arm("panda")._replace(position_limits=np.array(rows))))
    assert np.all((low < start) & (start < high))


def test_a_list_by_default_is_spread_over_the_chain():
    parameter = Parameter("omega", OMEGA, 0.0, 100.0, "rad/s", "", per_joint=True)
    assert parameter.for_joints(6) == OMEGA
    assert parameter.for_joints(3) == (22.5, 37.5, 75.0)
    assert parameter.for_joints(7)[::6] == (22.5, 75.0)
    assert len(parameter.for_joints(1)) == 1


def test_a_figure_names_no_default_of_the_arm_as_a_change():
    assert set(changed_settings(load_world({**WHOLE, "arm": "panda", "seed": 3}))) == {
        "arm",
        "seed",
    }


def test_a_start_beside_the_map_is_asked_for_by_its_key(capsys, tmp_path, monkeypatch):
    from hopfield_nav.cli.app import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text("format: 1\narm: panda\ngoal: {cell: [3, 3]}\n")
    assert main(["check", "a.yaml"]) == 2
    assert "does not start above the map" in (told := capsys.readouterr().err)
    assert "start.position: [x, y]" in told
