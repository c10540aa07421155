"""A straight line of the tool through poses, its rotation turned evenly on the shorter arc.

A place on the line is a number: 0 at the first pose, 1 at the second, 1.5 half-way to the third.

``rows_on_line`` adds rows of joint angles where a spline through the rows would leave the line.
Near a singularity the joints may turn by a tenth of a radian within a millimetre of tool motion.
There a row is put between two others, by numeric inverse kinematics, until the spline keeps to the
line.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from dynamics import Arm, BadInput, forward_kinematics, numeric_inverse_kinematics
from dynamics.inverse import as_poses
from dynamics.kernels.decorators import inlined, kernel

OFF_LINE = 1e-7  # [m] the tool may leave its line by this much halfway between rows
REFUSED = 1e-5  # [m] a path whose tool is further off has a jump of the joints
_HALF_TURN = 1e-6  # [rad] from π, up to which both arcs count as equally short
_ROUNDS = 6  # of halving
_NEAR = 0.5  # of the step between two rows: an inserted row lies no further from the spline
_BETWEEN = (0.1, 0.9)  # where between two rows of the tool's line a row may be inserted


class StraightLine(NamedTuple):
    """Poses and what leads from each to the next, as arrays for kernels."""

    poses: np.ndarray  # (m, 4, 4) T_base_tool
    shift: np.ndarray  # (m - 1, 3) of the tool point [m]
    # (m - 1, 3) rotation vector in the axes of the leg's first pose [rad]; at most π long, for a
    # half turn the other way round up to 1e-6 more
    turn: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """(m - 1,) distance that the tool point goes on each leg [m]."""
        return np.linalg.norm(self.shift, axis=1)

    @property
    def angles(self) -> np.ndarray:
        """(m - 1,) angle that the tool turns on each leg [rad]."""
        return np.linalg.norm(self.turn, axis=1)


def straight_line(poses: np.ndarray, flip: Sequence[int] = ()) -> StraightLine:
    """The line through poses (m, 4, 4), m from 2 on.

    Legs that ``flip`` names, from 0, are turned the other way round. Only a leg of half a turn (π
    to 1e-6) can also turn the other way round on an arc that is as short.

    Raises ``BadInput``: fewer than two poses, one that is not rigid, or ``flip`` names a leg
    without half a turn.

    Source: nowoczyn2023 (3.3), (3.4): Q1 (Q1⁻¹ Q2)^t is a turn about a fixed axis by t times the
    angle.
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
            what = "only half a turn has two ways round"
            allowed = f"legs {halves}" if halves else "none"
            raise BadInput(what, where="flip", found=leg, allowed=allowed)
        line.turn[leg] *= 1.0 - 2.0 * math.pi / line.angles[leg]
    return line


def flip_choices(line: StraightLine, most: int) -> list[tuple[int, ...]]:
    """Values of ``flip`` for legs of half a turn: none, each, two of them, …; at most ``most``."""
    halves = _half_turns(line)
    subsets = (itertools.combinations(halves, count) for count in range(len(halves) + 1))
    return list(itertools.islice(itertools.chain.from_iterable(subsets), most))


def _half_turns(line: StraightLine) -> list[int]:
    return np.nonzero(np.abs(line.angles - math.pi) <= _HALF_TURN)[0].tolist()


def poses_at(line: StraightLine, places: np.ndarray) -> np.ndarray:
    """Poses (..., 4, 4) of the tool at places (...) of the line, from 0 to m - 1.

    Raises ``BadInput``: a place beyond the line.
    """
    s = np.asarray(places, dtype=np.float64)
    if not ((s >= 0.0) & (s <= len(line.shift))).all():
        raise BadInput("beyond the line", found=s.tolist(), allowed=f"0 to {len(line.shift)}")
    return _poses_at(line, s.ravel()).reshape(*s.shape, 4, 4)


@kernel
def _poses_at(line: StraightLine, places: np.ndarray) -> np.ndarray:
    out = np.empty((places.size, 4, 4))
    for k in range(places.size):
        pose_at(line, places[k], out[k])
    return out


@inlined
def pose_at(line, place, T):
    """Write the pose (4, 4) at a place of the line.

    It is the pose at the beginning of the leg, shifted by a share of the leg and turned by a share
    of its angle about its axis k = (x, y, z): cos 1 + sin [k]× + (1 - cos) k k^T (Rodrigues).
    """
    leg = min(int(place), line.shift.shape[0] - 1)
    share = place - leg
    if share >= 1.0:  # a pose of its own, to the last bit
        leg += 1
        share = 0.0
    wx, wy, wz = 0.0, 0.0, 0.0
    if share > 0.0:
        wx, wy, wz = line.turn[leg, 0], line.turn[leg, 1], line.turn[leg, 2]
    angle = math.sqrt(wx * wx + wy * wy + wz * wz)
    scale = 1.0 / angle if angle > 0.0 else 0.0
    x, y, z = scale * wx, scale * wy, scale * wz
    c = math.cos(share * angle)
    s = math.sin(share * angle)
    v = 1.0 - c
    for i in range(3):
        # row i of the first rotation, times each column of the turn
        a, b, d = line.poses[leg, i, 0], line.poses[leg, i, 1], line.poses[leg, i, 2]
        T[i, 0] = a * (c + v * x * x) + b * (v * x * y + s * z) + d * (v * x * z - s * y)
        T[i, 1] = a * (v * x * y - s * z) + b * (c + v * y * y) + d * (v * y * z + s * x)
        T[i, 2] = a * (v * x * z + s * y) + b * (v * y * z - s * x) + d * (c + v * z * z)
        T[i, 3] = line.poses[leg, i, 3] + (share * line.shift[leg, i] if share > 0.0 else 0.0)
    T[3, 0], T[3, 1], T[3, 2], T[3, 3] = 0.0, 0.0, 0.0, 1.0


def rows_on_line(arm: Arm, rows: np.ndarray) -> np.ndarray:
    """Rows close enough that the cubic spline through them keeps the tool on its line.

    They are the given ones (k, n) [rad], all different, with the tool on one straight line, and
    others between.

    Raises ``BadInput``: the joints jump between two rows: no angles near the spline put the tool on
    its line there.
    """
    for _ in range(_ROUNDS):
        inserted = _corrected(arm, rows)
        if not inserted:
            break
        places = sorted(inserted)
        rows = np.insert(rows, np.array(places) + 1, [inserted[i] for i in places], axis=0)
    _, _, off = _halfway(arm, rows)
    if off.max() > REFUSED:
        worst = int(np.argmax(off))
        what = "the joints jump on a straight tool line"
        where = f"between joints {np.round(rows[worst], 3).tolist()} and the next row"
        found = f"the tool {off[worst]:.2g} m off its line"
        allowed = "rows of one branch, closer together"
        raise BadInput(what, where=where, found=found, allowed=allowed)
    return rows


def _halfway(arm: Arm, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The spline halfway between rows.

    Returns joint angles (k - 1, n), the share of the step between both rows' tool points at which
    the tool is nearest to the straight line (k - 1,), and its distance to that (k - 1,) [m].
    """
    s = path_positions(rows)
    q = CubicSpline(s, rows)(0.5 * (s[:-1] + s[1:]))
    on_line = forward_kinematics(arm, rows)[:, :3, 3]
    reached = forward_kinematics(arm, q)[:, :3, 3]
    start = on_line[:-1]
    step = np.diff(on_line, axis=0)
    square = np.maximum(np.sum(step**2, axis=1), 1e-18)
    share = np.clip(np.sum((reached - start) * step, axis=1) / square, 0.0, 1.0)
    off = np.linalg.norm(reached - start - share[:, None] * step, axis=1)
    return q, share, off


def _corrected(arm: Arm, rows: np.ndarray) -> dict[int, np.ndarray]:
    """Rows to insert, by the row before, where the tool is off its line halfway to the next row."""
    q, shares, off = _halfway(arm, rows)
    poses = forward_kinematics(arm, rows)
    step = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)
    turns_alone = step < 1e-9  # there is no step to take a share of
    inserted = {}
    for i in np.flatnonzero(off > OFF_LINE):
        share = 0.5 if turns_alone[i] else min(max(shares[i], _BETWEEN[0]), _BETWEEN[1])
        target = poses_at(straight_line(poses[i : i + 2]), np.array(share))
        solution = numeric_inverse_kinematics(arm, target, q[i], tolerance=1e-11, max_iterations=50)
        near = np.abs(solution.q - q[i]).max() < _NEAR * np.abs(rows[i + 1] - rows[i]).max()
        if near and solution.error < 1e-9:
            inserted[int(i)] = solution.q
    return inserted


def path_positions(rows: np.ndarray) -> np.ndarray:
    """(k,) length of the joint path up to each row [rad], the sum of straight steps."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rows, axis=0), axis=1))])
