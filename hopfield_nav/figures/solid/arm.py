"""The arm as it looks: its capsules as solids, in any pose."""

from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgba

from dynamics import Arm, forward_kinematics, link_frames
from hopfield_nav.figures import COLOURS
from hopfield_nav.figures.solid.faces import capsule_faces, inside_capsule

_TUBE = 2.5  # a capsule longer than this many radii is a tube, else a joint's housing
_STYLUS = 0.006  # [m] radius of the rod drawn from the flange to a tool point away from it


class Outline(NamedTuple):
    """The arm's faces (m, 4, 3) in link frames [m], the link (m,) of each, and its colour (m, 4)."""

    faces: np.ndarray
    link: np.ndarray
    colours: np.ndarray


def arm_outline(arm: Arm, sides: int = 20) -> Outline:
    """What the arm looks like, whatever its pose: its capsules, with so many faces around each."""
    parts = [_without_hidden(_capsule(row, len(arm.dh), sides), row, arm.capsules) for row in arm.capsules]
    if np.linalg.norm(arm.tool[:3, 3]) > 0.01:
        rod = np.concatenate([[len(arm.dh)], np.zeros(3), arm.tool[:3, 3], [_STYLUS]])
        parts.append(_capsule(rod, -1, sides))
    return Outline(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def pose_outline(arm: Arm, outline: Outline, q: np.ndarray) -> np.ndarray:
    """The faces (m, 4, 3) in base axes [m] at joint angles ``q`` (n,) [rad]."""
    frames = link_frames(arm, q)[outline.link]
    return np.einsum("mij,mkj->mki", frames[:, :3, :3], outline.faces) + frames[:, None, :3, 3]


def arm_points(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Ends of all capsules and the tool point, (..., 2 k + 1, 3) [m], to find the room that the arm needs."""
    frames = link_frames(arm, q)[..., arm.capsules[:, 0].astype(int), :, :]
    ends = [
        np.einsum("...kij,kj->...ki", frames[..., :3, :3], arm.capsules[:, c : c + 3]) + frames[..., :3, 3]
        for c in (1, 4)
    ]
    tool = forward_kinematics(arm, q)[..., None, :3, 3]
    return np.concatenate([*ends, tool], axis=-2)


def _capsule(row: np.ndarray, last: int, sides: int) -> Outline:
    """One capsule; the base stands flat, and the flange ends flat."""
    link, start, end, radius = int(row[0]), row[1:4], row[4:7], row[7]
    faces = capsule_faces(start, end, radius, sides)
    upright = np.allclose(start[:2], end[:2])
    if link == 0 and upright:
        faces[..., 2] = np.maximum(faces[..., 2], 0.0)
    elif link == last and upright:
        faces[..., 2] = np.minimum(faces[..., 2], 0.0)
    tube = np.linalg.norm(end - start) > _TUBE * radius
    colour = to_rgba(COLOURS.tube if tube else COLOURS.housing)
    return Outline(faces, np.full(len(faces), link), np.tile(colour, (len(faces), 1)))


def _without_hidden(part: Outline, own: np.ndarray, capsules: np.ndarray) -> Outline:
    """Without faces inside another capsule of the same link, which could only show through by mistake."""
    hidden = np.zeros(len(part.faces), dtype=bool)
    for row in capsules[capsules[:, 0] == own[0]]:
        if not np.array_equal(row, own):
            hidden |= inside_capsule(part.faces, row[1:4], row[4:7], 0.99 * row[7]).all(axis=1)
    return Outline(*(column[~hidden] for column in part))
