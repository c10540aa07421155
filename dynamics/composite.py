"""The mass matrix M(q) and the bias torque in one sweep, about the base origin in base axes.

Spatial inertias about one common point simply add up, so neither forces nor composite inertias have
to be carried from frame to frame (composite-rigid-body method; kebria2016 (7), ragazzon2012 (3.5)
give the same M from energies). Only this file knows the layout of ``work.motion``,
``work.composite`` and ``work.force``; ``mass_matrix`` and ``forward_dynamics`` are built on it.
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.kernels.decorators import Room, Table, inlined, packed
from dynamics.kernels.spatial import (
    NO_BODY,
    NONE,
    add_body,
    body_in,
    body_times,
    cross_force,
    cross_motion,
    pair,
    plus,
    plus_times,
    power,
    put_body,
    put_pair,
    turning_axis,
)
from dynamics.kernels.vectors import UP, ZERO, add, column, dot, matmul, three, times, vector
from dynamics.kernels.views import room_here, view
from dynamics.kinematics import copy_matrix, update_frames
from dynamics.packed import arm_in, in_rows, row_count
from dynamics.work import work_in


def mass_matrix(arm: Arm, q: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Mass matrix, rotor inertia included.

    Args:
        arm: the arm.
        q: (..., n) joint angles [rad].
        out: (..., n, n) takes the result: C-contiguous float64, else ``BadInput``; may overlap
            arguments.

    Returns:
        (..., n, n) symmetric positive definite [kg·m²].

    Source: ragazzon2012 (3.5); kebria2016 (7).
    """
    try:
        numbers, n = arm.dh.base, len(arm.dh)
        result = np.empty((n, n)) if out is None else out
        if _mass_matrix.entry(numbers, n, q, result, None):
            return result
    except (AttributeError, TypeError):  # of the arm, of an argument
        pass
    n = joint_count(arm)
    return in_rows(_mass_matrix, arm, (n, n), out, q=q)


@packed
def _mass_matrix(numbers: np.ndarray, n: int, q: np.ndarray, out: Table, room: Room) -> bool:
    rows = row_count(room, q, n)
    if q.size != rows * n or out.shape != (rows * n, n):
        return False
    arm, work, q = arm_in(numbers, n), work_in(room_here(room), n), view(q, 0, (rows, n))
    still = work.still
    for i in range(n):
        still[i] = 0.0
    for row in range(rows):
        update_frames(arm, q[row], work)
        update_mass_and_bias(arm, arm.gravity, still, work)
        copy_matrix(work.mass_matrix, out[n * row :])
    return True


@inlined
def update_mass_and_bias(arm, gravity, qd, work):
    """Write ``work.mass_matrix`` and ``work.bias`` = C qd + g; reads ``work.rotation``."""
    _forward_pass(arm, gravity, qd, work)
    _backward_pass(arm, work)


@inlined
def _forward_pass(arm, gravity, qd, work):
    """Joint axes, inertias, and the force each link needs at zero joint acceleration."""
    # of the body's point at the origin
    velocity = NONE
    acceleration = (ZERO, times(-1.0, three(gravity, 0)))
    # z and origin of frame i-1 as the dynamics have it
    axis = UP
    origin = ZERO
    for i in range(qd.size):
        turn = work.rotation[i]
        s = turning_axis(axis, origin)
        acceleration = plus_times(acceleration, qd[i], cross_motion(velocity, s))
        velocity = plus_times(velocity, qd[i], s)
        axis = column(turn, 2)
        origin = add(origin, matmul(turn, vector(arm.dynamics_offset, i, 0)))
        center = add(origin, matmul(turn, vector(arm.center_of_mass, i, 0)))
        body = _about_origin(arm.mass[i], center, arm.inertia[i], turn)
        put_pair(work.motion, i, s)
        put_body(work.composite, i, body)
        carried = cross_force(velocity, body_times(body, velocity))
        put_pair(work.force, i, plus(body_times(body, acceleration), carried))


@inlined
def _about_origin(mass, c, tensor, turn):
    """A link about the base origin in base axes: R I R^T, moved by Steiner's theorem."""
    h = times(mass, c)
    x, y, z = vector(turn, 0, 0), vector(turn, 1, 0), vector(turn, 2, 0)
    u, v, w = matmul(tensor, x), matmul(tensor, y), matmul(tensor, z)
    xx = dot(u, x) + h[1] * c[1] + h[2] * c[2]
    xy = dot(u, y) - h[0] * c[1]
    xz = dot(u, z) - h[0] * c[2]
    yy = dot(v, y) + h[0] * c[0] + h[2] * c[2]
    yz = dot(v, z) - h[1] * c[2]
    zz = dot(w, z) + h[0] * c[0] + h[1] * c[1]
    return mass, h, (xx, xy, xz, yy, yz, zz)


@inlined
def _backward_pass(arm, work):
    """Sum inertias and forces from the tool to the base, and project them on the joint axes."""
    motion, matrix = work.motion, work.mass_matrix
    body = NO_BODY
    force = NONE
    for i in range(motion.shape[0] - 1, -1, -1):
        body = add_body(body, body_in(work.composite, i))
        force = plus(force, pair(work.force, i))
        s = pair(motion, i)
        work.bias[i] = power(s, force)
        momentum = body_times(body, s)
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = power(pair(motion, j), momentum)
        matrix[i, i] += arm.rotor_inertia[i]
