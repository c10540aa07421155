"""Obstacles of every kind: from the world file to packed solids, to the map and to pictures."""

from __future__ import annotations

import numpy as np
import pytest
from inside_solids import contains
from matplotlib.path import Path as Outline
from scenes import TOOL_MAP
from scipy.spatial.transform import Rotation

from dynamics import load_arm
from hopfield_nav.build import all_solids, build_obstacles, endless_cylinders
from hopfield_nav.figures.solid.faces import faces_of
from hopfield_nav.figures.solid.layers import slice_outline
from hopfield_nav.geometry import AXES, arm_clearance, arm_distance, capsule_distance
from hopfield_nav.loop import evaluate
from hopfield_nav.navigation import MarkingNavigator
from hopfield_nav.world import load_world, parse_world

SOLIDS = """
- sphere: {center: [0.35, -0.15, 0.02], radius: 0.08}
- box: {center: [0.5, 0.1, 0.03], size: [0.12, 0.2, 0.1], rotation: [0.2, 0.1, 0.5]}
- cylinder: {center: [0.25, 0.2], radius: 0.05, height: [-0.05, 0.3]}
- cylinder: {center: [0.25, 0.0], radius: 0.05, height: [0.05, 0.3]}
- cylinder: {center: [0.6, -0.2], radius: 0.03}
- floor: {height: -0.15}
"""
WORLD = f"format: 1\nobstacles: {SOLIDS}"
KNOWN = f"format: 1\nknown: {SOLIDS}"


def test_a_world_reads_back_as_it_was_written():
    world = parse_world(WORLD)
    assert parse_world(world.to_yaml()) == world
    assert "height" not in str(world.obstacles[4].model_dump())


def test_what_contains_a_point_is_what_its_distance_says():
    """The world file's rule, used by goal and map, against the kernels of contact."""
    world, rng = parse_world(WORLD), np.random.default_rng(0)
    p = rng.uniform([0.1, -0.3, -0.3], [0.7, 0.3, 0.4], (3000, 3))
    distance = capsule_distance(np.column_stack([p, p, np.zeros(3000)]), build_obstacles(world))
    for j, solid in enumerate(all_solids(world)):
        inside = contains(solid, *p.T)
        assert inside.shape == (3000,)
        assert inside.any()
        np.testing.assert_array_equal(inside, distance[:, j] <= 0)


def test_angles_of_a_box_turn_about_x_then_y_then_z_of_the_base():
    row = build_obstacles(parse_world(WORLD))[1]
    expected = Rotation.from_euler("xyz", [0.2, 0.1, 0.5]).as_matrix()
    np.testing.assert_allclose(row[AXES : AXES + 9].reshape(3, 3), expected, atol=1e-12)


def test_endless_cylinders_and_the_rest_are_all_obstacles():
    world = parse_world(WORLD)
    np.testing.assert_array_equal(endless_cylinders(world), [[0.6, -0.2, 0.03]])
    assert len(all_solids(world)) == 6
    assert len(build_obstacles(world)) == 6


def test_known_solids_bar_the_cells_that_they_reach_into_at_the_map_height():
    world = parse_world(KNOWN)
    grid = MarkingNavigator(world, load_arm("ur5_ragazzon2012"), np.array(world.start.joints)).grid
    line = grid.spacing * np.linspace(-0.5, 0.5, 41)
    points = np.array([[grid.centre((i, j)) for j in range(20)] for i in range(20)])[
        :, :, None, None
    ]
    points = points + np.stack([*np.meshgrid(line, line), np.zeros((41, 41))], axis=-1)
    distance = capsule_distance(
        np.concatenate([points, points, np.zeros((*points.shape[:-1], 1))], axis=-1),
        build_obstacles(world),
    )
    np.testing.assert_array_equal(grid.blocked, (distance <= 0).any(axis=(2, 3, 4)))
    assert grid.blocked.any()
    assert not grid.blocked[grid.cell_of([0.25, 0.0, 0.0])]  # that cylinder begins above the map
    none = parse_world("format: 1")
    assert not MarkingNavigator(
        none, load_arm("ur5_ragazzon2012"), np.array(none.start.joints)
    ).grid.blocked.any()


@pytest.mark.parametrize("j", range(6))
def test_the_outline_on_the_map_is_where_the_plane_cuts_the_solid(j):
    solid, rng, room = (
        all_solids(parse_world(WORLD))[j],
        np.random.default_rng(j),
        (0.1, 0.7, -0.3, 0.3),
    )
    for z in (-0.2, 0.0, 0.07):
        outline = slice_outline(solid, z, room)
        p = rng.uniform([0.1, -0.3], [0.7, 0.3], (2000, 2))
        inside = contains(solid, *p.T, z)
        drawn = Outline(outline).contains_points(p) if len(outline) else np.zeros(2000, bool)
        assert (drawn != inside).mean() < 2e-3  # circles are drawn with 96 corners
    assert len(outline) or j == 5


def test_faces_of_boxes_and_drums_look_outwards_and_lie_on_the_solid():
    world = parse_world(WORLD)
    box, drum = world.obstacles[1].box, world.obstacles[2].cylinder
    for faces, row, sag in ((faces_of([box]), 1, 1e-12), (faces_of([drum]), 2, 1e-12)):
        normal = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
        outward = faces.mean(axis=1) - faces.reshape(-1, 3).mean(axis=0)
        assert np.all(np.sum(normal * outward, axis=1) >= -1e-12)
        corners = faces.reshape(-1, 3)
        capsules = np.column_stack([corners, corners, np.zeros(len(corners))])
        distance = capsule_distance(capsules, build_obstacles(world)[row][None])
        assert np.abs(distance).max() < sag


def test_the_forearm_of_the_shipped_world_runs_into_its_sphere():
    """On the straight path to the goal a link touches before the tool does; at the start nothing does."""
    world = load_world("whole_arm", TOOL_MAP)
    arm, start = load_arm(world.arm), np.array(world.start.joints)
    assert world.contact.bodies == "arm"
    assert arm_clearance(arm, start, build_obstacles(world)) > 0.01
    motion = MarkingNavigator(world, arm, start).first_motion(start)
    times = np.linspace(motion.trajectory.knots[0], motion.trajectory.knots[-1], 400)
    q = np.array([evaluate(motion.trajectory, t)[0] for t in times])
    distance = arm_distance(arm, q, build_obstacles(world))
    links = arm.capsules[:, 0]
    assert distance[:, links == 3].min() < -0.01  # the forearm
    assert distance[:, links == 6].min() > 0.01  # the tool would pass, 12 mm above the floor
