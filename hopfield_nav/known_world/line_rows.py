"""More rows on a straight tool line, where the joints turn fast from row to row.

Near a singularity the joints may turn by a tenth of a radian within a millimetre of tool motion, and a
spline through the rows leaves the tool's line between them. There the rows are halved, with the tool
on the line again by numeric inverse kinematics, until the spline keeps to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.kinematics import forward_kinematics
from dynamics.numeric_inverse_kinematics import numeric_inverse_kinematics

OFF_LINE = 1e-7  # [m] the tool may leave its line by this much halfway between rows
REFUSED = 1e-5  # [m] a way whose tool is further off has a jump of the joints
_ROUNDS = 6  # of halving
_NEAR = 0.5  # of the step between two rows: an inserted row lies no further from the spline
_BETWEEN = (0.1, 0.9)  # where between two rows of the tool's line a row may be inserted


def path_positions(rows: np.ndarray) -> np.ndarray:
    """(k,) way of the joints up to each row [rad], the sum of straight steps."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rows, axis=0), axis=1))])


def rows_on_line(arm: Arm, rows: np.ndarray) -> np.ndarray:
    """Rows close enough that the cubic spline through them keeps the tool on its line.

    Args:
        arm: whose tool.
        rows: (k, n) joint angles, all different, with the tool on one straight line [rad].

    Returns:
        (m, n) the same rows with others between them.

    Raises:
        BadInput: the joints jump between two rows: no angles near the spline put the tool on its line there.
    """
    for _ in range(_ROUNDS):
        half = _halfway(arm, rows)
        inserted = _corrected(arm, rows, half)
        if not inserted:
            break
        places = sorted(inserted)
        rows = np.insert(rows, np.array(places) + 1, [inserted[i] for i in places], axis=0)
    off = _halfway(arm, rows).off
    if off.max() > REFUSED:
        worst = int(np.argmax(off))
        raise BadInput(
            "the joints jump on a straight tool line",
            where=f"between joints {np.round(rows[worst], 3).tolist()} and the next row",
            found=f"the tool {off[worst]:.2g} m off its line",
            allowed="rows of one branch, closer together",
        )
    return rows


class _Halfway(NamedTuple):
    """The spline halfway between rows: joint angles, share of the tool's step, distance to the line."""

    q: np.ndarray
    share: np.ndarray
    off: np.ndarray


def _halfway(arm: Arm, rows: np.ndarray) -> _Halfway:
    s = path_positions(rows)
    q = CubicSpline(s, rows)(0.5 * (s[:-1] + s[1:]))
    places, reached = (forward_kinematics(arm, x)[:, :3, 3] for x in (rows, q))
    start, step = places[:-1], np.diff(places, axis=0)
    square = np.maximum(np.sum(step**2, axis=1), 1e-18)
    share = np.clip(np.sum((reached - start) * step, axis=1) / square, 0.0, 1.0)
    return _Halfway(q, share, np.linalg.norm(reached - start - share[:, None] * step, axis=1))


def _corrected(arm: Arm, rows: np.ndarray, half: _Halfway) -> dict[int, np.ndarray]:
    """Rows to insert, by the row before, where the tool is off its line halfway to the next row."""
    poses, found = forward_kinematics(arm, rows), {}
    turns = np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1) < 1e-9  # no step to take a share of
    for i in np.flatnonzero(half.off > OFF_LINE):
        share = 0.5 if turns[i] else min(max(half.share[i], _BETWEEN[0]), _BETWEEN[1])
        target = _between(poses[i], poses[i + 1], share)
        solution = numeric_inverse_kinematics(arm, target, half.q[i], tolerance=1e-11, max_iterations=50)
        near = np.abs(solution.q - half.q[i]).max() < _NEAR * np.abs(rows[i + 1] - rows[i]).max()
        if near and solution.error < 1e-9:
            found[int(i)] = solution.q
    return found


def _between(first: np.ndarray, last: np.ndarray, share: float) -> np.ndarray:
    """The pose at a share of the straight line and of the turn from one pose to another."""
    pose = first + share * (last - first)
    turn = Rotation.from_matrix(last[:3, :3] @ first[:3, :3].T).as_rotvec()
    pose[:3, :3] = Rotation.from_rotvec(share * turn).as_matrix() @ first[:3, :3]
    return pose
