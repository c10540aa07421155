"""What moves: the rigid arm with joint damping, and the contact forces on its tool.

It owns the equation of motion (ragazzon2012 (5.1)) and the integrators; the closed loop alone calls
it. Two integrators: classical Runge-Kutta of order 4, and semi-implicit Euler, which treats joint
damping implicitly in the velocity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.compiled import inlined
from dynamics.composite import update_mass_and_bias
from dynamics.kinematics import add_wrench_torque, update_frames, update_tool_position
from dynamics.linear_solve import solve_symmetric
from hopfield_nav.contact import Contact, tool_contact_force

RK4, SEMI_IMPLICIT_EULER = 4, 1  # the integrators, named by their number of stages


class Plant(NamedTuple):
    """The simulated arm and its surroundings.

    Attributes:
        arm: geometry and true dynamics.
        contact: obstacles and contact law.
        damping: (n,) viscous joint damping [N·m·s/rad].
    """

    arm: Arm
    contact: Contact
    damping: np.ndarray


class Stages(NamedTuple):
    """Scratch of the integrators: stage values and weighted sums, each (n,), and a wrench (6,)."""

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    sum_qd: np.ndarray
    sum_qdd: np.ndarray
    torque: np.ndarray
    wrench: np.ndarray


def make_stages(n: int) -> Stages:
    """Scratch arrays for an arm with ``n`` joints."""
    q, qd, qdd, sum_qd, sum_qdd, torque = (np.zeros(n) for _ in range(6))
    return Stages(q, qd, qdd, sum_qd, sum_qdd, torque, np.zeros(6))


@inlined
def plant_acceleration(plant, tau, implicit_step, stages, work):
    """Write ``stages.qdd`` at the state (``stages.q``, ``stages.qd``); also the contact wrench.

    ``implicit_step`` is 0, or the step [s] over which damping is taken at the end of the step:
    (M + h D) qdd = tau + J^T F - C qd - g - D qd.
    """
    q, qd, qdd, torque, wrench = stages.q, stages.qd, stages.qdd, stages.torque, stages.wrench
    damping, matrix, bias, tool = plant.damping, work.mass_matrix, work.bias, work.tool
    update_frames(plant.arm, q, work)
    update_tool_position(plant.arm, work)
    vx, vy, vz = 0.0, 0.0, 0.0
    if plant.contact.law[1] > 0.0 or plant.contact.law[2] > 0.0:
        vx, vy, vz = tool_velocity(qd, work)
    fx, fy, fz = tool_contact_force(plant.contact, tool[0, 3], tool[1, 3], vx, vy, vz)
    wrench[0], wrench[1], wrench[2] = fx, fy, fz
    for i in range(q.size):
        torque[i] = tau[i] - damping[i] * qd[i]
    if fx != 0.0 or fy != 0.0 or fz != 0.0:
        add_wrench_torque(work, wrench, torque)
    update_mass_and_bias(plant.arm, plant.arm.gravity, qd, work)
    for i in range(q.size):
        qdd[i] = torque[i] - bias[i]
        matrix[i, i] += implicit_step * damping[i]
    solve_symmetric(matrix, qdd)


@inlined
def tool_velocity(qd, work):
    """Velocity (vx, vy, vz) of the tool point in base [m/s], from the frames in ``work``."""
    rotation, origin, tool = work.rotation, work.origin, work.tool
    px, py, pz = tool[0, 3], tool[1, 3], tool[2, 3]
    vx, vy, vz = 0.0, 0.0, 0.0
    zx, zy, zz = 0.0, 0.0, 1.0
    for i in range(rotation.shape[0]):
        rx, ry, rz = px - origin[i, 0], py - origin[i, 1], pz - origin[i, 2]
        vx += (zy * rz - zz * ry) * qd[i]
        vy += (zz * rx - zx * rz) * qd[i]
        vz += (zx * ry - zy * rx) * qd[i]
        zx, zy, zz = rotation[i, 0, 2], rotation[i, 1, 2], rotation[i, 2, 2]
    return vx, vy, vz
