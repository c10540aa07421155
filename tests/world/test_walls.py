"""Walls and polylines: upright cylinders without a gap between them, in every place that reads obstacles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from inside_solids import contains
from refusals import refused

from hopfield_nav import simulate
from hopfield_nav.build import names_of, solids_of
from hopfield_nav.sweeps import load_sweep, make_sweep
from hopfield_nav.world import Cylinder, parse_world

WALL = "wall: {from: [0.3, -0.2], to: [0.38, 0.1], radius: 0.02}"
LINE = "polyline: {points: [[0.3, 0], [0.4, 0], [0.4, 0.15]], radius: 0.03, height: [-0.1, 0.2]}"
ACROSS = "wall: {from: [0.40, -0.14], to: [0.40, 0.20], radius: 0.02}"


def solids(entry, section="obstacles"):
    return solids_of(getattr(parse_world(f"format: 1\n{section}:\n- {entry}"), section))


def distances(points, corners):
    """From points (k, 2) to the nearest of the lines between corners."""
    found = np.full(len(points), np.inf)
    for a, b in pairwise(corners):
        along = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        found = np.minimum(found, np.linalg.norm(points - a - along[:, None] * (b - a), axis=1))
    return found


@pytest.mark.parametrize("section", ["obstacles", "known"])
@pytest.mark.parametrize(
    ("entry", "corners", "radius"),
    [(WALL, [(0.3, -0.2), (0.38, 0.1)], 0.02), (LINE, [(0.3, 0), (0.4, 0), (0.4, 0.15)], 0.03)],
)
def test_a_wall_is_what_lies_within_its_radius_of_its_line(entry, corners, radius, section):
    rng = np.random.default_rng(3)
    points = rng.uniform((0.25, -0.25), (0.45, 0.2), (20_000, 2))
    inside = np.any(
        [contains(s, points[:, 0], points[:, 1], 0.1) for s in solids(entry, section)], axis=0
    )
    off = distances(points, np.array(corners))
    assert inside.sum() > 1000
    assert not inside[off > radius + 1e-5].any()
    # half-way between two that are a radius apart
    assert inside[off < radius * np.sqrt(0.75) - 1e-5].all()


def test_every_cylinder_of_a_wall_bears_its_name():
    text = f"format: 1\nknown:\n- {{name: fence, {WALL}}}\n- floor: {{height: -1}}"
    world = parse_world(text)
    assert names_of(world.known) == ["fence"] * (len(solids_of(world.known)) - 1) + [None]
    assert [entry.name for entry in world.resolve(0).known] == names_of(world.known)
    assert parse_world(world.to_yaml()) == world
    with refused("exactly one kind is needed.*allowed: cylinder or sphere"):
        parse_world("format: 1\nknown:\n- name: nothing")


def test_places_are_written_to_a_hundredth_of_a_millimetre():
    """So that the run's own world file is short, and the same on every machine."""
    centres = np.array([s.center for s in solids(WALL)])
    assert (centres == np.round(centres, 5)).all()
    assert (centres != np.round(centres, 4)).any()


def test_height_is_that_of_every_cylinder():
    assert {s.height for s in solids(LINE)} == {(-0.1, 0.2)}
    assert {s.height for s in solids(WALL)} == {None}


def test_the_runs_own_copy_lists_the_cylinders_and_stops_the_tool_where_they_do():
    world = parse_world(
        f"format: 1\ngoal: {{cell: [17, 6]}}\ntime_limit: 12\nobstacles:\n- {ACROSS}"
    )
    assert "wall:" in world.to_yaml()
    assert parse_world(world.to_yaml()) == world
    run = simulate(world)
    assert run.summary["collision_count"] > 0
    assert all(isinstance(o.cylinder, Cylinder) for o in run.world.obstacles)
    again = parse_world(run.world.to_yaml())
    assert simulate(again).summary["collision_count"] == run.summary["collision_count"]
    free = simulate(parse_world("format: 1\ngoal: {cell: [17, 6]}\ntime_limit: 12"))
    assert free.summary["collision_count"] == 0


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            "wall: {from: [0, 0], radius: 0.1}",
            r"wall\.to: missing key; allowed: \[x, y\] where it ends \[m\]",
        ),
        ("wall: {form: [0, 0], to: [1, 0], radius: 0.1}", "Did you mean 'from'"),
        ("wall: {from: [0, 300], to: [1, 0], radius: 0.1}", r"wall\.from\.1: out of range"),
        ("wall: {from: [0, 0], to: [5, 0], radius: 0.001}", "more than 2000 cylinders"),
        ("polyline: {points: [[0, 0]], radius: 0.1}", "a list of 2 to 1000"),
        ("wall: {from: [0, 0], to: [1, 0], radius: 0.1, height: [1, 0]}", "lower end not below"),
    ],
)
def test_faults(entry, words):
    with refused(words):
        solids(entry)


def test_a_wall_of_no_length_is_one_cylinder():
    assert solids("wall: {from: [0.3, 0.1], to: [0.3, 0.1], radius: 0.02}") == [
        Cylinder(center=(0.3, 0.1), radius=0.02)
    ]


def test_a_sweep_may_vary_a_wall(tmp_path):
    (tmp_path / "mine.yaml").write_text(f"format: 1\nobstacles:\n- {WALL}")
    sweep = make_sweep(tmp_path / "mine.yaml", {"obstacles.0.wall.radius": [0.02, 0.03]})
    (tmp_path / "again.yaml").write_text(sweep.to_yaml(tmp_path))
    for made in (sweep, load_sweep(tmp_path / "again.yaml")):
        radii = [
            {s.radius for s in solids_of(made.world_for(job).obstacles)}
            for job in map(made.job, range(made.count))
        ]
        assert radii == [{0.02}, {0.03}]
