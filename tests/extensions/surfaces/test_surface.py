"""The geometry of a followed surface: normals from felt points, and the steps that lead through it."""

from __future__ import annotations

import numpy as np
import pytest

from hopfield_nav.extensions.surfaces.surface import Surface, crossings, with_point
from hopfield_nav.navigation import CollisionMap
from hopfield_nav.navigation.map import step_between

SHAPES = {2: (9, 9), 3: (7, 7, 7)}


def grid_of(rank):
    return CollisionMap.create(origin=(0.0, 0.0, 0.0), spacing=0.03, shape=SHAPES[rank], rim="free")


def unit(vector):
    return vector / np.linalg.norm(vector)


def random_plane(generator, rank):
    """A point of a plane within the map, its normal, and ``rank`` points on it two cells apart or less."""
    normal, middle = np.zeros(3), np.zeros(3)
    normal[:rank] = unit(generator.normal(size=rank))
    middle[:rank] = generator.uniform(0.09, 0.12, rank)
    off = np.zeros((rank, 3))
    off[:, :rank] = generator.uniform(-0.03, 0.03, (rank, rank))
    return normal, middle + off - (off @ normal)[:, None] * normal


@pytest.mark.parametrize("rank", [2, 3])
def test_felt_points_give_the_normal_however_wrong_the_force_is(rank):
    """Up to 40 degrees off: a plane is known by as many points as the map has axes."""
    generator, grid = np.random.default_rng(rank), grid_of(rank)
    judged = 0
    for _ in range(200):
        normal, points = random_plane(generator, rank)
        chords = (points[-1] - points[:-1])[:, :rank]
        sizes = np.linalg.svd(chords / np.linalg.norm(chords, axis=1)[:, None], compute_uv=False)
        if sizes[-1] < 0.6 or np.linalg.norm(chords, axis=1).min() < 0.01:
            continue  # nearly on one line, or at one place
        surface = None
        for point in points:
            aside = np.zeros(3)
            aside[:rank] = generator.normal(size=rank)
            aside = unit(aside - (aside @ normal) * normal)
            angle = np.radians(generator.uniform(0.0, 40.0))
            force = np.cos(angle) * normal + np.sin(angle) * aside
            surface = with_point(surface, point, force, force, grid)
        assert len(surface.points) == rank
        np.testing.assert_allclose(surface.normal, normal, atol=1e-9)
        judged += 1
    assert judged > 50


def test_a_touch_that_pushes_along_the_chord_is_of_another_surface():
    """A corner: the first wall is across x, the next one across y."""
    grid, x, y = grid_of(2), np.array([-1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])
    wall = with_point(None, np.array([0.1, 0.05, 0.0]), x, x, grid)
    wall = with_point(wall, np.array([0.1, 0.08, 0.0]), x, x, grid)
    corner = with_point(wall, np.array([0.095, 0.12, 0.0]), y, y, grid)
    assert len(wall.points) == 2
    assert len(corner.points) == 1
    np.testing.assert_array_equal(corner.normal, y)


def test_after_one_touch_both_planes_bar():
    """Across the force and across the motion: what lies behind either is not free."""
    force, back = unit(np.array([-1.0, 1.0, 0.0])), np.array([-1.0, 0.0, 0.0])
    surface = with_point(None, np.zeros(3), force, back, grid_of(2))
    aside = np.array([[-0.01, 0.05, 0.0], [0.01, 0.05, 0.0], [-0.01, -0.05, 0.0]])
    assert (surface.height(aside) > 0.0).tolist() == [True, False, False]


def test_a_path_is_crossed_where_it_first_leads_behind():
    surface = Surface(np.zeros((1, 3)), np.array([[-1.0, 0.0, 0.0]]))
    path = np.array([[-0.03, 0.0, 0.0], [-0.03, 0.03, 0.0], [0.09, 0.03, 0.0], [0.09, 0.0, 0.0]])
    number, point = surface.crossing(path)
    assert number == 1
    np.testing.assert_allclose(point, [0.0, 0.03, 0.0], atol=1e-12)
    assert surface.crossing(path[:2]) is None
    assert surface.crossing(path[::-1]) is None  # one that begins behind it


@pytest.mark.parametrize("rank", [2, 3])
def test_crossings_are_the_steps_whose_ends_lie_on_both_sides(rank):
    """Against every step of the map, asked one by one."""
    generator, grid = np.random.default_rng(10 + rank), grid_of(rank)
    for _ in range(20):
        normal, points = random_plane(generator, rank)
        surface, wide = Surface(points, normal[None]), 0.02
        begin, end = points[0], points[-1]
        found = set(crossings(grid, surface, begin, end, wide))
        wanted = {}
        for cell in np.ndindex(grid.shape):
            for axis in range(rank):
                for side in (-1, 1):
                    other = tuple(c + side * (a == axis) for a, c in enumerate(cell))
                    if not grid.inside(other):
                        continue
                    heights = surface.height(np.array([grid.centre(cell), grid.centre(other)]))
                    if not heights[0] > 0.0 >= heights[1]:
                        continue
                    share = heights[0] / (heights[0] - heights[1])
                    point = grid.centre(cell) + share * (grid.centre(other) - grid.centre(cell))
                    line = begin + np.linspace(0.0, 1.0, 2001)[:, None] * (end - begin)
                    gap = np.linalg.norm(line - point, axis=1).min()
                    if abs(gap - wide) > 1e-4:
                        wanted[step_between(cell, other)] = gap < wide
        assert {step for step, near in wanted.items() if near} == found & set(wanted)
