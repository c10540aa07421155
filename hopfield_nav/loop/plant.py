"""What moves: the rigid arm with friction in its joints, and the contact forces on it.

It owns the equation of motion (ragazzon2012 (5.1)); the closed loop alone calls it. Two integrators:
classical Runge-Kutta of order 4, and semi-implicit Euler, which treats viscous damping implicitly in
the velocity. Coulomb friction is found once a step and is the same in all stages (``joint_sticking``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.compiled import inlined
from dynamics.composite import update_mass_and_bias
from dynamics.kinematics import add_force_torque, update_frames, update_tool_position, velocity_of_point
from dynamics.linear_solve import solve_symmetric
from hopfield_nav.loop.contact import TOUCH, Contact, add_arm_contact, solid_contact_force, tool_contact_force
from hopfield_nav.loop.sticking import update_friction

RK4, SEMI_IMPLICIT_EULER = 4, 1  # the integrators, named by their number of stages


class Plant(NamedTuple):
    """The simulated arm and its surroundings.

    Attributes:
        arm: geometry and true dynamics.
        contact: obstacles and contact law.
        damping: (n,) viscous joint damping, that of the joints' friction included [N·m·s/rad].
        frictional: (1,) int, 1 where the joints have the Coulomb friction of ``arm.friction``.
    """

    arm: Arm
    contact: Contact
    damping: np.ndarray
    frictional: np.ndarray


class Stages(NamedTuple):
    """Scratch of the integrators, and what acts on the arm in a stage.

    Attributes:
        q, qd, qdd, sum_qd, sum_qdd: (n,) stage values and weighted sums.
        torque, momentum, speed: (n,) scratch.
        friction: (n,) Coulomb friction of the step [N·m].
        external: (n,) torque of contact on the joints [N·m].
        touch: (11,) sum of the contact forces (3) [N], link of the largest one (0: none), the point
            where it acts (3) [m], that force (3) [N], and the number of touching pairs.
    """

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    sum_qd: np.ndarray
    sum_qdd: np.ndarray
    torque: np.ndarray
    momentum: np.ndarray
    speed: np.ndarray
    friction: np.ndarray
    external: np.ndarray
    touch: np.ndarray


def make_stages(n: int) -> Stages:
    """Scratch arrays for an arm with ``n`` joints."""
    vectors = ["q", "qd", "qdd", "sum_qd", "sum_qdd", "torque", "momentum", "speed", "friction", "external"]
    return Stages(**{name: np.zeros(n) for name in vectors}, touch=np.zeros(TOUCH))


@inlined
def plant_acceleration(plant, tau, implicit_step, friction_step, stages, work):
    """Write ``stages.qdd`` at the state (``stages.q``, ``stages.qd``); also what contact does.

    ``implicit_step`` is 0, or the step [s] over which damping is taken at the end of the step:
    (M + h D) qdd = tau + J^T F - C qd - g - D qd. ``friction_step`` is the step [s] for which Coulomb
    friction is found anew, or 0: it is that of the stage before.
    """
    q, qd, qdd, torque, external = stages.q, stages.qd, stages.qdd, stages.torque, stages.external
    damping, matrix, bias = plant.damping, work.mass_matrix, work.bias
    update_frames(plant.arm, q, work)
    update_tool_position(plant.arm, work)
    _update_contact(plant, qd, stages, work)
    update_mass_and_bias(plant.arm, plant.arm.gravity, qd, work)
    for i in range(q.size):
        torque[i] = tau[i] - damping[i] * qd[i] + external[i] - bias[i]
        matrix[i, i] += implicit_step * damping[i]
    if plant.frictional[0] == 1:
        if friction_step > 0.0:
            update_friction(
                plant.arm.friction, matrix, torque, qd, friction_step, stages.momentum, stages.speed,
                stages.friction,
            )  # fmt: skip
        for i in range(q.size):
            torque[i] -= stages.friction[i]
    for i in range(q.size):
        qdd[i] = torque[i]
    solve_symmetric(matrix, qdd)


@inlined
def _update_contact(plant, qd, stages, work):
    """Write ``stages.external`` and ``stages.touch`` for the frames in ``work``."""
    external, touch, contact = stages.external, stages.touch, plant.contact
    for i in range(qd.size):
        external[i] = 0.0
    if contact.bodies.shape[0] > 0:
        add_arm_contact(contact.solids, contact.bodies, contact.law, qd, work, external, touch)
    else:
        _touch_with_tool(contact, qd, work, external, touch)


@inlined
def _touch_with_tool(contact, qd, work, external, touch):
    """The same where only the tool point can touch."""
    tool, n = work.tool, qd.size
    x, y, z = tool[0, 3], tool[1, 3], tool[2, 3]
    vx, vy, vz = 0.0, 0.0, 0.0
    if contact.law[1] > 0.0 or contact.law[2] > 0.0:
        vx, vy, vz = velocity_of_point(work, qd, n, x, y, z)
    fx, fy, fz = tool_force(contact, x, y, z, vx, vy, vz)
    for k in range(TOUCH):
        touch[k] = 0.0
    if fx != 0.0 or fy != 0.0 or fz != 0.0:
        touch[0], touch[1], touch[2] = fx, fy, fz
        touch[3], touch[4], touch[5], touch[6] = float(n), x, y, z
        touch[7], touch[8], touch[9], touch[10] = fx, fy, fz, 1.0
        add_force_torque(work, n, x, y, z, fx, fy, fz, external)


@inlined
def tool_force(contact, x, y, z, vx, vy, vz):
    """Force (fx, fy, fz) [N] of cylinders and solids on a tool at (x, y, z) with velocity (vx, vy, vz)."""
    fx, fy, fz = tool_contact_force(contact, x, y, vx, vy, vz)
    if contact.solids.shape[0] > 0:
        sx, sy, sz = solid_contact_force(contact.solids, contact.law, x, y, z, vx, vy, vz)
        fx, fy, fz = fx + sx, fy + sy, fz + sz
    return fx, fy, fz
