"""What is said of a good world before it runs, and files that are no worlds."""

from __future__ import annotations

import os

import pytest
from refusals import refused, refused_by_command

from hopfield_nav import load_world
from hopfield_nav.cli.app import main
from hopfield_nav.sweeps import make_sweep
from hopfield_nav.world import parse_world, remarks
from hopfield_nav.world.files import list_worlds


@pytest.mark.parametrize("name", list_worlds())
def test_the_worlds_that_come_along_need_no_remark(name):
    assert remarks(load_world(name)) == []


def test_a_long_record_is_told_with_what_would_be_short_enough():
    text = "format: 1\ntime_limit: 3600\nrecord: {every: EVERY}"
    (told,) = remarks(parse_world(text.replace("EVERY", "1")))
    every = told.split("record.every: ")[1].split()[0]
    assert "GB on disk" in told
    assert remarks(parse_world(text.replace("EVERY", every))) == []
    assert remarks(parse_world("format: 1\ntime_limit: 3600\nrecord: {signals: none}")) == []


def test_many_connections_are_told(tmp_path, capsys):
    text = "format: 1\nmap: {shape: [60, 60, 60]}\nplanner: {radius: RADIUS}\n"
    (told,) = remarks(parse_world(text.replace("RADIUS", "16")))
    assert "every plan takes about" in told
    assert remarks(parse_world(text.replace("RADIUS", "1"))) == []
    (tmp_path / "w.yaml").write_text(text.replace("RADIUS", "16"))
    assert main(["check", str(tmp_path / "w.yaml")]) == 0
    assert "ok; " in capsys.readouterr().out


@pytest.mark.parametrize("measure", ["energy", "force_norm", "wrench_norm"])
def test_a_detector_that_real_gears_blind_is_told(measure):
    text = "format: 1\nplant: {dynamics: ur5_full, friction: %s}\ndetection: {measure: %s}"
    (told,) = remarks(parse_world(text % ("arm", measure)))
    assert told.startswith(f"detection.measure {measure} finds hardly a contact")
    assert len(remarks(parse_world(text % ("{coulomb: 2}", measure)))) == 1
    assert remarks(parse_world(text % ("{viscous: 2}", measure))) == []
    assert remarks(parse_world(text % ("null", measure))) == []
    assert remarks(parse_world(text % ("arm", "joint_torque"))) == []


def test_a_sensor_at_the_wrist_measures_force_beyond_the_gears():
    text = (
        "format: 1\nplant: {dynamics: ur5_full, friction: arm}\nsensors: {wrench: {}}\n"
        "detection: {estimator: wrist_sensor, measure: %s}"
    )
    assert remarks(parse_world(text % "force_norm")) == []
    assert len(remarks(parse_world(text % "energy"))) == 1


BETA = "format: 1\nmap: {shape: [20, 20]}\nplanner: {network: sum, beta: %s}\n"


def test_beta_is_judged_by_the_worlds_own_map():
    """1/lambda is 0.2529 for 20 x 20 cells and 0.354 for 3 x 3 (ragazzon2012 (6.12))."""
    assert remarks(parse_world(BETA % 0.25)) == []
    (told,) = remarks(parse_world(BETA % 0.2515))
    assert "above 0.25, one over the number of neighbours" in told
    with refused(r"planner.beta: .*\(6.12\).*0\.252.* for shape \(20, 20\)"):
        parse_world(BETA % 0.26)
    small = (BETA % 0.3).replace("[20, 20]", "[3, 3]").replace("20, 20", "3, 3")
    assert len(remarks(parse_world(small))) == 1


def test_beta_of_a_network_that_is_not_asked_is_not_judged():
    text = "format: 1\nmap: {shape: [20, 20]}\nplanner: {network: limit, beta: 0.9}\n"
    assert remarks(parse_world(text)) == []


def test_ties_of_a_plane_on_a_map_in_space_are_told_with_its_axes():
    with refused(r"\+u, -u, \+v, -v, \+w, -w"):
        parse_world("format: 1\nmap: {shape: [9, 9, 5]}\nplanner: {ties: [+u, -u, +v, -v]}\n")


def test_a_sweep_judges_beta_before_it_starts():
    with refused("planner.beta"):
        make_sweep("ragazzon2012", {"planner.beta": [0.1, 0.26]}, set={"planner.network": "sum"})


@pytest.mark.parametrize("command", ["check", "run", "sweep"])
@pytest.mark.parametrize("name", ["secret.txt", "secret.yaml"])
def test_a_file_that_is_no_world_is_not_printed(tmp_path, capsys, command, name):
    (tmp_path / name).write_text("password: swordfish\npassword: swordfish\n")
    line = refused_by_command(capsys, [command, str(tmp_path / name)], "no world and no sweep")
    assert "swordfish" not in line


@pytest.mark.parametrize("content", ["password: swordfish", "- swordfish\n- [", "swordfish"])
@pytest.mark.parametrize("name", ["secret", "secret.yaml", "secret.urdf"])
def test_a_file_that_is_no_arm_is_not_printed(tmp_path, content, name):
    (tmp_path / name).write_text(content)
    with refused("arm: ") as caught:
        parse_world(f"format: 1\narm: {name}", folder=tmp_path)
    assert "swordfish" not in str(caught.value)


def test_aliases_in_an_arm_file_are_refused(tmp_path):
    (tmp_path / "a.yaml").write_text("joints: &a [1]\nlinks: *a\n")
    with refused("aliases are not read here"):
        parse_world("format: 1\narm: a.yaml", folder=tmp_path)


def test_an_entity_in_a_urdf_is_refused(tmp_path):
    pytest.importorskip("yourdfpy")
    text = '<!DOCTYPE robot [<!ENTITY x "y">]><robot name="&x;"></robot>'
    (tmp_path / "a.urdf").write_text(text)
    with refused("without a DOCTYPE"):
        parse_world("format: 1\narm: a.urdf", folder=tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_no_world(tmp_path):
    os.mkfifo(tmp_path / "w.yaml")
    with refused("no regular file"):
        load_world(tmp_path / "w.yaml")


def test_merges_that_grow_without_bound_are_refused(tmp_path):
    lines = ["format: 1", "a0: &a0 {x: 1}"]
    for i in range(1, 9):
        lines.append(
            f"a{i}: &a{i} {{" + ", ".join(f"k{j}: {{<<: *a{i - 1}}}" for j in range(9)) + "}"
        )
    (tmp_path / "w.yaml").write_text("\n".join(lines))
    with refused("too many values"):
        load_world(tmp_path / "w.yaml")


@pytest.mark.parametrize(
    ("goal", "found"),
    [("{tolerance: 0.1}", "neither"), ("{cell: [3, 3], position: [0.4, 0]}", "cell and position")],
)
def test_a_goal_without_a_place(goal, found):
    with refused(f"exactly one of cell and position is needed; found '{found}'"):
        parse_world(f"format: 1\ngoal: {goal}")
