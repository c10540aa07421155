"""Constants and state of the compiled loop.

``closed_loop`` advances the state; ``assembly`` makes the settings.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hopfield_nav.control import Belief, make_belief, make_random_state
from hopfield_nav.loop.contact import TOUCH
from hopfield_nav.plugin import Sensed, make_sensed


class Settings(NamedTuple):
    """Constants of a run.

    Attributes:
        step: (1,) integrator step [s].
        stages: (1,) 4 for RK4, 1 for semi-implicit Euler.
        steps_per_period: (1,) integrator steps in a control period.
        delay: (1,) control periods between computing a torque and applying it.
        hold: (1,) 1: the torque is held over the period; 0: the law is evaluated in every stage.
        goal: (4,) tool position [m] and tolerance [m]; a tolerance of 0 means no goal.
        rearm: (1,) level below which a disarmed detector is armed again.
        hold_off: (1,) time after a new trajectory during which nothing is detected [s].
        log_every: (1,) steps from one row of the log to the next.
    """

    step: np.ndarray
    stages: np.ndarray
    steps_per_period: np.ndarray
    delay: np.ndarray
    hold: np.ndarray
    goal: np.ndarray
    rearm: np.ndarray
    hold_off: np.ndarray
    log_every: np.ndarray


class PlantTruth(NamedTuple):
    """What the plant alone knows, at the start of the step.

    Attributes:
        tool: (3,) tool position, base axes [m].
        external: (n,) torque of contact on the joints [N·m].
        friction: (n,) Coulomb friction in the joints [N·m].
        touch: (11,) what touches, as ``plant.Stages.touch``.
    """

    tool: np.ndarray
    external: np.ndarray
    friction: np.ndarray
    touch: np.ndarray


class State(NamedTuple):
    """What changes during a run.

    Attributes:
        q, qd: (n,) the true joint angles [rad] and velocities [rad/s].
        sensed: what the control computer measured last, and its reference.
        belief: what it believes.
        queue: (delay + 1, n) torques under way to the motors [N·m].
        step: (1,) int, steps done; row: (1,) int, rows of the log in use; segment: (1,) int, of the
            trajectory.
        judged: (1,) int, step at which the estimator ran last: once a period, also after an event.
        armed: (1,) 1 while the detector may fire; floor: (1,) lowest level since it fired;
            alarm: (1,) 1 from a detection to the next row.
        random: (1,) state of the generator of sensor noise.
        truth: what the control computer does not know.
        contacts: (1,) int, contacts so far, those within 50 ms of each other counted as one.
        touch_time, last_contact_time: (1,) start and last moment of the latest contact [s].
        peak_force: (2,) largest true force [N] and its time [s].
        first_peak: (1,) largest true force in the first 50 ms of the first contact [N].
        periods: (3,) control periods: all, saturated, with a damped estimate.
        fault: (1,) int, joint that exploded.
    """

    q: np.ndarray
    qd: np.ndarray
    sensed: Sensed
    belief: Belief
    queue: np.ndarray
    step: np.ndarray
    row: np.ndarray
    segment: np.ndarray
    judged: np.ndarray
    armed: np.ndarray
    floor: np.ndarray
    alarm: np.ndarray
    random: np.ndarray
    truth: PlantTruth
    contacts: np.ndarray
    touch_time: np.ndarray
    last_contact_time: np.ndarray
    peak_force: np.ndarray
    first_peak: np.ndarray
    periods: np.ndarray
    fault: np.ndarray


def make_state(q: np.ndarray, delay: int, seed: int = 0) -> State:
    """State at rest at joint angles ``q`` (n,), with nothing felt yet; ``seed`` of the sensor noise."""
    n = len(q)
    count = lambda: np.zeros(1, dtype=np.int64)  # noqa: E731
    never = -math.inf
    return State(
        q=np.array(q, dtype=np.float64),
        qd=np.zeros(n),
        sensed=make_sensed(n),
        belief=make_belief(n),
        queue=np.zeros((delay + 1, n)),
        step=count(),
        row=count(),
        segment=count(),
        judged=np.full(1, -1, dtype=np.int64),
        armed=np.ones(1),
        floor=np.zeros(1),
        alarm=np.zeros(1),
        random=make_random_state(seed),
        truth=PlantTruth(np.zeros(3), np.zeros(n), np.zeros(n), np.zeros(TOUCH)),
        contacts=count(),
        touch_time=np.full(1, never),
        last_contact_time=np.full(1, never),
        peak_force=np.array([0.0, math.nan]),
        first_peak=np.zeros(1),
        periods=np.zeros(3),
        fault=count(),
    )
