"""What the control computer knows, believes and remembers, and what it is told between an alarm and the next path.

To rest, to slide, to pass by changes what it does (``ControlMode``), and from when on its alarm
rule takes a growing level for something new (``RetreatStage``). Whoever decides on it, as
``experiment`` does, calls these functions and writes into none of its memory.

What was measured in the last periods tells when a contact began that was felt only later. An alarm
comes after the first contact: the observer lags, the force has to grow to the threshold. The level
tells when it began to rise, and the angles of that moment are still known.
"""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from dynamics import gravity_torque
from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record
from hopfield_nav.control.alarm import Alarm, PassageNow, RetreatStage, make_alarm
from hopfield_nav.control.control_step import ControlBelief, Controller, make_belief
from hopfield_nav.control.gathering import Gathering, make_gathering
from hopfield_nav.control.sensors import Generator, make_generator
from hopfield_nav.plugin import Sensed, make_sensed

PERIODS = 1024  # that are remembered
RISE_SHARES = (0.25, 0.5)  # of the rise to the alarm, from which its beginning is extrapolated
_BASELINE_TIME = 0.05  # [s] of free motion that is looked at
_GUARD_TIME = 0.006  # [s] between its end and an onset


@record
class TraceNow:
    """The number of ``Trace``."""

    next_row: int = 0  # the one that is written next


class Trace(NamedTuple):
    """A ring of rows."""

    now: TraceNow  # where it is
    # (PERIODS, 2 + 2 n): time [s], alarm level [1], measured joint angles [rad], estimated torque
    # of contact [N·m]; time NaN where there is none yet
    rows: np.ndarray


class Onset(NamedTuple):
    """When a contact began, as far as the control computer can tell."""

    time: float  # [s]
    q: np.ndarray  # (n,) measured joint angles at that time [rad]


def make_trace(n: int) -> Trace:
    """An empty trace of an arm with ``n`` joints."""
    return Trace(TraceNow(), np.full((PERIODS, 2 + 2 * n), np.nan))


@inlined
def remember(trace, sensed, belief):
    """Write this period's row."""
    rows, k = trace.rows, trace.now.next_row
    n = sensed.q.size
    rows[k, 0], rows[k, 1] = sensed.time[0], belief.now.level
    for i in range(n):
        rows[k, 2 + i], rows[k, 2 + n + i] = sensed.q[i], belief.tau_external[i]
    trace.now.next_row = k + 1 if k + 1 < rows.shape[0] else 0


def in_order(trace: Trace) -> np.ndarray:
    """The rows (PERIODS, 2 + 2 n) of a trace, the latest last."""
    return np.roll(trace.rows, -trace.now.next_row, axis=0)


def angles_in(rows: np.ndarray) -> np.ndarray:
    """Measured joint angles (…, n) [rad] of rows (…, 2 + 2 n) of a trace."""
    return rows[..., 2 : rows.shape[-1] // 2 + 1]


def torques_in(rows: np.ndarray) -> np.ndarray:
    """Estimated torques of contact (…, n) [N·m] of rows (…, 2 + 2 n) of a trace."""
    return rows[..., rows.shape[-1] // 2 + 1 :]


def find_onset(trace: Trace, since: float = -np.inf) -> Onset:
    """When, not before ``since`` [s], the level began to rise to what it is in the last row.

    That row is of the alarm. It is the moment at which a straight line through ``RISE_SHARES`` of
    the rise meets the lowest level. An alarm without a rise began when it was raised.
    """
    rows = in_order(trace)
    rows = rows[rows[:, 0] >= since] if (rows[:, 0] >= since).any() else rows[-1:]
    level = rows[:, 1]
    least, rise = level.min(), level[-1] - level.min()
    k = len(rows) - 1
    if rise > 0.0:
        first, second = (
            int(np.flatnonzero(level <= least + share * rise)[-1]) for share in RISE_SHARES
        )
        k = max(2 * first - second, 0)
    return Onset(float(rows[k, 0]), angles_in(rows[k]).copy())


def free_rows(rows: np.ndarray, onset: float, seconds: float = _BASELINE_TIME) -> np.ndarray:
    """The rows (k, 2 + 2 n) of a trace, see ``in_order``, of the motion just before a contact.

    What they say of a contact is what the model leaves, and noise. They are of so many ``seconds``
    before the ``onset`` [s].
    """
    end, time = onset - _GUARD_TIME, rows[:, 0]
    return np.asarray(rows[(time >= end - seconds) & (time < end)])


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
    queue: (
        np.ndarray
    )  # (delay + 1, n) torques on their path to the motors [N·m]; at the start, what holds the arm
    tau_sensed: np.ndarray  # (n,) measured torque of the period before [N·m]
    random: Generator  # of the sensor noise
    correction: (
        np.ndarray
    )  # (n,) added to the reference, so that the arm arrives with a wrong model too [rad]
    trace: Trace  # what it measured in the periods before
    gathering: Gathering  # what it learns from
    passage: PassageNow  # what is above ``detection.report``


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
        passage=PassageNow(),
    )


def hold_at_start(control: ControlState, controller: Controller, q: np.ndarray) -> None:
    """Let the torques under way when a run begins bear the weight at ``q`` (n,), as the model has it."""
    held, limits = gravity_torque(controller.model, q), controller.torque_limits
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
        _lead(control, ControlMode.GRAVITY_COMP)


def end_rest(control: ControlState, episodes: bool) -> None:
    """Retreat from here, along a path; with ``episodes`` (see ``AlarmRule``) the way back begins."""
    control.now.mode = ControlMode.TRACK
    control.alarm.now.retreat = RetreatStage.TURNED if episodes else RetreatStage.BACK


def begin_slide(control: ControlState) -> None:
    """Let the law alone lead the arm along what it touches."""
    control.alarm.now.retreat = RetreatStage.PENDING
    _lead(control, ControlMode.LAW_ONLY)


def end_slide(control: ControlState) -> None:
    """Follow a path again: what the level grows by from here on is something new."""
    now = control.alarm.now
    control.now.mode, now.retreat = ControlMode.TRACK, RetreatStage.BACK
    now.floor = now.low = now.peak = math.inf


def depth_in_contact(control: ControlState) -> float:
    """How far the measured joints are along what the alarm was felt from [rad]; larger is deeper."""
    return -float(control.sensed.q @ control.alarm.direction)


def keep_level(control: ControlState) -> None:
    """Keep the level of now as that at which the arm turns back."""
    control.alarm.now.level_at_retreat = control.belief.now.level


def _lead(control: ControlState, mode: ControlMode) -> None:
    """No reference leads the arm: what was added to it is none."""
    control.now.mode = mode
    control.correction[:] = 0.0
