"""The compiled loop: plant and control advance from event to event.

``advance`` runs until something happens that needs a decision (an alarm, arrival, a limit, an
explosion, a full log) and says what; ``simulation`` decides and calls it again. It is compiled once,
on first use, for first-class functions as control law, estimator and detector.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numba
import numpy as np

from dynamics import load_arm
from dynamics.compiled import compile_loop, inlined
from dynamics.work import make_work
from hopfield_nav.control import (
    Controller,
    command_torque,
    estimate_and_judge,
    make_sensors,
    sense,
    update_model_frames,
)
from hopfield_nav.loop.contact import Contact
from hopfield_nav.loop.log import write_row, write_truth
from hopfield_nav.loop.plant import Plant, make_stages, plant_acceleration
from hopfield_nav.loop.state import Settings, make_state
from hopfield_nav.loop.trajectory import Trajectory, evaluate_into
from hopfield_nav.plugin import signature

HORIZON, DETECTED, ARRIVED, DIVERGED, LOG_FULL = 0, 1, 2, 3, 4  # why ``advance`` returned
READY = -1  # nothing has happened, and the state may advance
LARGEST_SPEED = 1e3  # [rad/s] beyond it the simulation has exploded
LARGEST_ANGLE = 1e6  # [rad] the same
IMPACT_TIME = 0.05  # [s] the first impact is this long
CONTACT_MEMORY = 0.05  # [s] contact lost for longer than this has ended


def _advance(
    law, estimator, detector, plant, controller, trajectory, settings, state, stages, work, log, last_step
):
    """Advance until step ``last_step`` or the first event; returns one of the codes above."""
    while state.step[0] < last_step:
        event = before_step(law, estimator, detector, controller, trajectory, settings, state, state, log)
        if event != READY:
            return event
        _integrate(law, plant, controller, trajectory, settings, state, stages, work)
        if after_step(settings, state, log) != HORIZON:
            return DIVERGED
    return HORIZON


@inlined
def before_step(law, estimator, detector, controller, trajectory, settings, state, seen, log):
    """Command what the coming step needs and log it; ``READY``, or the event that prevents the step.

    ``seen`` is ``state`` with the angles and speeds that its encoders are on.
    """
    step, per_period = state.step[0], settings.steps_per_period[0]
    time = step * settings.step[0]
    logging = log.shape[0] > 0 and step % settings.log_every[0] == 0
    if logging and state.row[0] >= log.shape[0]:
        return LOG_FULL
    if step % per_period == 0:
        event = sense_and_command(
            law, estimator, detector, controller, trajectory, settings, seen, time, step // per_period
        )
        if event != HORIZON:
            return event
    if logging:
        write_row(log, state, time)
    return READY


@inlined
def after_step(settings, state, log):
    """Log what the step has shown and count it; ``DIVERGED`` where a joint has exploded, else ``HORIZON``."""
    step = state.step[0]
    if log.shape[0] > 0 and step % settings.log_every[0] == 0:
        write_truth(log, state)
    watch_contact(state, step * settings.step[0])
    state.step[0] = step + 1
    for i in range(state.q.size):
        if not abs(state.qd[i]) < LARGEST_SPEED or not abs(state.q[i]) < LARGEST_ANGLE:  # also catches NaN
            state.fault[0] = i
            return DIVERGED
    return HORIZON


@inlined
def sense_and_command(law, estimator, detector, controller, trajectory, settings, state, time, period):
    """Sense, judge and command; returns DETECTED or ARRIVED before anything moves, else HORIZON."""
    sensed = state.sensed
    sensed.time[0] = time
    evaluate_into(trajectory, time, state.segment, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref)
    if state.judged[0] != state.step[0]:
        state.judged[0] = state.step[0]
        sense(controller.sensors, state.q, state.qd, state.random, sensed.q, sensed.qd)
        update_model_frames(controller, sensed)
        estimate_and_judge(estimator, detector, controller, sensed, state.belief)
    if raise_alarm(settings, state, time - trajectory.knots[0], time >= trajectory.knots[-1]):
        return DETECTED
    if (
        settings.goal[3] > 0.0
        and time >= trajectory.knots[-1]
        and _at_goal(controller.work.tool, settings.goal)
    ):
        return ARRIVED
    state.periods[0] += 1.0
    state.periods[2] += state.belief.damped[0]
    queue, delay = state.queue, settings.delay[0]
    slots = delay + 1
    if command_torque(law, controller, sensed, queue[period % slots]):
        state.periods[1] += 1.0
    applied = (period - delay) % slots if period >= delay else 0
    for i in range(sensed.tau.size):
        sensed.tau[i] = queue[applied, i]
    return HORIZON


@inlined
def raise_alarm(settings, state, since_plan, at_end):
    """Whether a collision is detected now.

    The detector fires above level 1 and is then disarmed, since the arm still touches what it felt.
    It is armed again below ``rearm``. Until then only a rise by a whole threshold above the lowest
    level since counts: the arm has run into something else on its way back. At the end of the
    trajectory level 1 counts again, or an arm held off its goal would press on for ever.
    """
    level = state.belief.level[0]
    if state.armed[0] == 1.0 or (at_end and settings.goal[3] > 0.0):
        fires = level > 1.0
    else:
        state.floor[0] = min(state.floor[0], level)
        fires = level > state.floor[0] + 1.0
        if level < settings.rearm[0]:
            state.armed[0] = 1.0
    if not fires or since_plan < settings.hold_off[0]:
        return False
    state.armed[0] = 0.0
    state.floor[0] = level
    state.alarm[0] = 1.0
    return True


@inlined
def _at_goal(tool, goal):
    """Whether the tool, as far as the control computer can tell, is within tolerance of the goal."""
    dx, dy, dz = tool[0, 3] - goal[0], tool[1, 3] - goal[1], tool[2, 3] - goal[2]
    return dx * dx + dy * dy + dz * dz <= goal[3] * goal[3]


@inlined
def _integrate(law, plant, controller, trajectory, settings, state, stages, work):
    """One integrator step, the stages of RK4 or the one of semi-implicit Euler in the same loop."""
    h, count = settings.step[0], settings.stages[0]
    time = state.step[0] * h
    q, qd, tau = state.q, state.qd, state.sensed.tau
    qs, qds, qdds, sum_qd, sum_qdd = stages.q, stages.qd, stages.qdd, stages.sum_qd, stages.sum_qdd
    n = q.size
    for i in range(n):
        qs[i], qds[i], sum_qd[i], sum_qdd[i] = q[i], qd[i], 0.0, 0.0
    for stage in range(count):
        if stage > 0:
            ahead = h if stage == 3 else 0.5 * h
            for i in range(n):
                qs[i] = q[i] + ahead * qds[i]
                qds[i] = qd[i] + ahead * qdds[i]
        if settings.hold[0] == 0:
            ahead = 0.0 if stage == 0 else (h if stage == 3 else 0.5 * h)
            command_in_stage(law, controller, trajectory, state, qs, qds, time + ahead)
        plant_acceleration(plant, tau, h if count == 1 else 0.0, h if stage == 0 else 0.0, stages, work)
        if stage == 0:
            keep_truth(state.truth, stages, work)
        weight = 2.0 if stage == 1 or stage == 2 else 1.0
        for i in range(n):
            sum_qd[i] += weight * qds[i]
            sum_qdd[i] += weight * qdds[i]
    if count == 1:
        for i in range(n):
            qd[i] += h * sum_qdd[i]
            q[i] += h * qd[i]
    else:
        for i in range(n):
            q[i] += h / 6.0 * sum_qd[i]
            qd[i] += h / 6.0 * sum_qdd[i]


@inlined
def keep_truth(truth, stages, work):
    """What acts on the arm in the first stage."""
    for k in range(3):
        truth.tool[k] = work.tool[k, 3]
    for i in range(truth.external.size):
        truth.external[i] = stages.external[i]
        truth.friction[i] = stages.friction[i]
    for k in range(truth.touch.size):
        truth.touch[k] = stages.touch[k]


@inlined
def command_in_stage(law, controller, trajectory, state, q, qd, time):
    """The law as a continuous controller would evaluate it, at the state of an integrator stage."""
    sensed = state.sensed
    sensed.time[0] = time
    for i in range(q.size):
        sensed.q[i] = q[i]
        sensed.qd[i] = qd[i]
    evaluate_into(trajectory, time, state.segment, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref)
    update_model_frames(controller, sensed)
    command_torque(law, controller, sensed, sensed.tau)


@inlined
def watch_contact(state, time):
    """Keep the start and end of the latest contact, and the largest forces, from the truth."""
    touch = state.truth.touch
    squared = touch[0] * touch[0] + touch[1] * touch[1] + touch[2] * touch[2]
    if squared > 0.0:
        force = math.sqrt(squared)
        if time > state.last_contact_time[0] + CONTACT_MEMORY:
            state.touch_time[0] = time
            state.contacts[0] += 1
        state.last_contact_time[0] = time
        if state.contacts[0] == 1 and time < state.touch_time[0] + IMPACT_TIME:
            state.first_peak[0] = max(state.first_peak[0], force)
        if force > state.peak_force[0]:
            state.peak_force[0] = force
            state.peak_force[1] = time


@lru_cache(maxsize=1)
def compiled_loop() -> Callable:
    """``_advance``, compiled (or read from the cache) for any methods, arms and obstacles.

    Call it as ``loop(law, estimator, detector, plant, controller, trajectory, settings, state,
    stages, work, log, last_step)`` with the first-class functions of ``plugin.compiled``.
    """
    return compile_loop(numba.types.int64(*loop_types()), _advance)


@lru_cache(maxsize=1)
def loop_types() -> tuple:
    """Numba's types of the arguments of the loop, in their order."""
    n = 6  # only the types matter: every size is read from the arrays
    arm, work, empty, count = (
        load_arm("ur5_ragazzon2012"),
        make_work(n),
        np.zeros(0),
        np.zeros(1, dtype=np.int64),
    )
    samples = (
        Plant(arm, Contact(np.zeros((0, 3)), np.zeros(3)), np.zeros(n), count),
        Controller(arm, *(empty,) * 6, np.zeros(n), count, make_sensors(n), work),
        Trajectory(np.zeros(2), np.zeros((1, 6, n)), np.zeros(1)),
        Settings(np.zeros(1), count, count, count, count, np.zeros(4), np.zeros(1), np.zeros(1), count),
        make_state(np.zeros(n), 0),
        make_stages(n),
        work,
        np.zeros((0, 1)),
    )
    methods = (numba.types.FunctionType(signature(kind)) for kind in ("controller", "estimator", "detector"))
    return (*methods, *(numba.typeof(sample) for sample in samples), numba.types.int64)
