"""When a level is an alarm: the rule, what it remembers, and its one function.

The control computer asks it once a period; the closed loop and ``logs.replay`` use the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.compiled import inlined


class AlarmRule(NamedTuple):
    """The numbers of the rule.

    Attributes:
        rearm: level below which a disarmed detector is armed again.
        hold_off: time after a new trajectory during which nothing is detected [s].
    """

    rearm: float
    hold_off: float


class Alarm(NamedTuple):
    """What the rule remembers.

    Attributes:
        armed: (1,) 1 while the detector may fire.
        floor: (1,) lowest level since it fired.
        raised: (1,) 1 from a detection to the next row of the log.
    """

    armed: np.ndarray
    floor: np.ndarray
    raised: np.ndarray


def make_alarm() -> Alarm:
    """Armed, and nothing detected."""
    return Alarm(np.ones(1), np.zeros(1), np.zeros(1))


@inlined
def raise_alarm(rule, alarm, level, since_plan, at_end):
    """Whether a collision is detected now.

    The detector fires above level 1 and is then disarmed, since the arm still touches what it felt.
    It is armed again below ``rearm``. Until then only a rise by a whole threshold above the lowest
    level since counts: the arm has run into something else while it backs off. ``at_end`` of a
    trajectory that should arrive level 1 counts again, or an arm held off its goal would press on for ever.
    """
    if alarm.armed[0] == 1.0 or at_end:
        fires = level > 1.0
    else:
        alarm.floor[0] = min(alarm.floor[0], level)
        fires = level > alarm.floor[0] + 1.0
        if level < rule.rearm:
            alarm.armed[0] = 1.0
    if not fires or since_plan < rule.hold_off:
        return False
    alarm.armed[0] = 0.0
    alarm.floor[0] = level
    alarm.raised[0] = 1.0
    return True
