"""Figures and film of maps in space draw what the record says."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from pictures import assert_has_ink

from hopfield_nav import load_world, simulate
from hopfield_nav.build import all_solids
from hopfield_nav.figures import COLOURS, film_style
from hopfield_nav.figures.run import (
    draw_collision_space,
    draw_plan,
    draw_run_figures,
    draw_trajectory,
)
from hopfield_nav.figures.run.draw import pages_of
from hopfield_nav.figures.run.film import Film
from hopfield_nav.figures.run.maps import path_in_level
from hopfield_nav.figures.solid import SceneView, cell_classes, final_plan, layers
from hopfield_nav.figures.solid.layers import FELT


@pytest.fixture(scope="module")
def run():
    return simulate(load_world("shelf"))


@pytest.fixture(scope="module")
def flat():
    return simulate(load_world("u_trap", ["time_limit=4"]))


@pytest.mark.parametrize(
    "name", ["collision_space", "snapshots", "maps", "trajectory", "path_in_space", "network"]
)
def test_every_figure_of_the_map_is_drawn_and_one_more_than_of_a_plane(name, run, tmp_path):
    """Those of signals do not know of space."""
    assert name in pages_of(run)
    (path,) = draw_run_figures(run, tmp_path, only=name)
    assert_has_ink(path)


def test_a_plane_has_no_path_in_space(flat):
    assert pages_of(flat)["path_in_space"](flat) is None


def test_cubes_are_closed_and_look_outwards(run):
    cells = np.array([[1, 2, 3], [2, 2, 3], [5, 5, 5]])
    faces = layers.cube_faces(run, cells)
    normal = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1]) / 2
    outward = faces.mean(axis=1) - np.repeat(layers.cell_points(run, cells), 6, axis=0)
    assert (np.sum(normal * outward, axis=1) > 0).all()
    volume = np.sum(faces.mean(axis=1) * normal) / 3  # divergence theorem
    assert volume == pytest.approx(3 * (0.98 * run.world.map.spacing) ** 3)


def test_the_box_of_the_map_holds_every_cell(run):
    low, high = layers.room_ends(run)
    corners = layers.cell_points(run, np.array([[0, 0, 0], np.array(run.world.map.shape) - 1]))
    half = 0.5 * run.world.map.spacing
    np.testing.assert_allclose(corners - [low, high], [[half] * 3, [-half] * 3])
    edges = layers.room_edges(run, np.ones(3))
    assert len(edges) == 9
    lengths = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1)
    np.testing.assert_allclose(np.sort(lengths), np.sort(np.tile(high - low, 3)))


def test_the_scene_shows_as_many_cubes_as_were_felt(run):
    scene, plan = SceneView(run), final_plan(run)
    (felt, colour), (new, _) = scene.cubes(plan, known=False)
    assert (len(felt), len(new)) == (6 * plan.felt.sum(), 0)
    np.testing.assert_allclose(colour, to_rgba(COLOURS.felt, 0.8))
    (boards, _), *others = scene.cubes(plan, known=True)
    assert len(boards) > 0
    assert len(others) == 2


def test_levels_show_all_felt_cells_and_the_whole_path(run):
    shown = [
        cell_classes(run, final_plan(run), path=False)[:, :, k]
        for k in range(run.world.map.shape[2])
    ]
    assert sum((level == FELT).sum() for level in shown) == run.plans()[-1].felt.sum()
    whole = sum(
        np.nansum(np.linalg.norm(np.diff(path_in_level(run, k), axis=0), axis=1))
        for k in range(len(shown))
    )
    tool = run.data.tool_position.values[:, :2]
    assert whole == pytest.approx(np.linalg.norm(np.diff(tool, axis=0), axis=1).sum(), rel=0.02)


def test_a_level_marks_the_collisions_that_happened_in_it(run, ax):
    cells = run.data.event_cell.values
    level = int(cells[0, 2])
    draw_trajectory(ax, run, level)
    (marked,) = [line for line in ax.lines if line.get_label() == "_marked"]
    assert len(marked.get_xdata()) == (cells[:, 2] == level).sum()


def test_the_public_plots_draw_space_from_one_side(run):
    drawn = [
        draw_collision_space(Figure().add_subplot(), run),
        draw_plan(Figure().add_subplot(), run, run.plans()[-1]),
        draw_trajectory(Figure().add_subplot(), run),
    ]
    for ax in drawn:
        assert not ax.axison
        assert ax.get_aspect() == 1.0
    path = layers.cell_points(run, run.plans()[-1].path)
    seen = SceneView(run).appear(path)
    assert any(np.array_equal(np.array(line.get_data()).T, seen) for line in drawn[1].lines)


def test_through_an_obstacle_others_are_seen(run):
    """Each solid is a part of its own, and all are as opaque."""
    scene = SceneView(run)
    alone = [part for part, colour in scene.parts(None) if len(part) and colour[3] < 1.0]
    assert len(alone) == len(all_solids(run.world))


def _outlines_at(run, level, time):
    return layers.obstacle_outlines(run, layers.level_height(run, level), run.standing(time))


def test_the_film_shows_the_level_of_the_tool(run):
    with film_style():
        film = Film(run)
        panel = film.panels[1]
        seen = set()
        for time in np.linspace(0.0, float(run.data.time.values[-1]), 6):
            picture = film.draw(float(time))
            row = film.now(float(time)).row
            assert panel.level == layers.level_of(run, run.data.tool_position.values[row, 2])
            assert len(panel.slice.get_paths()) == len(_outlines_at(run, panel.level, float(time)))
            seen.add(panel.level)
    assert picture.shape == (720, 1280, 4)
    assert len(seen) > 1
