"""What is in space on axes, from one side: solids in pixels, and lines that solids hide.

Solids lie in the lights of the page. The projection is parallel, so that lengths stay comparable;
axes are in metres of the picture plane.

``Solids`` paints faces into the pixels of its axes, as many as the file or film has; lines over
them stay lines.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from hopfield_nav.figures.solid.raster import paint

# faces (k, 4, 3) in base axes [m], and their colours (k, 4) or (4,)
Part = tuple[np.ndarray, np.ndarray]
_HIDDEN = 0.3  # how opaque a line is behind something opaque
_BEFORE = 0.004  # [m] that a line may lie inside a solid and is not behind it: it ends in the tool
_STEP = 0.01  # [m] of a line between two points that are looked at


class View(NamedTuple):
    """Right, up and towards the eye: three unit vectors (3,) in base axes."""

    right: np.ndarray
    up: np.ndarray
    toward: np.ndarray


def make_view(azimuth: float = 58.0, elevation: float = 34.0) -> View:
    """A view from the eye's azimuth, from the x axis towards y, and its elevation [degrees]."""
    a, e = np.radians([azimuth, elevation])
    toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    return View(right, np.cross(toward, right), toward)


def project(view: View, points: np.ndarray) -> np.ndarray:
    """Points (..., 3) [m] as they appear, (..., 2) [m]."""
    return np.stack([points @ view.right, points @ view.up], axis=-1)


class Solids(Artist):
    """Faces on axes in metres of the picture plane, of which each pixel shows the nearest.

    Of what is opaque the nearest face hides the others. A transparent part shows its own nearest
    face alone, over what is behind it. With a height ``above`` or ``below`` [m] only what is there
    is shown.
    """

    def __init__(
        self,
        ax: Axes,
        view: View,
        above: float | None = None,
        below: float | None = None,
        zorder: float = 5.0,
    ) -> None:
        super().__init__()
        self.view, self._base = view, np.stack(view)
        self._height, self._side = (above, 1.0) if above is not None else (below, -1.0)
        self.show([])
        self.set_zorder(zorder)
        self.set_in_layout(False)
        ax.add_artist(self)

    def show(self, parts: Iterable[Part]) -> None:
        """Show these parts from now on."""
        faces, colours, layers, number = (
            [np.zeros((0, 4, 3))],
            [np.zeros((0, 4))],
            [np.zeros(0, int)],
            0,
        )
        for part, colour in parts:
            faces.append(part)
            colours.append(np.broadcast_to(colour, (len(part), 4)))
            glass = colours[-1][:, 3] < 1.0
            number += int(glass.any())
            layers.append(np.where(glass, number, 0))
        corners, colour, layer = (
            np.concatenate(faces),
            np.concatenate(colours),
            np.concatenate(layers),
        )
        normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
        there = normal @ self.view.toward > 0.0
        if self._height is not None:
            there &= (self._side * (corners[..., 2] - self._height) > 0.0).any(axis=1)
        self._faces, self._layers = corners[there] @ self._base.T, layer[there]
        self._colours = lit(colour[there], normal[there])
        # once painted: how near each pixel is, and where it is on the axes
        self._seen: tuple[np.ndarray, ...] = ()
        self.stale = True

    def draw(self, renderer: RendererBase) -> None:
        """Paint them."""
        if not self.get_visible() or not len(self._faces):
            return
        fine = renderer.get_image_magnification()
        origin, unit = fine * self.axes.transData.transform([[0.0, 0.0], [1.0, 1.0]])
        scale = unit - origin  # pixels a metre, to the right and upwards
        corners = np.concatenate(
            [self._faces[..., :2] * scale + origin, self._faces[..., 2:]], axis=-1
        )
        ends = fine * self.axes.bbox.extents
        low = np.floor(np.maximum(ends[:2], np.nanmin(corners[..., :2], axis=(0, 1)))).astype(int)
        high = np.ceil(np.minimum(ends[2:], np.nanmax(corners[..., :2], axis=(0, 1)))).astype(int)
        corners[..., :2] -= low
        size = np.maximum(high - low, 1)
        cut = np.zeros(4)  # of ``paint``: height over the cut, on the side that is shown
        if self._height is not None:
            slope = self._base[:, 2] / [*scale, 1.0]
            cut = self._side * np.append(slope, -slope[:2] @ (origin - low) - self._height)
        picture, depth = paint(corners, self._colours, self._layers, size, cut)
        self._seen = depth, origin - low, scale
        renderer.draw_image(renderer.new_gc(), *(low / fine), picture)

    def hides(self, points: np.ndarray) -> np.ndarray:
        """Whether points (k, 3) [m] are behind something opaque in the last picture, (k,) bool."""
        hidden = np.zeros(len(points), dtype=bool)
        if not self._seen:
            return hidden
        depth, origin, scale = self._seen
        place = np.asarray(points) @ self._base.T
        with np.errstate(invalid="ignore"):
            column, row = np.floor(place[:, :2] * scale + origin).T
            inside = (column >= 0) & (column < depth.shape[1]) & (row >= 0) & (row < depth.shape[0])
        nearest = depth[row[inside].astype(int), column[inside].astype(int)]
        hidden[inside] = nearest > place[inside, 2] + _BEFORE
        return hidden


class SpaceLine(Line2D):
    """A line through points (k, 3) [m], pale where something opaque is in front of it."""

    def __init__(self, solids: Solids, points: ArrayLike, **how: Any) -> None:
        super().__init__([], [], **how)
        self._solids = solids
        self.set_points(points)
        solids.axes.add_line(self)

    def set_points(self, points: ArrayLike) -> None:
        """Go through other points (k, 3) [m]."""
        self._points = np.asarray(points, float).reshape(-1, 3)
        self.set_data(*project(self._solids.view, self._points).T)

    def draw(self, renderer: RendererBase) -> None:
        """Draw what is hidden, then what is not."""
        points = _finer(self._points)
        hidden = self._solids.hides(points)
        if not hidden.any():
            return super().draw(renderer)
        whole, effects, alpha = self.get_data(), self.get_path_effects(), self.get_alpha()
        beside = hidden | np.append(hidden[1:], False) | np.append(False, hidden[:-1])
        places = project(self._solids.view, points)
        self._draw(
            renderer, np.where(beside[:, None], places, np.nan), [], _HIDDEN * (alpha or 1.0)
        )
        self._draw(renderer, np.where(hidden[:, None], np.nan, places), effects, alpha)
        return self.set_data(*whole)

    def _draw(
        self, renderer: RendererBase, places: np.ndarray, effects: list, alpha: float | None
    ) -> None:
        self.set(data=places.T, path_effects=effects, alpha=alpha)
        super().draw(renderer)


def _finer(points: np.ndarray) -> np.ndarray:
    """Points (m, 3) on the line through points (k, 3), these too, ``_STEP`` apart at most."""
    if not len(points):
        return points
    length = np.nan_to_num(np.linalg.norm(np.diff(points, axis=0), axis=1))
    pieces = np.maximum(1, np.ceil(length / _STEP)).astype(int)
    pieces = np.append(pieces, 1)  # the last point is one by itself
    begin = np.cumsum(pieces) - pieces  # of the pieces behind each point
    point = np.repeat(np.arange(len(points)), pieces)
    share = (np.arange(len(point)) - begin[point]) / pieces[point]
    after = np.minimum(point + 1, len(points) - 1)
    return points[point] + share[:, None] * (points[after] - points[point])


def lit(colours: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Colours (k, 4) of faces in the lights of the page, as three.js has them.

    The normals (k, 3) of the faces have any length. A face reflects in all directions alike what
    comes from a sky, which fades into the ground, and from a sun.
    """
    upright = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    share_of_sky = 0.5 + 0.5 * upright @ _SKY
    light = _SKY_LIGHT * (_GROUND + share_of_sky[:, None] * (1.0 - _GROUND))
    light += _SUN_LIGHT * np.maximum(upright @ _SUN, 0.0)[:, None]
    reflected = _linear(colours[:, :3]) * light / np.pi
    seen = 1.055 * reflected ** (1 / 2.4) - 0.055
    return np.column_stack([np.clip(seen, 0.0, 1.0), colours[:, 3]])


def _linear(colour: np.ndarray) -> np.ndarray:
    """How much light a colour of the screen stands for (sRGB without its short straight part)."""
    return ((np.asarray(colour) + 0.055) / 1.055) ** 2.4


# the lights of ``page/scene.js``
_SKY = np.array([0.0, 1.0, 0.0])
_GROUND = _linear(to_rgb("#a4a4b0"))
_SUN = np.array([0.6, -0.9, 1.6]) / np.linalg.norm([0.6, -0.9, 1.6])
_SKY_LIGHT = 2.5
_SUN_LIGHT = 1.5
