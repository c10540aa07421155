"""A start inside an obstacle: refused where it is known, warned of where it is not."""

from __future__ import annotations

import pytest
from refusals import refused, refused_by_command

from hopfield_nav import load_run, load_world, simulate
from hopfield_nav.experiment import Simulation, follow
from hopfield_nav.loop import quintic_trajectory

AT_TOOL = "{sphere: {center: [0.176, 0.013, 0.0], radius: 0.02}}"
AT_LINK = "{sphere: {center: [0.176, 0.013, 0.2], radius: 0.05}}"
AWAY = "{sphere: {center: [0.4, 0.2, 0.0], radius: 0.02}}"
ARM = "contact.bodies=arm"


def warnings(*settings):
    return Simulation(load_world("empty", list(settings))).warnings


def test_a_start_in_a_known_obstacle_is_refused():
    words = r"start\.joints: the tool starts 19\.7 mm inside known obstacle 1 \(sphere\)"
    with refused(words):
        warnings(f"known=[{AWAY}, {AT_TOOL}]")
    with refused(r"link \d starts .* inside known obstacle 0 \(sphere\)"):
        warnings(ARM, f"known=[{AT_LINK}]")
    assert warnings(f"known=[{AT_LINK}]") == warnings(ARM, f"known=[{AWAY}]") == []


def test_the_command_line_refuses_it_in_one_line(capsys):
    refused_by_command(capsys, ["run", "empty", "--set", f"known=[{AT_TOOL}]"], "known obstacle 0")


def test_a_start_in_an_unknown_obstacle_is_warned_of():
    (warning,) = warnings(f"obstacles=[{AWAY}, {AT_TOOL}]")
    assert "the tool 19.7 mm inside obstacle 1 (sphere)" in warning
    (warning,) = warnings(ARM, f"obstacles=[{AT_LINK}, {AWAY}, {{floor: {{height: 0.0}}}}]")
    assert "inside obstacle 0 (sphere), link 6" in warning
    assert "inside obstacle 2 (floor)" in warning
    assert warnings(f"obstacles=[{AT_LINK}]") == warnings(ARM, f"obstacles=[{AWAY}]") == []


def test_the_summary_keeps_the_warning():
    run = simulate(load_world("empty", [f"obstacles=[{AT_TOOL}]", "time_limit=0.01"]))
    assert run.summary["warnings"][0].startswith("the arm starts in contact")


def test_what_the_arm_stands_on_is_not_held_against_link_1():
    floor = "{cylinder: {center: [0, 0], radius: 0.1, height: [-0.5, 0.02]}}"
    assert warnings(ARM, f"known=[{floor}]") == []
    assert warnings(ARM, f"obstacles=[{floor}]") == []


@pytest.mark.parametrize("depth", [-1e-9, 0.0])
def test_a_tool_on_the_surface_is_not_inside(depth):
    z = -8.88470681e-06
    assert (
        warnings(f"known=[{{floor: {{height: {z + depth}}}}}]", "map.origin=[0.1501, -0.2499, 0.1]")
        == []
    )


def test_a_given_trajectory_that_starts_inside_is_followed_with_a_warning():
    world = load_world("empty", [f"known=[{AT_TOOL}]", "time_limit=0.01"])
    run = follow(world, quintic_trajectory([world.start.joints], 1.0))
    assert "inside known obstacle 0" in run.summary["warnings"][0]


@pytest.mark.parametrize("world", ["u_trap", None, 5])
def test_a_name_is_no_world(world):
    for seed in (None, 1):
        with refused("no world; .*allowed: one from load_world"):
            Simulation(world, seed)


@pytest.mark.parametrize("folder", [None, 5, b"run"])
def test_a_folder_is_a_path(folder):
    with refused("not the folder of a run"):
        load_run(folder)
