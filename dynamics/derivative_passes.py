"""Derivatives of the joint torques in one forward and one backward sweep, in base axes.

Turning joint j turns the axes, inertias and forces of every link from j on with it, and adds to their
motion what the turning changes: with v, a the velocity and acceleration (gravity included) of link
j - 1, the velocity v × S_j =: r_j and the acceleration a × S_j + v × r_j =: s_j. So with the sums over
the links from j on of inertia I, of force F and of the Coriolis factor B (see ``coriolis``)

    dF_j/dq_j = I s_j + 2 B r_j + S_j ×* F,        dF_j/dqd_j = 2 I r_j + 2 B S_j

for every joint i <= j by S_i, and for i > j the same with the sums from i on and without the last
term (Carpentier and Mansard 2018; Singh, Russell and Wensing 2022). About one common point 2 B has
but twelve numbers: the rate D of the second moment, and the momentum (p, l) of the links,

    2 B [w; u] = [D w - p × w; 2 w × l].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined, kernel


class Slopes(NamedTuple):
    """Derivatives at a state of an arm with ``n`` joints, and the scratch they need.

    Attributes:
        qdd: (n,) acceleration of the state [rad/s²].
        tau_q, tau_qd: (n, n) d tau / d q [N·m/rad] and d tau / d qd [N·m·s/rad] at that acceleration.
        qdd_q, qdd_qd: (n, n) d qdd / d q [1/s²] and d qdd / d qd [1/s] at constant torque.
        qdd_tau: (n, n) d qdd / d tau = M^-1 [1/(kg·m²)].
        rate, second: (n, 6) r_j and s_j, [angular, linear].
        flow: (n, 12) D (xx, xy, xz, yy, yz, zz), p and l of each link.
        force: (n, 6) moment about the base origin and force on each link.
    """

    qdd: np.ndarray
    tau_q: np.ndarray
    tau_qd: np.ndarray
    qdd_q: np.ndarray
    qdd_qd: np.ndarray
    qdd_tau: np.ndarray
    rate: np.ndarray
    second: np.ndarray
    flow: np.ndarray
    force: np.ndarray


def make_slopes(n: int) -> Slopes:
    """Arrays of zeros for an arm with ``n`` joints."""
    square = [np.zeros((n, n)) for _ in range(5)]
    return Slopes(np.zeros(n), *square, *(np.zeros((n, k)) for k in (6, 6, 12, 6)))


@inlined
def update_torque_slopes(gravity, qd, qdd, work, slopes):
    """Write ``slopes.tau_q`` and ``slopes.tau_qd`` at (qd, qdd).

    Reads ``work.motion`` and ``work.composite`` as ``update_mass_and_bias`` leaves them.
    """
    rate, second, flow, force = slopes.rate, slopes.second, slopes.flow, slopes.force
    _forward_pass(gravity, qd, qdd, work.motion, work.composite, rate, second, flow, force)
    _backward_pass(work.motion, work.composite, rate, second, flow, force, slopes.tau_q, slopes.tau_qd)


@kernel
def _forward_pass(gravity, qd, qdd, motion, bodies, rate, second, flow, force):
    """Rates of the joint axes, and momentum, its rate and the rate of inertia of each link."""
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    dx, dy, dz, ax, ay, az = 0.0, 0.0, 0.0, -gravity[0], -gravity[1], -gravity[2]
    for i in range(qd.size):
        sx, sy, sz, tx, ty, tz = (
            motion[i, 0],
            motion[i, 1],
            motion[i, 2],
            motion[i, 3],
            motion[i, 4],
            motion[i, 5],
        )
        r0, r1, r2, r3, r4, r5 = _cross_motion(wx, wy, wz, vx, vy, vz, sx, sy, sz, tx, ty, tz)
        e0, e1, e2, e3, e4, e5 = _cross_motion(dx, dy, dz, ax, ay, az, sx, sy, sz, tx, ty, tz)
        c0, c1, c2, c3, c4, c5 = _cross_motion(wx, wy, wz, vx, vy, vz, r0, r1, r2, r3, r4, r5)
        _store(rate, i, r0, r1, r2, r3, r4, r5)
        _store(second, i, e0 + c0, e1 + c1, e2 + c2, e3 + c3, e4 + c4, e5 + c5)
        u, b = qd[i], qdd[i]
        dx, dy, dz = dx + sx * b + r0 * u, dy + sy * b + r1 * u, dz + sz * b + r2 * u
        ax, ay, az = ax + tx * b + r3 * u, ay + ty * b + r4 * u, az + tz * b + r5 * u
        wx, wy, wz, vx, vy, vz = wx + sx * u, wy + sy * u, wz + sz * u, vx + tx * u, vy + ty * u, vz + tz * u
        m, hx, hy, hz = bodies[i, 0], bodies[i, 1], bodies[i, 2], bodies[i, 3]
        xx, xy, xz, yy, yz, zz = (
            bodies[i, 4],
            bodies[i, 5],
            bodies[i, 6],
            bodies[i, 7],
            bodies[i, 8],
            bodies[i, 9],
        )
        px, py, pz, lx, ly, lz = _times(m, hx, hy, hz, xx, xy, xz, yy, yz, zz, wx, wy, wz, vx, vy, vz)
        fa, fb, fc, fd, fe, ff = _times(m, hx, hy, hz, xx, xy, xz, yy, yz, zz, dx, dy, dz, ax, ay, az)
        ga, gb, gc, gd, ge, gf = _cross_force(wx, wy, wz, vx, vy, vz, px, py, pz, lx, ly, lz)
        _store(force, i, fa + ga, fb + gb, fc + gc, fd + gd, fe + ge, ff + gf)
        along = hx * vx + hy * vy + hz * vz
        flow[i, 0] = 2.0 * (wy * xz - wz * xy - hx * vx + along)
        flow[i, 1] = wy * yz - wz * yy + wz * xx - wx * xz - hx * vy - hy * vx
        flow[i, 2] = wy * zz - wz * yz + wx * xy - wy * xx - hx * vz - hz * vx
        flow[i, 3] = 2.0 * (wz * xy - wx * yz - hy * vy + along)
        flow[i, 4] = wz * xz - wx * zz + wx * yy - wy * xy - hy * vz - hz * vy
        flow[i, 5] = 2.0 * (wx * yz - wy * xz - hz * vz + along)
        flow[i, 6], flow[i, 7], flow[i, 8] = px, py, pz
        flow[i, 9], flow[i, 10], flow[i, 11] = lx, ly, lz


@kernel
def _backward_pass(motion, body, rate, second, flow, force, tau_q, tau_qd):
    """Sum from the tool to the base; each joint fills its column up to and its row before the diagonal."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    dxx, dxy, dxz, dyy, dyz, dzz, px, py, pz, lx, ly, lz = (
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    )
    f0, f1, f2, f3, f4, f5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(motion.shape[0] - 1, -1, -1):
        m, hx, hy, hz = m + body[j, 0], hx + body[j, 1], hy + body[j, 2], hz + body[j, 3]
        xx, xy, xz, yy, yz, zz = (
            xx + body[j, 4],
            xy + body[j, 5],
            xz + body[j, 6],
            yy + body[j, 7],
            yz + body[j, 8],
            zz + body[j, 9],
        )
        dxx, dxy, dxz, dyy, dyz, dzz = (
            dxx + flow[j, 0],
            dxy + flow[j, 1],
            dxz + flow[j, 2],
            dyy + flow[j, 3],
            dyz + flow[j, 4],
            dzz + flow[j, 5],
        )
        px, py, pz, lx, ly, lz = (
            px + flow[j, 6],
            py + flow[j, 7],
            pz + flow[j, 8],
            lx + flow[j, 9],
            ly + flow[j, 10],
            lz + flow[j, 11],
        )
        f0, f1, f2 = f0 + force[j, 0], f1 + force[j, 1], f2 + force[j, 2]
        f3, f4, f5 = f3 + force[j, 3], f4 + force[j, 4], f5 + force[j, 5]
        s0, s1, s2, s3, s4, s5 = (
            motion[j, 0],
            motion[j, 1],
            motion[j, 2],
            motion[j, 3],
            motion[j, 4],
            motion[j, 5],
        )
        r0, r1, r2, r3, r4, r5 = (rate[j, 0], rate[j, 1], rate[j, 2], rate[j, 3], rate[j, 4], rate[j, 5])
        q0, q1, q2, q3, q4, q5 = _times(
            m,
            hx,
            hy,
            hz,
            xx,
            xy,
            xz,
            yy,
            yz,
            zz,
            second[j, 0],
            second[j, 1],
            second[j, 2],
            second[j, 3],
            second[j, 4],
            second[j, 5],
        )
        g0, g1, g2, g3, g4, g5 = _cross_force(s0, s1, s2, s3, s4, s5, f0, f1, f2, f3, f4, f5)
        b0, b1, b2, b3, b4, b5 = _flow_times(dxx, dxy, dxz, dyy, dyz, dzz, px, py, pz, lx, ly, lz, r0, r1, r2)
        q0, q1, q2, q3, q4, q5 = (
            q0 + g0 + b0,
            q1 + g1 + b1,
            q2 + g2 + b2,
            q3 + g3 + b3,
            q4 + g4 + b4,
            q5 + g5 + b5,
        )
        d0, d1, d2, d3, d4, d5 = _times(m, hx, hy, hz, xx, xy, xz, yy, yz, zz, r0, r1, r2, r3, r4, r5)
        b0, b1, b2, b3, b4, b5 = _flow_times(dxx, dxy, dxz, dyy, dyz, dzz, px, py, pz, lx, ly, lz, s0, s1, s2)
        d0, d1, d2 = 2.0 * d0 + b0, 2.0 * d1 + b1, 2.0 * d2 + b2
        d3, d4, d5 = 2.0 * d3 + b3, 2.0 * d4 + b4, 2.0 * d5 + b5
        # I S_j and (2 B)^T S_j, for the rows
        i0, i1, i2, i3, i4, i5 = _times(m, hx, hy, hz, xx, xy, xz, yy, yz, zz, s0, s1, s2, s3, s4, s5)
        k0 = dxx * s0 + dxy * s1 + dxz * s2 + py * s2 - pz * s1 + 2.0 * (ly * s5 - lz * s4)
        k1 = dxy * s0 + dyy * s1 + dyz * s2 + pz * s0 - px * s2 + 2.0 * (lz * s3 - lx * s5)
        k2 = dxz * s0 + dyz * s1 + dzz * s2 + px * s1 - py * s0 + 2.0 * (lx * s4 - ly * s3)
        for i in range(j + 1):
            x0, x1, x2, x3, x4, x5 = (
                motion[i, 0],
                motion[i, 1],
                motion[i, 2],
                motion[i, 3],
                motion[i, 4],
                motion[i, 5],
            )
            y0, y1, y2 = rate[i, 0], rate[i, 1], rate[i, 2]
            tau_q[j, i] = (
                i0 * second[i, 0]
                + i1 * second[i, 1]
                + i2 * second[i, 2]
                + i3 * second[i, 3]
                + i4 * second[i, 4]
                + i5 * second[i, 5]
                + k0 * y0
                + k1 * y1
                + k2 * y2
            )
            tau_qd[j, i] = (
                2.0 * (i0 * y0 + i1 * y1 + i2 * y2 + i3 * rate[i, 3] + i4 * rate[i, 4] + i5 * rate[i, 5])
                + k0 * x0
                + k1 * x1
                + k2 * x2
            )
            tau_q[i, j] = x0 * q0 + x1 * q1 + x2 * q2 + x3 * q3 + x4 * q4 + x5 * q5
            tau_qd[i, j] = x0 * d0 + x1 * d1 + x2 * d2 + x3 * d3 + x4 * d4 + x5 * d5


@inlined
def _cross_motion(wx, wy, wz, vx, vy, vz, sx, sy, sz, tx, ty, tz):
    """Spatial cross product of two motions."""
    return (
        wy * sz - wz * sy,
        wz * sx - wx * sz,
        wx * sy - wy * sx,
        wy * tz - wz * ty + vy * sz - vz * sy,
        wz * tx - wx * tz + vz * sx - vx * sz,
        wx * ty - wy * tx + vx * sy - vy * sx,
    )


@inlined
def _cross_force(wx, wy, wz, vx, vy, vz, px, py, pz, lx, ly, lz):
    """Spatial cross product of a motion and a force."""
    return (
        wy * pz - wz * py + vy * lz - vz * ly,
        wz * px - wx * pz + vz * lx - vx * lz,
        wx * py - wy * px + vx * ly - vy * lx,
        wy * lz - wz * ly,
        wz * lx - wx * lz,
        wx * ly - wy * lx,
    )


@inlined
def _times(m, hx, hy, hz, xx, xy, xz, yy, yz, zz, wx, wy, wz, vx, vy, vz):
    """Spatial inertia times a motion."""
    return (
        xx * wx + xy * wy + xz * wz + hy * vz - hz * vy,
        xy * wx + yy * wy + yz * wz + hz * vx - hx * vz,
        xz * wx + yz * wy + zz * wz + hx * vy - hy * vx,
        m * vx + wy * hz - wz * hy,
        m * vy + wz * hx - wx * hz,
        m * vz + wx * hy - wy * hx,
    )


@inlined
def _flow_times(dxx, dxy, dxz, dyy, dyz, dzz, px, py, pz, lx, ly, lz, wx, wy, wz):
    """2 B times a motion with the angular part w."""
    return (
        dxx * wx + dxy * wy + dxz * wz + pz * wy - py * wz,
        dxy * wx + dyy * wy + dyz * wz + px * wz - pz * wx,
        dxz * wx + dyz * wy + dzz * wz + py * wx - px * wy,
        2.0 * (wy * lz - wz * ly),
        2.0 * (wz * lx - wx * lz),
        2.0 * (wx * ly - wy * lx),
    )


@inlined
def _store(rows, i, a, b, c, d, e, f):
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5] = a, b, c, d, e, f
