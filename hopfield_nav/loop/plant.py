"""What moves: the rigid arm with friction in its joints.

Forces of contacts and pushes act on it. It owns the equation of motion (ragazzon2012 (5.1)). Two
integrators: classical Runge-Kutta of order 4, and semi-implicit Euler, which treats viscous damping
implicitly in the velocity and is the first stage alone. Coulomb friction is found once a step and
is the same in all stages (``sticking``).

Where angles and speeds are integrated, ``q`` and ``qd`` are those of the step, ``stage_q`` and
``stage_qd`` those of a stage, with the accelerations ``stage_qdd`` that the caller finds;
``sum_qd`` and ``sum_qdd`` are weighted sums of speeds and accelerations over the stages; each an
(n,) array.
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

# the integrators, named by their number of stages
RK4 = 4
SEMI_IMPLICIT_EULER = 1


class Motors(NamedTuple):
    """What the motors of n joints make of the torque that the control computer commands.

    Each attribute is (n,).
    """

    gain: np.ndarray  # true torque a believed one [1]
    ripple: np.ndarray  # amplitude of a torque that goes with the joint's angle [N·m]
    cycles: np.ndarray  # of it in a turn of the joint


def make_motors(n: int, gain: object = 1.0, ripple: object = 0.0, cycles: object = 202.0) -> Motors:
    """Motors of an arm with ``n`` joints; one number, or one a joint."""
    return Motors(
        gain=_one_a_joint(gain, n),
        ripple=_one_a_joint(ripple, n),
        cycles=_one_a_joint(cycles, n),
    )


def _one_a_joint(value: object, n: int) -> np.ndarray:
    return np.zeros(n) + np.asarray(value, dtype=np.float64)


class Stages(NamedTuple):
    """Scratch of the integrators, and what acts on the arm in a stage."""

    # q, qd, qdd, sum_qd, sum_qdd: (n,) stage values and weighted sums
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    sum_qd: np.ndarray
    sum_qdd: np.ndarray
    torque: np.ndarray  # (n,) that accelerates the joints [N·m]
    # momentum, speed, level, left: (n,) of the search for the friction of a step: the momentum that
    # the other torques give, the speed at the end of the step, the largest friction, and what is
    # left to balance
    momentum: np.ndarray
    speed: np.ndarray
    level: np.ndarray
    left: np.ndarray
    before: np.ndarray  # (n,) angles at the start of the step [rad]
    friction: np.ndarray  # (n,) friction of the step without the viscous part [N·m]
    external: np.ndarray  # (n,) torque of contact on the joints [N·m]
    applied: np.ndarray  # (n,) torque of the motors [N·m]
    system: np.ndarray  # (n, n) of that search
    touch: TouchState  # what touches
    work: Work  # scratch of the dynamics; its frames are those of the stage


def make_stages(n: int) -> Stages:
    """Scratch for an arm with ``n`` joints."""
    return Stages(
        q=np.zeros(n),
        qd=np.zeros(n),
        qdd=np.zeros(n),
        sum_qd=np.zeros(n),
        sum_qdd=np.zeros(n),
        torque=np.zeros(n),
        momentum=np.zeros(n),
        speed=np.zeros(n),
        level=np.zeros(n),
        left=np.zeros(n),
        before=np.zeros(n),
        friction=np.zeros(n),
        external=np.zeros(n),
        applied=np.zeros(n),
        system=np.zeros((n, n)),
        touch=make_touch(),
        work=make_work(n),
    )


class Plant(NamedTuple):
    """What moves: the simulated arm and its surroundings."""

    arm: Arm  # geometry and true dynamics
    contact: Contact  # obstacles and contact law
    # (n,) viscous joint damping, that of the joints' friction included [N·m·s/rad]
    damping: np.ndarray
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
    return Plant(
        arm=arm,
        contact=contact,
        damping=damping,
        frictional=frictional,
        motors=make_motors(n) if motors is None else motors,
        pushes=make_pushes([], []) if pushes is None else pushes,
        wrist=make_wrist() if wrist is None else wrist,
        stages=make_stages(n),
    )


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
    damping = plant.damping
    work = stages.work
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
    """Bring the frames in ``stages.work`` up to date, and find what touches.

    Writes ``stages.external`` and ``stages.touch``.
    """
    external, work = plant.stages.external, plant.stages.work
    update_frames(plant.arm, q, work)
    update_tool_position(plant.arm, work)
    for i in range(qd.size):
        external[i] = 0.0
    add_contact(plant.contact, qd, work, external, plant.stages.touch)
    add_pushes(plant.pushes, work, external, plant.stages.touch)


@inlined
def drive(motors, q, tau, applied):
    """Write the torque (n,) [N·m] that motors apply where ``tau`` is commanded.

    ``q`` (n,) are the joint angles [rad].
    """
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
def begin_stage(stage, step, q, qd, stage_q, stage_qd, stage_qdd):
    """Write angles and speeds of a stage, from those of the one before."""
    ahead = stage_time(stage, step)
    for i in range(q.size):
        if stage == 0:
            stage_q[i] = q[i]
            stage_qd[i] = qd[i]
        else:
            stage_q[i] = q[i] + ahead * stage_qd[i]
            stage_qd[i] = qd[i] + ahead * stage_qdd[i]


@inlined
def end_stage(stage, stage_qd, stage_qdd, sum_qd, sum_qdd):
    """Add what a stage has found to the sums."""
    weight = 2.0 if stage == 1 or stage == 2 else 1.0
    for i in range(stage_qd.size):
        if stage == 0:
            sum_qd[i] = 0.0
            sum_qdd[i] = 0.0
        sum_qd[i] += weight * stage_qd[i]
        sum_qdd[i] += weight * stage_qdd[i]


@inlined
def end_step(stages, step, q, qd, sum_qd, sum_qdd):
    """Move on by the step, after one stage (Euler) or four."""
    for i in range(q.size):
        if stages == 1:
            qd[i] += step * sum_qdd[i]
            q[i] += step * qd[i]
        else:
            q[i] += step / 6.0 * sum_qd[i]
            qd[i] += step / 6.0 * sum_qdd[i]
