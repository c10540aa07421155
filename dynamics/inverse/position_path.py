"""A continuous joint path through given tool positions, with whatever rotation the tool takes.

An arm with more than three joints reaches a position with many joint angles. From one waypoint to the next the path
takes the solution that changes the joints least: its change is in the row space of the Jacobian, the condition of
first order for the least ‖q − q_last‖ among all q with that tool position.

``closed_form_position`` is the flange's position written out, kebria2016 (2) and tu2023 (4). Both print − d6 c1 c234
and − d6 s1 c234; it is − d6 c1 s5 c234 and − d6 s1 s5 c234. Their p_z is right. a2 and a3 are negative (kebria2016's
Table I prints them positive).
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.errors import BadInput
from dynamics.inverse.joint_path import JUMP, JointPath
from dynamics.inverse.numeric import checked_start, numeric_inverse_kinematics
from dynamics.inverse.ur_type import require_closed_form
from dynamics.kinematics import forward_kinematics, jacobian

_TOLERANCE = 1e-10  # [m]
_ITERATIONS = 30  # of the search for the least change
_RESTORED = 1e-9  # [rad] step below which it has ended


def follow_positions(arm: Arm, positions: np.ndarray, q_start: np.ndarray, jump: float = JUMP) -> JointPath:
    """Follow tool positions (k, 3) [m] continuously with the joints; the tool may turn.

    The path goes on from the joint angles before the first position as far as it can; it ends where no joint angles
    are found near the last ones (out of reach), or only with a change of a joint above ``jump`` [rad] (branch ends).

    Raises ``BadInput``: malformed positions or start, or a jump that is not positive.
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


def closed_form_position(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Origin (..., 3) of the flange (frame 6) of a UR-type arm at q (..., 6) [rad], in base axes [m].

    The tool frame is not taken into account.

    Raises ``BadInput``: wrong shape. ``NoClosedForm``: the arm is not of UR type.

    Source: kebria2016 (2), tu2023 (4), corrected.
    """
    require_closed_form(arm)
    (rows,), lead = as_rows(6, q=q)
    theta = rows + arm.dh[:, 0]
    (c1, c2), (s1, s2) = np.cos(theta[:, :2]).T, np.sin(theta[:, :2]).T
    t23 = theta[:, 1] + theta[:, 2]
    c23, s23, c234, s234 = np.cos(t23), np.sin(t23), np.cos(t23 + theta[:, 3]), np.sin(t23 + theta[:, 3])
    c5, s5 = np.cos(theta[:, 4]), np.sin(theta[:, 4])
    (d1, _, _, d4, d5, d6), (a2, a3) = arm.dh[:, 1], arm.dh[1:3, 2]
    along = a2 * c2 + a3 * c23 + d5 * s234 - d6 * s5 * c234
    across = d4 + d6 * c5
    height = d1 + a2 * s2 + a3 * s23 - d5 * c234 - d6 * s5 * s234
    return np.stack([c1 * along + s1 * across, s1 * along - c1 * across, height], axis=-1).reshape(*lead, 3)
