"""From which side a cell is looked at: where the arm is hidden least, and its way is seen longest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopfield_nav.figures.view import View, make_view, project
from hopfield_nav.obstacle_kinds import Box, Cylinder, Sphere

_AZIMUTHS = range(-180, 180, 15)  # [degrees]
_ELEVATION = 26.0  # [degrees]
_RAY = np.arange(0.02, 1.6, 0.02)  # [m] towards the eye, where something may be in the way
_MOST = 400  # points that are looked at


def choose_view(solids: Sequence[Box | Cylinder | Sphere], points: np.ndarray) -> View:
    """The side from which an arm in a cell is seen best.

    Args:
        solids: what may hide it.
        points: (k, p, 3) of the arm in k poses, the tool point last [m].

    Returns:
        One of 24 views, all from a little above.
    """
    views = [make_view(azimuth, _ELEVATION) for azimuth in _AZIMUTHS]
    chosen = points.reshape(-1, 3)[:: max(1, points.shape[0] * points.shape[1] // _MOST)]
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


def seen_share(solids: Sequence[Box | Cylinder | Sphere], points: np.ndarray, view: View) -> float:
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
