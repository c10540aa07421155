"""What is constant and what changes in the compiled loop: settings, state and its parts.

``closed_loop`` advances the state; ``world.build`` makes the settings.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hopfield_nav.control import (
    Alarm,
    AlarmRule,
    Belief,
    Trace,
    make_alarm,
    make_belief,
    make_random_state,
    make_trace,
)
from hopfield_nav.loop.contact import Touch, make_touch
from hopfield_nav.loop.wrist import WristState, make_wrist_state
from hopfield_nav.plugin import Sensed, make_sensed

FOLLOWS, FLOATS, LEADS = 0, 1, 2  # what the arm does, see ``ControlState.mode``


class Settings(NamedTuple):
    """Constants of a run.

    Attributes:
        step: of the integrator [s].
        stages: 4 for RK4, 1 for semi-implicit Euler.
        steps_per_period: integrator steps in a control period.
        delay: control periods between computing a torque and applying it.
        hold: whether the torque is held over the period; else the law is evaluated in every stage.
        goal: (3,) tool position to arrive at [m].
        tolerance: of the goal [m]; 0 means no goal.
        settling: rate at which the error at the end of a trajectory is corrected [1/s].
        alarm: when a level is an alarm.
        log_every: steps from one row of the log to the next.
    """

    step: float
    stages: int
    steps_per_period: int
    delay: int
    hold: bool
    goal: np.ndarray
    tolerance: float
    settling: float
    alarm: AlarmRule
    log_every: int


class PlantTruth(NamedTuple):
    """What the plant alone knows, at the start of the step.

    Attributes:
        tool: (3,) tool position, base axes [m].
        external: (n,) torque of contact on the joints [N·m].
        friction: (n,) Coulomb friction in the joints [N·m].
        touch: what touches.
    """

    tool: np.ndarray
    external: np.ndarray
    friction: np.ndarray
    touch: Touch


class ControlState(NamedTuple):
    """What the control computer knows, believes and remembers; the plant's truth is not among it.

    Attributes:
        sensed: what it measured last, and its reference.
        belief: what it believes.
        alarm: what its alarm rule remembers.
        queue: (delay + 1, n) torques on their path to the motors [N·m].
        segment: (1,) int, of the trajectory.
        judged: (1,) int, step at which the estimator ran last: once a period, also after an event.
        random: (1,) state of the generator of sensor noise.
        correction: (n,) added to the reference, so that the arm arrives with a wrong model too [rad].
        trace: what it measured in the periods before.
        mode: (1,) int, ``FOLLOWS`` the reference; ``FLOATS``: the motors bear the arm's weight, nothing else;
            ``LEADS``: the law alone knows where to. In the last two the reference is the arm itself.
    """

    sensed: Sensed
    belief: Belief
    alarm: Alarm
    queue: np.ndarray
    segment: np.ndarray
    judged: np.ndarray
    random: np.ndarray
    correction: np.ndarray
    trace: Trace
    mode: np.ndarray


class Statistics(NamedTuple):
    """What is counted and kept of a run, from the truth; each (1,).

    Attributes:
        contacts: int, so far; those within 50 ms of each other count as one.
        silent: int, contacts that ended without an alarm; silent_peak: largest true force of these [N].
        unanswered_peak: largest true force of the latest contact [N]; 0 where there is none, and negative
            where it was answered.
        touch_time, last_contact_time: start and last moment of the latest contact [s].
        peak_force: largest true force [N]; peak_time: when [s].
        first_peak: largest true force in the first 50 ms of the first contact [N].
        deepest: largest overlap of the arm and an obstacle [m].
        share: how far the axis of a body came at most on the way to half-way through obstacles; sunk: how
            deep it was then [m].
        periods, saturated, damped: control periods: all, at a torque limit, with a damped estimate.
    """

    contacts: np.ndarray
    silent: np.ndarray
    silent_peak: np.ndarray
    unanswered_peak: np.ndarray
    touch_time: np.ndarray
    last_contact_time: np.ndarray
    peak_force: np.ndarray
    peak_time: np.ndarray
    first_peak: np.ndarray
    deepest: np.ndarray
    share: np.ndarray
    sunk: np.ndarray
    periods: np.ndarray
    saturated: np.ndarray
    damped: np.ndarray


class State(NamedTuple):
    """What changes during a run.

    Attributes:
        q, qd: (n,) the true joint angles [rad] and velocities [rad/s].
        step: (1,) int, steps done.
        fault: (1,) int, joint that exploded.
        truth: what acts on the arm.
        wrist: the sensor at the flange.
        control: the control computer's part.
        statistics: what the summary tells.
    """

    q: np.ndarray
    qd: np.ndarray
    step: np.ndarray
    fault: np.ndarray
    truth: PlantTruth
    wrist: WristState
    control: ControlState
    statistics: Statistics


def make_state(q: np.ndarray, delay: int, seed: int = 0) -> State:
    """State at rest at joint angles ``q`` (n,), with nothing felt yet; ``seed`` of the sensor noise."""
    n = len(q)
    return State(
        q=np.array(q, dtype=np.float64),
        qd=np.zeros(n),
        step=_count(),
        fault=_count(),
        truth=PlantTruth(np.zeros(3), np.zeros(n), np.zeros(n), make_touch()),
        wrist=make_wrist_state(seed),
        control=ControlState(
            sensed=make_sensed(n),
            belief=make_belief(n),
            alarm=make_alarm(n),
            queue=np.zeros((delay + 1, n)),
            segment=_count(),
            judged=_count(-1),
            random=make_random_state(seed),
            correction=np.zeros(n),
            trace=make_trace(n),
            mode=_count(),
        ),
        statistics=Statistics(
            contacts=_count(),
            silent=_count(),
            silent_peak=np.zeros(1),
            unanswered_peak=np.zeros(1),
            touch_time=np.full(1, -math.inf),
            last_contact_time=np.full(1, -math.inf),
            peak_force=np.zeros(1),
            peak_time=np.full(1, math.nan),
            first_peak=np.zeros(1),
            deepest=np.zeros(1),
            share=np.zeros(1),
            sunk=np.zeros(1),
            periods=np.zeros(1),
            saturated=np.zeros(1),
            damped=np.zeros(1),
        ),
    )


def _count(value: int = 0) -> np.ndarray:
    return np.full(1, value, dtype=np.int64)
