"""A continuous joint path through given tool positions, with whatever rotation the tool takes.

An arm with more than three joints reaches a position with many joint angles. From one waypoint to the
next the path takes the solution that changes the joints least: its change is in the row space of the
Jacobian, the condition of first order for the least ‖q − q_last‖ among all q with that tool position.
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.errors import BadInput
from dynamics.inverse.joint_path import JUMP, JointPath
from dynamics.inverse.numeric import checked_start, numeric_inverse_kinematics
from dynamics.kinematics import forward_kinematics, jacobian

_TOLERANCE = 1e-10  # [m]
_ITERATIONS = 30  # of the search for the least change
_RESTORED = 1e-9  # [rad] step below which it has ended


def follow_positions(arm: Arm, positions: np.ndarray, q_start: np.ndarray, jump: float = JUMP) -> JointPath:
    """Follow tool positions continuously with the joints; the tool may turn.

    Args:
        arm: any arm.
        positions: (k, 3) of the tool, base axes [m].
        q_start: (n,) joint angles before the first position [rad].
        jump: largest change of a joint from one waypoint to the next [rad].

    Returns:
        The path as far as it goes; it ends where no joint angles are found near the last ones (out of
        reach), or only with a change above ``jump`` (branch ends).

    Raises:
        BadInput: malformed positions or start, or a jump that is not positive.
    """
    places = np.asarray(positions, dtype=np.float64)
    if places.ndim != 2 or places.shape[1] != 3 or not np.isfinite(places).all():
        raise BadInput("positions must be finite", found=places.shape, allowed="(k, 3)")
    if not jump > 0:
        raise BadInput("jump must be positive", found=jump)
    last = checked_start(q_start, joint_count(arm))
    q = np.full((len(places), len(last)), np.nan)
    for k, place in enumerate(places):
        found = _nearest_joints(arm, place, last)
        if found is None:
            return JointPath(q, k, f"out of reach at waypoint {k}")
        change = float(np.abs(found - last).max())
        if change > jump:
            return JointPath(q, k, f"branch ends (jump of {change:.3g} rad) at waypoint {k}")
        q[k] = last = found
    return JointPath(q, len(places), "")


def _nearest_joints(arm: Arm, place: np.ndarray, last: np.ndarray) -> np.ndarray | None:
    """Joint angles (n,) within their limits that put the tool at ``place`` (3,), close to ``last``."""
    T = np.eye(4)
    T[:3, 3] = place
    some = numeric_inverse_kinematics(arm, T, last, tolerance=_TOLERANCE, position_only=True)
    if not some.converged:
        return None
    least = _least_change(arm, place, last, some.q)
    return some.q if least is None else least


def _least_change(arm: Arm, place: np.ndarray, last: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """The solution with the least change, found from another one, ``q``; None where it is not found.

    Gauss-Newton on the constraint: the least change that reaches ``place`` in the linear model at q.
    """
    for _ in range(_ITERATIONS):
        J = jacobian(arm, q)[:3]
        miss = place - forward_kinematics(arm, q)[:3, 3] + J @ (q - last)
        step = last + np.linalg.pinv(J, rcond=1e-6) @ miss - q
        q = q + step
        if np.abs(step).max() < _RESTORED:
            break
    low, high = arm.position_limits.T
    missed = np.linalg.norm(forward_kinematics(arm, q)[:3, 3] - place)
    inside = bool(np.all((q >= low) & (q <= high)))
    return q if missed <= _TOLERANCE and inside else None
