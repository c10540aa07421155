"""Faces painted into pixels: exact shares, the order, no seams, and what matplotlib's own drawing shows."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from hopfield_nav.figures.solid import PaintedFaces
from hopfield_nav.figures.solid.fill import paint_faces

BLACK, GLASS = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.5)


def painted(corners, colours, size=(8, 10)):
    """The covered share, 0 to 1, of white pixels."""
    pixels = np.full((*size, 4), 255, np.uint8)
    paint_faces(pixels, np.array(corners, float), np.array(colours, float))
    assert (pixels[:, :, 3] == 255).all()
    return 1.0 - pixels[:, :, 0] / 255.0


def box(left, right, top, bottom):
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


@pytest.mark.parametrize("turned", [False, True])
def test_a_transparent_face_covers_its_exact_share_of_every_pixel(turned):
    corners = box(1.25, 4.5, 2.5, 5.75)
    share = painted([corners[::-1] if turned else corners], [GLASS])
    across = np.array([0, 0.75, 1, 1, 0.5, 0, 0, 0, 0, 0])
    upright = np.array([0, 0, 0.5, 1, 1, 0.75, 0, 0])
    np.testing.assert_allclose(share, 0.5 * np.outer(upright, across), atol=0.5 / 255)


def test_the_area_of_any_face_is_kept():
    rng = np.random.default_rng(3)
    for _ in range(20):
        angle = np.sort(rng.uniform(0, 2 * np.pi, 4))
        x, y = 5 + 3.5 * np.cos(angle), 4 + 3.5 * np.sin(angle)
        area = 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
        share = painted([np.stack([x, y], axis=1)], [GLASS])
        assert share.sum() == pytest.approx(0.5 * area, abs=0.5 * 40 / 255)  # each pixel is rounded


@pytest.mark.parametrize("gap", [0.0, 0.25, 0.5, 0.9])
def test_two_opaque_faces_that_share_an_edge_leave_no_seam(gap):
    share = painted([box(1, 3 + gap, 1, 6), box(3 + gap, 7, 1, 6)], [BLACK, BLACK])
    np.testing.assert_array_equal(share[1:6, 1:7], 1.0)


def test_the_last_one_is_in_front():
    pixels = np.full((8, 10, 4), 255, np.uint8)
    faces = np.array([box(0, 6, 0, 6), box(2, 4, 2, 4)], float)
    paint_faces(pixels, faces, np.array([(1.0, 0, 0, 1), (0, 1.0, 0, 1)]))
    np.testing.assert_array_equal(pixels[3, 3], (0, 255, 0, 255))
    np.testing.assert_array_equal(pixels[5, 5], (255, 0, 0, 255))


@pytest.mark.parametrize(
    ("face", "inside"),
    [
        (box(-5, 3, -5, 3), 9),
        (box(8, 30, 6, 30), 4),
        (box(-9, 30, 2, 3), 10),
        (box(20, 30, 2, 3), 0),
        (box(2, 3, -9, -5), 0),
        ([(np.nan, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], 0),
        ([(2.0, 2.0)] * 4, 0),
    ],
    ids=["corner", "far corner", "across", "to the right", "above", "no number", "a point"],
)
def test_what_reaches_beyond_the_picture(face, inside):
    assert painted([face], [BLACK]).sum() == inside
    assert painted([face, box(1, 2, 1, 2)], [GLASS, BLACK])[1, 1] == 1.0  # nothing of it is left behind


def test_it_looks_as_matplotlib_draws_it():
    rng = np.random.default_rng(0)
    centre, turn = rng.uniform(0.1, 0.9, (40, 1, 2)), np.linspace(0, 2 * np.pi, 5)[:-1]
    faces = centre + 0.08 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    colours = np.column_stack([rng.uniform(size=(40, 3)), np.full(40, 0.6)])
    pictures = []
    for own in (True, False):
        figure = Figure((3, 2), dpi=100)
        canvas, ax = FigureCanvasAgg(figure), figure.add_axes((0.1, 0.2, 0.8, 0.7))
        if own:
            PaintedFaces(ax).set_faces(faces, colours)
        else:
            ax.add_collection(PolyCollection(faces, facecolors=colours, linewidths=0))
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ax.set_axis_off()
        canvas.draw()
        pictures.append(np.array(canvas.buffer_rgba(), dtype=int))
    assert np.abs(pictures[0] - pictures[1]).max() <= 4
    assert np.abs(pictures[0] - 255).max() > 100
