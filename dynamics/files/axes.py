"""Denavit-Hartenberg rows for joint axes that lie anywhere.

Frame i - 1 has its z axis along joint i (ragazzon2012 3.2.1); the common normal of two neighbouring
axes gives the x axis, and so a, alpha, d and theta. Where the rule leaves a choice:

- parallel axes: d = 0, as in the tables of the UR arms;
- direction of x: the first makes alpha_1 positive, the others turn least from the one before;
- the frame at the end: the given tip is reached with as few of a, alpha as it takes, and what is
  left over (a turn about and a shift along its own z axis) goes to the tool frame.

Files round quarter turns: axes within ``PARALLEL`` of parallel count as parallel, and so do angles
within it of a quarter turn; lengths below ``SHORT`` are zero.
"""

import math

import numpy as np

PARALLEL = 1e-8  # [rad]
SHORT = 1e-9  # [m]


def base_frame(point: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Frame 0 (4, 4), T_root_0, for a first joint whose axis goes through ``point`` [m].

    ``axis`` is its unit vector. The frame's origin is where the axis passes the root's origin, z
    along the axis, x as near as can be to the root's x axis (y axis where x is along the joint). It
    is the root's own frame when its z axis is the joint's.
    """
    z = axis / np.linalg.norm(axis)
    along_root = np.round(axis)
    if np.abs(axis - along_root).max() < PARALLEL:
        z = along_root
    origin = point - (point @ z) * z
    origin = np.where(np.abs(origin) < SHORT, 0.0, origin)
    root_x, root_y, _ = np.eye(3)
    near = root_x if abs(z[0]) < 0.9 else root_y
    x = near - (near @ z) * z
    return _frame(origin, x / np.linalg.norm(x), z)


def dh_from_axes(
    points: np.ndarray, axes: np.ndarray, T_root_0: np.ndarray, T_root_tip: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Denavit-Hartenberg rows of a chain, from its axes at angles zero.

    An axis goes through a point [m] along a unit vector, ``points`` and ``axes`` (n, 3). All is in
    root axes, the frames 0 (of ``base_frame``) and tip (4, 4) too. The rows (n, 4) are
    [theta offset, d, a, alpha] [rad, m]; with them come the frames (n + 1, 4, 4) at joint angles
    zero.

    Source: ragazzon2012 3.2.1 (the convention).
    """
    ends = [*zip(points[1:], axes[1:], strict=True), (T_root_tip[:3, 3], T_root_tip[:3, 2])]
    rows, frames = [], [T_root_0]
    for i, (point, axis) in enumerate(ends):
        tip_x = T_root_tip[:3, 0] if i == len(ends) - 1 else None
        row, frame = _next(frames[-1], point, axis, tip_x, first=i == 0)
        rows.append(row)
        frames.append(frame)
    return np.array(rows), np.array(frames)


def _next(
    frame: np.ndarray, point: np.ndarray, axis: np.ndarray, tip_x: np.ndarray | None, first: bool
) -> tuple[list[float], np.ndarray]:
    """One row and the frame that it leads to; ``tip_x`` is the tip's x axis, at the end alone."""
    x, z, origin = frame[:3, 0], frame[:3, 2], frame[:3, 3]
    normal = np.cross(z, axis)
    if np.linalg.norm(normal) > PARALLEL:
        normal /= np.linalg.norm(normal)
        if not first and normal @ x < -SHORT:
            normal = -normal
        d, a, _ = np.linalg.solve(np.column_stack([z, normal, -axis]), point - origin)
    else:
        d, a, normal = _parallel(x, z, point - origin, tip_x)
    theta = math.atan2(np.cross(x, normal) @ z, x @ normal)
    alpha = math.atan2(np.cross(z, axis) @ normal, z @ axis)
    row = [_quarter(theta), _length(d), _length(a), _quarter(alpha)]
    return row, _frame(origin + d * z + a * normal, normal, np.asarray(axis))


def _parallel(
    x: np.ndarray, z: np.ndarray, away: np.ndarray, tip_x: np.ndarray | None
) -> tuple[float, float, np.ndarray]:
    """d, a and the x axis where the next axis is parallel to z, ``away`` (3,) from the origin."""
    along = float(away @ z)
    across = away - along * z
    a = float(np.linalg.norm(across))
    d = 0.0 if tip_x is None else along
    if a < SHORT:
        return d, 0.0, x if tip_x is None else tip_x
    normal = across / a
    return (d, -a, -normal) if normal @ x < -SHORT else (d, a, normal)


def _frame(origin: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    z = z / np.linalg.norm(z)
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    frame = np.eye(4)
    frame[:3, 0], frame[:3, 1], frame[:3, 2], frame[:3, 3] = x, np.cross(z, x), z, origin
    return frame


def _quarter(angle: float) -> float:
    """The angle, or the quarter turn that it nearly is."""
    count = round(angle / (math.pi / 2))
    return count * (math.pi / 2) if abs(angle - count * (math.pi / 2)) < PARALLEL else angle


def _length(value: float) -> float:
    return 0.0 if abs(value) < SHORT else float(value)
