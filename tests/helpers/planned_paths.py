"""Paths of the joints that several tests use."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from poses import HOME as HOME
from scipy.spatial.transform import Rotation

from dynamics import forward_kinematics, inverse_kinematics
from hopfield_nav.extensions.known_world import PlannedPath
from hopfield_nav.loop import Trajectory, values_at


def planned_path(q, kind: str, corners) -> PlannedPath:
    q = np.asarray(q, dtype=float)
    return PlannedPath(q, kind, np.asarray(corners), float(np.abs(np.diff(q, axis=0)).sum()))


def direct_path(points, rows: int = 2) -> PlannedPath:
    """Straight in joint space from point to point, ``rows`` rows a leg."""
    points = np.asarray(points, dtype=float)
    legs = [a + (b - a) * np.arange(rows - 1)[:, None] / (rows - 1) for a, b in pairwise(points)]
    corners = np.arange(len(points)) * (rows - 1)
    return planned_path(np.vstack([*legs, points[-1:]]), "direct", corners)


def line_path(arm, start, shifts, turn=(0, 0, 0), step: float = 1e-3) -> PlannedPath:
    """The tool goes straight by each of ``shifts`` [m] and turns by ``turn`` [rad], rows ``step`` apart."""
    rows, corners = [np.asarray(start, dtype=float)], [0]
    for shift in np.atleast_2d(shifts):
        pose = forward_kinematics(arm, rows[-1])
        count = int(np.ceil(np.linalg.norm(shift) / step))
        for share in np.arange(1, count + 1) / count:
            target = pose.copy()
            target[:3, 3] += share * np.asarray(shift)
            target[:3, :3] = (
                Rotation.from_rotvec(share * np.asarray(turn)).as_matrix() @ pose[:3, :3]
            )
            rows.append(nearest(inverse_kinematics(arm, target), rows[-1]))
        corners.append(len(rows) - 1)
    return planned_path(rows, "shortest", corners)


def nearest(solutions, last):
    """The solution closest to ``last``, in the turn that is closest."""
    change = np.angle(np.exp(1j * (solutions - last)))
    return last + change[np.argmin(np.abs(change).sum(axis=1))]


def off_line(arm, line: PlannedPath, q, corner: int = 0):
    """Distance of the tool from the straight line after a corner, (m,) [m]."""
    first, last = forward_kinematics(arm, line.q[line.corners[corner : corner + 2]])[:, :3, 3]
    along = (last - first) / np.linalg.norm(last - first)
    apart = forward_kinematics(arm, q)[..., :3, 3] - first
    return np.linalg.norm(apart - (apart @ along)[..., None] * along, axis=-1)


REST = 1e-7  # [rad, rad/s] rounding of a rest at a corner


def corner_times(path: PlannedPath, trajectory: Trajectory) -> np.ndarray:
    """Times (c,) [s] at which a trajectory from ``time_path`` rests at the corners of its path, the first 0.

    A corner that is where the one before is has the same time.
    """
    q, qd, _ = values_at(trajectory, trajectory.knots)
    still = np.abs(qd).max(axis=1) < REST
    rows, row = [], 0
    for corner in path.corners:
        there = np.flatnonzero(still[row:] & (np.abs(q[row:] - path.q[corner]).max(axis=1) < REST))
        assert len(there), f"no rest at path.q, row {corner}"
        row += int(there[0])
        rows.append(row)
    return trajectory.knots[rows]
