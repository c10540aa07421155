"""Paths at any angle: against visibility graphs, on random grids, real maps and among circles."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from visibility import read_map, shortest_length

from hopfield_nav.planning import cells_along, plan_path, shorten_path
from hopfield_nav.planning.any_angle import polyline_length
from hopfield_nav.planning.line_of_sight import seen, unit_boxes

pytestmark = pytest.mark.kernel


def in_sight(blocked, start, end):
    """Whether lines (..., rank) in cells keep out of blocked ones, (...,)."""
    rows = (np.atleast_2d(np.asarray(p, float)) for p in (start, end))
    return seen(unit_boxes(blocked), *rows)


@st.composite
def worlds(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = tuple(int(n) for n in rng.integers(2, 9, 2))
    blocked = rng.random(shape) < draw(st.sampled_from([0.1, 0.25, 0.4]))
    start, goal = (tuple(int(rng.integers(n)) for n in shape) for _ in range(2))
    blocked[start] = blocked[goal] = False
    spacing = draw(st.sampled_from([(1.0, 1.0), (0.5, 2.0), (1.3, 0.7)]))
    return blocked, start, goal, spacing


@settings(max_examples=60, deadline=None, derandomize=True)
@given(worlds())
def test_the_shortest_path_in_the_plane(world):
    blocked, start, goal, spacing = world
    plan = plan_path(blocked, start, goal, spacing=spacing)
    exact = shortest_length(blocked, start, goal, np.array(spacing))
    assert np.isfinite(exact) == (plan.cells is not None)
    if plan.cells is None:
        return
    path = shorten_path(blocked, plan.cells, spacing)
    assert path[0].tolist() == list(start)
    assert path[-1].tolist() == list(goal)
    assert in_sight(blocked, path[:-1], path[1:]).all()
    assert polyline_length(path, np.array(spacing)) == pytest.approx(exact, rel=1e-9, abs=1e-9)
    assert not blocked[tuple(cells_along(blocked, path).T)].any()


@pytest.mark.parametrize("name", ["600", "701", "bottleneck", "bottleneck2", "problem_set5_map30"])
def test_real_maps(data_folder, name):
    """Within 1 % of a visibility graph of a window of the map around the path (of all of it if small)."""
    blocked = read_map(data_folder / "grid_maps" / f"{name}.map")
    rng, free = np.random.default_rng(5), np.argwhere(~blocked)
    compared = 0
    while compared < 3:
        start, goal = free[rng.integers(len(free), size=2)]
        low, high = np.minimum(start, goal) - 12, np.maximum(start, goal) + 13
        window = tuple(slice(max(a, 0), b) for a, b in zip(low, high, strict=True))
        part, corner = blocked[window], np.array([s.start for s in window])
        plan = plan_path(part, start - corner, goal - corner)
        if part.size > 2500 or plan.cells is None or plan.length < 10:
            continue
        exact = shortest_length(part, start - corner, goal - corner)
        path = shorten_path(part, plan.cells)
        assert exact * (1 - 1e-9) <= polyline_length(path) <= 1.01 * exact
        compared += 1


@pytest.mark.parametrize("name", ["600", "701", "problem_set5_map30"])
def test_long_paths_through_whole_maps_are_seen_tight_and_no_longer_than_the_grid(
    data_folder, name
):
    blocked = read_map(data_folder / "grid_maps" / f"{name}.map")
    rng, free = np.random.default_rng(2), np.argwhere(~blocked)
    for start, goal in free[rng.integers(len(free), size=(5, 2))]:
        plan = plan_path(blocked, start, goal, radius=1.5)
        if plan.cells is None:
            continue
        path = shorten_path(blocked, plan_path(blocked, start, goal).cells)
        assert in_sight(blocked, path[:-1], path[1:]).all()
        assert np.linalg.norm(goal - start) - 1e-9 <= polyline_length(path)
        cut = [polyline_length(np.delete(path, k, axis=0)) for k in range(1, len(path) - 1)]
        seen = [bool(in_sight(blocked, path[k - 1], path[k + 1])) for k in range(1, len(path) - 1)]
        assert not any(
            s and c < polyline_length(path) - 1e-9 for s, c in zip(seen, cut, strict=True)
        )


def circle_graph(circles, ends, sides=40):
    """Shortest length between two points among discs: visibility over points on circumscribed polygons."""
    angle = 2 * np.pi * np.arange(sides) / sides
    unit = np.stack([np.cos(angle), np.sin(angle)], axis=1) / np.cos(np.pi / sides)
    points = np.vstack([ends, *(c[:2] + c[2] * (1 + 1e-9) * unit for c in circles)])
    inside = np.linalg.norm(points[:, None] - circles[:, :2], axis=2) < circles[:, 2]
    points = points[~inside.any(axis=1)]
    first, second = np.triu_indices(len(points), 1)
    a, d = points[first], points[second] - points[first]
    size = np.linalg.norm(d, axis=1)
    free = size > 0
    for x, y, r in circles:
        rel = np.array([x, y]) - a
        t = np.clip((rel * d).sum(axis=1) / np.maximum(size, 1e-12) ** 2, 0, 1)
        free &= np.linalg.norm(rel - t[:, None] * d, axis=1) >= r * (1 - 1e-12)
    shape = (len(points), len(points))
    graph = csr_matrix((size[free], (first[free], second[free])), shape=shape)
    return dijkstra(graph, directed=False, indices=0)[1]


def test_circle_worlds(data_folder):
    """Cells whose centre lies in a circle are blocked; the path is within 1 % of that among the circles.

    The cells must be smaller than the gaps that count: one of the paths leads through one of 0.17
    m.
    """
    folder = data_folder / "circle_worlds"
    circles = np.loadtxt(folder / "circle_obstacles.txt", skiprows=2)[:, 1:]
    queries = np.loadtxt(folder / "circle_queries.txt", usecols=(2, 3)).reshape(-1, 2, 2)
    h = 0.1
    side = np.arange(0, 60 + h / 2, h)
    blocked = np.zeros((side.size, side.size), dtype=bool)
    for x, y, r in circles:
        blocked |= np.hypot(side[:, None] - x, side - y) < r
    gap = np.abs(queries - [[40.79, 35.89], [16.16, 15.83]]).max(axis=(1, 2))
    for ends in (queries[0], queries[2], queries[np.argmin(gap)]):
        cells = plan_path(blocked, *np.rint(ends / h).astype(int)).cells
        points = cells.astype(float)
        points[0], points[-1] = ends / h
        length = h * polyline_length(shorten_path(blocked, points))
        round_trip = np.linalg.norm(circles[:, None, :2] - ends, axis=2).sum(axis=1)
        near = circles[round_trip < 1.01 * length + 2 * circles[:, 2]]
        assert length == pytest.approx(circle_graph(near, ends), rel=0.01)


def test_clearance_is_kept_and_costs_length():
    blocked = np.zeros((12, 12), dtype=bool)
    blocked[3:9, 5] = True
    cells = plan_path(blocked, (6, 1), (6, 10)).cells
    length = 0.0
    for clearance in (0.0, 0.25, 0.5, 0.8, 1.5):
        path = shorten_path(blocked, cells, clearance=clearance)
        t = np.linspace(0, 1, 400)[:, None]
        points = np.vstack([a + t * (b - a) for a, b in itertools.pairwise(path)])
        gap = np.maximum(np.abs(points[:, None] - np.argwhere(blocked)) - 0.5, 0)
        least = np.sqrt((gap**2).sum(axis=2)).min()
        assert clearance - 1e-9 <= least <= clearance + 0.05
        box = np.array([[8.5 + clearance, 4.5 - clearance], [8.5 + clearance, 5.5 + clearance]])
        corners = np.vstack([[6, 1], box, [6, 10]])
        assert polyline_length(path) == pytest.approx(polyline_length(corners), rel=1e-12)
        assert polyline_length(path) > length
        length = polyline_length(path)


def test_a_gap_that_is_too_narrow_is_avoided_or_else_passed_on_its_centre_line():
    blocked = np.zeros((9, 7), dtype=bool)
    blocked[:, 3] = True
    blocked[4, 3] = False
    cells = plan_path(blocked, (4, 0), (4, 6)).cells
    assert shorten_path(blocked, cells, clearance=0.4).tolist() == [[4, 0], [4, 6]]
    narrow = shorten_path(blocked, plan_path(blocked, (1, 0), (4, 6)).cells, clearance=0.6)
    assert np.isin(narrow[:, 1], 3).any()
    assert (narrow[narrow[:, 1] == 3, 0] == 4).all()
    blocked[7, 3] = blocked[8, 3] = False
    wide = shorten_path(blocked, cells, clearance=0.6)
    assert wide[:, 0].max() >= 7


def test_lines_touch_corners_and_faces_but_do_not_slip_between():
    blocked = np.zeros((3, 3), dtype=bool)
    blocked[1, 1] = True
    assert in_sight(blocked, (0.5, 0.5), (0.5, 2.0))  # along a face
    assert in_sight(blocked, (0.0, 1.0), (1.0, 0.0))  # through a corner
    assert not in_sight(blocked, (0.0, 0.0), (2.0, 2.0))
    blocked[0, 1] = True
    assert not in_sight(blocked, (0.5, 0.0), (0.5, 2.0))  # between two blocked cells
    blocked[:] = False
    blocked[0, 1] = blocked[1, 0] = True
    assert not in_sight(blocked, (0.0, 0.0), (1.0, 1.0))  # where they meet
    blocked[0, 1] = False
    assert in_sight(blocked, (0.0, 0.0), (1.0, 1.0))
    assert in_sight(np.zeros((2, 2), dtype=bool), (-0.5, -0.5), (-0.5, 1.5))  # along the border


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(1, 4), st.integers(0, 2**32))
def test_line_of_sight_in_any_dimension_agrees_with_boxes(rank, seed):
    """Against the slab test of every blocked cell, for lines in general position."""
    rng = np.random.default_rng(seed)
    blocked = rng.random(tuple(rng.integers(1, 7, rank))) < 0.2
    a, b = (rng.uniform(-0.5, np.array(blocked.shape) - 0.5, (20, rank)) for _ in range(2))
    centre = np.argwhere(blocked)
    t0, t1 = ((centre - 0.5 + s - a[:, None]) / (b - a)[:, None] for s in (0, 1))
    enter = np.minimum(t0, t1).max(axis=2).clip(0)
    leave = np.maximum(t0, t1).min(axis=2).clip(max=1)
    np.testing.assert_array_equal(in_sight(blocked, a, b), ~(enter < leave).any(axis=1))


def test_in_three_dimensions_a_string_over_the_edge_of_a_box():
    """Unfolding the two faces gives the exact length over a wall that reaches the sides."""
    blocked = np.zeros((21, 9, 9), dtype=bool)
    blocked[8:13, :, :5] = True
    start, goal = (2, 2, 1), (18, 7, 1)
    path = shorten_path(blocked, plan_path(blocked, start, goal).cells)
    assert in_sight(blocked, path[:-1], path[1:]).all()
    flat = 2 * np.hypot(5.5, 3.5) + 5
    assert polyline_length(path) == pytest.approx(np.hypot(flat, 5), rel=0.01)
    assert polyline_length(path) >= np.hypot(flat, 5) * (1 - 1e-9)


def test_steps_that_pass_over_blocked_cells_are_kept():
    blocked = np.zeros((5, 5), dtype=bool)
    blocked[0, 1] = blocked[1, 0] = blocked[2] = blocked[:, 2] = True
    path = shorten_path(blocked, np.array([[0, 0], [1, 1]]))
    assert path.tolist() == [[0, 0], [1, 1]]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ((np.zeros((3, 3)), [[0, 0]]), "blocked"),
        ((np.zeros((3, 3), bool), [[0, 0, 0]]), "cells"),
        ((np.zeros((3, 3), bool), [[0, 5]]), "outside"),
        ((np.zeros((3, 3), bool), [[0, 0]], -1.0), "spacing"),
        ((np.zeros((3, 3), bool), [[0, 0]], 1.0, -1.0), "clearance"),
    ],
)
def test_faults_are_named(arguments, what):
    with refused(what):
        shorten_path(*arguments)
