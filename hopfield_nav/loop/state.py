"""What is constant and what changes in the compiled loop: settings and state.

``Event`` says why it returns. ``closed_loop`` advances the state; ``experiment.assembly`` makes the
settings.
"""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from dynamics.kernels.records import record
from hopfield_nav.control import AlarmRule, ControlState, make_control_state
from hopfield_nav.loop.contact import TouchState, make_touch
from hopfield_nav.loop.wrist import WristState, make_wrist_state


class Event(IntEnum):
    """What ended a call of the loop."""

    NONE = -1  # nothing has happened, and the state may advance
    HORIZON = 0  # the step is reached to which it was to go on
    DETECTED = 1  # a collision is detected
    ARRIVED = 2  # the tool is at its goal
    DIVERGED = 3  # a joint has exploded
    LOG_FULL = 4  # there is no room for the next row
    REPORTED = 5  # the level passes ``detection.report``, upwards or down again


class Settings(NamedTuple):
    """Constants of a run."""

    step: float  # of the integrator [s]
    stages: int  # 4 for RK4, 1 for semi-implicit Euler
    steps_per_period: int  # integrator steps in a control period
    delay: int  # control periods between computing a torque and applying it
    # whether the torque is held over the period; else the law is evaluated in every stage
    hold: bool
    goal: np.ndarray  # (3,) tool position to arrive at [m]
    tolerance: float  # of the goal [m]; 0 means no goal
    settling: float  # rate at which the error at the end of a trajectory is corrected [1/s]
    alarm: AlarmRule  # when a level is an alarm
    log_every: int  # steps from one row of the log to the next


class PlantTruth(NamedTuple):
    """What the plant alone knows, at the start of the step."""

    tool: np.ndarray  # (3,) tool position, base axes [m]
    external: np.ndarray  # (n,) torque of contact on the joints [N·m]
    friction: np.ndarray  # (n,) friction in the joints without the viscous part [N·m]
    touch: TouchState  # what touches


@record
class Statistics:
    """What is counted and kept of a run, from the truth."""

    contacts: int = 0  # so far; those within 50 ms of each other count as one
    silent: int = 0  # contacts that ended without an alarm
    silent_peak: float = 0.0  # largest true force of these [N]
    # largest true force of the latest contact [N]; 0 where there is none, and negative where it was
    # answered
    unanswered_peak: float = 0.0
    # touch_time, last_contact_time: start and last moment of the latest contact [s]
    touch_time: float = -math.inf
    last_contact_time: float = -math.inf
    peak_force: float = 0.0  # largest true force [N]
    peak_time: float = math.nan  # when [s]
    first_peak: float = 0.0  # largest true force in the first 50 ms of the first contact [N]
    deepest: float = 0.0  # largest overlap of the arm and an obstacle [m]
    # how far the axis of a body came at most on the way to half-way through obstacles
    share: float = 0.0
    sunk: float = 0.0  # how deep it was then [m]
    # periods, saturated, damped: control periods: all, at a torque limit, with a damped estimate
    periods: int = 0
    saturated: int = 0
    damped: int = 0


@record
class StateNow:
    """The numbers of ``State``."""

    step: int = 0  # how many are done
    fault: int = 0  # joint that exploded


class State(NamedTuple):
    """What changes during a run."""

    now: StateNow  # its numbers
    # q, qd: (n,) the true joint angles [rad] and velocities [rad/s]
    q: np.ndarray
    qd: np.ndarray
    strain: np.ndarray  # (n,) torque by which the gears are strained before they slip [N·m]
    truth: PlantTruth  # the forces that act on the arm, for the record
    wrist: WristState  # the sensor at the flange
    control: ControlState  # the control computer's part
    statistics: Statistics  # what the summary tells


def make_state(q: np.ndarray, delay: int, seed: int = 0) -> State:
    """State at rest at joint angles ``q`` (n,) [rad], with nothing felt yet.

    ``delay`` in control periods, ``seed`` of the sensor noise.
    """
    n = len(q)
    return State(
        now=StateNow(),
        q=np.array(q, dtype=np.float64),
        qd=np.zeros(n),
        strain=np.zeros(n),
        truth=PlantTruth(
            tool=np.zeros(3),
            external=np.zeros(n),
            friction=np.zeros(n),
            touch=make_touch(),
        ),
        wrist=make_wrist_state(seed),
        control=make_control_state(n, delay, seed),
        statistics=Statistics(),
    )
