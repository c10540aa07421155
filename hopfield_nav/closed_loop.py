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

from dynamics.arm import load_arm
from dynamics.compiled import compile_loop, inlined
from dynamics.work import make_work
from hopfield_nav.contact import Contact
from hopfield_nav.control_step import (
    Controller,
    command_torque,
    estimate_and_judge,
    update_model_frames,
)
from hopfield_nav.loop_state import Settings, make_state
from hopfield_nav.plant import Plant, make_stages, plant_acceleration
from hopfield_nav.plugin import signature
from hopfield_nav.trajectory import Trajectory, evaluate_into

HORIZON, DETECTED, ARRIVED, DIVERGED, LOG_FULL = 0, 1, 2, 3, 4  # why ``advance`` returned
LARGEST_SPEED = 1e3  # [rad/s] beyond it the simulation has exploded
LARGEST_ANGLE = 1e6  # [rad] the same
IMPACT_TIME = 0.05  # [s] the first impact is this long
CONTACT_MEMORY = 0.05  # [s] contact lost for longer than this has ended


def _advance(
    law, estimator, detector, plant, controller, trajectory, settings, state, stages, work, log, last_step
):
    """Advance until step ``last_step`` or the first event; returns one of the codes above."""
    every, per_period = settings.log_every[0], settings.steps_per_period[0]
    while state.step[0] < last_step:
        step = state.step[0]
        time = step * settings.step[0]
        logging = log.shape[0] > 0 and step % every == 0
        if logging and state.row[0] >= log.shape[0]:
            return LOG_FULL
        if step % per_period == 0:
            event = sense_and_command(
                law, estimator, detector, controller, trajectory, settings, state, time, step // per_period
            )
            if event != HORIZON:
                return event
        if logging:
            write_row(log, state, time)
        _integrate(law, plant, controller, trajectory, settings, state, stages, work, time)
        if logging:
            write_truth(log, state)
        watch_contact(state, time)
        state.step[0] = step + 1
        for i in range(state.q.size):
            if (
                not abs(state.qd[i]) < LARGEST_SPEED or not abs(state.q[i]) < LARGEST_ANGLE
            ):  # also catches NaN
                state.fault[0] = i
                return DIVERGED
    return HORIZON


@inlined
def sense_and_command(law, estimator, detector, controller, trajectory, settings, state, time, period):
    """Sense, judge and command; returns DETECTED or ARRIVED before anything moves, else HORIZON."""
    sensed = state.sensed
    sensed.time[0] = time
    q, qd = state.q, state.qd
    for i in range(q.size):
        sensed.q[i] = q[i]
        sensed.qd[i] = qd[i]
    evaluate_into(trajectory, time, state.segment, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref)
    update_model_frames(controller, sensed)
    if state.judged[0] != state.step[0]:
        state.judged[0] = state.step[0]
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
    for i in range(q.size):
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
def _integrate(law, plant, controller, trajectory, settings, state, stages, work, time):
    """One integrator step, the stages of RK4 or the one of semi-implicit Euler in the same loop."""
    h, count = settings.step[0], settings.stages[0]
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
        plant_acceleration(plant, tau, h if count == 1 else 0.0, stages, work)
        if stage == 0:
            for k in range(3):
                state.contact[k] = work.tool[k, 3]
            for k in range(6):
                state.contact[3 + k] = stages.wrench[k]
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
    contact = state.contact
    squared = contact[3] * contact[3] + contact[4] * contact[4] + contact[5] * contact[5]
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


@inlined
def write_row(log, state, time):
    """Append a row with all but the contact; the order is that of ``log_columns``."""
    row, n = state.row[0], state.q.size
    sensed, wrench = state.sensed, state.belief.wrench
    q, qd, q_ref, qd_ref, qdd_ref, tau = (
        state.q,
        state.qd,
        sensed.q_ref,
        sensed.qd_ref,
        sensed.qdd_ref,
        sensed.tau,
    )
    log[row, 0] = time
    for i in range(n):
        log[row, 1 + i] = q[i]
        log[row, 1 + n + i] = qd[i]
        log[row, 1 + 2 * n + i] = q_ref[i]
        log[row, 1 + 3 * n + i] = qd_ref[i]
        log[row, 1 + 4 * n + i] = qdd_ref[i]
        log[row, 1 + 5 * n + i] = tau[i]
    start = 1 + 6 * n
    for k in range(6):
        log[row, start + 6 + k] = wrench[k]
    log[row, start + 12] = state.belief.level[0]
    log[row, start + 13] = state.alarm[0]
    log[row, start + 14] = state.belief.damped[0]
    state.alarm[0] = 0.0
    state.row[0] = row + 1


@inlined
def write_truth(log, state):
    """Complete the row with tool position and contact force, known from the integrator's first stage."""
    row, start, contact = state.row[0] - 1, 1 + 6 * state.q.size, state.contact
    for k in range(6):
        log[row, start + k] = contact[k]


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
        Plant(arm, Contact(np.zeros((0, 3)), np.zeros(3)), np.zeros(n)),
        Controller(arm, *(empty,) * 6, np.zeros(n), work),
        Trajectory(np.zeros(2), np.zeros((1, 6, n)), np.zeros(1)),
        Settings(np.zeros(1), count, count, count, count, np.zeros(4), np.zeros(1), np.zeros(1), count),
        make_state(np.zeros(n), 0),
        make_stages(n),
        work,
        np.zeros((0, 1)),
    )
    methods = (numba.types.FunctionType(signature(kind)) for kind in ("controller", "estimator", "detector"))
    return (*methods, *(numba.typeof(sample) for sample in samples), numba.types.int64)
