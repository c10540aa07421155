"""Looking at the scene from one side: parallel projection, so that lengths stay comparable.

Everything is drawn on ordinary axes in metres of the picture plane; nearer faces are drawn later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_LAMP = np.array([-0.45, 0.70, 0.55])  # towards the lamp: right, up, towards the eye


class View(NamedTuple):
    """Right, up and towards the eye: three unit vectors (3,) in base axes."""

    right: np.ndarray
    up: np.ndarray
    toward: np.ndarray


def make_view(azimuth: float = 58.0, elevation: float = 34.0) -> View:
    """A view from a direction.

    Args:
        azimuth: of the eye, from the x axis towards y [degrees].
        elevation: of the eye above the plane [degrees].
    """
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
    """The faces that are seen, farthest first, with their colours in the light.

    Args:
        view: the view.
        faces: (m, 4, 3) corners, counter-clockwise from outside; a triangle repeats its last corner [m].
        colours: (m, 4) red, green, blue, alpha.
        lift: (m,) how much nearer to the eye a face counts, which decides between two at one place [m].

    Returns:
        (k, 4, 2) corners in the picture [m] and (k, 4) colours.
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
