"""Faces painted straight into a film's pixels: as a collection of paths they take several times as long."""

import math

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase

from dynamics.kernels.decorators import inlined, kernel


class PaintedFaces(Artist):
    """Faces on axes whose figure is drawn into pixels, painted in their order, none beyond the axes."""

    def __init__(self, ax: Axes) -> None:
        super().__init__()
        self._faces, self._colours = np.zeros((0, 4, 2)), np.zeros((0, 4))
        ax.add_artist(self)

    def set_faces(self, faces: np.ndarray, colours: np.ndarray) -> None:
        """Take faces (k, 4, 2) in data units and their colours (k, 4), farthest first."""
        self._faces, self._colours = faces, colours
        self.stale = True

    def draw(self, renderer: RendererBase) -> None:
        """Paint them."""
        if not self.get_visible():
            return
        picture = np.asarray(renderer.buffer_rgba())
        left, low, right, high = np.round(self.axes.bbox.extents).astype(int).clip(0)
        top = len(picture) - high  # rows are counted from the top
        corners = self.axes.transData.transform(self._faces.reshape(-1, 2)) * [1, -1] + [-left, high]
        paint_faces(picture[top : len(picture) - low, left:right], corners.reshape(-1, 4, 2), self._colours)


@kernel
def paint_faces(pixels, corners, colours):
    """Paint polygons (k, m, 2) into a picture of opaque pixels (height, width, 4) uint8, in place.

    The share of a pixel that one covers is exact; x is to the right and y downwards. An opaque one counts twice where
    it covers a part of a pixel: so two that share an edge leave no seam.
    """
    height, width = pixels.shape[:2]
    step = np.zeros((height, width + 1))  # of the covered share, from a pixel to the next on its right
    for face in range(corners.shape[0]):
        x, y = corners[face, :, 0], corners[face, :, 1]
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            continue
        for k in range(x.size):
            after = (k + 1) % x.size
            _add_edge(x[k], y[k], x[after], y[after], step)
        red, green, blue, alpha = colours[face]
        first, last = max(0, math.floor(x.min())), min(width, math.ceil(x.max()) + 1)
        for row in range(max(0, math.floor(y.min())), min(height, math.ceil(y.max()) + 1)):
            covered = 0.0
            for column in range(first, last):
                covered += step[row, column]
                step[row, column] = 0.0
                share = alpha * min(1.0, abs(covered) * (2.0 if alpha == 1.0 else 1.0))
                if share > 0.0:
                    pixel = pixels[row, column]
                    pixel[0] = round(pixel[0] + share * (255.0 * red - pixel[0]))
                    pixel[1] = round(pixel[1] + share * (255.0 * green - pixel[1]))
                    pixel[2] = round(pixel[2] + share * (255.0 * blue - pixel[2]))
            step[row, width] = 0.0


@inlined
def _add_edge(x0, y0, x1, y1, step):
    """Add what lies to the right of an edge to the steps of the covered share, pixel by pixel; in place."""
    dx, dy = x1 - x0, y1 - y0
    if dy == 0.0:
        return
    toward_x, toward_y = (1.0 if dx > 0.0 else -1.0), (1.0 if dy > 0.0 else -1.0)
    # the share of the edge at which it crosses into the next column, and into the next row
    next_x = ((math.floor(x0) + 1.0 if dx > 0.0 else math.ceil(x0) - 1.0) - x0) / dx if dx != 0.0 else 2.0
    next_y = ((math.floor(y0) + 1.0 if dy > 0.0 else math.ceil(y0) - 1.0) - y0) / dy
    at = 0.0
    while at < 1.0:
        then = min(1.0, next_x, next_y)
        x, y = x0 + 0.5 * (at + then) * dx, y0 + 0.5 * (at + then) * dy  # its middle within one pixel
        column, row = math.floor(x), math.floor(y)
        if 0 <= row < step.shape[0] and column < step.shape[1] - 1:
            rise = (then - at) * dy
            if column < 0:
                step[row, 0] += rise
            else:
                step[row, column] += rise * (column + 1.0 - x)
                step[row, column + 1] += rise * (x - column)
        if then == next_x:
            next_x += toward_x / dx
        if then == next_y:
            next_y += toward_y / dy
        at = then
