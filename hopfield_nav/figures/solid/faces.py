"""Solids as four-cornered faces: capsules, boxes, upright cylinders, a world's obstacles, and the arm."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgba

from dynamics import Arm, forward_kinematics, link_frames
from hopfield_nav import world
from hopfield_nav.build import all_solids, endless_cylinders
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.record import Run

BELOW, ABOVE = 0.05, 0.10  # [m] how far cylinders without end are drawn below and above the plane
_STEP = 1e-6  # [m]


def obstacle_faces(run: Run, plane: float, top: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Faces (k, 4, 3) [m] of the obstacles below a plane at this height [m], and of those above or cut by it.

    Cylinders without end are drawn up to ``top`` [m], by default a little above the plane.
    """
    circles = endless_cylinders(run.world)
    below = wall_faces(circles, plane - BELOW, plane, bands=1, lid=False)
    above = wall_faces(circles, plane, plane + ABOVE if top is None else top)
    faces = points_of_solids(run).reshape(-1, 4, 3)
    under = faces[..., 2].max(axis=1) <= plane
    return np.concatenate([below, faces[under]]), np.concatenate([above, faces[~under]])


def faces_of_solids(solids: Sequence[world.Box | world.Cylinder | world.Mesh | world.Sphere]) -> list[np.ndarray]:
    """Faces (m, 4, 3) [m] of each solid, all of them with ends, without those that lead into another."""
    return [
        _outside(_faces(solid), [other for j, other in enumerate(solids) if j != k]) for k, solid in enumerate(solids)
    ]


def points_of_solids(run: Run) -> np.ndarray:
    """Corners (k, 3) [m] of the solids that have ends, to find the room that a picture needs."""
    given = [s for s in all_solids(run.world) if not isinstance(s, world.Floor)]
    solids = [s for s in given if not isinstance(s, world.Cylinder) or s.height is not None]
    return np.concatenate([part.reshape(-1, 3) for part in faces_of_solids(solids)] or [np.zeros((0, 3))])


def floor_heights(run: Run) -> list[float]:
    """Heights [m] of the world's floors."""
    return [solid.height for solid in all_solids(run.world) if isinstance(solid, world.Floor)]


def capsule_faces(start: np.ndarray, end: np.ndarray, radius: float, sides: int = 20, rings: int = 5) -> np.ndarray:
    """Faces (m, 4, 3) of a cylinder with round ends of so many rings; its ends (3,) may coincide [m]."""
    axis = np.asarray(end, float) - start
    length = float(np.linalg.norm(axis))
    axis = axis / length if length > 0 else np.array([0.0, 0.0, 1.0])
    across = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.9 else [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    third = np.cross(axis, across)
    bands = max(1, int(np.ceil(length / (0.7 * radius))))  # short faces sort well by distance
    tilt, along = _profile(length, radius, rings, bands)
    turn = np.linspace(0.0, 2 * np.pi, sides + 1)
    circle = np.cos(turn)[:, None] * across + np.sin(turn)[:, None] * third
    rows = start + along[:, None, None] * axis + radius * np.cos(tilt)[:, None, None] * circle
    return _between_rows(rows)


def inside_capsule(points: np.ndarray, start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    """Whether points (..., 3) lie in a capsule."""
    axis = np.asarray(end, float) - start
    share = np.clip((points - start) @ axis / max(float(axis @ axis), 1e-12), 0.0, 1.0)
    return np.linalg.norm(points - start - share[..., None] * axis, axis=-1) < radius


def wall_faces(
    circles: np.ndarray, bottom: float, top: float, sides: int = 44, bands: int = 2, lid: bool = True
) -> np.ndarray:
    """Faces (m, 4, 3) of upright cylinders, ``circles`` (k, 3) [x, y, radius] from bottom to top [m].

    Those that lie inside another cylinder are left out; a lid closes the top. There are ``sides`` faces around, and
    ``bands`` upwards.
    """
    parts = []
    for k, (x, y, radius) in enumerate(circles):
        turn = np.linspace(0.0, 2 * np.pi, sides + 1)
        ring = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=-1)
        base = np.array([x, y, 0.0])
        heights = np.linspace(bottom, top, bands + 1)
        side = _between_rows(np.stack([base + radius * ring + [0, 0, z] for z in heights]))
        parts.append(side[~_inside(side, np.delete(circles, k, axis=0))])
        if lid:
            shares = np.linspace(1.0, 0.0, 4)
            disc = _between_rows(np.stack([base + s * radius * ring + [0, 0, top] for s in shares]))
            parts.append(disc[~_inside(disc, circles[:k])])
    return np.concatenate(parts) if parts else np.zeros((0, 4, 3))


def drum_faces(center: np.ndarray, radius: float, low: float, high: float) -> np.ndarray:
    """Faces (m, 4, 3) of an upright cylinder about (2,), its ends flat at ``low`` and ``high`` [m]."""
    bands = max(2, int(np.ceil((high - low) / (0.7 * radius))))
    side = wall_faces(np.array([[*center, radius]]), low, high, 44, bands)
    bottom = side[side[:, :, 2].min(axis=1) == high][:, ::-1] - [0.0, 0.0, high - low]
    return np.concatenate([side, bottom])


def box_faces(center: np.ndarray, size: np.ndarray, rotation: np.ndarray, cells: int = 10) -> np.ndarray:
    """Faces (m, 4, 3) of a box with edges (3,) [m], cut into small ones, which sort well by distance.

    ``rotation`` is R_base_box; ``cells`` small faces lie along an edge.
    """
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, cells + 1), np.linspace(-0.5, 0.5, cells + 1), indexing="xy")
    parts = []
    for k in range(3):
        for end in (-0.5, 0.5):
            points = np.zeros((*u.shape, 3))
            points[..., k] = end
            first, second = ((k + 1) % 3, (k + 2) % 3) if end > 0 else ((k + 2) % 3, (k + 1) % 3)
            points[..., first], points[..., second] = u, v
            parts.append(_between_rows(points))
    return (np.concatenate(parts) * size) @ np.asarray(rotation).T + center


def _faces(solid: world.Box | world.Cylinder | world.Mesh | world.Sphere) -> np.ndarray:
    if isinstance(solid, world.Sphere):
        center = np.array(solid.center)
        return capsule_faces(center, center, solid.radius, sides=36, rings=10)
    if isinstance(solid, world.Box):
        return box_faces(np.array(solid.center), np.array(solid.size), np.array(solid.rotation))
    if isinstance(solid, world.Mesh):
        return solid.triangles[:, [0, 1, 2, 2]]
    low, high = solid.height or (0.0, 0.0)
    return drum_faces(np.array(solid.center), solid.radius, low, high)


def _outside(faces: np.ndarray, others: Sequence[world.Solid]) -> np.ndarray:
    """Without the faces (m, 4, 3) that lead into another solid, where two touch or overlap."""
    normal = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    length = np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    middle = faces.mean(axis=1, keepdims=True)
    just_outside = middle + 0.99 * (faces - middle) + _STEP * (normal / length)[:, None]
    hidden = np.zeros(len(faces), dtype=bool)
    for solid in others:
        hidden |= solid.contains(*np.moveaxis(just_outside, 2, 0)).all(axis=1)
    return faces[~hidden]


def _profile(length: float, radius: float, rings: int, bands: int) -> tuple[np.ndarray, np.ndarray]:
    """Angle of the surface and place along the axis [m] of each ring of a capsule, from end to end."""
    cap = np.linspace(0.0, np.pi / 2, rings + 1)
    tilt = np.concatenate([-cap[::-1], np.zeros(bands - 1), cap])
    straight = np.linspace(0.0, length, bands + 1)[1:-1]
    shift = np.concatenate([np.zeros(rings + 1), straight, np.full(rings + 1, length)])
    return tilt, radius * np.sin(tilt) + shift


def _between_rows(rows: np.ndarray) -> np.ndarray:
    """Faces between neighbouring rows of points (r, s + 1, 3), counter-clockwise from outside."""
    corners = np.stack([rows[:-1, :-1], rows[:-1, 1:], rows[1:, 1:], rows[1:, :-1]], axis=2)
    return corners.reshape(-1, 4, 3)


def _inside(faces: np.ndarray, circles: np.ndarray) -> np.ndarray:
    """Whether the middle of each face lies in one of the circles (k, 3)."""
    middle = faces.mean(axis=1)[:, None, :2]
    distance = np.linalg.norm(middle - circles[None, :, :2], axis=2)
    return np.any(distance < 0.99 * circles[None, :, 2], axis=1)


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
    elif link == last and upright and max(start[2], end[2]) <= 0.0:  # what is beyond belongs to the tool
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
