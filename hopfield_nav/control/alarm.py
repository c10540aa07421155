"""When a level is an alarm: the rule, what it remembers, and its one function.

The control computer asks it once a period; the closed loop and ``logs.replay`` use the same.

**One touch is one collision.** The detector fires above level 1. What it then feels is an *episode*, and the
reference explains it: a new trajectory begins with the velocity of the old one, so for a while it goes
deeper into what was felt, turns, and comes back to where it was; only from there on must the force
fall. The episode ends when the level has fallen below ``rearm`` and the reference is back; or, where it
does not come back, when the level has stayed there for ``CALM``. Where the model has a load wrong the level
never falls so far: there the episode ends when it has stayed within ``STEADY`` of its lowest value for
``CALM``, and the next one begins as far above that value as it otherwise does above ``rearm``. Before the end
the detector fires again for two reasons alone:

- **another direction**: the external torque is turned by more than 60° from what it was when the level
  was highest, and from what it was in the alarm before, and the level rises by a whole threshold above
  its lowest value since: an arm between two obstacles is thrown from one to the other, and touches two;
- **growth in spite of the retreat**: the reference is back, or on its way in again, or the first leg of the
  new path is over (or ``TURN_BY`` of it, where the reference has not even turned), and the level rises by a
  whole threshold above its lowest value since.

An arm that passes by what it touches (``PASSES``) does not retreat: until the end of its leg the level has to
rise by a whole threshold above what it was when the detector fired, and then above its lowest value since.

A slow controller and a stiff obstacle throw each other back and forth, so that the level swings from one
period to the next: its lowest value is that of the larger one of every two periods.

Directions are those of the torques that contact puts on the joints; an estimator that knows none is given
the direction against the reference's motion. At the alarm a torque is hardly larger than what the model may
have wrong, such as friction, whose error changes its sign when the arm turns back: so the direction is
taken until the level first falls, and a turn alone is nothing new.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.compiled import inlined

ANOTHER = 0.5  # cosine below which the external torque has another direction
LEAST_TORQUE = 1e-3  # [N·m] below it an external torque has no direction
TURN_BY = 0.6  # share of its first leg by which a path that leads back has turned
FALLEN = 0.9  # share of its highest value at which the level has begun to fall
NO_RETREAT = -1.0  # what ``retreat`` is while no growth is one in spite of it
PASSES = 3.0  # what it is where the arm does not retreat, but passes by what it touches
CALM = 0.1  # [s] below ``rearm``, or steady, for so long: a contact is over
STEADY = 0.2  # level above its lowest value within which it is steady


class AlarmRule(NamedTuple):
    """The numbers of the rule.

    Attributes:
        rearm: level below which an episode may end.
        hold_off: time after a new trajectory during which nothing is detected [s].
        episodes: whether one touch is one collision; else every rise by a whole threshold is one, and
            the detector is armed again as soon as the level is below ``rearm``.
        lag: distance behind the reference that is a level of 1 too [m]; 0: none is.
    """

    rearm: float
    hold_off: float
    episodes: bool
    lag: float


class Alarm(NamedTuple):
    """What the rule remembers.

    Attributes:
        armed: (1,) 1 outside episodes.
        bar: (1,) level above which it fires outside episodes.
        retreat: (1,) of the reference since it fired: 0 deeper, 1 turned, 2 back or on its way in again; -1
            (``NO_RETREAT``) while the arm is brought to rest before it retreats, 3 (``PASSES``) while it
            passes by.
        fired: (1,) when it fired [s].
        loud: (1,) when the level was above ``rearm`` last [s].
        last: (1,) level of the period before.
        floor: (1,) lowest level, of every two periods the larger one, since the reference was back; until
            then the latest one, or where the arm passes by that when it fired.
        peak: (1,) highest level since it fired, until it has begun to fall; then infinite.
        low: (1,) lowest level since then, of every two periods the larger one.
        direction: (n,) of the external torque at the peak, or against the motion where none was estimated.
        before: (n,) the same of the alarm before in this episode; 0 where there was none.
        q_ref: (n,) reference when it fired [rad].
        held: (2,) level when the reference turned away from what was felt, 0 before that; and the same
            of the alarm before.
        raised: (1,) 1 from a detection to the next row of the log.
    """

    armed: np.ndarray
    bar: np.ndarray
    retreat: np.ndarray
    fired: np.ndarray
    loud: np.ndarray
    last: np.ndarray
    floor: np.ndarray
    peak: np.ndarray
    low: np.ndarray
    direction: np.ndarray
    before: np.ndarray
    q_ref: np.ndarray
    held: np.ndarray
    raised: np.ndarray


def make_alarm(n: int) -> Alarm:
    """Armed, and nothing detected, on an arm with ``n`` joints."""
    (armed, bar), (retreat, fired, loud, last, floor, peak, low, raised) = np.ones((2, 1)), np.zeros((8, 1))
    (direction, before, q_ref), held = np.zeros((3, n)), np.zeros(2)
    return Alarm(
        armed, bar, retreat, fired, loud, last, floor, peak, low, direction, before, q_ref, held, raised
    )


@inlined
def raise_alarm(rule, alarm, sensed, belief, since_plan, leg, at_end):
    """Whether a collision is detected now.

    ``since_plan``: time since the trajectory began, ``leg``: duration of its first leg [s]. At the end of a
    trajectory to the goal (``at_end``) level 1 always counts; else an arm held off it would press on.
    """
    level = belief.level[0]
    larger = max(level, alarm.last[0]) if rule.episodes else level
    if alarm.armed[0] == 1.0:
        fires = level > 1.0 and (at_end or level > alarm.bar[0])
        if level < rule.rearm:
            alarm.bar[0] = 1.0
    else:
        if rule.episodes:
            answered = sensed.time[0] - since_plan >= alarm.fired[0]
            _follow_retreat(alarm, sensed, level, since_plan / leg if answered else 0.0)
        elif alarm.retreat[0] == 0.0:
            alarm.retreat[0], alarm.held[0] = 2.0, level
        if alarm.retreat[0] != PASSES:
            alarm.floor[0] = min(alarm.floor[0], larger) if alarm.retreat[0] == 2.0 else larger
        turned = rule.episodes and _grows_elsewhere(alarm, belief, larger)
        fires = level > 1.0 and (at_end or turned or level > alarm.floor[0] + 1.0)
        _end_episode(rule, alarm, level, sensed.time[0])
    alarm.last[0] = level
    if not fires or since_plan < rule.hold_off:
        return False
    _begin_episode(alarm, sensed, belief)
    return True


@inlined
def _end_episode(rule, alarm, level, time):
    """Arm again where what was felt is over, or only what the model has wrong is left."""
    fallen, back = level < rule.rearm, alarm.retreat[0] == 2.0
    steady = rule.episodes and back and level < 1.0 and level <= alarm.floor[0] + STEADY
    if not fallen and not steady:
        alarm.loud[0] = time
    elif (fallen and back) or time - alarm.loud[0] >= CALM:
        alarm.armed[0] = 1.0
        alarm.bar[0] = 1.0 if fallen else max(1.0, alarm.floor[0] + 1.0 - rule.rearm)


@inlined
def _follow_retreat(alarm, sensed, level, share):
    """Bring the stage of the retreat up to date; ``share`` of the first leg of the new path is over."""
    stage = alarm.retreat[0]
    if stage == PASSES and share >= 1.0:
        alarm.retreat[0] = 2.0
    if stage == NO_RETREAT or stage >= 2.0:  # back already, or passing by
        return
    back, speed = 0.0, 0.0
    for i in range(sensed.q_ref.size):
        back += (sensed.q_ref[i] - alarm.q_ref[i]) * alarm.direction[i]
        speed += sensed.qd_ref[i] * alarm.direction[i]
    lost = share >= (TURN_BY if stage == 0.0 else 1.0)
    if back > 0.0 or lost or (stage == 1.0 and speed < 0.0):
        alarm.retreat[0] = 2.0
    elif speed > 0.0:
        alarm.retreat[0] = 1.0
    if stage == 0.0 and alarm.retreat[0] > 0.0:
        alarm.held[0] = level


@inlined
def _grows_elsewhere(alarm, belief, larger):
    """Whether the level rises again, by a torque of another direction than at its peak.

    ``larger``: level of this period or of the last one.
    """
    level = belief.level[0]
    if level >= FALLEN * alarm.peak[0]:
        if level > alarm.peak[0]:
            alarm.peak[0] = level
            _take_direction(alarm, belief)
        alarm.low[0] = level
        return False
    alarm.peak[0] = np.inf
    alarm.low[0] = min(alarm.low[0], larger)
    square, along, along_before, known = 0.0, 0.0, 0.0, 0.0
    for i in range(belief.tau_external.size):
        square += belief.tau_external[i] * belief.tau_external[i]
        along += belief.tau_external[i] * alarm.direction[i]
        along_before += belief.tau_external[i] * alarm.before[i]
        known += alarm.before[i] * alarm.before[i]
    if square <= LEAST_TORQUE * LEAST_TORQUE or level <= alarm.low[0] + 1.0:
        return False
    least = ANOTHER * np.sqrt(square)
    return along < least and (known == 0.0 or along_before < least)


@inlined
def _take_direction(alarm, belief):
    """Remember the direction of the external torque, if there is one; whether there is."""
    square = 0.0
    for i in range(belief.tau_external.size):
        square += belief.tau_external[i] * belief.tau_external[i]
    if square <= LEAST_TORQUE * LEAST_TORQUE:
        return False
    for i in range(belief.tau_external.size):
        alarm.direction[i] = belief.tau_external[i] / np.sqrt(square)
    return True


@inlined
def _begin_episode(alarm, sensed, belief):
    """Remember what was felt, and where the reference was."""
    moving = 0.0
    for i in range(sensed.q_ref.size):
        moving += sensed.qd_ref[i] * sensed.qd_ref[i]
        alarm.q_ref[i] = sensed.q_ref[i]
        alarm.before[i] = 0.0 if alarm.armed[0] == 1.0 else alarm.direction[i]
    if not _take_direction(alarm, belief):
        for i in range(sensed.q_ref.size):
            alarm.direction[i] = -sensed.qd_ref[i] / np.sqrt(moving) if moving > 0.0 else 0.0
    alarm.peak[0] = alarm.low[0] = alarm.floor[0] = belief.level[0]
    alarm.retreat[0] = 0.0
    alarm.fired[0] = alarm.loud[0] = sensed.time[0]
    alarm.held[1], alarm.held[0] = alarm.held[0], 0.0
    alarm.armed[0], alarm.raised[0] = 0.0, 1.0
