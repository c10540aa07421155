"""What the control computer knows, believes and remembers.

Here is also what it is told between an alarm and the next path. To rest, to slide, to pass by
changes what it does (``ControlMode``), and from when on its alarm rule takes a growing level for
something new (``RetreatStage``). Whoever decides on it, as ``experiment`` does, calls these
functions and writes into none of its memory.
"""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from dynamics import gravity_torque
from dynamics.kernels.records import record
from hopfield_nav.control.alarm import Alarm, RetreatStage, make_alarm
from hopfield_nav.control.control_step import ControlBelief, Controller, make_belief
from hopfield_nav.control.gathering import Gathering, make_gathering
from hopfield_nav.control.passages import PassageNow
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
    """What the control computer knows, believes and remembers.

    The plant's truth is not among it.
    """

    now: ControlNow  # its numbers
    sensed: Sensed  # what it measured last, and its reference
    belief: ControlBelief  # what it believes
    alarm: Alarm  # what its alarm rule remembers
    # (delay + 1, n) torques on their path to the motors [N·m]; at the start, what holds the arm
    queue: np.ndarray
    tau_sensed: np.ndarray  # (n,) measured torque of the period before [N·m]
    random: Generator  # of the sensor noise
    # (n,) added to the reference, so that the arm arrives with a wrong model too [rad]
    correction: np.ndarray
    trace: Trace  # what it measured in the periods before
    gathering: Gathering  # what it learns from
    passage: PassageNow  # what is above ``detection.report``


def make_control_state(n: int, delay: int, seed: int) -> ControlState:
    """Nothing felt yet, on an arm with ``n`` joints.

    ``delay`` in periods, ``seed`` of the sensor noise.
    """
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
        passage=PassageNow(),
    )


def hold_at_start(control: ControlState, controller: Controller, q: np.ndarray) -> None:
    """Let the torques under way when a run begins bear the weight at ``q`` (n,) [rad].

    The weight is that of the model.
    """
    held = gravity_torque(controller.model, q)
    limits = controller.torque_limits
    control.queue[:] = np.clip(held, -limits, limits)


def begin_trajectory(control: ControlState) -> None:
    """Follow a new trajectory, from its first segment."""
    control.now.segment = 0


def pass_by(alarm: Alarm) -> None:
    """Do not retreat from what is touched."""
    alarm.now.retreat = RetreatStage.PASSING


def begin_rest(control: ControlState, floating: bool) -> None:
    """Bring the arm to rest before it retreats: along a braking reference, or ``floating``."""
    control.alarm.now.retreat = RetreatStage.PENDING
    if floating:
        _let_go(control, ControlMode.GRAVITY_COMP)


def end_rest(control: ControlState, episodes: bool) -> None:
    """Retreat from here, along a path.

    With ``episodes`` (see ``AlarmRule``) the way back begins.
    """
    control.now.mode = ControlMode.TRACK
    control.alarm.now.retreat = RetreatStage.TURNED if episodes else RetreatStage.BACK


def begin_slide(control: ControlState) -> None:
    """Let the law alone lead the arm along what it touches."""
    control.alarm.now.retreat = RetreatStage.PENDING
    _let_go(control, ControlMode.LAW_ONLY)


def end_slide(control: ControlState) -> None:
    """Follow a path again: what the level grows by from here on is something new."""
    now = control.alarm.now
    control.now.mode = ControlMode.TRACK
    now.retreat = RetreatStage.BACK
    now.floor = now.low = now.peak = math.inf


def depth_in_contact(control: ControlState) -> float:
    """How far the measured joints are along what the alarm was felt from [rad].

    Larger is deeper.
    """
    return -float(control.sensed.q @ control.alarm.direction)


def keep_level(control: ControlState) -> None:
    """Keep the level of now as that at which the arm turns back."""
    control.alarm.now.level_at_retreat = control.belief.now.level


def _let_go(control: ControlState, mode: ControlMode) -> None:
    """No reference leads the arm: what was added to it is none."""
    control.now.mode = mode
    control.correction[:] = 0.0
