"""What is constant and what changes in the compiled loop: settings, state and its parts.

``closed_loop`` advances the state; ``world.build`` makes the settings.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.kernels.records import record
from hopfield_nav.control import AlarmRule, ControlState, make_control_state
from hopfield_nav.loop.contact import TouchState, make_touch
from hopfield_nav.loop.wrist import WristState, make_wrist_state


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
        friction: (n,) friction in the joints without the viscous part [N·m].
        touch: what touches.
    """

    tool: np.ndarray
    external: np.ndarray
    friction: np.ndarray
    touch: TouchState


@record
class Statistics:
    """What is counted and kept of a run, from the truth.

    Attributes:
        contacts: so far; those within 50 ms of each other count as one.
        silent: contacts that ended without an alarm; silent_peak: largest true force of these [N].
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

    contacts: int = 0
    silent: int = 0
    silent_peak: float = 0.0
    unanswered_peak: float = 0.0
    touch_time: float = -math.inf
    last_contact_time: float = -math.inf
    peak_force: float = 0.0
    peak_time: float = math.nan
    first_peak: float = 0.0
    deepest: float = 0.0
    share: float = 0.0
    sunk: float = 0.0
    periods: int = 0
    saturated: int = 0
    damped: int = 0


@record
class StateNow:
    """The numbers of ``State``.

    Attributes:
        step: how many are done.
        fault: joint that exploded.
    """

    step: int = 0
    fault: int = 0


class State(NamedTuple):
    """What changes during a run.

    Attributes:
        now: its numbers.
        q, qd: (n,) the true joint angles [rad] and velocities [rad/s].
        strain: (n,) torque by which the gears are strained before they slip [N·m].
        truth: what acts on the arm.
        wrist: the sensor at the flange.
        control: the control computer's part.
        statistics: what the summary tells.
    """

    now: StateNow
    q: np.ndarray
    qd: np.ndarray
    strain: np.ndarray
    truth: PlantTruth
    wrist: WristState
    control: ControlState
    statistics: Statistics


def make_state(q: np.ndarray, delay: int, seed: int = 0) -> State:
    """State at rest at joint angles ``q`` (n,), with nothing felt yet; ``seed`` of the sensor noise."""
    n = len(q)
    return State(
        now=StateNow(),
        q=np.array(q, dtype=np.float64),
        qd=np.zeros(n),
        strain=np.zeros(n),
        truth=PlantTruth(np.zeros(3), np.zeros(n), np.zeros(n), make_touch()),
        wrist=make_wrist_state(seed),
        control=make_control_state(n, delay, seed),
        statistics=Statistics(),
    )
