"""The compiled loop: plant and control advance from event to event.

``advance`` runs until something happens that needs a decision (an alarm, arrival, a limit, an
explosion, a full log) and says what; ``simulation`` decides and calls it again. It is compiled
once, on first use, for first-class functions as control law, estimator and detector.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from dynamics import load_arm
from dynamics.kernels.decorators import compile_loop, inlined, load_numba
from dynamics.work import make_work
from hopfield_nav.control import AlarmRule, Controller, make_sensors
from hopfield_nav.loop.contact import ContactLaw, make_contact
from hopfield_nav.loop.contact_watch import keep_truth, watch_contact
from hopfield_nav.loop.control_period import command_in_stage, sense_and_command
from hopfield_nav.loop.log import make_log, write_row, write_truth
from hopfield_nav.loop.plant import (
    begin_stage,
    drive,
    end_stage,
    end_step,
    make_plant,
    plant_acceleration,
    stage_time,
)
from hopfield_nav.loop.pushes import update_pushes
from hopfield_nav.loop.state import Event, Settings, make_state
from hopfield_nav.loop.sticking import rest, strain_gears
from hopfield_nav.loop.trajectory import Trajectory
from hopfield_nav.loop.wrist import read_wrist
from hopfield_nav.plugin import applied_type, type_of

LARGEST_SPEED = 1e3  # [rad/s] beyond it the simulation has exploded
LARGEST_ANGLE = 1e6  # [rad] the same


def _advance(plant, controller, trajectory, settings, state, log, last_step):
    """Advance until step ``last_step`` or the first event; returns which ``Event``."""
    while state.now.step < last_step:
        event = before_step(controller, trajectory, settings, state, state.q, state.qd, log)
        if event != Event.NONE:
            return event
        _integrate(plant, controller, trajectory, settings, state)
        event = after_step(settings, state, log)
        if event != Event.NONE:
            return event
    return Event.HORIZON


@inlined
def before_step(controller, trajectory, settings, state, q, qd, log):
    """Command what the coming step needs and log it.

    Returns the event that prevents the step, or ``NONE``. ``q``, ``qd`` (n,): the angles and speeds
    that the encoders are on.
    """
    step = state.now.step
    logging = log.table.shape[0] > 0 and step % settings.log_every == 0
    if logging and log.now.used >= log.table.shape[0]:
        return Event.LOG_FULL
    if step % settings.steps_per_period == 0:
        control = state.control
        reading = state.wrist.reading
        event = sense_and_command(
            controller, trajectory, settings, control, state.statistics, q, qd, reading, step
        )
        if event != Event.NONE:
            return event
    if logging:
        write_row(log, state, step * settings.step)
    return Event.NONE


@inlined
def after_step(settings, state, log):
    """Log what the step has shown and count it.

    Returns ``DIVERGED`` where a joint has exploded, else ``NONE``.
    """
    step = state.now.step
    if log.table.shape[0] > 0 and step % settings.log_every == 0:
        write_truth(log, state.truth)
    watch_contact(
        state.statistics, state.truth.touch, step * settings.step, state.control.alarm.now.armed
    )
    state.now.step = step + 1
    for i in range(state.q.size):
        # also catches NaN
        if not abs(state.qd[i]) < LARGEST_SPEED or not abs(state.q[i]) < LARGEST_ANGLE:
            state.now.fault = i
            return Event.DIVERGED
    return Event.NONE


@inlined
def _integrate(plant, controller, trajectory, settings, state):
    """One integrator step, the stages of RK4 or the one of semi-implicit Euler in the same loop."""
    h, count = settings.step, settings.stages
    stages = plant.stages
    time = state.now.step * h
    q, qd = state.q, state.qd
    tau = state.control.sensed.tau
    applied = stages.applied
    implicit_step = h if count == 1 else 0.0
    update_pushes(plant.pushes, time)
    drive(plant.motors, q, tau, applied)
    for stage in range(count):
        begin_stage(stage, h, q, qd, stages.q, stages.qd, stages.qdd)
        if not settings.hold:
            now = time + stage_time(stage, h)
            command_in_stage(controller, trajectory, state.control, stages.q, stages.qd, now)
            drive(plant.motors, stages.q, tau, applied)
        friction_step = h if stage == 0 else 0.0
        plant_acceleration(plant, applied, state.strain, implicit_step, friction_step)
        if stage == 0:
            keep_truth(state.truth, plant)
            if plant.wrist.every > 0 and state.now.step % plant.wrist.every == 0:
                read_wrist(plant.wrist, plant.arm.gravity, stages, state.wrist)
        end_stage(stage, stages.qd, stages.qdd, stages.sum_qd, stages.sum_qdd)
    for i in range(q.size):
        stages.before[i] = q[i]
    end_step(count, h, q, qd, stages.sum_qd, stages.sum_qdd)
    if plant.frictional:
        rest(plant.arm.presliding, stages.speed, qd)
        strain_gears(plant.arm.friction, plant.arm.presliding, stages.before, q, qd, state.strain)


@lru_cache(maxsize=1)
def compiled_loop() -> Callable:
    """``_advance``, compiled (or read from the cache) for any methods, arms and obstacles.

    Call it as ``loop(plant, controller, trajectory, settings, state, log, last_step)``.
    """
    types = load_numba().types
    return compile_loop(types.int64(*loop_types(), types.int64), _advance)


@lru_cache(maxsize=1)
def loop_types() -> tuple:
    """Numba's types of plant, controller, trajectory, settings, state and log."""
    n = 6  # only the types matter: every size is read from the arrays
    arm = load_arm("ur5_ragazzon2012")
    no_force = ContactLaw(stiffness=0.0, damping=0.0, friction=0.0)
    contact = make_contact(no_force, solids=np.zeros((0, 17)), bodies=np.zeros((0, 12)))
    law = applied_type("controller")
    estimator = applied_type("estimator")
    detector = applied_type("detector")
    samples = (
        make_plant(arm, contact, np.zeros(n)),
        Controller(
            model=arm,
            law=law,
            estimator=estimator,
            detector=detector,
            reporter=detector,
            shares=np.zeros(0),
            torque_limits=np.zeros(n),
            feedforward=False,
            sensors=make_sensors(n),
            work=make_work(n),
        ),
        Trajectory(knots=np.zeros(2), coefficients=np.zeros((1, 6, n))),
        Settings(
            step=0.0,
            stages=0,
            steps_per_period=1,
            delay=0,
            hold=True,
            goal=np.zeros(3),
            tolerance=0.0,
            settling=0.0,
            alarm=AlarmRule(rearm=0.0, hold_off=0.0, episodes=True, lag=0.0),
            log_every=1,
        ),
        make_state(np.zeros(n), delay=0),
        make_log(rows=0, n=n),
    )
    return tuple(type_of(sample) for sample in samples)
