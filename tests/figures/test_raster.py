"""Faces in pixels: of what crosses, each pixel shows the nearer one; by rays, by hand, and as MuJoCo renders it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.resources import files

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

from hopfield_nav.figures.solid import Solids, SpaceLine, make_view, project, turned_faces
from hopfield_nav.figures.solid import picture as in_space
from hopfield_nav.figures.solid.faces import box_faces
from hopfield_nav.figures.solid.raster import _AT, paint

RED, BLUE, GLASS = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0), (0.0, 1.0, 0.0, 0.4)
NO_CUT = np.zeros(4)
SIZE = (60, 50)
AT = np.array([(x, (k + 0.5) / len(_AT)) for k, x in enumerate(_AT)])  # of the samples in a pixel


def square(left, right, low, high, z=0.0):
    return [(left, low, z), (right, low, z), (right, high, z), (left, high, z)]


def painted(faces, colours, layers=None, cut=NO_CUT, size=SIZE):
    layers = np.zeros(len(faces), int) if layers is None else np.array(layers)
    return paint(np.array(faces, float), np.array(colours, float), layers, size, np.array(cut))


class Box:
    """A box in pixels that is turned in any way."""

    def __init__(self, center, size, angles):
        self.center, self.size = np.array(center), np.array(size)
        self.turn = Rotation.from_euler("xyz", angles).as_matrix()

    def faces(self):
        faces = box_faces(self.center, self.size, self.turn)
        normal = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
        return faces[normal[:, 2] > 0]

    def depth(self, xy):
        """How near (k,) the box is to the eye on upright rays through (k, 2); -inf beside it: three slabs."""
        along = self.turn[2]  # of the ray, in the box's axes
        from_here = (np.column_stack([xy, np.zeros(len(xy))]) - self.center) @ self.turn
        ends = np.sort([(sign * self.size / 2 - from_here) / along for sign in (-1, 1)], axis=0)
        far, near = ends[0].max(axis=1), ends[1].min(axis=1)
        return np.where(near >= far, near, -np.inf)


CROSSING = (
    Box((30, 25, 0), (34, 16, 20), (0.4, -0.5, 0.3)),
    Box((32, 24, 2), (12, 40, 14), (-0.5, 0.3, 0.9)),
)


def sample_places(size=SIZE):
    rows, columns = np.indices(size[::-1])
    return (np.stack([columns, rows], axis=-1)[:, :, None] + AT).reshape(-1, 2)


def test_of_two_crossing_boxes_each_pixel_shows_the_nearer_one():
    faces = np.concatenate([box.faces() for box in CROSSING])
    colours = [RED] * len(CROSSING[0].faces()) + [BLUE] * len(CROSSING[1].faces())
    picture, depth = painted(faces, colours)
    near = np.array([box.depth(sample_places()) for box in CROSSING])
    seen = np.isfinite(near.max(axis=0)).reshape(*SIZE[::-1], -1)
    first = ((near[0] > near[1]) & np.isfinite(near[0])).reshape(seen.shape)
    np.testing.assert_allclose(picture[..., 3], 255 * seen.mean(axis=2), atol=1)
    there = seen.any(axis=2)
    np.testing.assert_allclose(
        picture[there][:, 0],
        255 * (first.sum(axis=2) / np.maximum(seen.sum(axis=2), 1))[there],
        atol=1,
    )
    assert min((first & seen).sum(), (~first & seen).sum()) > 300  # both are seen
    whole = seen.all(axis=2)
    exact = near.max(axis=0).reshape(seen.shape)[..., -1]
    np.testing.assert_allclose(depth[whole], exact[whole], atol=1e-9)


def test_the_order_of_the_faces_does_not_count():
    faces = np.concatenate([box.faces() for box in CROSSING])
    colours = np.repeat([RED, BLUE], [len(box.faces()) for box in CROSSING], axis=0)
    order = np.random.default_rng(2).permutation(len(faces))
    np.testing.assert_array_equal(
        painted(faces, colours)[0], painted(faces[order], colours[order])[0]
    )


def test_glass_is_laid_over_what_is_behind_it_from_back_to_front():
    """By hand, in any order of parts: what is opaque, one pane behind it, two before it."""
    panes = [square(10, 40, 10, 40, z) for z in (-1.0, 0.0, 1.0, 2.0)]
    shades = np.array([GLASS, RED, (0, 0, 1, 0.5), (1, 1, 1, 0.25)])
    expected = 0.75 * (0.5 * np.array([1, 0, 0]) + 0.5 * np.array([0, 0, 1])) + 0.25
    for order in ((0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)):
        layers = np.array([1, 0, 2, 3])[list(order)]
        picture, _ = painted([panes[k] for k in order], shades[list(order)], layers)
        np.testing.assert_allclose(picture[20, 20], [*(255 * expected), 255], atol=1)


def test_of_one_layer_the_nearest_face_alone_is_seen():
    both = [square(10, 40, 10, 40, z) for z in (1.0, 2.0)]
    picture, depth = painted(both, [GLASS, (0, 0, 1, 0.4)], [1, 1])
    np.testing.assert_allclose(picture[20, 20], [0, 0, 255, round(0.4 * 255)], atol=1)
    assert np.isneginf(depth).all()  # nothing hides anything


@pytest.mark.parametrize("sides", [3, 7, 24])
def test_faces_that_share_edges_leave_no_seam(sides):
    turn = np.linspace(0, 2 * np.pi, sides + 1) + 0.1
    rim = np.column_stack([30 + 22 * np.cos(turn), 25 + 22 * np.sin(turn), 0 * turn])
    middle = np.array([30.3, 25.7, 0.0])
    faces = [(middle, rim[k], rim[k + 1], rim[k + 1]) for k in range(sides)]
    picture, _ = painted(faces, [RED] * sides)
    rows, columns = np.indices(SIZE[::-1])
    inside = np.hypot(columns + 0.5 - 30, rows + 0.5 - 25) < 22 * np.cos(np.pi / sides) - 1
    np.testing.assert_array_equal(picture[inside], np.tile([255, 0, 0, 255], (inside.sum(), 1)))


def test_the_area_of_any_face_is_kept():
    rng = np.random.default_rng(3)
    for _ in range(20):
        angle = np.sort(rng.uniform(0, 2 * np.pi, 4))
        x, y = 30 + 20 * np.cos(angle), 25 + 20 * np.sin(angle)
        area = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
        picture, _ = painted([np.column_stack([x, y, 0 * x])], [RED])
        assert picture[..., 3].sum() / 255 == pytest.approx(area, abs=3 + 0.03 * area)


def test_a_cut_leaves_one_side():
    faces = [square(5, 55, 5, 45)]
    left, right = (
        painted(faces, [RED], cut=cut)[0][..., 3] for cut in ((-1, 0, 0, 30), (1, 0, 0, -30))
    )
    assert (left[20, 5:30] == 255).all()
    assert (left[20, 30:] == 0).all()
    np.testing.assert_array_equal(left.astype(int) + right, painted(faces, [RED])[0][..., 3])


@pytest.mark.parametrize(
    ("face", "inside"),
    [
        (square(-50, 6, -50, 5), 30),
        (square(-9, 90, 2, 3), 60),
        (square(80, 90, 2, 3), 0),
        (square(2, 3, -9, -5), 0),
        ([(np.nan, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)], 0),
        ([(2.0, 2.0, 0.0)] * 4, 0),
    ],
    ids=["corner", "across", "to the right", "below", "no number", "a point"],
)
def test_what_reaches_beyond_the_picture(face, inside):
    assert painted([face], [RED])[0][..., 3].sum() == 255 * inside


EYE = make_view(azimuth=40.0, elevation=30.0)
HALF = 0.6  # [m] of the picture, upwards
CUBE, DRUM = np.array([0.4, 0.3, 0.2]), (0.08, 0.3)  # [m] edges; radius and half the length
LEAN = Rotation.from_euler("xyz", [0.5, 0.4, 0.0]).as_matrix()
_MUJOCO = """
import sys, mujoco, numpy as np
model = mujoco.MjModel.from_xml_string(sys.argv[1])
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
with mujoco.Renderer(model, 300, 400) as renderer:
    renderer.enable_segmentation_rendering()
    renderer.update_scene(data, "eye")
    np.save(sys.argv[2], renderer.render()[..., 0])
"""


def rendered_by_mujoco(folder):
    """Which solid is seen in each pixel (300, 400), the top row first: -1 none, 0 the box, 1 the cylinder."""
    pytest.importorskip("mujoco")
    axes = " ".join(map(str, [*EYE.right, *EYE.up]))
    lean = " ".join(map(str, Rotation.from_matrix(LEAN).as_quat()[[3, 0, 1, 2]]))
    text = f"""<mujoco><worldbody>
      <geom type="box" size="{" ".join(map(str, CUBE / 2))}"/>
      <geom type="cylinder" size="{DRUM[0]} {DRUM[1]}" quat="{lean}"/>
      <camera name="eye" projection="orthographic" fovy="{2 * HALF}" xyaxes="{axes}"
        pos="{" ".join(map(str, 3 * EYE.toward))}"/>
    </worldbody></mujoco>"""
    done = subprocess.run(
        [sys.executable, "-c", _MUJOCO, text, str(folder / "seen.npy")],
        env={**os.environ, "MUJOCO_GL": "egl"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"MuJoCo cannot render here: {done.stderr.splitlines()[-1:]}")
    return np.load(folder / "seen.npy")


def solids_on_axes(size, parts, **side):
    """An empty figure of so many pixels with these parts on it, and its canvas."""
    figure = Figure((size[0] / 100, size[1] / 100), dpi=100)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(-HALF * size[0] / size[1], HALF * size[0] / size[1]), ylim=(-HALF, HALF))
    ax.set_axis_off()
    solids = Solids(ax, EYE, **side)
    solids.show(parts)
    return solids, FigureCanvasAgg(figure)


def test_two_solids_that_cut_each_other_are_seen_as_mujoco_renders_them(tmp_path, monkeypatch):
    """Silhouettes, and the line in which they cut each other, to two pixels."""
    expected = rendered_by_mujoco(tmp_path)
    monkeypatch.setattr(in_space, "lit", lambda colours, normal: colours)
    outline = [(0, -DRUM[1]), (DRUM[0], -DRUM[1]), (DRUM[0], DRUM[1]), (0, DRUM[1])]
    drum = turned_faces(np.zeros(3), LEAN[:, 2], outline)
    parts = [(box_faces(np.zeros(3), CUBE, np.eye(3)), RED), (drum, BLUE)]
    _, canvas = solids_on_axes((400, 300), parts)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba()).astype(int)
    ours = np.where(pixels[..., 1] > 127, -1, np.where(pixels[..., 0] > 127, 0, 1))
    for kind in (-1, 0, 1):
        assert (expected == kind).sum() > 2000
        for one, other in ((ours, expected), (expected, ours)):
            assert not (one == kind)[2:-2, 2:-2][~near(other == kind, 2)[2:-2, 2:-2]].any()


def near(mask, pixels):
    """What is within so many pixels of a mask."""
    shifts = range(-pixels, pixels + 1)
    return np.any([np.roll(mask, (i, j), axis=(0, 1)) for i in shifts for j in shifts], axis=0)


def test_a_line_is_pale_where_something_opaque_is_before_it():
    parts = [(box_faces(np.array([0.3, 0.3, 0.0]), np.full(3, 0.3), np.eye(3)), RED)]
    solids, canvas = solids_on_axes((400, 300), parts)
    behind, before = np.zeros(3), 1.0 * EYE.toward
    line = SpaceLine(
        solids,
        np.array([behind + 0.5 * EYE.right, behind - 0.5 * EYE.right]),
        color="blue",
        lw=3,
        zorder=6,
    )
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba()).astype(int)
    assert pixels[150, 320].tolist() == [0, 0, 255, 255]  # beside the box
    hidden = solids.hides(np.array([behind, before, behind + 0.45 * EYE.right]))
    np.testing.assert_array_equal(hidden, [True, False, False])
    assert pixels[150, 200, 0] > 100  # the box shines through
    assert pixels[150, 200, 2] > 40
    # it is whole afterwards
    np.testing.assert_allclose(np.array(line.get_data()).T, project(EYE, line._points))
    solids.show([])
    line.set_points([behind, before])
    canvas.draw()


def test_what_is_above_a_height_and_what_is_below_it_make_up_the_whole():
    faces = turned_faces(np.zeros(3), LEAN[:, 2], [(0, -0.4), (0.2, -0.4), (0.1, 0.4), (0, 0.4)])
    pictures = []
    for side in ({}, {"below": 0.05}, {"above": 0.05}):
        _, canvas = solids_on_axes((400, 300), [(faces, RED)], **side)
        canvas.draw()
        pictures.append(np.asarray(canvas.buffer_rgba()).astype(int)[..., 1] < 200)
    whole, below, above = pictures
    np.testing.assert_array_equal(whole, above | below)
    assert min(above.sum(), below.sum()) > 2000
    rows = np.nonzero(whole)[0]
    assert rows.min() == np.nonzero(above)[0].min()
    assert rows.max() == np.nonzero(below)[0].max()


def test_the_lights_are_those_of_the_page():
    page = (files("hopfield_nav.extensions.viewer") / "page" / "scene.js").read_text(
        encoding="utf-8"
    )
    sky, ground, sky_light = re.search(
        r'HemisphereLight\("(#\w+)", "(#\w+)", ([\d.]+)\)', page
    ).groups()
    sun_light = re.search(r'DirectionalLight\("#ffffff", ([\d.]+)\)', page)[1]
    sun = np.array(re.search(r"sun.position.set\((.*)\)", page)[1].split(", "), float)
    assert sky == "#ffffff"
    assert (float(sky_light), float(sun_light)) == (in_space._SKY_LIGHT, in_space._SUN_LIGHT)
    np.testing.assert_allclose(in_space._SUN, sun / np.linalg.norm(sun))
    np.testing.assert_allclose(in_space._GROUND, in_space._linear(to_rgb(ground)))


def test_a_face_towards_the_lights_is_brighter():
    grey = np.tile([0.5, 0.5, 0.5, 0.7], (3, 1))
    shades = in_space.lit(grey, np.array([[0.0, 2.0, 0.0], [0.0, -1.0, 0.0], [0.6, -0.9, 1.6]]))
    assert min(shades[0, 0], shades[2, 0]) > shades[1, 0]
    np.testing.assert_array_equal(shades[:, 3], 0.7)
    albedo = ((0.5 + 0.055) / 1.055) ** 2.4
    assert ((shades[0, 0] + 0.055) / 1.055) ** 2.4 == pytest.approx(albedo * 2.5 / np.pi)
