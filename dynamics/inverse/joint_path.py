"""A continuous joint path through given tool poses or positions.

Here is also the choice of whole turns within limits. From one waypoint to the next the path goes to
the solution nearest to the last one (smallest largest change of a joint), each joint on the turn
that its limits allow. It is not tied to a branch's label: through a singularity it continues where
the joints continue. A change above ``jump`` is a jump to another branch and ends the path.
nowoczyn2023 3.2 searches a graph of all solutions instead.

An arm with more than three joints reaches a position with many joint angles. From one waypoint to
the next the path takes the solution that changes the joints least: its change is in the row space
of the Jacobian, the condition of first order for the least ‖q − q_last‖ among all q with that tool
position.

``closed_form_position`` is the flange's position written out, kebria2016 (2) and tu2023 (4). Both
print − d6 c1 c234 and − d6 s1 c234; it is − d6 c1 s5 c234 and − d6 s1 s5 c234. Their p_z is right.
a2 and a3 are negative (kebria2016's Table I prints them positive).
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.errors import BadInput
from dynamics.inverse.closed_form import has_closed_form, require_closed_form, solve_all_wanting
from dynamics.inverse.numeric import checked_start, numeric_inverse_kinematics, solve_from
from dynamics.inverse.poses import as_poses
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kinematics import forward_kinematics, jacobian
from dynamics.work import make_work

JUMP = 1.0  # [rad]
_ROUNDING = 1e-12
_TOLERANCE, _ITERATIONS = 1e-10, 200  # of the numeric solver, in [m] where a position is followed
_SEARCH = 30  # iterations of the search for the least change
_RESTORED = 1e-9  # [rad] step below which it has ended
_COMPLETE, _OUT_OF_REACH, _BRANCH_ENDS, _LIMITS = range(4)


class JointPath(NamedTuple):
    """What ``follow_path`` found."""

    q: np.ndarray  # (k, n) joint angles [rad], one row a waypoint; NaN from row ``reached`` on
    reached: int  # number of waypoints reached; k for the whole path
    # "" for the whole path; otherwise "out of reach at waypoint i", "limits at waypoint i" or
    # "branch ends (jump of x rad) at waypoint i", with i = ``reached`` counted from 0
    reason: str


def follow_path(arm: Arm, poses: np.ndarray, q_start: np.ndarray, jump: float = JUMP) -> JointPath:
    """Follow tool poses continuously with the joints.

    Args:
        arm: any arm; without a closed form the numeric solver continues from each waypoint.
        poses: (k, 4, 4) T_base_tool, lengths in metres.
        q_start: (n,) joint angles before the first pose, usually those that reach it [rad].
        jump: largest change of a joint from one waypoint to the next, the first one counted from
            ``q_start`` [rad]. Waypoints that lie far apart need a larger one than the default.

    Returns:
        The path as far as it goes. It ends where the pose has no solution (out of reach), where all
        solutions are further than ``jump`` (branch ends; x is the change to the nearest), or where
        one is near enough but only outside ``arm.position_limits`` (limits). Without a closed form
        nothing is known of other solutions: where the solver does not get to the pose from the
        last waypoint it is out of reach, or limits if a joint is at its limit there.

    Raises ``BadInput``: malformed poses, tool frame or start, or a jump that is not positive.
    """
    rows, lead = as_poses(poses, "poses")
    if len(lead) != 1:
        raise BadInput("poses has the wrong shape", found=np.shape(poses), allowed="(k, 4, 4)")
    if not jump > 0:
        raise BadInput("jump must be positive", found=jump)
    n = joint_count(arm)
    start, q = checked_start(q_start, n), np.full((len(rows), n), np.nan)
    as_poses(arm.tool, "the arm's tool frame")
    if has_closed_form(arm):
        reached, status, change = _follow(arm, rows, start, float(jump), q)
    else:
        reached, status, change = _follow_numeric(arm, rows, start, float(jump), q, make_work(n))
    names = {
        _OUT_OF_REACH: "out of reach",
        _LIMITS: "limits",
        _BRANCH_ENDS: f"branch ends (jump of {change:.3g} rad)",
    }
    return JointPath(
        q, reached, "" if status == _COMPLETE else f"{names[status]} at waypoint {reached}"
    )


def within_limits_turns(arm: Arm, q: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Every joint on the whole turn nearest to ``near`` and within its limits.

    It is q + 2π k (..., n) [rad]. It is NaN for a joint that no turn brings within
    ``arm.position_limits``.
    """
    (rows, wanted), lead = as_rows(joint_count(arm), q=q, near=near)
    out = np.empty_like(rows)
    _turns(rows, wanted, arm.position_limits, out)
    return out.reshape(*lead, len(arm.dh))


@inlined
def nearest_turn(angle, near, low, high):
    """The angle + 2π k within [low, high] that is nearest to ``near``; NaN where there is none.

    An angle that rounding puts beyond a limit, by up to ``_ROUNDING`` of a turn, is put on it.
    """
    turn = 2.0 * math.pi
    least = np.ceil((low - angle) / turn - _ROUNDING)
    most = np.floor((high - angle) / turn + _ROUNDING)
    count = min(max(np.rint((near - angle) / turn), least), most)
    return min(max(angle + turn * count, low), high) if least <= most else math.nan


@kernel
def _turns(q, near, limits, out):
    for row in range(q.shape[0]):
        for i in range(q.shape[1]):
            out[row, i] = nearest_turn(q[row, i], near[row, i], limits[i, 0], limits[i, 1])


@kernel
def _follow(arm, poses, start, jump, q):
    """Write the rows of ``q``; returns (rows written, status, change to the nearest solution)."""
    solutions, branches = np.empty((8, 6)), np.empty((8, 3), np.int64)
    last, limits = start.copy(), arm.position_limits
    for waypoint in range(poses.shape[0]):
        count = solve_all_wanting(arm, poses[waypoint], last[5], solutions, branches)
        if count == 0:
            return waypoint, _OUT_OF_REACH, 0.0
        best, nearest, free = -1, math.inf, math.inf
        for row in range(count):
            allowed, unlimited = _changes(solutions, row, last, limits)
            free = min(free, unlimited)
            if allowed < nearest:
                best, nearest = row, allowed
        if not nearest <= jump:
            return waypoint, _LIMITS if free <= jump else _BRANCH_ENDS, free
        for i in range(6):
            last[i] = nearest_turn(solutions[best, i], last[i], limits[i, 0], limits[i, 1])
            q[waypoint, i] = last[i]
    return poses.shape[0], _COMPLETE, 0.0


@inlined
def _changes(solutions, row, last, limits):
    """Largest change of a joint from ``last`` to a solution.

    Within the limits, and without them.
    """
    allowed, unlimited = 0.0, 0.0
    for i in range(6):
        angle = nearest_turn(solutions[row, i], last[i], limits[i, 0], limits[i, 1])
        allowed = max(allowed, abs(angle - last[i]) if angle == angle else math.inf)
        angle = nearest_turn(solutions[row, i], last[i], -math.inf, math.inf)
        unlimited = max(unlimited, abs(angle - last[i]))
    return allowed, unlimited


@kernel
def _follow_numeric(arm, poses, start, jump, q, work):
    """As ``_follow``, each waypoint solved numerically from the one before."""
    last, n, limits = start.copy(), start.size, arm.position_limits
    for waypoint in range(poses.shape[0]):
        row = last.copy()
        _, error = solve_from(arm, poses[waypoint], row, _TOLERANCE, _ITERATIONS, False, work)
        change, held = 0.0, False
        for i in range(n):
            change = max(change, abs(row[i] - last[i]))
            held = held or row[i] <= limits[i, 0] or row[i] >= limits[i, 1]
        if not error <= _TOLERANCE:
            return waypoint, _LIMITS if held else _OUT_OF_REACH, 0.0
        if change > jump:
            return waypoint, _BRANCH_ENDS, change
        last[:] = row
        q[waypoint] = row
    return poses.shape[0], _COMPLETE, 0.0


def follow_positions(
    arm: Arm, positions: np.ndarray, q_start: np.ndarray, jump: float = JUMP
) -> JointPath:
    """Follow tool positions (k, 3) [m] continuously with the joints; the tool may turn.

    The path goes on from the joint angles before the first position as far as it can; it ends where
    no joint angles are found near the last ones (out of reach), or only with a change of a joint
    above ``jump`` [rad] (branch ends).

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
        T = np.eye(4)
        T[:3, 3] = place
        some = numeric_inverse_kinematics(arm, T, last, tolerance=_TOLERANCE, position_only=True)
        if not some.converged:
            return JointPath(q, k, f"out of reach at waypoint {k}")
        nearest = _least_change(arm, place, last, some.q)
        change = float(np.abs(nearest - last).max())
        if change > jump:
            return JointPath(q, k, f"branch ends (jump of {change:.3g} rad) at waypoint {k}")
        q[k] = last = nearest
    return JointPath(q, len(places), "")


def _least_change(arm: Arm, place: np.ndarray, last: np.ndarray, some: np.ndarray) -> np.ndarray:
    """The solution with the least change from ``last`` within the limits.

    It is ``some`` solution where none is found. Gauss-Newton on the constraint: the least change
    that reaches ``place`` in the linear model at q.
    """
    q = some
    for _ in range(_SEARCH):
        J = jacobian(arm, q)[:3]
        miss = place - forward_kinematics(arm, q)[:3, 3] + J @ (q - last)
        step = last + np.linalg.pinv(J, rcond=1e-6) @ miss - q
        q = q + step
        if np.abs(step).max() < _RESTORED:
            break
    low, high = arm.position_limits.T
    missed = np.linalg.norm(forward_kinematics(arm, q)[:3, 3] - place)
    inside = bool(np.all((q >= low) & (q <= high)))
    return q if missed <= _TOLERANCE and inside else some


def closed_form_position(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Origin (..., 3) [m] of the flange (frame 6) of a UR-type arm, in base axes.

    The arm is at q (..., 6) [rad]. The tool frame is not taken into account.

    Raises ``BadInput``: wrong shape. ``NoClosedForm``: the arm is not of UR type.

    Source: kebria2016 (2), tu2023 (4), corrected.
    """
    require_closed_form(arm)
    (rows,), lead = as_rows(6, q=q)
    theta = rows + arm.dh[:, 0]
    (c1, c2), (s1, s2) = np.cos(theta[:, :2]).T, np.sin(theta[:, :2]).T
    t23 = theta[:, 1] + theta[:, 2]
    c23 = np.cos(t23)
    s23 = np.sin(t23)
    c234 = np.cos(t23 + theta[:, 3])
    s234 = np.sin(t23 + theta[:, 3])
    c5, s5 = np.cos(theta[:, 4]), np.sin(theta[:, 4])
    (d1, _, _, d4, d5, d6), (a2, a3) = arm.dh[:, 1], arm.dh[1:3, 2]
    along = a2 * c2 + a3 * c23 + d5 * s234 - d6 * s5 * c234
    across = d4 + d6 * c5
    height = d1 + a2 * s2 + a3 * s23 - d5 * c234 - d6 * s5 * s234
    return np.stack([c1 * along + s1 * across, s1 * along - c1 * across, height], axis=-1).reshape(
        *lead, 3
    )
