"""Looking at the scene from one side: parallel projection, so that lengths stay comparable.

Everything is drawn on ordinary axes in metres of the picture plane; nearer faces are drawn later. ``choose_view``
takes the side from which the arm is hidden least and its path is seen longest.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hopfield_nav.world import Box, Cylinder, Mesh, Sphere

_LAMP = np.array([-0.45, 0.70, 0.55])  # towards the lamp: right, up, towards the eye
_AZIMUTHS = range(-180, 180, 15)  # [degrees]
_ELEVATION = 26.0  # [degrees]
_RAY = np.arange(0.02, 1.6, 0.02)  # [m] towards the eye, where something may hide the arm
_MAX_POINTS = 400  # points that are looked at


class View(NamedTuple):
    """Right, up and towards the eye: three unit vectors (3,) in base axes."""

    right: np.ndarray
    up: np.ndarray
    toward: np.ndarray


def make_view(azimuth: float = 58.0, elevation: float = 34.0) -> View:
    """A view from the azimuth of the eye, from the x axis towards y, and its elevation [degrees]."""
    a, e = np.radians([azimuth, elevation])
    toward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    return View(right, np.cross(toward, right), toward)


def project(view: View, points: np.ndarray) -> np.ndarray:
    """Points (..., 3) [m] as they appear, (..., 2) [m]."""
    return np.stack([points @ view.right, points @ view.up], axis=-1)


def shade(
    view: View, faces: np.ndarray, colours: np.ndarray, lift: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The faces that are seen, farthest first, (k, 4, 2) [m], and their colours in the light (k, 4).

    Faces (m, 4, 3) [m] are counter-clockwise from outside; a triangle repeats its last corner. ``lift`` (m,) is how
    much nearer to the eye a face counts, which decides between two at one place [m].
    """
    normal = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    length = np.linalg.norm(normal, axis=1)
    facing = normal @ view.toward
    seen = facing > 1e-6 * np.maximum(length, 1e-12)
    faces, colours, facing = faces[seen], colours[seen].copy(), facing[seen] / length[seen]
    lamp = _LAMP @ np.stack(view) / np.linalg.norm(_LAMP)
    lit = np.maximum(normal[seen] @ lamp / length[seen], 0.0)
    brightness = (0.62 + 0.42 * lit) * (0.68 + 0.32 * np.sqrt(facing))  # the rim is darker: an outline
    colours[:, :3] = np.clip(colours[:, :3] * brightness[:, None], 0.0, 1.0)
    near = faces.mean(axis=1) @ view.toward + (0.0 if lift is None else lift[seen])
    order = np.argsort(near, kind="stable")
    return project(view, faces[order]), colours[order]


def choose_view(solids: Sequence[Box | Cylinder | Mesh | Sphere], points: np.ndarray) -> View:
    """The one of 24 views, all from a little above, from which an arm among solids is seen best.

    ``points`` (k, p, 3) are of the arm in k poses, the tool point last [m].
    """
    views = [make_view(azimuth, _ELEVATION) for azimuth in _AZIMUTHS]
    chosen = points.reshape(-1, 3)[:: max(1, points.shape[0] * points.shape[1] // _MAX_POINTS)]
    tool = points[:, -1]
    spread = [_length(project(view, tool)) for view in views]
    middle = tool.mean(axis=0)
    scores = [
        6.0 * seen_share(solids, chosen, view)
        + 2.0 * seen_share(solids, tool, view)
        + length / max(_length(tool), 1e-9)
        + 2.0 * _breadth(view, points)
        + 0.5 * float(view.toward @ middle) / max(float(np.linalg.norm(middle)), 1e-9)  # the tool in front
        for view, length in zip(views, spread, strict=True)
    ]
    return views[int(np.argmax(scores))]


def seen_share(solids: Sequence[Box | Cylinder | Mesh | Sphere], points: np.ndarray, view: View) -> float:
    """Share of points (k, 3) [m] with no solid between them and the eye."""
    rays = points[:, None] + _RAY[:, None] * view.toward
    hidden = np.zeros(rays.shape[:2], dtype=bool)
    for solid in solids:
        hidden |= solid.contains(*np.moveaxis(rays, 2, 0))
    return float(1.0 - hidden.any(axis=1).mean())


def _breadth(view: View, points: np.ndarray) -> float:
    """How broad the arm looks in its poses, as a share of how long it is."""
    across = np.ptp(points @ view.right, axis=1)
    return float((across / np.linalg.norm(np.ptp(points, axis=1), axis=1)).mean())


def _length(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
