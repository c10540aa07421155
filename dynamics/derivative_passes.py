"""Derivatives of the joint torques in one forward and one backward sweep, in base axes.

Turning joint j turns the axes, inertias and forces of every link from j on with it, and adds to
their motion what the turning changes: with v, a the velocity and acceleration (gravity included) of
link j - 1, the velocity v × S_j =: r_j and the acceleration a × S_j + v × r_j =: s_j. So with the
sums over the links from j on of inertia I, of force F and of the Coriolis factor B (see
``coriolis``)

    dF_j/dq_j = I s_j + 2 B r_j + S_j ×* F,        dF_j/dqd_j = 2 I r_j + 2 B S_j

for every joint i <= j by S_i, and for i > j the same with the sums from i on and without the last
term (Carpentier and Mansard 2018; Singh, Russell and Wensing 2022). About one common point 2 B has
but twelve numbers: the rate D of the second moment, and the momentum (p, l) of the links,

    2 B [w; u] = [D w - p × w; 2 w × l].
"""

from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined
from dynamics.kernels.spatial import (
    NO_BODY,
    NONE,
    add_body,
    add_six,
    body_in,
    body_times,
    cross_force,
    cross_motion,
    pair,
    plus,
    plus_times,
    power,
    put_pair,
    put_six,
    six,
    symmetric_times,
)
from dynamics.kernels.vectors import ZERO, add, cross, dot, put, sub, three, times, vector

NO_FLOW = NO_BODY[2], ZERO, ZERO


class Slopes(NamedTuple):
    """Derivatives at a state of an arm with ``n`` joints, and the scratch they need."""

    qdd: np.ndarray  # (n,) acceleration of the state [rad/s²]
    # tau_q, tau_qd: (n, n) d tau / d q [N·m/rad] and d tau / d qd [N·m·s/rad] at that acceleration
    tau_q: np.ndarray
    tau_qd: np.ndarray
    # qdd_q, qdd_qd: (n, n) d qdd / d q [1/s²] and d qdd / d qd [1/s] at constant torque
    qdd_q: np.ndarray
    qdd_qd: np.ndarray
    qdd_tau: np.ndarray  # (n, n) d qdd / d tau = M^-1 [1/(kg·m²)]
    # rate, second: (n, 6) r_j and s_j, [angular, linear]
    rate: np.ndarray
    second: np.ndarray
    flow: np.ndarray  # (n, 12) D (xx, xy, xz, yy, yz, zz), p and l of each link
    force: np.ndarray  # (n, 6) moment about the base origin and force on each link


def make_slopes(n: int) -> Slopes:
    """Arrays of zeros for an arm with ``n`` joints."""
    square = [np.zeros((n, n)) for _ in range(5)]
    return Slopes(np.zeros(n), *square, *(np.zeros((n, k)) for k in (6, 6, 12, 6)))


@inlined
def update_torque_slopes(gravity, qd, qdd, work, slopes):
    """Write ``slopes.tau_q`` and ``slopes.tau_qd`` at (qd, qdd).

    Reads ``work.motion`` and ``work.composite`` as ``update_mass_and_bias`` leaves them.
    """
    _forward_pass(gravity, qd, qdd, work, slopes)
    _backward_pass(work, slopes)


@inlined
def _forward_pass(gravity, qd, qdd, work, slopes):
    """Rates of the joint axes, and momentum, its rate and the rate of inertia of each link."""
    v, a = NONE, (ZERO, times(-1.0, three(gravity, 0)))
    for i in range(qd.size):
        s, body = pair(work.motion, i), body_in(work.composite, i)
        rate = cross_motion(v, s)
        put_pair(slopes.rate, i, rate)
        put_pair(slopes.second, i, plus(cross_motion(a, s), cross_motion(v, rate)))
        a = plus_times(plus_times(a, qdd[i], s), qd[i], rate)
        v = plus_times(v, qd[i], s)
        flow = flow_of(body, v)
        put_pair(slopes.force, i, plus(body_times(body, a), cross_force(v, (flow[1], flow[2]))))
        put_flow(slopes.flow, i, flow)


@inlined
def _backward_pass(work, slopes):
    """Sum from the tool to the base.

    Each joint fills its column up to and its row before the diagonal.
    """
    motion, rate, second = work.motion, slopes.rate, slopes.second
    tau_q, tau_qd = slopes.tau_q, slopes.tau_qd
    body = NO_BODY
    flow = NO_FLOW
    force = NONE
    for j in range(motion.shape[0] - 1, -1, -1):
        body = add_body(body, body_in(work.composite, j))
        flow = add_flow(flow, flow_in(slopes.flow, j))
        force = plus(force, pair(slopes.force, j))
        s, r = pair(motion, j), pair(rate, j)
        by_q = plus(
            plus(body_times(body, pair(second, j)), cross_force(s, force)), flow_times(flow, r[0])
        )
        by_qd = plus_times(flow_times(flow, s[0]), 2.0, body_times(body, r))
        momentum = body_times(body, s)  # I S_j
        turned = flow_transposed_times(flow, s)  # (2 B)^T S_j
        for i in range(j + 1):
            axis, r = pair(motion, i), pair(rate, i)
            tau_q[j, i] = power(pair(second, i), momentum) + dot(turned, r[0])
            tau_qd[j, i] = 2.0 * power(r, momentum) + dot(turned, axis[0])
            tau_q[i, j] = power(axis, by_q)
            tau_qd[i, j] = power(axis, by_qd)


@inlined
def flow_of(body, motion):
    """2 B of a body at a motion: D (xx, xy, xz, yy, yz, zz), and its momentum p, l."""
    _, h, (xx, xy, xz, yy, yz, zz) = body
    w, v = motion
    x = cross(w, (xx, xy, xz))
    y = cross(w, (xy, yy, yz))
    z = cross(w, (xz, yz, zz))
    level = dot(h, v)
    rate = (
        2.0 * (x[0] - h[0] * v[0] + level),
        x[1] + y[0] - h[0] * v[1] - h[1] * v[0],
        x[2] + z[0] - h[0] * v[2] - h[2] * v[0],
        2.0 * (y[1] - h[1] * v[1] + level),
        y[2] + z[1] - h[1] * v[2] - h[2] * v[1],
        2.0 * (z[2] - h[2] * v[2] + level),
    )
    momentum = body_times(body, motion)
    return rate, momentum[0], momentum[1]


@inlined
def flow_in(rows, i):
    """2 B of row i, a link's."""
    return six(rows, i, 0), vector(rows, i, 6), vector(rows, i, 9)


@inlined
def put_flow(rows, i, flow):
    """Write 2 B to row i."""
    put_six(rows, i, 0, flow[0])
    put(rows, i, 6, flow[1])
    put(rows, i, 9, flow[2])


@inlined
def add_flow(a, b):
    """2 B of two bodies that move as one."""
    return add_six(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])


@inlined
def flow_times(flow, w):
    """2 B times a motion with the angular part w."""
    rate, moment, linear = flow
    return sub(symmetric_times(rate, w), cross(moment, w)), times(2.0, cross(w, linear))


@inlined
def flow_transposed_times(flow, s):
    """Angular part of (2 B)^T times a motion; there is no other."""
    rate, moment, linear = flow
    return add(
        add(symmetric_times(rate, s[0]), cross(moment, s[0])), times(2.0, cross(linear, s[1]))
    )
