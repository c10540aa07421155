"""Whole runs that follow what they felt: what is claimed is true, ends are found, runs end."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from closed_steps import SLACK, distance_of

from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation, simulate
from hopfield_nav.extensions.surfaces import Follow
from hopfield_nav.navigation.planners import FACTS_ALONE
from hopfield_nav.navigation.responses import Response
from hopfield_nav.world import parse_world

FOLLOW = ["explore=follow"]
FULL = ["plant.dynamics=ur5_full", "controller.model=ur5_full"]
FLAT = "format: 1\ngoal: {cell: [17, 6]}\nobstacles: [{box: {center: [%s], size: [%s]}}]\n%s"
WALL, FRONT = ("0.42, -0.05, 0", "0.04, 0.24, 1"), 0.40  # half a cell behind the centres before it


def run_of(world, *change):
    sim = Simulation(load_world(world, [*FOLLOW, "record.every=5", *change]))
    return sim, sim.run()


def flat_wall(explore):
    sim = Simulation(parse_world(FLAT % (*WALL, f"explore: {explore}")))
    return sim, sim.run()


@pytest.fixture(scope="module")
def followed():
    return flat_wall("follow")


@pytest.mark.parametrize(
    ("world", "change"),
    [
        ("u_trap", []),
        ("u_trap", ["controller.period=0.008"]),
        ("u_trap", FULL),
        ("narrow_gap", ["tool.payload.mass=1"]),
        ("over_the_wall", []),
        ("shelf", []),
        ("shelf", FULL),
    ],
)
def test_the_goal_is_reached_and_every_fact_is_true(world, change):
    sim, run = run_of(world, *change)
    assert run.outcome == "reached", run.summary["reason"]
    assert sim.navigator.response.strides >= 3
    facts = sim.navigator.beliefs.facts
    assert facts
    assert max(distance_of(sim, step) for step in facts) < SLACK


@pytest.mark.parametrize("change", [[], ["controller.period=0.008"]])
def test_an_enclosed_goal_is_given_up_when_facts_alone_enclose_it(change):
    sim, run = run_of("enclosed_goal", *change)
    assert run.outcome == "no_path"
    assert FACTS_ALONE in run.summary["reason"]
    facts = sim.navigator.beliefs.facts
    assert max(distance_of(sim, step) for step in facts) < SLACK
    assert run.summary["collision_count"] <= 2.0 * len(facts)


def test_the_arm_goes_back_by_the_chosen_distance_and_touches_on_the_next_step(followed):
    """A flat wall: between two touches the tool is no further from it than that; with replanning it is."""

    def furthest(sim, run):
        """Largest distance from the wall between neighbouring touches on its front [m]."""
        at = [d.time for d in sim.detections if abs(d.position[0] - FRONT) < 2e-3]
        assert len(at) >= 3
        time, x = run.data.time.values, run.data.tool_position.values[:, 0]
        return max(FRONT - x[(time > a) & (time < b)].min() for a, b in itertools.pairwise(at))

    sim, run = followed
    assert run.outcome == "reached"
    assert furthest(sim, run) == pytest.approx(0.005, abs=2e-3)
    assert furthest(*flat_wall("{method: follow, retract: 0.01}")) == pytest.approx(0.010, abs=2e-3)
    assert furthest(*flat_wall("replan")) > 0.013


def test_the_normals_of_a_flat_wall_are_true(followed):
    """Those that rest on two points or more, of the front: to 3 degrees."""
    sim, _ = followed
    normals = [
        s.normal
        for s in sim.navigator.response.felt_surfaces
        if len(s.points) > 1 and s.points[-1, 0] < FRONT + 2e-3
    ]
    assert len(normals) >= 2
    assert min(-normal[0] for normal in normals) > np.cos(np.radians(3.0))


def test_short_segments_take_as_long_as_they_have_to_at_least(followed):
    sim = Simulation(parse_world(FLAT % (*WALL, "explore: follow")))
    sim.navigator.response.least_time = 1.0
    assert sim.run().summary["simulated_time_s"] > followed[1].summary["simulated_time_s"]


def test_where_the_wall_ends_nothing_is_felt_and_the_arm_goes_on(followed):
    sim, run = followed
    last = sim.detections[-1].time
    assert run.summary["simulated_time_s"] > last + 1.0
    assert sim.navigator.response.surface is None
    replanned = flat_wall("replan")[1]
    assert run.summary["simulated_time_s"] < replanned.summary["simulated_time_s"]


def test_a_gap_that_was_passed_over_is_found():
    """A wall across the map with one gap: what is believed closed between two felt points is driven again."""
    centres = [-0.2499 + 0.0263 * k for k in range(20) if k != 9]
    wall = ", ".join(f"{{cylinder: {{center: [0.36, {y:.4f}], radius: 0.02}}}}" for y in centres)
    sim = Simulation(
        parse_world(f"format: 1\ngoal: {{cell: [17, 6]}}\nobstacles: [{wall}]\nexplore: follow\n")
    )
    assert sim.run().outcome == "reached"
    assert (round((0.36 - 0.1501) / 0.0263), 9) in sim.navigator.beliefs.visited


@pytest.mark.parametrize(
    "obstacles",
    [
        # a corner
        "{polyline: {points: [[0.33, -0.20], [0.45, -0.05], [0.40, 0.10]], radius: 0.012}}",
        "{wall: {from: [0.40, -0.20], to: [0.40, -0.08], radius: 0.012}}, "
        # two that are met at once
        "{wall: {from: [0.36, -0.07], to: [0.46, 0.02], radius: 0.012}}",
        "{polyline: {points: [[0.52, -0.02], [0.66, -0.04], [0.66, -0.18]], radius: 0.012}}, "
        "{wall: {from: [0.54, -0.20], to: [0.54, -0.03], radius: 0.012}}",  # a goal behind an edge
    ],
)
@pytest.mark.parametrize("change", [[], FULL])
def test_corners_two_obstacles_and_goals_behind_an_edge(obstacles, change):
    sim, run = run_of("empty", "goal={cell: [17, 6]}", f"obstacles=[{obstacles}]", *change)
    assert run.outcome == "reached", run.summary["reason"]
    assert sim.navigator.response.strides >= 1


@pytest.mark.parametrize("reaction", ["stop", "float"])
def test_it_follows_after_a_reaction_too(reaction):
    sim, run = run_of("u_trap", f"detection.reaction={reaction}")
    assert run.outcome == "reached", run.summary["reason"]
    assert sim.navigator.response.strides >= 3


def test_replanning_stays_the_default():
    sim = Simulation(load_world("u_trap", ["record.signals=none"]))
    assert type(sim.navigator.response) is Response
    assert isinstance(Simulation(load_world("u_trap", FOLLOW)).navigator.response, Follow)
    said = simulate(load_world("u_trap", ["explore=replan", "record.signals=none"])).summary
    usual = sim.run().summary
    for key in ("collision_count", "simulated_time_s", "peak_contact_force_N"):
        assert usual[key] == said[key]
