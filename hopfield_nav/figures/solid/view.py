"""Looking at the scene from one side: parallel projection, so that lengths stay comparable.

Everything is drawn on ordinary axes in metres of the picture plane. ``choose_view`` takes the side from which the arm
is hidden least and its path is seen longest.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hopfield_nav.geometry import capsule_distance
from hopfield_nav.world import Box, Cylinder, Mesh, Sphere, packed

_AZIMUTHS = range(-180, 180, 15)  # [degrees]
_ELEVATION = 26.0  # [degrees]
_RAY = (0.02, 1.58)  # [m] from and to where, towards the eye, something may hide the arm
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
    near, far = (points + share * view.toward for share in _RAY)
    rays = np.column_stack([near, far, np.zeros(len(points))])
    return float(1.0 - (capsule_distance(rays, packed(solids)) <= 0.0).any(axis=1).mean())


def _breadth(view: View, points: np.ndarray) -> float:
    """How broad the arm looks in its poses, as a share of how long it is."""
    across = np.ptp(points @ view.right, axis=1)
    return float((across / np.linalg.norm(np.ptp(points, axis=1), axis=1)).mean())


def _length(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
