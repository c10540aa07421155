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
    arm = arm_in(numbers, n)
    work = work_in(room_here(room), n)
    q = view(q, 0, (rows, n))
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
    velocity = NONE  # of the body's point at the origin
    acceleration = (ZERO, times(-1.0, three(gravity, 0)))
    axis = UP  # z of frame i-1 as the dynamics have it
    origin = ZERO  # of that frame
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
    """A link's mass, first and second moment about the base origin, in base axes.

    The second moment is R I R^T, about the centre of mass ``c``, and m (c·c 1 - c c^T), by which
    the parallel axis theorem moves it to the origin. R is ``turn``, I the ``tensor``.
    """
    h = times(mass, c)
    # entry (i, j) of R I R^T is row i of R times I times row j of R
    row_x = vector(turn, 0, 0)
    row_y = vector(turn, 1, 0)
    row_z = vector(turn, 2, 0)
    I_x = matmul(tensor, row_x)
    I_y = matmul(tensor, row_y)
    I_z = matmul(tensor, row_z)
    xx = dot(I_x, row_x) + h[1] * c[1] + h[2] * c[2]
    xy = dot(I_x, row_y) - h[0] * c[1]
    xz = dot(I_x, row_z) - h[0] * c[2]
    yy = dot(I_y, row_y) + h[0] * c[0] + h[2] * c[2]
    yz = dot(I_y, row_z) - h[1] * c[2]
    zz = dot(I_z, row_z) + h[0] * c[0] + h[1] * c[1]
    return mass, h, (xx, xy, xz, yy, yz, zz)


@inlined
def _backward_pass(arm, work):
    """Sum inertias and forces from the tool to the base, and project them on the joint axes."""
    matrix = work.mass_matrix
    body = NO_BODY  # of all links from i on
    force = NONE  # on all links from i on
    for i in range(work.motion.shape[0] - 1, -1, -1):
        body = add_body(body, body_in(work.composite, i))
        force = plus(force, pair(work.force, i))
        s = pair(work.motion, i)
        work.bias[i] = power(s, force)
        momentum = body_times(body, s)
        for j in range(i + 1):
            matrix[i, j] = power(pair(work.motion, j), momentum)
            matrix[j, i] = matrix[i, j]
        matrix[i, i] += arm.rotor_inertia[i]
