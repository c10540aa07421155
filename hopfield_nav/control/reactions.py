"""What the control computer is told between an alarm and the next path: to rest, to slide, to pass by.

They change what it does (``ControlMode``), and from when on its alarm rule takes a growing level for something new
(``RetreatStage``). Whoever decides on them, as ``experiment`` does, calls these and writes into none of its memory.
"""

import math

from hopfield_nav.control.alarm import Alarm, RetreatStage
from hopfield_nav.control.control_state import ControlMode, ControlState


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
