"""The figure of a plan in a known cell shows what the plan says."""

from __future__ import annotations

import numpy as np
import pytest
from known_cell import ARM, pose
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread

from dynamics import inverse_kinematics
from hopfield_nav.build import solids_of
from hopfield_nav.extensions.clearance import build_scene, clearance, collides, scene_of_world
from hopfield_nav.extensions.known_world import (
    SAMPLING,
    KnownPlan,
    PlannedPath,
    path_length,
    plan_known,
)
from hopfield_nav.extensions.known_world.figures import (
    POSES,
    draw_plan_figures,
    fine_path,
    plan_page,
)
from hopfield_nav.figures import paper_style
from hopfield_nav.figures.solid import CellPose, make_view
from hopfield_nav.figures.solid import cell as cell_view
from hopfield_nav.figures.solid.cell import choose_view, seen_share
from hopfield_nav.world import Box, Cylinder, parse_world

WORLD = parse_world("""
format: 1
known:
  - floor: {height: 0.0}
  - box: {center: [0.55, 0.0, 0.1], size: [0.4, 0.8, 0.2]}
  - cylinder: {center: [0.5, 0.0], radius: 0.05, height: [0.2, 0.6]}
""")
SOLIDS, MARGIN = solids_of(WORLD.known), 0.01
SCENE = scene_of_world(WORLD, MARGIN)
START, GOAL, HIGH = pose((0.45, -0.3, 0.3)), pose((0.45, 0.3, 0.3)), pose((0.3, -0.3, 0.6))


@pytest.fixture(scope="module")
def straight():
    return plan_known(ARM, SCENE, START, [HIGH, pose((0.3, 0.3, 0.6))], "shortest", steps=40)


@pytest.fixture(scope="module")
def direct():
    q = next(q for q in inverse_kinematics(ARM, START) if not collides(ARM, SCENE, q))
    return plan_known(ARM, SCENE, q, [GOAL], "direct")


@pytest.fixture
def drawn(monkeypatch):
    """The poses that each picture of a cell was painted with."""
    seen, plain = [], cell_view.CellView.parts

    def watched(self, poses, pale=False):
        seen.append(list(poses))
        return plain(self, poses, pale)

    monkeypatch.setattr(cell_view.CellView, "parts", watched)
    return seen


def page(paths):
    with paper_style():
        return plan_page(ARM, SCENE, SOLIDS, paths)


def labels(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_the_file_is_named_after_the_path(straight, direct, tmp_path):
    names = [p.name for p in draw_plan_figures(ARM, SCENE, WORLD, straight, tmp_path, pdf=True)]
    assert names == ["shortest_path.png", "shortest_path.pdf"]
    (path,) = draw_plan_figures(ARM, SCENE, WORLD, direct, tmp_path)
    assert path.name == "direct_path.png"
    assert np.mean(imread(path)[..., :3].min(axis=2) < 0.9) > 0.05
    assert draw_plan_figures(ARM, SCENE, WORLD, KnownPlan(None, [], {}), tmp_path) == []


def test_the_arm_stands_at_start_and_goal_and_is_paler_between(straight, drawn):
    figure = page(straight.paths)
    (poses,) = drawn
    assert [p.alpha == 1.0 for p in poses] == [True, *[False] * (POSES - 2), True]
    np.testing.assert_array_equal([poses[0].q, poses[-1].q], straight.path.q[[0, -1]])
    fine = fine_path(straight.path.q)
    assert all(np.abs(fine - p.q).max(axis=1).min() == 0.0 for p in poses)
    assert "corner" in labels(figure)


def test_angles_and_clearance_are_those_of_the_path(straight):
    _, angles, near = page(straight.paths).axes
    assert (angles.get_ylabel(), near.get_ylabel()) == ("joint angle (rad)", "clearance (cm)")
    ends = [[line.get_ydata()[0], line.get_ydata()[-1]] for line in angles.lines]
    np.testing.assert_allclose(np.transpose(ends), straight.path.q[[0, -1]])
    solids, itself, margin = near.lines
    of_solids = clearance(ARM, SCENE._replace(pairs=SCENE.pairs[:0]), fine_path(straight.path.q))
    assert solids.get_ydata().min() == pytest.approx(100 * of_solids.min())
    assert itself.get_ydata().min() == pytest.approx(
        100 * clearance(ARM, build_scene(ARM), straight.path.q).min()
    )
    assert margin.get_ydata()[0] == pytest.approx(100 * MARGIN)
    assert near.lines[0].get_xdata()[-1] == pytest.approx(straight.path.length)


def test_the_legend_has_the_lengths_of_paths_and_the_arcs_end_at_the_goal(direct):
    figure = page(direct.paths)
    assert len(direct.paths) == 5
    written = [float(t.split(": ")[1][:-4]) for t in labels(figure) if t.startswith("path")]
    np.testing.assert_allclose(written, [path.length for path in direct.paths], atol=0.005)
    view = cell_view.CellView(
        ARM, SOLIDS, np.concatenate([fine_path(path.q, 0.1) for path in direct.paths])
    )
    arcs = [
        np.array(line.get_data()).T for line in figure.axes[0].lines if len(line.get_xdata()) > 20
    ]
    assert len(arcs) == 5
    for arc in arcs:
        np.testing.assert_allclose(
            arc[[0, -1]], view.appear(np.array([START[:3, 3], GOAL[:3, 3]])), atol=1e-9
        )


def test_nothing_is_cut_off(straight, direct):
    via = plan_known(ARM, SCENE, direct.path.q[0], [HIGH, GOAL], "direct").paths
    for paths in (straight.paths, via):
        with paper_style():
            figure = plan_page(ARM, SCENE, SOLIDS, paths)
            figure.canvas.draw()
            needed, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert min(needed.x0, needed.y0) > -0.02
        assert needed.x1 < width + 0.01
        assert needed.y1 < height + 0.01


def test_a_sampled_path_has_milestones(direct, tmp_path):
    q = np.array([direct.path.q[0], direct.path.q.mean(axis=0), direct.path.q[-1]])
    sampled = PlannedPath(q, SAMPLING, np.arange(3), path_length(q))
    assert "milestone" in labels(page([sampled]))
    (path,) = draw_plan_figures(ARM, SCENE, WORLD, KnownPlan(sampled, [sampled], {}), tmp_path)
    assert path.name == "sampled_path.png"


@pytest.mark.parametrize("rows", [1, 2])
def test_a_path_that_does_not_move_can_be_drawn(straight, rows):
    q = np.repeat(straight.path.q[:1], rows, axis=0)
    with paper_style():
        plan_page(
            ARM, SCENE, SOLIDS, [PlannedPath(q, "direct", np.arange(rows), 0.0)]
        ).canvas.draw()


def test_a_ghost_where_the_arm_is_does_not_show(straight):
    q = straight.path.q[0]
    view = cell_view.CellView(ARM, [], q[None])
    other = q + 1.0 * (np.arange(6) == 4)
    pictures = []
    for poses in (
        [CellPose(q)],
        [CellPose(q), CellPose(q, 0.3)],
        [CellPose(q), CellPose(other, 0.3)],
    ):
        figure = Figure((3, 3))
        ax = cell_view.frame_cell(figure.add_axes((0, 0, 1, 1)), view)
        cell_view.add_poses(ax, view, poses)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        pictures.append(np.array(canvas.buffer_rgba()))
    np.testing.assert_array_equal(pictures[0], pictures[1])
    assert (pictures[0] != pictures[2]).any(axis=2).mean() > 1e-3


def test_a_cylinder_without_end_is_as_high_as_the_arm(straight):
    view = cell_view.CellView(ARM, [Cylinder(center=(0.5, 0.5), radius=0.05)], straight.path.q)
    assert view.faces[..., 2].max() > 0.5


def test_the_view_is_from_where_the_tool_is_not_hidden():
    wall = Box(center=(0.0, 0.6, 0.5), size=(2.0, 0.05, 1.0))
    points = np.array([[[0.1, y, 0.3], [0.3, y, 0.3]] for y in (0.2, 0.3)])
    chosen = choose_view([wall], points)
    assert seen_share([wall], points.reshape(-1, 3), chosen) == 1.0
    assert seen_share([wall], points.reshape(-1, 3), make_view(90.0, 26.0)) == 0.0
