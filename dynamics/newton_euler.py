"""Recursive Newton-Euler inverse dynamics, in link frames (ragazzon2012 3.1.2).

The equations are (3.9) to (3.15) of the document, with the missing index of (3.12), and gravity as
an acceleration of the base, which is the same as (3.13), (3.14). They cost O(n).
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.kernels.decorators import MayMiss, Room, inlined, packed
from dynamics.kernels.spatial import NONE, pair, plus, put_pair
from dynamics.kernels.vectors import ZERO, add, carried, cross, three, times, torque_of, vector
from dynamics.kernels.views import room_here, view
from dynamics.kinematics import add_wrench_torque, into_link, update_frames, update_tool_position
from dynamics.packed import arm_in, in_rows, row_count
from dynamics.work import work_in


def inverse_dynamics(
    arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, wrench: np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Torque that gives the arm an acceleration.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].
        qdd: (..., n) joint accelerations [rad/s²].
        wrench: (..., 6) [N, N·m] what the world exerts on the tool, base axes; default none.
        out: (..., n) takes the result: C-contiguous float64, else ``BadInput``; may overlap
            arguments.

    Returns:
        (..., n) tau = M qdd + C qd + g - J^T wrench [N·m].

    Source: ragazzon2012 (3.9)-(3.15), (5.1); tu2023 (34)-(47).
    """
    try:
        numbers, n = arm.dh.base, len(arm.dh)
        result = np.empty(n) if out is None else out
        if _inverse_dynamics.entry(numbers, n, q, qd, qdd, wrench, result, None):
            return result
    except (AttributeError, TypeError):  # of the arm, of an argument
        pass
    n = joint_count(arm)
    return in_rows(_inverse_dynamics, arm, (n,), out, wrench, q=q, qd=qd, qdd=qdd)


def gravity_torque(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Torque that holds the arm at rest against gravity, g(q).

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].

    Returns:
        (..., n) [N·m].

    Source: ragazzon2012 (3.8), (3.14) with the sign of (3.4) corrected.
    """
    zero = np.zeros(joint_count(arm))
    return inverse_dynamics(arm, q, zero, zero)


@inlined
def newton_euler(arm, gravity, qd, qdd, work, tau):
    """Write ``tau`` = M qdd + C qd + g for the acceleration of gravity ``gravity`` (3,).

    Reads the joint angles' ``work.turn`` (``update_frames`` writes it), uses ``work.link``.
    """
    offset, link = arm.dynamics_offset, work.link
    # velocity, acceleration; that of the link's end
    w = ZERO
    d = ZERO
    a = times(-1.0, three(gravity, 0))
    # outward: motion of each link, and the force that gives it this motion
    for i in range(qd.size):
        turn = _turn(arm, work, i)
        d = into_link(turn, (d[0] + w[1] * qd[i], d[1] - w[0] * qd[i], d[2] + qdd[i]))  # (3.10)
        w = into_link(turn, (w[0], w[1], w[2] + qd[i]))  # (3.9)
        a = add(into_link(turn, a), carried(w, d, vector(offset, i, 0)))  # (3.11)
        center = vector(arm.center_of_mass, i, 0)
        force = times(arm.mass[i], add(a, carried(w, d, center)))  # (3.12)
        put_pair(link, i, (add(torque_of(arm.inertia[i], w, d), cross(center, force)), force))
    moment, force = NONE
    # inward: what each joint transmits, about the origin of frame i-1
    for i in range(qd.size - 1, -1, -1):
        moment, force = plus((moment, force), pair(link, i))  # (3.14)
        turn = _turn(arm, work, i)
        moment = _out_of(turn, add(moment, cross(vector(offset, i, 0), force)))  # (3.15)
        force = _out_of(turn, force)
        tau[i] = moment[2] + arm.rotor_inertia[i] * qdd[i]


@inlined
def _turn(arm, work, i):
    """Cosine and sine of a joint's angle and of its twist."""
    return work.turn[i, 0], work.turn[i, 1], arm.twist[i, 0], arm.twist[i, 1]


@inlined
def _out_of(turn, a):
    """A vector of frame i written in frame i-1."""
    c, s, ca, sa = turn
    t = ca * a[1] - sa * a[2]
    return c * a[0] - s * t, s * a[0] + c * t, sa * a[1] + ca * a[2]


@packed
def _inverse_dynamics(
    numbers: np.ndarray, n: int, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, wrench: MayMiss, out: np.ndarray,
    room: Room,
) -> bool:  # fmt: skip
    rows = row_count(room, q, n)
    if not q.size == qd.size == qdd.size == out.size == rows * n or wrench.size not in (
        0,
        6 * rows,
    ):
        return False
    arm, work, shape = arm_in(numbers, n), work_in(room_here(room), n), (rows, n)
    q, qd, qdd = view(q, 0, shape), view(qd, 0, shape), view(qdd, 0, shape)
    out = view(out, 0, shape)
    wrenches = view(wrench, 0, (wrench.size // 6, 6))
    tau, outside = work.vector[0, :n], work.vector[1, :n]
    for row in range(rows):
        update_frames(arm, q[row], work)
        newton_euler(arm, arm.gravity, qd[row], qdd[row], work, tau)
        for i in range(n):
            outside[i] = 0.0
        if len(wrenches) > 0:
            update_tool_position(arm, work)
            add_wrench_torque(work, wrenches[row], outside)
        for i in range(n):  # last: ``out`` may share memory with another argument
            out[row, i] = tau[i] - outside[i]
    return True
