"""Worlds whose arm is a user's robot file: with a tip, moved to another folder, without masses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from refusals import refused, refused_by_command
from robot_files import motor, robot

from hopfield_nav import load_world
from hopfield_nav.build import build_arm, build_model, refuse_massless, true_arm
from hopfield_nav.cli.app import main
from hopfield_nav.world import remarks, remarks_on_arms
from hopfield_nav.world.files import is_path, relative_to

WORLD = """format: 1
arm: {arm}
map: {{space: joints}}
start: {{joints: [0.1, 0.2, 0.3]}}
goal: {{joints: [0.5, 0.3, 0.5]}}
"""


@pytest.fixture
def world(tmp_path):
    (tmp_path / "two.urdf").write_text(robot(motor("left") + motor("right")))
    (tmp_path / "light.urdf").write_text(robot(last_body=""))

    def world(arm: str, more: str = ""):
        (tmp_path / "w.yaml").write_text(WORLD.format(arm=arm) + more)
        return load_world(tmp_path / "w.yaml")

    return world


def test_the_tip_stands_in_every_key_that_names_an_arm(world):
    made = world(
        "two.urdf:l3", "plant: {dynamics: 'two.urdf:l3'}\ncontroller: {model: 'light.urdf:l3'}\n"
    )
    assert [len(arm.dh) for arm in (build_arm(made), true_arm(made, build_arm(made)))] == [3, 3]
    assert build_model(made, build_arm(made)).mass[2] == 0.0
    assert remarks(made)[:2] == remarks_on_arms(made) == [
        "two.urdf:l3: joints j1, j2, j3; base l0; tip l3; held left at 0 rad, right at 0 rad",
        "light.urdf:l3: joints j1, j2, j3; base l0; tip l3; for kinematics alone, since without masses l3",
    ]  # fmt: skip


def test_a_world_without_a_tip_is_told_the_tips(world):
    with refused("arm: .*the chain branches at link 'l3'.*two.urdf:l3 \\(3 joints\\)"):
        world("two.urdf")


def test_the_tip_stays_where_a_file_moves():
    data = {"arm": "arms/two.urdf:l3", "controller": {"law": "law.py:Own", "model": "TWO.URDF"}}
    relative_to(data, Path("/a"), Path("/a/b"))
    assert data == {
        "arm": "../arms/two.urdf:l3",
        "controller": {"law": "../law.py:Own", "model": "../TWO.URDF"},
    }
    whole = {"arm": f"{os.sep}arms{os.sep}two.urdf:l3"}
    relative_to(whole, Path("/a"), Path("/b"))
    assert whole == {"arm": f"{os.sep}arms{os.sep}two.urdf:l3"}
    assert is_path("C:\\arms\\two.urdf:l3")
    assert not is_path("ur5e")


def test_what_torques_move_refuses_an_arm_without_masses_by_the_key_that_names_it(world):
    light = world("light.urdf")
    with refused("^arm: .*without inertia: l3; allowed: masses"):
        refuse_massless(light, build_arm(light))
    model = world("two.urdf:l3", "controller: {model: light.urdf}\n")
    refuse_massless(model, build_arm(model))
    with refused("^controller.model: .*without inertia: l3"):
        refuse_massless(model, build_model(model, build_arm(model)), model=True)
    held = world("light.urdf", "tool: {payload: {mass: 1.0, center_of_mass: [0.1, 0, 0]}}\n")
    assert build_arm(held).mass[2] == 1.0
    refuse_massless(held, build_arm(held))


def test_check_says_what_is_used_of_a_file(world, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    world("two.urdf:l3")
    assert main(["check", "two.urdf:left_link", "light.urdf"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("two.urdf:left_link: ok, an arm with 4 joints, ")
    assert first.endswith("joints j1, j2, j3, left; base l0; tip left_link; held right at 0 rad")
    assert second.endswith("for kinematics alone, since without masses l3")
    refused_by_command(capsys, ["check", "two.urdf"], "two.urdf: the chain branches")
    (tmp_path / "light.yaml").write_text(WORLD.format(arm="light.urdf"))
    assert main(["check", "light.yaml"]) == 2
    told, fault = [line for line in capsys.readouterr().err.splitlines() if "compil" not in line]
    assert told.startswith("light.yaml: light.urdf: joints j1, j2, j3; ")
    assert "an arm without masses is for kinematics and plan alone; without inertia: l3" in fault
