"""The figures of nowoczyn2023 show what the plans say."""

from __future__ import annotations

import numpy as np
import pytest
from known_cell import ARM, pose
from matplotlib.image import imread
from nowoczyn2023.figures.draw import draw_plan_figures, known_solids
from nowoczyn2023.figures.drawing import fine_path
from nowoczyn2023.figures.pages import direct_page, shortest_page
from nowoczyn2023.figures.signals import clearances
from nowoczyn2023.figures.solutions import solutions_page, touch_words
from nowoczyn2023.stopped import stopped_page
from refusals import refused

from dynamics import forward_kinematics, inverse_kinematics
from hopfield_nav.extensions.clearance import build_scene, clearance, collides, explain
from hopfield_nav.extensions.known_world import (
    SAMPLING,
    KnownPlan,
    PlannedPath,
    path_length,
    plan_known,
)
from hopfield_nav.figures import paper_style
from hopfield_nav.figures.solid import cell as cell_view
from hopfield_nav.geometry import pack_primitives
from hopfield_nav.world import Box, Cylinder, Floor, pack, parse_world

SOLIDS = [
    Floor(height=0.0),
    Box(center=(0.55, 0.0, 0.1), size=(0.4, 0.8, 0.2)),
    Cylinder(center=(0.5, 0.0), radius=0.05, height=(0.2, 0.6)),
    Cylinder(center=(-0.3, 0.5), radius=0.08, height=(0.0, 0.6)),
]
MARGIN = 0.01


START, GOAL, HIGH = pose((0.45, -0.3, 0.3)), pose((0.45, 0.3, 0.3)), pose((0.3, -0.3, 0.6))


@pytest.fixture(scope="module")
def scene():
    return build_scene(ARM, pack_primitives(pack(s) for s in SOLIDS), MARGIN)


@pytest.fixture(scope="module")
def straight(scene):
    return plan_known(ARM, scene, START, [HIGH, pose((0.3, 0.3, 0.6))], "shortest", steps=40)


@pytest.fixture(scope="module")
def direct(scene):
    q = next(q for q in inverse_kinematics(ARM, START) if not collides(ARM, scene, q))
    return plan_known(ARM, scene, q, [GOAL], "direct")


@pytest.fixture
def drawn(monkeypatch):
    """The poses that each picture of a cell was painted with."""
    seen, plain = [], cell_view.CellView.parts

    def watched(self, poses, pale=False):
        seen.append(list(poses))
        return plain(self, poses, pale)

    monkeypatch.setattr(cell_view.CellView, "parts", watched)
    return seen


def labels(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_the_files_are_named_after_the_path(scene, straight, direct, tmp_path):
    names = [p.name for p in draw_plan_figures(ARM, scene, SOLIDS, straight, tmp_path, pdf=True)]
    assert names == [
        "shortest_path.png",
        "shortest_path.pdf",
        "goal_solutions.png",
        "goal_solutions.pdf",
    ]
    (page, _) = draw_plan_figures(ARM, scene, SOLIDS, direct, tmp_path)
    assert page.name == "direct_path.png"
    for path in tmp_path.glob("*.png"):
        assert np.mean(imread(path)[..., :3].min(axis=2) < 0.9) > 0.05, path.stem
    assert draw_plan_figures(ARM, scene, SOLIDS, KnownPlan(None, [], {}), tmp_path) == []


def test_a_straight_path_is_straight_in_the_picture_and_has_its_arms(scene, straight, drawn):
    with paper_style():
        figure = shortest_page(ARM, scene, SOLIDS, straight.path)
    (poses,) = drawn
    solid, ghosts = [p for p in poses if p.alpha == 1.0], [p for p in poses if p.alpha < 1.0]
    assert len(ghosts) == 4
    np.testing.assert_array_equal([p.q for p in solid], straight.path.q[[0, -1]])
    between = forward_kinematics(ARM, np.array([p.q for p in ghosts]))[:, :3, 3]
    corners = forward_kinematics(ARM, straight.path.q[straight.path.corners])[:, :3, 3]
    legs = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    for k, point in enumerate(between):  # evenly spaced on the two legs
        along = legs.sum() * (k + 1) / 5
        leg, rest = (0, along) if along <= legs[0] else (1, along - legs[0])
        expected = corners[leg] + rest / legs[leg] * (corners[leg + 1] - corners[leg])
        np.testing.assert_allclose(point, expected, atol=1e-4)
    assert figure.axes[2].get_xlabel() == "path of the tool (m)"
    assert figure.axes[2].get_xlim()[1] == pytest.approx(legs.sum(), rel=1e-4)
    assert "via point" in labels(figure)


def test_angles_and_clearance_are_those_of_the_path(scene, straight):
    with paper_style():
        figure = shortest_page(ARM, scene, SOLIDS, straight.path)
    _, angles, near = figure.axes
    assert (angles.get_ylabel(), near.get_ylabel()) == ("joint angle (rad)", "clearance (cm)")
    ends = [[line.get_ydata()[0], line.get_ydata()[-1]] for line in angles.lines[:6]]
    np.testing.assert_allclose(np.transpose(ends), straight.path.q[[0, -1]])
    least = clearance(ARM, scene, straight.path.q).min()
    lowest = [line.get_ydata().min() for line in near.lines if len(line.get_ydata()) > 2]
    assert min(lowest) == pytest.approx(100 * least, abs=1e-6)
    assert near.lines[len(lowest)].get_ydata()[0] == pytest.approx(100 * MARGIN)
    vias = [line.get_xdata()[0] for line in near.lines if len(set(line.get_xdata())) == 1]
    assert vias[-1] == pytest.approx(np.linalg.norm(HIGH[:3, 3] - START[:3, 3]), abs=1e-4)


def test_clearances_are_those_of_the_table(scene, straight):
    """Parts of the arm that stay beside each other count: the table and the page name them too."""
    found = clearances(ARM, scene, straight.path.q)
    for values, of in (
        (found.itself, build_scene(ARM)),
        (found.solids, scene._replace(pairs=scene.pairs[:0])),
    ):
        np.testing.assert_allclose(values, clearance(ARM, of, straight.path.q), atol=1e-12)
    assert np.ptp(found.itself) < 1e-9  # housings that turn about one axis
    np.testing.assert_allclose(
        np.minimum(*found), clearance(ARM, scene, straight.path.q), atol=1e-12
    )
    assert np.isinf(clearances(ARM, build_scene(ARM), straight.path.q).solids).all()


def test_the_legend_has_the_lengths_of_direct_paths_and_the_arcs_end_at_the_goal(
    scene, direct, drawn
):
    with paper_style():
        figure = direct_page(ARM, scene, SOLIDS, direct.paths)
    assert len(direct.paths) == 5
    written = [float(t.split(": ")[1][:-4]) for t in labels(figure) if t.startswith("path")]
    lengths = [path.length for path in direct.paths]
    np.testing.assert_allclose(written, lengths, atol=0.005)
    assert [p.alpha for p in drawn[0]] == [1.0, 1.0]  # start and goal: ghosts would hide the arcs
    view = cell_view.CellView(
        ARM, SOLIDS, np.concatenate([fine_path(path.q, 0.1) for path in direct.paths])
    )
    arcs = [
        np.array(line.get_data()).T for line in figure.axes[0].lines if len(line.get_xdata()) > 20
    ]
    assert len(arcs) == len(lengths)
    for arc in arcs:
        np.testing.assert_allclose(
            arc[[0, -1]], view.appear(np.array([START[:3, 3], GOAL[:3, 3]])), atol=1e-9
        )


def test_paths_that_look_the_same_are_one_line(scene):
    path = plan_known(ARM, scene, START, [HIGH], "direct").path
    turned = [path._replace(q=path.q + turns * 2 * np.pi * np.eye(6)[5]) for turns in range(3)]
    with paper_style():
        figure = direct_page(ARM, scene, SOLIDS, turned)
    assert f"paths 1–3: {path.length:.2f} rad" in labels(figure)


def test_nothing_is_cut_off(scene, straight, direct):
    via = plan_known(ARM, scene, direct.path.q[0], [HIGH, GOAL], "direct").paths
    with paper_style():
        pages = [
            shortest_page(ARM, scene, SOLIDS, straight.path),
            direct_page(ARM, scene, SOLIDS, via),
            solutions_page(ARM, scene, SOLIDS, START),
            stopped_page(
                ARM, scene, SOLIDS, straight.path.q[:100], "a reason " * 30, straight.path
            ),
        ]
        for figure in pages:
            needed, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
            assert min(needed.x0, needed.y0) > -0.01
            assert needed.x1 < width + 0.01
            assert needed.y1 < height + 0.01


def test_a_sampled_path_has_milestones(scene, direct, tmp_path):
    q = np.array([direct.path.q[0], direct.path.q.mean(axis=0), direct.path.q[-1]])
    sampled = PlannedPath(q, SAMPLING, np.arange(3), path_length(q))
    with paper_style():
        figure = direct_page(ARM, scene, SOLIDS, [sampled])
    assert {"milestone", f"sampled: {sampled.length:.2f} rad"} <= set(labels(figure))
    assert figure.axes[2].get_xlabel() == "path of the joints, summed (rad)"
    path = draw_plan_figures(ARM, scene, SOLIDS, KnownPlan(sampled, [sampled], {}), tmp_path)[0]
    assert path.name == "sampled_path.png"


def test_a_path_that_does_not_move_can_be_drawn(scene, straight):
    for rows in (1, 2):
        q = np.repeat(straight.path.q[:1], rows, axis=0)
        for kind, draw in (("shortest", shortest_page), ("direct", direct_page)):
            path = PlannedPath(q, kind, np.arange(rows), 0.0)
            with paper_style():
                draw(ARM, scene, SOLIDS, path if kind == "shortest" else [path]).canvas.draw()


def test_every_joint_position_is_shown_and_what_it_touches_is_coloured(scene, drawn):
    with paper_style():
        figure = solutions_page(ARM, scene, SOLIDS, START)
    solutions = inverse_kinematics(ARM, START)
    titles = [ax.get_title() for ax in figure.axes]
    blocked = collides(ARM, scene, solutions)
    assert titles == [f"{k + 1}: {'in collision' if b else 'free'}" for k, b in enumerate(blocked)]
    assert 0 < blocked.sum() < len(titles) == 8
    for (shown,), q in zip(drawn, solutions, strict=True):
        np.testing.assert_array_equal(shown.q, q)
        words = explain(ARM, scene, q)
        named = {k for k in range(1, 7) if f"link {k} " in words or words.endswith(f"link {k}")}
        assert shown.touched == named


def test_a_pose_out_of_reach_has_no_picture(scene):
    with refused("out of reach"):
        solutions_page(ARM, scene, SOLIDS, pose((2.0, 0.0, 0.3)))


def test_touches_are_put_together_by_what_is_touched():
    assert touch_words("free") == []
    assert touch_words(
        "link 3 touches known[1], link 2 touches known[1], the tool touches the base"
    ) == [
        "links 2, 3 touch known[1]",
        "the tool touches the base",
    ]
    assert touch_words("link 4 comes within 3.0 mm of known[0], link 5 touches known[0]") == [
        "links 4, 5 touch known[0]"
    ]
    assert touch_words("the tool touches link 2, link 5 touches link 2") == [
        "link 5 and the tool touch link 2"
    ]


def test_what_has_a_name_is_called_by_it(scene):
    names = ["the floor", None, "the can", None]
    with paper_style():
        figure = solutions_page(ARM, scene, SOLIDS, START, names)
    below = " ".join(text.get_text() for ax in figure.axes for text in ax.texts)
    assert "the floor" in below
    assert "known[0]" not in below
    assert "known[1]" in below
    (foot,) = [text.get_text() for text in figure.texts]
    assert "known[1]" in foot
    assert "known[0]" not in foot


def test_the_stop_of_a_branch_is_where_it_ends(scene, straight, drawn):
    branch = straight.path.q[:200]
    with paper_style():
        figure = stopped_page(
            ARM, scene, SOLIDS, branch, "joint 5 would pass its limit", straight.path
        )
    assert "joint 5 would pass" in figure.axes[0].get_title()
    np.testing.assert_array_equal(drawn[0][-1].q, branch[-1])
    np.testing.assert_array_equal(drawn[1][-1].q, straight.path.q[-1])
    stop = np.linalg.norm(np.diff(forward_kinematics(ARM, branch)[:, :3, 3], axis=0), axis=1).sum()
    assert f"stop at {stop:.3f} m" in figure.axes[2].texts[0].get_text()
    assert figure.axes[2].get_ylim() == figure.axes[3].get_ylim()


def test_known_solids_come_from_the_world():
    text = "known: [{floor: {height: 0}}]\nobstacles: [{sphere: {center: [0.4, 0, 0.1], radius: 0.02}}]\n"
    assert known_solids(parse_world(f"format: 1\n{text}")) == [Floor(height=0.0)]
    assert known_solids(SOLIDS) == SOLIDS
