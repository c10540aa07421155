"""The distance to a convex mesh: as MuJoCo has it outside, as its planes have it inside, and as a box's."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from hopfield_nav.geometry import (
    box,
    capsule_distance,
    convex_mesh,
    pack_primitives,
    sphere,
    ways_out,
)
from hopfield_nav.geometry.distance import closest_points
from hopfield_nav.geometry.solids import MESH, thickness

CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


def some_points(seed, count=30):
    return np.random.default_rng(seed).normal([0.4, 0.1, 0.3], 0.1, (count, 3))


def capsules(seed, count=400):
    random = np.random.default_rng(seed)
    starts = random.uniform([0.0, -0.4, -0.2], [0.8, 0.6, 0.8], (count, 3))
    ends = starts + random.normal(0.0, 0.15, (count, 3)) * (random.random((count, 1)) > 0.1)
    return np.hstack([starts, ends, random.uniform(0.0, 0.05, (count, 1))])


def test_a_box_as_a_mesh_is_the_box():
    """Outside and inside, along every capsule; and as thick."""
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_euler("xyz", [0.3, -0.5, 0.8]).as_matrix()
    size, centre = np.array([0.2, 0.3, 0.25]), np.array([0.4, 0.1, 0.3])
    mesh = convex_mesh(0.5 * CORNERS * size @ turn.T + centre)
    solids = pack_primitives([box(centre, size, turn), mesh, sphere([1, 1, 1], 0.1)])
    rows = capsules(1)
    distance = capsule_distance(rows, solids)
    np.testing.assert_allclose(distance[:, 1], distance[:, 0], atol=1e-9)
    assert (distance[:, 0] < -0.02).sum() > 20 < (distance[:, 0] > 0.1).sum()
    np.testing.assert_allclose(thickness(solids)[:2], [0.2, 0.2], atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_distances_outside_are_those_of_mujoco(seed):
    mujoco = pytest.importorskip("mujoco")
    points = some_points(seed)
    text = " ".join(map(repr, points.ravel().tolist()))
    rows = capsules(seed, 60)
    rows[:, 6] = np.maximum(rows[:, 6], 1e-3)
    ours = capsule_distance(rows, pack_primitives([convex_mesh(points)]))[:, 0]
    for row, distance in zip(rows, ours, strict=True):
        ends = " ".join(map(repr, row[:6].tolist()))
        one = "capsule" if np.any(row[:3] != row[3:6]) else "sphere"
        place = (
            f'fromto="{ends}"'
            if one == "capsule"
            else f'pos="{" ".join(map(repr, row[:3].tolist()))}"'
        )
        xml = f"""<mujoco><asset><mesh name="m" vertex="{text}"/></asset><worldbody>
        <geom type="mesh" mesh="m"/><geom type="{one}" {place} size="{row[6]}"/></worldbody></mujoco>"""
        model = mujoco.MjModel.from_xml_string(xml)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        if distance > 1e-3:
            assert mujoco.mj_geomDistance(model, data, 0, 1, 5.0, None) == pytest.approx(
                distance, abs=2e-6
            )
        else:
            assert mujoco.mj_geomDistance(model, data, 0, 1, 5.0, None) < 2e-3


def test_a_point_inside_is_as_deep_as_under_its_nearest_plane():
    from scipy.spatial import ConvexHull

    points = some_points(5)
    hull = ConvexHull(points)
    inside = points[hull.vertices].mean(axis=0) + np.random.default_rng(0).normal(0, 0.02, (50, 3))
    depth = (inside @ hull.equations[:, :3].T + hull.equations[:, 3]).max(axis=1)
    rows = np.hstack([inside, inside, np.zeros((50, 1))])
    np.testing.assert_allclose(
        capsule_distance(rows, pack_primitives([convex_mesh(points)]))[:, 0], depth
    )


def test_the_gradient_is_that_of_the_distance():
    """By differences of a motion of the capsule, outside the mesh."""
    solids = pack_primitives([convex_mesh(some_points(7))])
    rows = capsules(3, 200)
    found = closest_points(rows, solids)
    step = 1e-6
    for k in range(3):
        moved = rows.copy()
        moved[:, [k, k + 3]] += step
        slope = (capsule_distance(moved, solids) - found.distance) / step
        outside = found.distance[:, 0] > 1e-3
        difference = np.abs(slope - found.normal[..., k])[outside]
        assert np.quantile(difference, 0.95) < 1e-3


def test_the_way_out_of_a_mesh():
    """From its middle, of a cube: half its width, and as far to the other side."""
    solids = pack_primitives([convex_mesh(0.1 * CORNERS)])
    out, other, _ = ways_out(solids, (0.02, 0.0, 0.0))
    assert (out, other) == pytest.approx((0.08, 0.12), abs=1e-9)


def test_what_is_no_solid_is_refused():
    flat = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
    with refused("no solid"):
        convex_mesh(flat)
    with refused("too many faces"):
        convex_mesh(_ball(600))


def _ball(count):
    points = np.random.default_rng(0).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def test_only_a_mesh_makes_rows_longer():
    plain = pack_primitives([sphere([0, 0, 0], 1.0)])
    assert plain.shape == (1, 17)
    mixed = pack_primitives([sphere([0, 0, 0], 1.0), convex_mesh(0.1 * CORNERS)])
    assert mixed.shape == (2, 17 + 4 * 6 + 6 * 12)
    assert mixed[1, 0] == MESH
    np.testing.assert_array_equal(mixed[0, :17], plain[0])
