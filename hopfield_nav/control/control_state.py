"""What the control computer knows, believes and remembers, and what it is told to do."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from dynamics import gravity_torque
from dynamics.kernels.records import record
from hopfield_nav.control.alarm import Alarm, make_alarm
from hopfield_nav.control.control_step import ControlBelief, Controller, make_belief
from hopfield_nav.control.gathering import Gathering, make_gathering
from hopfield_nav.control.sensors import Generator, make_generator
from hopfield_nav.control.trace import Trace, make_trace
from hopfield_nav.plugin import Sensed, make_sensed


class ControlMode(IntEnum):
    """What the arm does; in the last two the reference is the arm itself."""

    TRACK = 0  # it follows the reference
    GRAVITY_COMP = 1  # the motors bear the arm's weight, and nothing else
    LAW_ONLY = 2  # the law alone knows where to


@record
class ControlNow:
    """The numbers of ``ControlState``."""

    mode: int = ControlMode.TRACK  # a ``ControlMode``
    segment: int = 0  # of the trajectory, where the reference was last
    judged_step: int = -1  # at which the estimator ran last: once a period, also after an event


class ControlState(NamedTuple):
    """What the control computer knows, believes and remembers; the plant's truth is not among it."""

    now: ControlNow  # its numbers
    sensed: Sensed  # what it measured last, and its reference
    belief: ControlBelief  # what it believes
    alarm: Alarm  # what its alarm rule remembers
    queue: np.ndarray  # (delay + 1, n) torques on their path to the motors [N·m]; at the start, what holds the arm
    tau_sensed: np.ndarray  # (n,) measured torque of the period before [N·m]
    random: Generator  # of the sensor noise
    correction: np.ndarray  # (n,) added to the reference, so that the arm arrives with a wrong model too [rad]
    trace: Trace  # what it measured in the periods before
    gathering: Gathering  # what it learns from


def make_control_state(n: int, delay: int, seed: int) -> ControlState:
    """Nothing felt yet, on an arm with ``n`` joints; ``delay`` in periods, ``seed`` of the sensor noise."""
    return ControlState(
        now=ControlNow(),
        sensed=make_sensed(n),
        belief=make_belief(n),
        alarm=make_alarm(n),
        queue=np.zeros((delay + 1, n)),
        tau_sensed=np.zeros(n),
        random=make_generator(seed),
        correction=np.zeros(n),
        trace=make_trace(n),
        gathering=make_gathering(n),
    )


def hold_at_start(control: ControlState, controller: Controller, q: np.ndarray) -> None:
    """Let the torques under way when a run begins bear the weight at ``q`` (n,), as the model has it."""
    held, limits = gravity_torque(controller.model, q), controller.torque_limits
    control.queue[:] = np.clip(held, -limits, limits)
