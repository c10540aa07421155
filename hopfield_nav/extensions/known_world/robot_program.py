"""A timed path as a program in URScript, the language of the UR arms' own controller.

Written from the URScript manual; **it was never run on a robot, nor in the maker's simulator**. Read the program,
then run it slowly and with a hand at the emergency stop.

``servoj``: the trajectory itself, one target a period of the controller. ``movej``: for paths that are straight in
joint space, one command a leg; the path is the same, the controller's own trapezoid of speed is not. ``movel``: for
straight tool lines; the controller chooses the joints by itself.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

from dynamics import Arm, BadInput, forward_kinematics
from hopfield_nav.extensions.known_world.path_segments import checked_path
from hopfield_nav.extensions.known_world.table import PERIOD, sample_times
from hopfield_nav.extensions.known_world.task import PlannedPath
from hopfield_nav.extensions.known_world.timing import corner_times
from hopfield_nav.extensions.known_world.until_contact import SETTLING, ContactWatch, urscript_condition
from hopfield_nav.loop import Trajectory, sample, values_at

MOTIONS = ("servoj", "movej", "movel")
_MANUAL = {"period": (0.002, 0.1), "lookahead_time": (0.03, 0.2), "gain": (100.0, 2000.0)}  # servoj's ranges
_STOP = 1.4  # [rad/s²] deceleration of stopj
_DIGITS = 9  # behind the point
_EDGE = 1e-9  # [rad] by which rounding may put a joint beyond its limit


def urscript(
    arm: Arm,
    path: PlannedPath,
    trajectory: Trajectory,
    motion: str = "servoj",
    name: str = "path",
    period: float = PERIOD,
    lookahead_time: float = 0.1,
    gain: float = 300.0,
    tolerance: float = 0.01,
    watch: ContactWatch | None = None,
) -> str:
    """A program that moves a UR arm along a timed path.

    Args:
        arm: its kinematics, tool frame and joint limits.
        path: what was timed.
        trajectory: from ``time_path`` for this path.
        motion: "servoj"; "movej" where the joints move on straight lines; "movel" where the tool does.
        name: stands in the first line.
        period: time from target to target of servoj [s]; 0.008 for the CB3 series, 0.002 for the e-Series.
        lookahead_time: of servoj [s], see the manual.
        gain: of servoj, see the manual.
        tolerance: the program stops where a joint is further than this from the start [rad].
        watch: where a contact ends the motion; the program then tells where the tool is.

    Returns:
        The text, ending in a newline.

    Raises ``BadInput``: an arm without six joints, a motion that does not suit the path, a trajectory of another
    path, joints outside their limits, or a parameter out of range.
    """
    _check(arm, path, motion)
    if watch is not None and motion != "servoj":
        raise BadInput("only servoj looks for a contact on its way", found=motion, allowed="servoj")
    for key, value in (("period", period), ("lookahead_time", lookahead_time), ("gain", gain)):
        low, high = _MANUAL[key]
        if not low <= value <= high:
            raise BadInput(f"{key} is out of servoj's range", found=value, allowed=f"{low:g} to {high:g}")
    if not 0.0 < tolerance <= 0.1:
        raise BadInput("tolerance is out of range", found=tolerance, allowed="above 0, up to 0.1 [rad]")
    path = checked_path(path, 6)
    times = corner_times(path, trajectory)
    _require_inside(arm, trajectory)
    options = f"0, 0, {period:g}, {lookahead_time:g}, {gain:g}"
    if watch is not None:
        body = list(_until_contact(trajectory, period, options, watch))
    elif motion == "servoj":
        body = [*_servoj(trajectory, period, f"servoj({{}}, {options})"), f"  stopj({_STOP:g})"]
    else:
        body = list(_movej(path, times, trajectory) if motion == "movej" else _movel(arm, path, times))
    first = f"{' '.join(name.split())}: {motion}, {times[-1]:.3f} s, starts at joints {_list(path.q[0])} rad"
    lines = [f"# {first}", *_NOTES, "def planned_path():", *_start_check(path.q[0], tolerance), *body, "end"]
    return "\n".join(lines) + "\n"


_NOTES = (
    "# Written by hopfield-nav from the URScript manual; never run on a robot.",
    "# Read it, run it at a low speed first, and keep a hand at the emergency stop.",
)


def _check(arm: Arm, path: PlannedPath, motion: str) -> None:
    if len(arm.dh) != 6:
        raise BadInput("URScript is for arms with six joints", found=len(arm.dh))
    suits = {"servoj": True, "movej": not path.is_of_tool, "movel": path.is_of_tool}
    if motion not in suits:
        raise BadInput("unknown motion", found=motion, allowed=", ".join(MOTIONS))
    if not suits[motion]:
        allowed = ", ".join(key for key, good in suits.items() if good)
        raise BadInput(f"{motion} would not keep to the path ({path.kind})", found=motion, allowed=allowed)


def _require_inside(arm: Arm, trajectory: Trajectory) -> None:
    _, q, _, _ = sample(trajectory, 4)
    outside = np.maximum(arm.position_limits[:, 0] - q, q - arm.position_limits[:, 1]).max(axis=0)
    joint = int(np.argmax(outside))
    if outside[joint] > _EDGE:
        low, high = arm.position_limits[joint]
        allowed = f"{low:.4g} to {high:.4g} rad"
        found = f"{outside[joint]:.4g} rad outside"
        raise BadInput(f"joint {joint + 1} leaves its limits on the path", found=found, allowed=allowed)


def _start_check(start: np.ndarray, tolerance: float) -> Iterator[str]:
    """The program goes on only where every joint is at the start."""
    yield f"  start = {_list(start)}"
    yield "  now = get_actual_joint_positions()"
    yield "  joint = 0"
    yield "  away = False"
    yield "  while joint < 6:"
    yield f"    if now[joint] - start[joint] > {tolerance:g} or start[joint] - now[joint] > {tolerance:g}:"
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
    yield f"  while settling < {math.ceil(SETTLING / period)}:"
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


def _movej(path: PlannedPath, times: np.ndarray, trajectory: Trajectory) -> Iterator[str]:
    """One command a leg, with the largest speed and acceleration of the joint that moves furthest."""
    yield "  # The planned path, but the controller's own profile of speed: torque was not checked for it."
    instants, _, qd, qdd = sample(trajectory, 8)
    for i in range(len(times) - 1):
        if times[i + 1] == times[i]:
            continue
        goal = path.q[path.corners[i + 1]]
        leading = int(np.argmax(np.abs(goal - path.q[path.corners[i]])))
        on_leg = (instants >= times[i]) & (instants <= times[i + 1])
        speed, acceleration = (float(np.abs(x[on_leg, leading]).max()) for x in (qd, qdd))
        yield f"  movej({_list(goal)}, a={_number(acceleration)}, v={_number(speed)})"


def _movel(arm: Arm, path: PlannedPath, times: np.ndarray) -> Iterator[str]:
    """One command a leg, in the leg's time."""
    yield "  # WARNING: with movel the controller picks the joint angles (the branch) by itself, and its own"
    yield "  # profile of speed. The check for collisions holds for the planned joint angles alone."
    yield f"  set_tcp({_pose(arm.tool)})"
    for i in range(len(times) - 1):
        if times[i + 1] > times[i]:
            pose = forward_kinematics(arm, path.q[path.corners[i + 1]])
            yield f"  movel({_pose(pose)}, t={_number(times[i + 1] - times[i])})"


def _pose(T: np.ndarray) -> str:
    """p[x, y, z, rx, ry, rz] in metres, the rotation as a vector in radians."""
    return f"p{_list(np.concatenate([T[:3, 3], Rotation.from_matrix(T[:3, :3]).as_rotvec()]))}"


def _list(values: np.ndarray) -> str:
    return "[" + ", ".join(_number(value) for value in values) + "]"


def _number(value: float) -> str:
    """Fixed point, no exponent."""
    text = f"{float(value):.{_DIGITS}f}".rstrip("0")
    text = text + "0" if text.endswith(".") else text
    return "0.0" if text == "-0.0" else text
