"""The control computer in the loop: once a period it senses, judges and commands.

Its law may also command in every stage of the integrator. Of the truth it gets what its sensors are
on (angles and speeds of the encoders, the wrist's reading), and nothing else of the state but its
own part.
"""

import numpy as np

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import column, dot, sub, three
from hopfield_nav.control import (
    ControlMode,
    command_torque,
    estimate_and_judge,
    follow_arm,
    gather,
    lag_behind,
    move_reference,
    passage_turns,
    raise_alarm,
    remember,
    sense,
    sense_torque,
    sense_wrench,
    update_correction,
    update_model_frames,
)
from hopfield_nav.loop.state import Event
from hopfield_nav.loop.trajectory import evaluate_into


@inlined
def sense_and_command(
    controller, trajectory, settings, control, statistics, true_q, true_qd, reading, step
):
    """Sense, judge and command, before anything moves.

    Returns ``REPORTED``, ``DETECTED`` or ``ARRIVED``, where nothing is commanded, else ``NONE``.
    ``control`` is the control computer's part of the state; of the truth it gets what the encoders
    are on, angles ``true_q`` and speeds ``true_qd`` (n,), and the wrist's ``reading`` (6,), through
    its sensors.
    """
    sensed, belief, now = control.sensed, control.belief, control.now
    knots = trajectory.knots
    rule = settings.alarm
    time = step * settings.step
    since = time - knots[0]
    sensed.time[0] = time
    at_end = time >= knots[-1] and settings.tolerance > 0.0
    now.segment = evaluate_into(
        trajectory, time, now.segment, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref
    )
    if now.judged_step != step:
        now.judged_step = step
        _judge(controller, settings, control, true_q, true_qd, reading, at_end)
        reports = controller.reporter.parameters.size > 0 and since >= rule.hold_off
        if reports and passage_turns(controller, rule.rearm, sensed, belief, control.passage):
            return Event.REPORTED
    else:
        _place_reference(control)
    leg = knots[1] - knots[0]
    listens = now.mode != ControlMode.LAW_ONLY
    if listens and raise_alarm(rule, control.alarm, sensed, belief, since, leg, at_end):
        return Event.DETECTED
    # as far as the control computer can tell
    apart = sub(column(controller.work.tool, 3), three(settings.goal, 0))
    if at_end and dot(apart, apart) <= settings.tolerance * settings.tolerance:
        return Event.ARRIVED
    statistics.periods += 1
    statistics.damped += 1 if belief.now.damped else 0
    period = step // settings.steps_per_period
    statistics.saturated += _command(controller, settings, control, period)
    return Event.NONE


@inlined
def _judge(controller, settings, control, true_q, true_qd, reading, at_end):
    """Once a period: measure, correct the reference, estimate, detect, and remember for later."""
    sensors, model, work = controller.sensors, controller.model, controller.work
    sensed, belief = control.sensed, control.belief
    mode = control.now.mode
    sense(sensors, true_q, true_qd, control.random, sensed.q, sensed.qd)
    sense_torque(sensors, control.random, sensed.tau, control.tau_sensed)
    share = min(settings.settling * settings.step * settings.steps_per_period, 1.0)
    update_correction(control.correction, sensed, share, at_end and belief.now.level <= 1.0)
    _place_reference(control)
    update_model_frames(model, sensed, work)
    if sensors.wrist:
        sense_wrench(sensors, model.gravity, reading, sensed, work)
    estimate_and_judge(
        model, controller.estimator, controller.detector, sensors.resolution, sensed, work, belief
    )
    if controller.shares.size > 0:
        segment = min(control.now.segment, controller.shares.size - 1)
        belief.now.level /= controller.shares[segment]
    if settings.alarm.lag > 0.0 and mode == ControlMode.TRACK:
        behind = lag_behind(sensed, control.correction, work) / settings.alarm.lag
        belief.now.level = max(belief.now.level, behind)
    remember(control.trace, sensed, belief)
    if control.gathering.now.on:
        level = belief.now.level if control.alarm.now.armed else np.inf
        gather(control.gathering, model, sensed, level)


@inlined
def _command(controller, settings, control, period):
    """Queue the law's torque, and write the one that is due to ``sensed.tau``.

    Returns 1 where a motor is at a limit.
    """
    sensed = control.sensed
    delay = settings.delay
    queue = control.queue
    slots = delay + 1
    floating = control.now.mode == ControlMode.GRAVITY_COMP
    saturated = command_torque(controller, sensed, floating, queue[period % slots])
    applied = (period - delay) % slots
    for i in range(sensed.tau.size):
        sensed.tau[i] = queue[applied, i]
    return 1 if saturated else 0


@inlined
def _place_reference(control):
    """The reference with what was added to it; the arm itself where it leads."""
    move_reference(control.correction, control.sensed)
    if control.now.mode != ControlMode.TRACK:
        follow_arm(control.sensed)


@inlined
def command_in_stage(controller, trajectory, control, q, qd, time):
    """The law as a continuous controller would evaluate it, at the state of an integrator stage."""
    now, sensed = control.now, control.sensed
    sensed.time[0] = time
    for i in range(q.size):
        sensed.q[i] = q[i]
        sensed.qd[i] = qd[i]
    now.segment = evaluate_into(
        trajectory, time, now.segment, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref
    )
    _place_reference(control)
    update_model_frames(controller.model, sensed, controller.work)
    command_torque(controller, sensed, now.mode == ControlMode.GRAVITY_COMP, sensed.tau)
