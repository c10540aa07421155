"""How deep points are in solids that overlap: laws of distance, and discs with a drawn outline."""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.kernels.decorators import kernel
from dynamics.kernels.vectors import vector
from hopfield_nav.geometry import (
    box,
    capsule,
    capsule_distance,
    depth_in_union,
    finite_cylinder,
    half_space,
    pack_primitives,
    sphere,
    thickness,
    upright_cylinder,
)

TURNED = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
ONE = {
    "sphere": sphere((0.1, 0.2, 0.3), 0.05),
    "box": box((0.1, 0.2, 0.3), (0.1, 0.3, 0.5), TURNED),
    "upright": upright_cylinder((0.1, 0.2), 0.05),
    "cylinder": finite_cylinder((0.1, 0.2, 0.3), 0.05, 0.3, (1.0, 2.0, 2.0)),
    "capsule": capsule((0.1, 0.2, 0.3), (0.2, 0.3, 0.3), 0.05),
}


@kernel
def depths(points, solids):
    out = np.empty((len(points), 2))
    for i in range(len(points)):
        out[i] = depth_in_union(solids, vector(points, i, 0))
    return out


def union_depth(points, solids):
    """(k, 2): depth and share of points (k, 3)."""
    return depths(np.array(points, dtype=float), solids)


def depths_in(solids, points):
    """Depth of points as the deepest of each solid alone says it."""
    return np.maximum(
        -capsule_distance(np.hstack([points, points, np.zeros((len(points), 1))]), solids), 0.0
    )


@pytest.mark.parametrize("name", ONE)
def test_in_one_solid_the_depth_is_its_own_and_half_way_is_half_its_thickness(name):
    solids = pack_primitives([ONE[name]])
    points = np.random.default_rng(1).uniform((0.0, 0.1, 0.2), (0.25, 0.35, 0.4), (3000, 3))
    own = depths_in(solids, points)[:, 0]
    depth, share = union_depth(points, solids).T
    assert (own > 0.0).sum() > 100
    np.testing.assert_allclose(depth, own, atol=1e-12)
    if name != "box":  # its sides lie differently far apart
        own, share = own[own > 0.0], share[own > 0.0]
        assert np.all(share <= own / (0.5 * thickness(solids)) * (1 + 1e-9))
    assert share.max() <= 1.0 + 1e-9


def test_below_a_plane_there_is_no_way_through():
    solids = pack_primitives([half_space((0.0, 0.0, 0.1))])
    np.testing.assert_allclose(
        union_depth([[0.3, 0.2, -0.4], [0.0, 0.0, 0.2]], solids), [[0.5, 0], [0, 0]]
    )


def discs(apart, radius=0.02, count=8):
    """A row of cylinders, so many radii apart, and their centres."""
    centres = [(i * apart * radius, 0.0) for i in range(count)]
    return pack_primitives([upright_cylinder(c, radius) for c in centres]), np.array(centres)


def outline(centres, radius=0.02):
    """Points of the surface of a union of discs."""
    angle = np.linspace(0.0, 2.0 * np.pi, 20001)
    around = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    points = (centres[:, None] + around).reshape(-1, 2)
    return points[
        np.all(np.linalg.norm(points[:, None] - centres, axis=2) > radius - 1e-12, axis=1)
    ]


@pytest.mark.parametrize("apart", [0.5, 0.8, 1.0])
def test_between_the_cylinders_of_a_wall_the_depth_is_that_in_the_wall(apart):
    solids, centres = discs(apart)
    drawn = outline(centres)
    points = np.random.default_rng(2).uniform((0.03, -0.02), (0.05, 0.02), (300, 2))
    points = points[np.linalg.norm(points[:, None] - centres, axis=2).min(axis=1) < 0.02]
    true = np.linalg.norm(points[:, None] - drawn, axis=2).min(axis=1)
    depth = union_depth(np.column_stack([points, np.zeros(len(points))]), solids)[:, 0]
    np.testing.assert_allclose(depth, true, rtol=2e-3, atol=1e-5)


@pytest.mark.parametrize("apart", [0.5, 0.8, 1.0, 1.5, 1.75, 1.9])
def test_the_middle_line_of_a_wall_is_half_way_through_it(apart):
    solids, centres = discs(apart)
    along = np.linspace(centres[2, 0], centres[5, 0], 61)
    share = union_depth(np.column_stack([along, 0.0 * along, 0.0 * along]), solids)[:, 1]
    assert np.all(share > 0.85)
    assert np.all(share <= 1.0 + 1e-9)


def test_a_solid_cut_in_two_is_as_deep_as_the_whole():
    """Wherever it is cut, and though the two parts only touch."""
    whole = pack_primitives([box((0.0, 0.0, 0.0), (0.04, 0.4, 0.4), TURNED)])
    half = 0.1 * TURNED[:, 1]
    parts = pack_primitives([box(s * half, (0.04, 0.2, 0.4), TURNED) for s in (-1.0, 1.0)])
    points = (
        np.random.default_rng(3).uniform((-0.019, -0.05, -0.1), (0.019, 0.05, 0.1), (500, 3))
        @ TURNED.T
    )
    np.testing.assert_allclose(
        union_depth(points, parts), union_depth(points, whole), rtol=2e-3, atol=1e-6
    )


def test_in_the_corner_of_two_blocks_the_nearest_surface_is_the_corner():
    solids = pack_primitives([box((0, 0, 0), (2.0, 0.4, 2.0)), box((0.5, 0.5, 0), (0.4, 1.0, 2.0))])
    depth, share = union_depth([[0.303, 0.196, 0.0]], solids)[0]
    assert depth == pytest.approx(0.005, rel=1e-3)
    assert share < 0.05
