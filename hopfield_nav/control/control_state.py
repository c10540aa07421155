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
    """What the arm does; in the last two the reference is the arm itself.

    Attributes:
        TRACK: it follows the reference.
        GRAVITY_COMP: the motors bear the arm's weight, and nothing else.
        LAW_ONLY: the law alone knows where to.
    """

    TRACK = 0
    GRAVITY_COMP = 1
    LAW_ONLY = 2


@record
class ControlNow:
    """The numbers of ``ControlState``.

    Attributes:
        mode: a ``ControlMode``.
        segment: of the trajectory, where the reference was last.
        judged_step: at which the estimator ran last: once a period, also after an event.
    """

    mode: int = ControlMode.TRACK
    segment: int = 0
    judged_step: int = -1


class ControlState(NamedTuple):
    """What the control computer knows, believes and remembers; the plant's truth is not among it.

    Attributes:
        now: its numbers.
        sensed: what it measured last, and its reference.
        belief: what it believes.
        alarm: what its alarm rule remembers.
        queue: (delay + 1, n) torques on their path to the motors [N·m]; at the start, what holds the arm.
        random: of the sensor noise.
        correction: (n,) added to the reference, so that the arm arrives with a wrong model too [rad].
        trace: what it measured in the periods before.
        gathering: what it learns from.
    """

    now: ControlNow
    sensed: Sensed
    belief: ControlBelief
    alarm: Alarm
    queue: np.ndarray
    random: Generator
    correction: np.ndarray
    trace: Trace
    gathering: Gathering


def make_control_state(n: int, delay: int, seed: int) -> ControlState:
    """Nothing felt yet, on an arm with ``n`` joints; ``delay`` in periods, ``seed`` of the sensor noise."""
    return ControlState(
        now=ControlNow(),
        sensed=make_sensed(n),
        belief=make_belief(n),
        alarm=make_alarm(n),
        queue=np.zeros((delay + 1, n)),
        random=make_generator(seed),
        correction=np.zeros(n),
        trace=make_trace(n),
        gathering=make_gathering(n),
    )


def hold_at_start(control: ControlState, controller: Controller, q: np.ndarray) -> None:
    """Let the torques under way when a run begins bear the weight at ``q`` (n,), as the model has it."""
    held, limits = gravity_torque(controller.model, q), controller.torque_limits
    control.queue[:] = np.clip(held, -limits, limits)
