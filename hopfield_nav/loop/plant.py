"""What moves: the rigid arm with friction in its joints, and the forces of contacts and pushes on it.

It owns the equation of motion (ragazzon2012 (5.1)). Two integrators: classical Runge-Kutta of order
4, and semi-implicit Euler, which treats viscous damping implicitly in the velocity and is the first
stage alone. Coulomb friction is found once a step and is the same in all stages (``sticking``).

Where angles and speeds are integrated, ``motion`` is (angles, speeds), ``at`` the same of a stage
with its accelerations, which the caller finds, and ``sums`` weighted sums of speeds and
accelerations over the stages; each an (n,) array.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.composite import update_mass_and_bias
from dynamics.kernels.decorators import inlined
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.linear_solve import solve_symmetric
from dynamics.work import Work, make_work
from hopfield_nav.loop.contact import Contact, TouchState, add_contact, make_touch
from hopfield_nav.loop.pushes import Pushes, add_pushes, make_pushes
from hopfield_nav.loop.sticking import hold, update_friction
from hopfield_nav.loop.wrist import Wrist, make_wrist

RK4, SEMI_IMPLICIT_EULER = 4, 1  # the integrators, named by their number of stages


class Motors(NamedTuple):
    """What the motors of n joints make of the torque that the control computer believes to apply; each (n,)."""

    gain: np.ndarray  # true torque a believed one [1]
    ripple: np.ndarray  # amplitude of a torque that goes with the joint's angle [N·m]
    cycles: np.ndarray  # of it in a turn of the joint


def make_motors(n: int, gain: object = 1.0, ripple: object = 0.0, cycles: object = 202.0) -> Motors:
    """Motors of an arm with ``n`` joints; one number, or one a joint."""
    return Motors(
        *(np.zeros(n) + np.asarray(value, dtype=np.float64) for value in (gain, ripple, cycles))
    )


class Stages(NamedTuple):
    """Scratch of the integrators, and what acts on the arm in a stage."""

    # q, qd, qdd, sum_qd, sum_qdd: (n,) stage values and weighted sums
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    sum_qd: np.ndarray
    sum_qdd: np.ndarray
    # torque, momentum, speed: (n,) scratch
    torque: np.ndarray
    momentum: np.ndarray
    speed: np.ndarray
    friction: np.ndarray  # (n,) friction of the step without the viscous part [N·m]
    external: np.ndarray  # (n,) torque of contact on the joints [N·m]
    applied: np.ndarray  # (n,) torque of the motors [N·m]
    system: np.ndarray  # (n, n) scratch
    touch: TouchState  # what touches
    work: Work  # scratch of the dynamics; its frames are those of the stage


class Plant(NamedTuple):
    """What moves: the simulated arm and its surroundings."""

    arm: Arm  # geometry and true dynamics
    contact: Contact  # obstacles and contact law
    damping: (
        np.ndarray
    )  # (n,) viscous joint damping, that of the joints' friction included [N·m·s/rad]
    frictional: bool  # whether the joints have the Coulomb friction of ``arm.friction``
    motors: Motors  # what they make of the commanded torque
    pushes: Pushes  # forces that no obstacle exerts
    wrist: Wrist  # force and torque sensor at the flange
    stages: Stages  # scratch


def make_plant(
    arm: Arm,
    contact: Contact,
    damping: np.ndarray,
    frictional: bool = False,
    motors: Motors | None = None,
    pushes: Pushes | None = None,
    wrist: Wrist | None = None,
) -> Plant:
    """A plant with scratch of its own; arguments as the attributes of ``Plant``."""
    n = len(arm.dh)
    pushes = make_pushes([], []) if pushes is None else pushes
    wrist = make_wrist() if wrist is None else wrist
    motors = make_motors(n) if motors is None else motors
    vectors = np.zeros((len(Stages._fields) - 3, n))
    stages = Stages(*vectors, np.zeros((n, n)), make_touch(), make_work(n))  # type: ignore[call-arg]
    return Plant(arm, contact, damping, frictional, motors, pushes, wrist, stages)


@inlined
def plant_acceleration(plant, tau, strain, implicit_step, friction_step):
    """Write ``stages.qdd`` at the state (``stages.q``, ``stages.qd``); also what contact does.

    ``implicit_step`` is 0, or the step [s] over which damping is taken at the end of the step:
    (M + h D) qdd = tau + J^T F - C qd - g - D qd. ``friction_step`` is the step [s] for which
    Coulomb friction is found anew, or 0: it is that of the stage before. ``strain`` (n,): torque in
    the gears [N·m].
    """
    stages = plant.stages
    q, qd, qdd, torque, external = stages.q, stages.qd, stages.qdd, stages.torque, stages.external
    damping, work = plant.damping, stages.work
    matrix, bias = work.mass_matrix, work.bias
    update_contact(plant, q, qd)
    update_mass_and_bias(plant.arm, plant.arm.gravity, qd, work)
    for i in range(q.size):
        torque[i] = tau[i] - damping[i] * qd[i] + external[i] - bias[i]
        matrix[i, i] += implicit_step * damping[i]
    if plant.frictional:
        if friction_step > 0.0:
            update_friction(plant.arm, strain, matrix, torque, qd, friction_step, stages)
        for i in range(q.size):
            torque[i] -= stages.friction[i]
        hold(plant.arm.presliding, qd, stages.speed, matrix, torque)
    for i in range(q.size):
        qdd[i] = torque[i]
    solve_symmetric(matrix, qdd)


@inlined
def update_contact(plant, q, qd):
    """Bring the frames in ``stages.work`` up to date, and write ``stages.external`` and ``stages.touch``."""
    external, work = plant.stages.external, plant.stages.work
    update_frames(plant.arm, q, work)
    update_tool_position(plant.arm, work)
    for i in range(qd.size):
        external[i] = 0.0
    add_contact(plant.contact, qd, work, external, plant.stages.touch)
    add_pushes(plant.pushes, work, external, plant.stages.touch)


@inlined
def drive(motors, q, tau, applied):
    """Write the torque (n,) that motors at joint angles ``q`` apply where ``tau`` is commanded [N·m]."""
    for i in range(q.size):
        applied[i] = motors.gain[i] * tau[i]
        if motors.ripple[i] != 0.0:
            applied[i] += motors.ripple[i] * math.sin(motors.cycles[i] * q[i])


@inlined
def stage_time(stage, step):
    """How far into the step a stage of RK4 is, counted from 0 [s]."""
    if stage == 0:
        return 0.0
    return step if stage == 3 else 0.5 * step


@inlined
def begin_stage(stage, step, motion, at):
    """Write angles and speeds of a stage, from those of the one before."""
    (q, qd), (qs, qds, qdds), ahead = motion, at, stage_time(stage, step)
    for i in range(q.size):
        if stage == 0:
            qs[i], qds[i] = q[i], qd[i]
        else:
            qs[i], qds[i] = q[i] + ahead * qds[i], qd[i] + ahead * qdds[i]


@inlined
def end_stage(stage, at, sums):
    """Add what a stage has found to the sums."""
    (_, qds, qdds), (sum_qd, sum_qdd), weight = at, sums, 2.0 if stage == 1 or stage == 2 else 1.0
    for i in range(qds.size):
        if stage == 0:
            sum_qd[i], sum_qdd[i] = 0.0, 0.0
        sum_qd[i] += weight * qds[i]
        sum_qdd[i] += weight * qdds[i]


@inlined
def end_step(stages, step, motion, sums):
    """Move on by the step, after one stage (Euler) or four."""
    (q, qd), (sum_qd, sum_qdd) = motion, sums
    for i in range(q.size):
        if stages == 1:
            qd[i] += step * sum_qdd[i]
            q[i] += step * qd[i]
        else:
            q[i] += step / 6.0 * sum_qd[i]
            qd[i] += step / 6.0 * sum_qdd[i]
