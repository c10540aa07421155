"""Solids as faces with four corners, counter-clockwise from outside: of boxes, the arm, others."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgba
from numpy.typing import ArrayLike

from dynamics import Arm, forward_kinematics, link_frames
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.geometry import arm_parts
from hopfield_nav.world import Box, Cylinder, Floor, Mesh, Solid, Sphere

_SIDES = 36  # around what is round
_FOOT = 0.06  # [m]
_HALF_TURN = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 19)


class Outline(NamedTuple):
    """The arm's faces (m, 4, 3) in link frames [m], the link (m,) of each, its colour (m, 4)."""

    faces: np.ndarray
    link: np.ndarray
    colours: np.ndarray


def arm_outline(arm: Arm, sides: int = _SIDES) -> Outline:
    """What the arm looks like, whatever its pose, with so many faces around each part."""
    parts = arm_parts(arm)
    faces = [turned_faces(part["start"], part["along"], part["outline"], sides) for part in parts]
    count = [len(part) for part in faces]
    colours = [to_rgba(getattr(COLOURS, part["kind"])) for part in parts]
    link = [part["link"] for part in parts]
    return Outline(np.concatenate(faces), np.repeat(link, count), np.repeat(colours, count, axis=0))


def pose_outline(arm: Arm, outline: Outline, q: np.ndarray) -> np.ndarray:
    """The faces (m, 4, 3) in base axes [m] at joint angles ``q`` (n,) [rad]."""
    faces = np.empty_like(outline.faces)
    for link, frame in enumerate(link_frames(arm, q)):
        own = outline.link == link
        faces[own] = outline.faces[own] @ frame[:3, :3].T + frame[:3, 3]
    return faces


def arm_points(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Ends of all capsules and the tool point, (..., 2 k + 1, 3) [m].

    They say which room the arm needs.
    """
    frames = link_frames(arm, q)[..., arm.capsules[:, 0].astype(int), :, :]
    ends = [
        np.einsum("...kij,kj->...ki", frames[..., :3, :3], arm.capsules[:, c : c + 3])
        + frames[..., :3, 3]
        for c in (1, 4)
    ]
    tool = forward_kinematics(arm, q)[..., None, :3, 3]
    return np.concatenate([*ends, tool], axis=-2)


def foot(ground: float) -> tuple[np.ndarray, np.ndarray]:
    """Faces (m, 4, 3) [m] and colour (4,) of what the base stands on if the ground lies lower."""
    outline = [(_FOOT, min(ground, 0.0)), (_FOOT, 0.0)]
    return turned_faces(np.zeros(3), [0.0, 0.0, 1.0], outline), np.array(to_rgba(COLOURS.grid))


def faces_of(solids: Sequence[Solid], low: float = 0.0, high: float = 0.0) -> np.ndarray:
    """Faces (m, 4, 3) [m] of solids but floors.

    Upright cylinders without end are drawn from ``low`` to ``high``.
    """
    parts = [_faces(solid, low, high) for solid in solids if not isinstance(solid, Floor)]
    return np.concatenate([*parts, np.zeros((0, 4, 3))])


def _faces(solid: Box | Cylinder | Mesh | Sphere, low: float, high: float) -> np.ndarray:
    if isinstance(solid, Sphere):
        half = solid.radius * np.stack([np.cos(_HALF_TURN), np.sin(_HALF_TURN)], axis=1)
        return turned_faces(solid.center, [0.0, 0.0, 1.0], half)
    if isinstance(solid, Box):
        return box_faces(np.array(solid.center), np.array(solid.size), np.array(solid.rotation))
    if isinstance(solid, Mesh):
        return solid.triangles[:, [0, 1, 2, 2]]
    low, high = solid.height or (low, high)
    outline = [(0.0, low), (solid.radius, low), (solid.radius, high), (0.0, high)]
    return turned_faces([*solid.center, 0.0], [0.0, 0.0, 1.0], outline)


def turned_faces(
    start: ArrayLike, along: ArrayLike, outline: ArrayLike, sides: int = _SIDES
) -> np.ndarray:
    """Faces (m, 4, 3) [m] of what an outline makes as it turns about a line.

    The line goes from ``start`` along a unit vector. The outline (k, 2) has rows of a radius and a
    distance from ``start``.
    """
    axis = np.asarray(along, dtype=np.float64)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    turn = np.append(np.linspace(0.0, 2 * np.pi, sides + 1)[:-1], 0.0)[:, None]
    circle = np.cos(turn) * across + np.sin(turn) * np.cross(axis, across)
    radius, distance = np.array(outline).T[..., None, None]
    rows = np.array(start) + distance * axis + radius * circle
    return np.stack([rows[:-1, :-1], rows[:-1, 1:], rows[1:, 1:], rows[1:, :-1]], axis=2).reshape(
        -1, 4, 3
    )


def box_faces(center: np.ndarray, size: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Faces (6, 4, 3) of a box with edges (3,) [m]; ``rotation`` is R_base_box."""
    # of a box with edges of length 2: the faces at both ends of the third axis
    upper = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]])
    lower = -upper[::-1]
    faces = []
    for axis in range(3):  # and those of the other axes, which follow around
        faces.append(np.roll(upper, axis, axis=1))
        faces.append(np.roll(lower, axis, axis=1))
    return (0.5 * size * np.array(faces)) @ np.asarray(rotation).T + center
