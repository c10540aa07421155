"""The Coriolis matrix with Christoffel symbols, so that dM/dt - 2 C is skew-symmetric.

The recursion sums inertias and Coriolis factors about the base origin (Echeandia and Wensing 2021):
its result equals the Christoffel definition (ragazzon2012 (3.6) with the minus sign it lacks,
kebria2016 (9)) exactly, without differentiating M.
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.composite import update_mass_and_bias
from dynamics.derivative_passes import (
    NO_FLOW,
    add_flow,
    flow_in,
    flow_of,
    flow_times,
    flow_transposed_times,
    put_flow,
)
from dynamics.kernels.decorators import kernel
from dynamics.kernels.spatial import (
    NO_BODY,
    NONE,
    add_body,
    body_in,
    body_times,
    cross_motion,
    pair,
    plus_times,
    power,
    put_pair,
)
from dynamics.kernels.vectors import dot
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work


def coriolis_matrix(arm: Arm, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Coriolis matrix C(q, qd) from Christoffel symbols.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        qd: (..., n) joint velocities [rad/s].

    Returns:
        (..., n, n) with C qd the Coriolis torque and dM/dt = C + C^T [kg·m²/s].

    Source: kebria2016 (9); ragazzon2012 (3.6), (3.7) with the last sign corrected.
    """
    n = joint_count(arm)
    (q, qd), lead = as_rows(n, q=q, qd=qd)
    return _coriolis_batch(arm, q, qd, make_work(n)).reshape(*lead, n, n)


@kernel
def update_coriolis(arm, q, qd, work, out):
    """Write C (n, n) to ``out``."""
    update_frames(arm, q, work)
    update_mass_and_bias(arm, arm.gravity, qd, work)
    motion, rate, flows, v = work.motion, np.empty((q.size, 6)), np.empty((q.size, 12)), NONE
    for i in range(q.size):  # outward: rates of the joint axes, and each link's Coriolis factor B
        s = pair(motion, i)
        v = plus_times(v, qd[i], s)
        put_pair(rate, i, cross_motion(v, s))
        put_flow(flows, i, flow_of(body_in(work.composite, i), v))
    body, flow = NO_BODY, NO_FLOW
    # inward: sums of I and B, and what they do to the joint axes
    for j in range(q.size - 1, -1, -1):
        body, flow = add_body(body, body_in(work.composite, j)), add_flow(flow, flow_in(flows, j))
        s = pair(motion, j)
        moved = plus_times(body_times(body, pair(rate, j)), 0.5, flow_times(flow, s[0]))
        momentum, turned = body_times(body, s), flow_transposed_times(flow, s)
        for i in range(j + 1):
            axis = pair(motion, i)
            out[j, i] = power(pair(rate, i), momentum) + 0.5 * dot(axis[0], turned)
            out[i, j] = power(axis, moved)


@kernel
def _coriolis_batch(arm: Arm, q: np.ndarray, qd: np.ndarray, work: Work) -> np.ndarray:
    n = q.shape[1]
    out = np.empty((q.shape[0], n, n))
    for row in range(q.shape[0]):
        update_coriolis(arm, q[row], qd[row], work, out[row])
    return out
