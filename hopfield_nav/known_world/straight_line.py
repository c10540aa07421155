"""A straight line of the tool through poses, its rotation turned evenly on the shorter arc.

A place on the line is a number: 0 at the first pose, 1 at the second, 1.5 half-way to the third.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from dynamics.compiled import inlined, kernel
from dynamics.errors import BadInput
from dynamics.poses import as_poses

_HALF_TURN = 1e-6  # [rad] from π, up to which both arcs count as equally short


class StraightLine(NamedTuple):
    """Poses and what leads from each to the next, as arrays for kernels.

    Attributes:
        poses: (m, 4, 4) T_base_tool.
        shift: (m - 1, 3) of the tool point [m].
        turn: (m - 1, 3) rotation vector in the axes of the leg's first pose [rad]; at most π long, for a
            half turn the other way round up to 1e-6 more.
    """

    poses: np.ndarray
    shift: np.ndarray
    turn: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """(m - 1,) way of the tool point on each leg [m]."""
        return np.linalg.norm(self.shift, axis=1)

    @property
    def angles(self) -> np.ndarray:
        """(m - 1,) angle that the tool turns on each leg [rad]."""
        return np.linalg.norm(self.turn, axis=1)


def straight_line(poses: np.ndarray, flip: Sequence[int] = ()) -> StraightLine:
    """The line through poses.

    Args:
        poses: (m, 4, 4) T_base_tool, m from 2 on.
        flip: numbers of legs, from 0, to be turned the other way round. Only a leg of half a turn (π to
            1e-6) has another way that is as short.

    Raises:
        BadInput: fewer than two poses, one that is not rigid, or ``flip`` names a leg without half a turn.

    Source: nowoczyn2023 (3.3), (3.4): Q1 (Q1⁻¹ Q2)^t is a turn about a fixed axis by t times the angle.
    """
    rows, lead = as_poses(poses, "poses")
    if len(lead) != 1 or len(rows) < 2:
        raise BadInput("a line needs two poses or more", found=np.shape(poses), allowed="(m, 4, 4)")
    R = rows[:, :3, :3]
    turn = Rotation.from_matrix(R[:-1].transpose(0, 2, 1) @ R[1:]).as_rotvec()
    line = StraightLine(rows, np.diff(rows[:, :3, 3], axis=0), np.ascontiguousarray(turn))
    halves = _half_turns(line)
    for leg in flip:
        if leg not in halves:
            allowed = f"legs {halves}" if halves else "none"
            raise BadInput("only half a turn has two ways round", where="flip", found=leg, allowed=allowed)
        line.turn[leg] *= 1.0 - 2.0 * math.pi / line.angles[leg]
    return line


def ways_round(line: StraightLine, most: int) -> list[tuple[int, ...]]:
    """Values of ``flip`` for a line's legs of half a turn: none, then each, then two of them, and so on.

    Args:
        line: from ``straight_line``.
        most: how many of them, at most.
    """
    halves = _half_turns(line)
    subsets = (itertools.combinations(halves, count) for count in range(len(halves) + 1))
    return list(itertools.islice(itertools.chain.from_iterable(subsets), most))


def _half_turns(line: StraightLine) -> list[int]:
    return np.nonzero(np.abs(line.angles - math.pi) <= _HALF_TURN)[0].tolist()


def poses_at(line: StraightLine, places: np.ndarray) -> np.ndarray:
    """Poses of the tool at places of the line.

    Args:
        line: from ``straight_line``.
        places: (...) from 0 to m - 1.

    Returns:
        (..., 4, 4).

    Raises:
        BadInput: a place beyond the line.
    """
    s = np.asarray(places, dtype=np.float64)
    if not ((s >= 0.0) & (s <= len(line.shift))).all():
        raise BadInput("beyond the line", found=s.tolist(), allowed=f"0 to {len(line.shift)}")
    return _poses_at(line, s.ravel()).reshape(*s.shape, 4, 4)


@inlined
def pose_at(line, place, T):
    """Write the pose (4, 4) at a place of the line."""
    leg = min(int(place), line.shift.shape[0] - 1)
    share, poses = place - leg, line.poses
    if share >= 1.0:  # a pose of its own, to the last bit
        leg, share = leg + 1, 0.0
    wx, wy, wz = 0.0, 0.0, 0.0
    if share > 0.0:
        wx, wy, wz = line.turn[leg, 0], line.turn[leg, 1], line.turn[leg, 2]
    angle = math.sqrt(wx * wx + wy * wy + wz * wz)
    scale = 1.0 / angle if angle > 0.0 else 0.0
    x, y, z = scale * wx, scale * wy, scale * wz
    c, s = math.cos(share * angle), math.sin(share * angle)
    v = 1.0 - c
    for i in range(3):
        a, b, d = poses[leg, i, 0], poses[leg, i, 1], poses[leg, i, 2]
        T[i, 0] = a * (c + v * x * x) + b * (v * x * y + s * z) + d * (v * x * z - s * y)
        T[i, 1] = a * (v * x * y - s * z) + b * (c + v * y * y) + d * (v * y * z + s * x)
        T[i, 2] = a * (v * x * z + s * y) + b * (v * y * z - s * x) + d * (c + v * z * z)
        T[i, 3] = poses[leg, i, 3] + (share * line.shift[leg, i] if share > 0.0 else 0.0)
    T[3, 0], T[3, 1], T[3, 2], T[3, 3] = 0.0, 0.0, 0.0, 1.0


@kernel
def _poses_at(line: StraightLine, places: np.ndarray) -> np.ndarray:
    out = np.empty((places.size, 4, 4))
    for k in range(places.size):
        pose_at(line, places[k], out[k])
    return out
