"""When a level is an alarm: the rule, what it remembers, and its one function.

The control computer asks it once a period; the closed loop and ``replay`` of recordings use the
same.

**One touch is one collision.** The detector fires above level 1. What it then feels is an
*episode*, and the reference explains it: a new trajectory begins with the velocity of the old one,
so for a while it goes deeper into what was felt, turns, and comes back to where it was; only from
there on must the force fall. The episode ends when the level has fallen below ``rearm`` and the
reference is back; or, where it does not come back, when the level has stayed there for
``CALM_TIME``. Where the model has a load wrong the level never falls so far: there the episode ends
when it has stayed within ``STEADY_RANGE`` of its lowest value for ``CALM_TIME``, and the next one
begins as far above that value as it otherwise does above ``rearm``. Before the end the detector
fires again for two reasons alone:

- **another direction**: the external torque is turned by more than 60° from what it was when the
  level was highest, and from what it was in the alarm before, and the level rises by a whole
  threshold above its lowest value since: an arm between two obstacles is thrown from one to the
  other, and touches two;
- **growth in spite of the retreat**: the reference is back, or on its way in again, or the first
  leg of the new path is over (or ``TURN_SHARE`` of it, where the reference has not even turned),
  and the level rises by a whole threshold above its lowest value since.

An arm that passes by what it touches does not retreat (``PASSING``): until the end of its leg the
level has to rise by a whole threshold above what it was when that was decided, and then above its
lowest value since.

A slow controller and a stiff obstacle throw each other back and forth, so that the level swings
from one period to the next: its lowest value is that of the larger one of every two periods.

Directions are those of the torques that contact puts on the joints; an estimator that knows none is
given the direction against the reference's motion. At the alarm a torque is hardly larger than what
the model may have wrong, such as friction, whose error changes its sign when the arm turns back: so
the direction is taken until the level first falls, and a turn alone is nothing new.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record

ANOTHER_COSINE = 0.5  # below which the external torque has another direction
MIN_TORQUE = 1e-3  # [N·m] below it an external torque has no direction
TURN_SHARE = 0.6  # of its first leg, by which a path that leads back has turned
FALLEN_SHARE = 0.9  # of its highest value, below which the level has begun to fall
CALM_TIME = 0.1  # [s] below ``rearm``, or steady, for so long: a contact is over
STEADY_RANGE = 0.2  # level above its lowest value within which it is steady


class RetreatStage(IntEnum):
    """How far the reference has gone back from what was felt."""

    # the arm is brought to rest first: no growth of the level is one in spite of the retreat
    PENDING = -1
    DEEPER = 0  # it still goes on into what was felt
    TURNED = 1  # it comes back
    BACK = 2  # it is where it was, or on its way in again
    PASSING = 3  # the arm does not retreat, but passes by what it touches


class AlarmRule(NamedTuple):
    """The numbers of the rule."""

    rearm: float  # level below which an episode may end
    hold_off: float  # time after a new trajectory during which nothing is detected [s]
    # whether one touch is one collision; else every rise by a whole threshold is one, and the
    # detector is armed again as soon as the level is below ``rearm``
    episodes: bool
    lag: float  # distance behind the reference that is a level of 1 too [m]; 0: none is


@record
class AlarmNow:
    """The numbers of ``Alarm``."""

    armed: bool = True  # whether nothing is felt: it is outside episodes
    threshold: float = 1.0  # level above which it fires outside episodes
    retreat: int = RetreatStage.DEEPER  # of the reference since it fired, a ``RetreatStage``
    fired_time: float = 0.0  # when it fired [s]
    loud_time: float = 0.0  # when the level was above ``rearm`` last [s]
    last_level: float = 0.0  # that of the period before
    # lowest level, of every two periods the larger one, since the reference was back; until then
    # the latest one, or where the arm passes by that when it began to
    floor: float = 0.0
    peak: float = 0.0  # highest level since it fired, until it has begun to fall; then infinite
    low: float = 0.0  # lowest level since then, of every two periods the larger one
    # level when the reference turned away from what was felt, 0 before that
    level_at_retreat: float = 0.0
    level_at_retreat_before: float = 0.0  # the same of the alarm before
    raised: bool = False  # whether there was a detection since the last row of the log


class Alarm(NamedTuple):
    """What the rule remembers."""

    now: AlarmNow  # its numbers
    # (n,) of the external torque at the peak, or against the motion where none was estimated
    direction: np.ndarray
    before: np.ndarray  # (n,) the same of the alarm before in this episode; 0 where there was none
    q_ref: np.ndarray  # (n,) reference when it fired [rad]


def make_alarm(n: int) -> Alarm:
    """Armed, and nothing detected, on an arm with ``n`` joints."""
    return Alarm(now=AlarmNow(), direction=np.zeros(n), before=np.zeros(n), q_ref=np.zeros(n))


@inlined
def raise_alarm(rule, alarm, sensed, belief, since_plan, leg, at_end):
    """Whether a collision is detected now.

    ``since_plan``: time since the trajectory began, ``leg``: duration of its first leg [s]. At the
    end of a trajectory to the goal (``at_end``) level 1 always counts; else an arm held off it
    would press on.
    """
    now = alarm.now
    level = belief.now.level
    larger = max(level, now.last_level) if rule.episodes else level
    if now.armed:
        fires = level > 1.0 and (at_end or level > now.threshold)
        if level < rule.rearm:
            now.threshold = 1.0
    else:
        if rule.episodes:
            answered = sensed.time[0] - since_plan > now.fired_time - 1e-9  # for rounding
            _follow_retreat(alarm, sensed, level, since_plan / leg if answered else 0.0)
        elif now.retreat == RetreatStage.DEEPER:
            now.retreat = RetreatStage.BACK
            now.level_at_retreat = level
        if now.retreat != RetreatStage.PASSING:
            now.floor = min(now.floor, larger) if now.retreat == RetreatStage.BACK else larger
        turned = rule.episodes and _grows_elsewhere(alarm, belief, larger)
        fires = level > 1.0 and (at_end or turned or level > now.floor + 1.0)
        _end_episode(rule, now, level, sensed.time[0])
    now.last_level = level
    if not fires or since_plan < rule.hold_off:
        return False
    _begin_episode(alarm, sensed, belief)
    return True


@inlined
def _end_episode(rule, now, level, time):
    """Arm again where what was felt is over, or only what the model has wrong is left."""
    fallen = level < rule.rearm
    back = now.retreat == RetreatStage.BACK
    steady = rule.episodes and back and level < 1.0 and level <= now.floor + STEADY_RANGE
    if not fallen and not steady:
        now.loud_time = time
    elif (fallen and back) or time - now.loud_time >= CALM_TIME:
        now.armed = True
        now.threshold = 1.0 if fallen else max(1.0, now.floor + 1.0 - rule.rearm)


@inlined
def _follow_retreat(alarm, sensed, level, share):
    """Bring the stage of the retreat up to date.

    ``share`` of the first leg of the new path is over.
    """
    now = alarm.now
    stage = alarm.now.retreat
    if stage == RetreatStage.PASSING and share >= 1.0:
        now.retreat = RetreatStage.BACK
    if stage == RetreatStage.PENDING or stage >= RetreatStage.BACK:  # back already, or passing by
        return
    back = 0.0
    speed = 0.0
    for i in range(sensed.q_ref.size):
        back += (sensed.q_ref[i] - alarm.q_ref[i]) * alarm.direction[i]
        speed += sensed.qd_ref[i] * alarm.direction[i]
    lost = share >= (TURN_SHARE if stage == RetreatStage.DEEPER else 1.0)
    if back > 0.0 or lost or (stage == RetreatStage.TURNED and speed < 0.0):
        now.retreat = RetreatStage.BACK
    elif speed > 0.0:
        now.retreat = RetreatStage.TURNED
    if stage == RetreatStage.DEEPER and now.retreat > RetreatStage.DEEPER:
        now.level_at_retreat = level


@inlined
def _grows_elsewhere(alarm, belief, larger):
    """Whether the level rises again, by a torque of another direction than at its peak.

    ``larger``: level of this period or of the last one.
    """
    now = alarm.now
    level = belief.now.level
    if level >= FALLEN_SHARE * now.peak:
        if level > now.peak:
            now.peak = level
            _take_direction(alarm, belief)
        now.low = level
        return False
    now.peak = np.inf
    now.low = min(now.low, larger)
    square = 0.0
    along = 0.0
    along_before = 0.0
    known = 0.0
    for i in range(belief.tau_external.size):
        square += belief.tau_external[i] * belief.tau_external[i]
        along += belief.tau_external[i] * alarm.direction[i]
        along_before += belief.tau_external[i] * alarm.before[i]
        known += alarm.before[i] * alarm.before[i]
    if square <= MIN_TORQUE * MIN_TORQUE or level <= now.low + 1.0:
        return False
    least = ANOTHER_COSINE * np.sqrt(square)
    return along < least and (known == 0.0 or along_before < least)


@inlined
def _take_direction(alarm, belief):
    """Remember the direction of the external torque, if there is one; whether there is."""
    square = 0.0
    for i in range(belief.tau_external.size):
        square += belief.tau_external[i] * belief.tau_external[i]
    if square <= MIN_TORQUE * MIN_TORQUE:
        return False
    for i in range(belief.tau_external.size):
        alarm.direction[i] = belief.tau_external[i] / np.sqrt(square)
    return True


@inlined
def _begin_episode(alarm, sensed, belief):
    """Remember what was felt, and where the reference was."""
    now = alarm.now
    moving = 0.0
    for i in range(sensed.q_ref.size):
        moving += sensed.qd_ref[i] * sensed.qd_ref[i]
        alarm.q_ref[i] = sensed.q_ref[i]
        alarm.before[i] = 0.0 if now.armed else alarm.direction[i]
    if not _take_direction(alarm, belief):
        for i in range(sensed.q_ref.size):
            alarm.direction[i] = -sensed.qd_ref[i] / np.sqrt(moving) if moving > 0.0 else 0.0
    now.peak = now.low = now.floor = belief.now.level
    now.retreat = RetreatStage.DEEPER
    now.fired_time = now.loud_time = sensed.time[0]
    now.level_at_retreat_before = now.level_at_retreat
    now.level_at_retreat = 0.0
    now.armed = False
    now.raised = True
