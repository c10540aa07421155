"""What a log leaves open: joints that hardly move, and parameters that its motion does not show."""

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.identification.base_set import BaseParameters, base_regressor, random_excitation
from dynamics.identification.logs import MotionLog

LEAST_RANGE = 0.05  # [rad] of a joint that counts as moved
_LEAST_SHARE = 1e-3  # of the largest singular value, columns in units of a lively motion
_PART = 0.3  # of a direction, from which a parameter is named


def unexcited(arm: Arm, base: BaseParameters, Y: np.ndarray, names: list[str]) -> list[str]:
    """Names (u,) of the unknowns that the observations Y (k, n, u) leave open.

    Every column is divided by its root mean square over random states of ±pi rad, ±1 rad/s, ±3 rad/s²
    (friction by 1), so that the singular values compare the log with a lively motion.
    """
    lively = base_regressor(arm, base, *random_excitation(arm))
    scale = np.ones(Y.shape[-1])
    scale[: len(base.kept)] = np.sqrt((lively**2).sum(axis=1).mean(axis=0))
    X = Y.reshape(-1, Y.shape[-1]) / scale / np.sqrt(len(Y))
    _, values, directions = np.linalg.svd(X, full_matrices=False)
    open_ones = directions[values < _LEAST_SHARE * values[0]]
    return [
        name
        for name, part in zip(names, np.abs(open_ones).max(axis=0, initial=0), strict=True)
        if part > _PART
    ]


def still_joints(logs: list[MotionLog]) -> list[int]:
    """Joints, counted from 1, that move less than 0.05 rad in every log."""
    ranges = np.max([np.ptp(log.q, axis=0) for log in logs], axis=0)
    return [int(j) + 1 for j in np.flatnonzero(ranges < LEAST_RANGE)]


def refuse(names: list[str], logs: list[MotionLog]) -> None:
    """Raise ``BadInput`` that names the open parameters and the joints, if there are any."""
    still = still_joints(logs)
    if not names and not still:
        return
    reasons = [f"joint {j} moves {_range(logs, j):.2g} rad" for j in still]
    raise BadInput(
        f"the logs do not excite the arm: {', '.join(reasons) or 'the motion is too plain'}",
        where=", ".join(log.name for log in logs),
        found=f"nothing is known of {', '.join(names) or 'small motions but friction and noise'}",
        allowed="a motion of every joint (see excite), or unexcited='keep' (--keep)",
    )


def _range(logs: list[MotionLog], joint: int) -> float:
    return max(float(np.ptp(log.q[:, joint - 1])) for log in logs)
