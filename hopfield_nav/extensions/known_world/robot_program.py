"""A timed path as a program in URScript, the language of the UR arms' own controller.

Written from the URScript manual; **it was never run on a robot, nor in the maker's simulator**. Read the program,
then run it slowly and with a hand at the emergency stop.

The program sends the trajectory itself by ``servoj``, one target a period of the controller: the motion that was proven
free. ``movej`` and ``movel`` would let the controller choose speeds or joint angles of its own, of which nothing was
proven.
"""

import math
from collections.abc import Iterator

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.extensions.known_world import until_contact as contact
from hopfield_nav.extensions.known_world.table import PERIOD, sample_times
from hopfield_nav.extensions.known_world.until_contact import ContactWatch, urscript_condition
from hopfield_nav.loop import Trajectory, sample, values_at

_PERIODS = 0.002, 0.1  # [s] that servoj takes (URScript manual), as are the next two
_LOOKAHEAD, _GAIN = 0.1, 300.0  # [s], and of its law
_STOP = 1.4  # [rad/s²] deceleration of stopj
_DIGITS = 9  # behind the point
_EDGE = 1e-9  # [rad] by which rounding may put a joint beyond its limit


def urscript(
    arm: Arm, trajectory: Trajectory, name: str = "path", period: float = PERIOD, watch: ContactWatch | None = None
) -> str:
    """A program that moves a UR arm along a trajectory, as ``time_path`` makes it.

    ``name`` stands in its first line; ``period`` is the time from target to target [s], 0.008 for the CB3 series and
    0.002 for the e-Series. ``watch`` says where a contact ends the motion; the program then tells where the tool is.

    Raises ``BadInput``: an arm without six joints, joints outside their limits, or a period out of range.
    """
    if len(arm.dh) != 6:
        raise BadInput("URScript is for arms with six joints", found=len(arm.dh))
    low, high = _PERIODS
    if not low <= period <= high:
        raise BadInput("period is out of servoj's range", found=period, allowed=f"{low:g} to {high:g}")
    _require_inside(arm, trajectory)
    options = f"0, 0, {period:g}, {_LOOKAHEAD:g}, {_GAIN:g}"
    body = [*_servoj(trajectory, period, f"servoj({{}}, {options})"), f"  stopj({_STOP:g})"]
    if watch is not None:
        body = list(_until_contact(trajectory, period, options, watch))
    start = values_at(trajectory, trajectory.knots[:1])[0][0]
    first = f"{' '.join(name.split())}: servoj, {trajectory.knots[-1]:.3f} s, starts at joints {_list(start)} rad"
    return "\n".join([f"# {first}", *_NOTES, "def planned_path():", *_start_check(start), *body, "end"]) + "\n"


_NOTES = (
    "# Written by hopfield-nav from the URScript manual; never run on a robot.",
    "# Read it, run it at a low speed first, and keep a hand at the emergency stop.",
)


def _require_inside(arm: Arm, trajectory: Trajectory) -> None:
    _, q, _, _ = sample(trajectory, 4)
    outside = np.maximum(arm.position_limits[:, 0] - q, q - arm.position_limits[:, 1]).max(axis=0)
    joint = int(np.argmax(outside))
    if outside[joint] > _EDGE:
        low, high = arm.position_limits[joint]
        allowed = f"{low:.4g} to {high:.4g} rad"
        found = f"{outside[joint]:.4g} rad outside"
        raise BadInput(f"joint {joint + 1} leaves its limits on the path", found=found, allowed=allowed)


def _start_check(start: np.ndarray) -> Iterator[str]:
    """The program goes on only where every joint is at the start."""
    yield f"  start = {_list(start)}"
    yield "  now = get_actual_joint_positions()"
    yield "  joint = 0"
    yield "  away = False"
    yield "  while joint < 6:"
    away = f"{contact.START_TOLERANCE:g}"
    yield f"    if now[joint] - start[joint] > {away} or start[joint] - now[joint] > {away}:"
    yield "      away = True"
    yield "    end"
    yield "    joint = joint + 1"
    yield "  end"
    yield "  if away:"
    yield '    popup("The arm is not at the start of the planned path.", "Planned path", False, True, True)'
    yield "    halt"
    yield "  end"


def _servoj(trajectory: Trajectory, period: float, call: str) -> Iterator[str]:
    """One target a period, and the goal once more until the arm has settled."""
    targets, _, _ = values_at(trajectory, sample_times(trajectory, period)[1:])
    for q in targets:
        yield f"  {call.format(_list(q))}"
    goal, _, _ = values_at(trajectory, trajectory.knots[-1:])
    yield "  settling = 0"
    yield f"  while settling < {math.ceil(contact.SETTLING / period)}:"
    yield f"    {call.format(_list(goal[0]))}"
    yield "    settling = settling + 1"
    yield "  end"


def _until_contact(trajectory: Trajectory, period: float, options: str, watch: ContactWatch) -> Iterator[str]:
    """As ``_servoj``, but no target is sent once a contact was felt; then the arm brakes and tells where."""
    yield "  global touched = False"
    yield from urscript_condition(watch)
    yield "  def go(q):"
    yield "    if not touched:"
    yield f"      servoj(q, {options})"
    yield "      global touched = felt()"
    yield "    end"
    yield "  end"
    yield from _servoj(trajectory, period, "go({})")
    yield f"  stopj({watch.deceleration:g})"
    yield "  if touched:"
    yield '    textmsg("contact: tool at ", get_actual_tcp_pose())'
    yield '    textmsg("contact: joints at ", get_actual_joint_positions())'
    yield "  else:"
    yield '    textmsg("no contact on the path")'
    yield "  end"


def _list(values: np.ndarray) -> str:
    """Numbers as URScript reads them: fixed point, no exponent, no negative zero."""
    rounded = np.round(values, _DIGITS) + 0.0
    return "[" + ", ".join(np.format_float_positional(value, trim="0") for value in rounded) + "]"
