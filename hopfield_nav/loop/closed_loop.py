"""The compiled loop: plant and control advance from event to event.

``advance`` runs until something happens that needs a decision (an alarm, arrival, a limit, an
explosion, a full log) and says what; ``simulation`` decides and calls it again. It is compiled once,
on first use, for first-class functions as control law, estimator and detector.
"""

import math
from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache

import numpy as np

from dynamics import load_arm
from dynamics.kernels.decorators import compile_loop, inlined, load_numba
from dynamics.work import make_work
from hopfield_nav.control import (
    AlarmRule,
    Controller,
    ControlMode,
    command_torque,
    estimate_and_judge,
    follow_arm,
    gather,
    lag_behind,
    make_sensors,
    move_reference,
    raise_alarm,
    remember,
    sense,
    sense_torque,
    sense_wrench,
    settle,
    update_model_frames,
)
from hopfield_nav.loop.contact import ContactLaw, copy_touch, make_contact
from hopfield_nav.loop.integrator import begin_stage, end_stage, end_step, stage_time
from hopfield_nav.loop.log import make_log, write_row, write_truth
from hopfield_nav.loop.motors import drive
from hopfield_nav.loop.plant import make_plant, plant_acceleration
from hopfield_nav.loop.pushes import update_pushes
from hopfield_nav.loop.sinking import watch_sinking
from hopfield_nav.loop.state import Settings, make_state
from hopfield_nav.loop.sticking import rest, strain_gears
from hopfield_nav.loop.trajectory import Trajectory, evaluate_into
from hopfield_nav.loop.wrist import read_wrist
from hopfield_nav.plugin import applied_type, type_of

LARGEST_SPEED = 1e3  # [rad/s] beyond it the simulation has exploded
LARGEST_ANGLE = 1e6  # [rad] the same
IMPACT_TIME = 0.05  # [s] the first impact is this long
CONTACT_MEMORY = 0.05  # [s] contact lost for longer than this has ended


class Event(IntEnum):
    """Why the loop has returned.

    Attributes:
        NONE: nothing has happened, and the state may advance.
        HORIZON: the step is reached to which it was to go on.
        DETECTED: a collision is detected.
        ARRIVED: the tool is at its goal.
        DIVERGED: a joint has exploded.
        LOG_FULL: there is no room for the next row.
    """

    NONE = -1
    HORIZON = 0
    DETECTED = 1
    ARRIVED = 2
    DIVERGED = 3
    LOG_FULL = 4


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
    """Command what the coming step needs and log it; returns the event that prevents the step, or ``NONE``.

    ``q``, ``qd`` (n,): the angles and speeds that the encoders are on.
    """
    step, per_period = state.now.step, settings.steps_per_period
    time = step * settings.step
    logging = log.table.shape[0] > 0 and step % settings.log_every == 0
    if logging and log.now.used >= log.table.shape[0]:
        return Event.LOG_FULL
    if step % per_period == 0:
        event = sense_and_command(
            controller, trajectory, settings, state.control, state.statistics, q, qd, state.wrist.reading,
            step, time,
        )  # fmt: skip
        if event != Event.NONE:
            return event
    if logging:
        write_row(log, state, time)
    return Event.NONE


@inlined
def after_step(settings, state, log):
    """Log what the step has shown and count it; ``DIVERGED`` where a joint has exploded, else ``NONE``."""
    step = state.now.step
    if log.table.shape[0] > 0 and step % settings.log_every == 0:
        write_truth(log, state.truth)
    watch_contact(state.statistics, state.truth.touch, step * settings.step, state.control.alarm.now.armed)
    state.now.step = step + 1
    for i in range(state.q.size):
        if not abs(state.qd[i]) < LARGEST_SPEED or not abs(state.q[i]) < LARGEST_ANGLE:  # also catches NaN
            state.now.fault = i
            return Event.DIVERGED
    return Event.NONE


@inlined
def sense_and_command(controller, trajectory, settings, control, statistics, q, qd, reading, step, time):
    """Sense, judge and command; returns ``DETECTED`` or ``ARRIVED`` before anything moves, else ``NONE``.

    ``control`` is the control computer's part of the state; of the truth it gets ``q``, ``qd`` and
    the wrist's ``reading`` (6,), through its sensors.
    """
    sensed, belief, model, work = control.sensed, control.belief, controller.model, controller.work
    sensed.time[0] = time
    now, knots, correction, mode = control.now, trajectory.knots, control.correction, control.now.mode
    at_end = time >= knots[-1] and settings.tolerance > 0.0
    now.segment = evaluate_into(trajectory, time, now.segment, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref)
    if now.judged_step != step:
        now.judged_step = step
        sense(controller.sensors, q, qd, control.random, sensed.q, sensed.qd)
        sense_torque(controller.sensors, control.random, sensed.tau)
        share = min(settings.settling * settings.step * settings.steps_per_period, 1.0)
        settle(correction, sensed, share, at_end and belief.now.level <= 1.0)
        move_reference(correction, sensed)
        if mode != ControlMode.TRACK:
            follow_arm(sensed)
        update_model_frames(model, sensed, work)
        if controller.sensors.wrist:
            sense_wrench(controller.sensors, model.gravity, reading, sensed, work)
        resolution = controller.sensors.resolution
        estimate_and_judge(model, controller.estimator, controller.detector, resolution, sensed, work, belief)
        if settings.alarm.lag > 0.0 and mode == ControlMode.TRACK:
            behind = lag_behind(sensed, correction, work) / settings.alarm.lag
            belief.now.level = max(belief.now.level, behind)
        remember(control.trace, sensed, belief)
        if control.gathering.now.on:
            gather(control.gathering, model, sensed, belief.now.level if control.alarm.now.armed else np.inf)
    else:
        move_reference(correction, sensed)
        if mode != ControlMode.TRACK:
            follow_arm(sensed)
    since, leg = time - knots[0], knots[1] - knots[0]
    listens = mode != ControlMode.LAW_ONLY
    if listens and raise_alarm(settings.alarm, control.alarm, sensed, belief, since, leg, at_end):
        return Event.DETECTED
    if at_end and _at_goal(work.tool, settings.goal, settings.tolerance):
        return Event.ARRIVED
    statistics.periods += 1
    statistics.damped += 1 if belief.now.damped else 0
    period, delay, queue = step // settings.steps_per_period, settings.delay, control.queue
    slots = delay + 1
    if command_torque(controller, sensed, mode == ControlMode.GRAVITY_COMP, queue[period % slots]):
        statistics.saturated += 1
    applied = (period - delay) % slots if period >= delay else 0
    for i in range(sensed.tau.size):
        sensed.tau[i] = queue[applied, i]
    return Event.NONE


@inlined
def _at_goal(tool, goal, tolerance):
    """Whether the tool, as far as the control computer can tell, is within tolerance of the goal."""
    dx, dy, dz = tool[0, 3] - goal[0], tool[1, 3] - goal[1], tool[2, 3] - goal[2]
    return dx * dx + dy * dy + dz * dz <= tolerance * tolerance


@inlined
def _integrate(plant, controller, trajectory, settings, state):
    """One integrator step, the stages of RK4 or the one of semi-implicit Euler in the same loop."""
    h, count, stages = settings.step, settings.stages, plant.stages
    time = state.now.step * h
    q, qd, tau, applied = state.q, state.qd, state.control.sensed.tau, stages.applied
    motion, at, sums = (q, qd), (stages.q, stages.qd, stages.qdd), (stages.sum_qd, stages.sum_qdd)
    update_pushes(plant.pushes, time)
    drive(plant.motors, q, tau, applied)
    for stage in range(count):
        begin_stage(stage, h, motion, at)
        if not settings.hold:
            now = time + stage_time(stage, h)
            command_in_stage(controller, trajectory, state.control, stages.q, stages.qd, now)
            drive(plant.motors, stages.q, tau, applied)
        plant_acceleration(plant, applied, state.strain, h if count == 1 else 0.0, h if stage == 0 else 0.0)
        if stage == 0:
            keep_truth(state.truth, plant)
            if plant.wrist.every > 0 and state.now.step % plant.wrist.every == 0:
                read_wrist(plant.wrist, plant.arm.gravity, stages, state.wrist)
        end_stage(stage, at, sums)
    for i in range(q.size):
        stages.momentum[i] = q[i]
    end_step(count, h, motion, sums)
    if plant.frictional:
        rest(plant.arm.presliding, stages.speed, qd)
        strain_gears(plant.arm.friction, plant.arm.presliding, stages.momentum, q, qd, state.strain)


@inlined
def keep_truth(truth, plant):
    """What acts on the arm in the first stage."""
    stages = plant.stages
    for k in range(3):
        truth.tool[k] = stages.work.tool[k, 3]
    for i in range(truth.external.size):
        truth.external[i] = stages.external[i]
        truth.friction[i] = stages.friction[i]
    copy_touch(stages.touch, truth.touch)
    if truth.touch.now.sunk > 0.0:
        watch_sinking(plant.contact, stages.work, truth.touch)


@inlined
def command_in_stage(controller, trajectory, control, q, qd, time):
    """The law as a continuous controller would evaluate it, at the state of an integrator stage."""
    now, sensed = control.now, control.sensed
    sensed.time[0] = time
    for i in range(q.size):
        sensed.q[i] = q[i]
        sensed.qd[i] = qd[i]
    now.segment = evaluate_into(trajectory, time, now.segment, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref)
    move_reference(control.correction, sensed)
    if now.mode != ControlMode.TRACK:
        follow_arm(sensed)
    update_model_frames(controller.model, sensed, controller.work)
    command_torque(controller, sensed, now.mode == ControlMode.GRAVITY_COMP, sensed.tau)


@inlined
def watch_contact(statistics, touch, time, armed):
    """Keep the start and end of the latest contact, and the largest forces, from the truth.

    A contact throughout which the detector was ``armed`` is a silent one: nothing answered it.
    """
    fx, fy, fz = touch.force[0], touch.force[1], touch.force[2]
    squared = fx * fx + fy * fy + fz * fz
    statistics.deepest = max(statistics.deepest, touch.now.depth)
    if touch.now.share > statistics.share:
        statistics.sunk, statistics.share = touch.now.sunk, touch.now.share
    if squared > 0.0:
        force = math.sqrt(squared)
        if time > statistics.last_contact_time + CONTACT_MEMORY:
            end_contact(statistics)
            statistics.touch_time = time
            statistics.contacts += 1
        statistics.last_contact_time = time
        if statistics.unanswered_peak >= 0.0:
            statistics.unanswered_peak = max(statistics.unanswered_peak, force)
        if statistics.contacts == 1 and time < statistics.touch_time + IMPACT_TIME:
            statistics.first_peak = max(statistics.first_peak, force)
        if force > statistics.peak_force:
            statistics.peak_force = force
            statistics.peak_time = time
    if not armed and time <= statistics.last_contact_time + CONTACT_MEMORY:
        statistics.unanswered_peak = -math.inf


@inlined
def end_contact(statistics):
    """Count the latest contact among the silent ones if nothing answered it."""
    if statistics.unanswered_peak > 0.0:
        statistics.silent += 1
        statistics.silent_peak = max(statistics.silent_peak, statistics.unanswered_peak)
    statistics.unanswered_peak = 0.0


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
    contact = make_contact(ContactLaw(0.0, 0.0, 0.0), np.zeros((0, 17)), np.zeros((0, 12)))
    law, estimator, detector = (applied_type(kind) for kind in ("controller", "estimator", "detector"))
    samples = (
        make_plant(arm, contact, np.zeros(n)),
        Controller(arm, law, estimator, detector, np.zeros(n), False, make_sensors(n), make_work(n)),
        Trajectory(np.zeros(2), np.zeros((1, 6, n))),
        Settings(0.0, 0, 1, 0, True, np.zeros(3), 0.0, 0.0, AlarmRule(0.0, 0.0, True, 0.0), 1),
        make_state(np.zeros(n), 0),
        make_log(0, n),
    )
    return tuple(type_of(sample) for sample in samples)
