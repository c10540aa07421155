"""A timed path for a robot: a table in a CSV file, and a program in URScript, the language of the UR arms' controller.

The table has time, joints, torque and tool, one row a period. The program is written from the
URScript manual; **it was never run on a robot, nor in the maker's simulator**. Read it, then run it
slowly and with a hand at the emergency stop.

The program sends the trajectory itself by ``servoj``, one target a period of the controller: the
motion that was proven free. ``movej`` and ``movel`` would let the controller choose speeds or joint
angles of its own, of which nothing was proven.
"""

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics
from dynamics.files import require_regular, write_whole
from hopfield_nav.extensions.known_world import until_contact as contact
from hopfield_nav.extensions.known_world.path_segments import quintic_pieces
from hopfield_nav.extensions.known_world.timing import motor_torque
from hopfield_nav.extensions.known_world.until_contact import ContactWatch, urscript_condition
from hopfield_nav.loop import Trajectory, sample, values_at

PERIOD = 0.008  # [s] of the UR5's controller
_PERIODS = 0.002, 0.1  # [s] that servoj takes (URScript manual), as are the next two
_LOOKAHEAD, _GAIN = 0.1, 300.0  # [s], and of its law
_STOP = 1.4  # [rad/s²] deceleration of stopj
_DIGITS = 9  # behind the point
_EDGE = 1e-9  # [rad] by which rounding may put a joint beyond its limit


def urscript(
    arm: Arm,
    trajectory: Trajectory,
    name: str = "path",
    period: float = PERIOD,
    watch: ContactWatch | None = None,
) -> str:
    """A program that moves a UR arm along a trajectory, as ``time_path`` makes it.

    ``name`` stands in its first line; ``period`` is the time from target to target [s], 0.008 for
    the CB3 series and 0.002 for the e-Series. ``watch`` says where a contact ends the motion; the
    program then tells where the tool is.

    Raises ``BadInput``: an arm without six joints, joints outside their limits, or a period out of
    range.
    """
    if len(arm.dh) != 6:
        raise BadInput("URScript is for arms with six joints", found=len(arm.dh))
    low, high = _PERIODS
    if not low <= period <= high:
        raise BadInput(
            "period is out of servoj's range", found=period, allowed=f"{low:g} to {high:g}"
        )
    _require_inside(arm, trajectory)
    options = f"0, 0, {period:g}, {_LOOKAHEAD:g}, {_GAIN:g}"
    body = [*_servoj(trajectory, period, f"servoj({{}}, {options})"), f"  stopj({_STOP:g})"]
    if watch is not None:
        body = list(_until_contact(trajectory, period, options, watch))
    start = values_at(trajectory, trajectory.knots[:1])[0][0]
    first = f"{' '.join(name.split())}: servoj, {trajectory.knots[-1]:.3f} s, starts at joints {_list(start)} rad"
    return (
        "\n".join(
            [f"# {first}", *_NOTES, "def planned_path():", *_start_check(start), *body, "end"]
        )
        + "\n"
    )


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
        raise BadInput(
            f"joint {joint + 1} leaves its limits on the path", found=found, allowed=allowed
        )


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


def _until_contact(
    trajectory: Trajectory, period: float, options: str, watch: ContactWatch
) -> Iterator[str]:
    """As ``_servoj``, but no target is sent once a contact was felt.

    Then the arm brakes and tells where.
    """
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


class PlanTable(NamedTuple):
    """Samples of a motion."""

    time: np.ndarray  # (k,) from 0 on [s]
    # q, qd, qdd: (k, n) of the joints [rad, rad/s, rad/s²]
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray  # (k, n) torque of the motors by the arm model, friction included [N·m]
    tool: np.ndarray  # (k, 3) position of the tool point in base axes [m]


def plan_table(arm: Arm, trajectory: Trajectory, period: float = PERIOD) -> PlanTable:
    """Samples of a trajectory at multiples of ``period`` [s], and at its end."""
    time = sample_times(trajectory, period)
    q, qd, qdd = values_at(trajectory, time)
    return PlanTable(
        time, q, qd, qdd, motor_torque(arm, q, qd, qdd), forward_kinematics(arm, q)[:, :3, 3]
    )


def sample_times(trajectory: Trajectory, period: float) -> np.ndarray:
    """(k,) multiples of ``period`` before the end of a trajectory, and the end [s]."""
    if not 0.0 < period < math.inf:
        raise BadInput("period must be positive", found=period, allowed="above 0 [s]")
    end = float(trajectory.knots[-1])
    before = period * np.arange(max(1, math.ceil(end / period - 1e-6)))
    return np.append(before, end) if end > 0.0 else before


def write_plan_csv(
    arm: Arm, trajectory: Trajectory, path: str | Path, period: float = PERIOD
) -> Path:
    """Write a trajectory as CSV, whole or not at all, a row each ``period`` [s] and one at its end.

    ``columns`` gives the header.

    Raises ``BadInput``: no place to write, or a period that is not positive.
    """
    table = plan_table(arm, trajectory, period)
    lines = [",".join(columns(len(arm.dh)))]
    lines += [",".join(repr(value) for value in row) for row in np.column_stack(table).tolist()]
    return write_whole(path, "\n".join(lines) + "\n")


def columns(n: int) -> list[str]:
    """``time_s``, ``q1_rad``…, ``qd1_rad_s``…, ``qdd1_rad_s2``…, ``tau1_Nm``…, ``x_m``, ``y_m``, ``z_m``."""
    units = (("q", "rad"), ("qd", "rad_s"), ("qdd", "rad_s2"), ("tau", "Nm"))
    joints = [f"{name}{i + 1}_{unit}" for name, unit in units for i in range(n)]
    return ["time_s", *joints, "x_m", "y_m", "z_m"]


def load_plan_csv(path: str | Path) -> PlanTable:
    """Read what ``write_plan_csv`` wrote.

    Raises ``BadInput``: unreadable, other columns, no numbers, or time that does not begin at 0 and
    increase.
    """
    try:
        require_regular(Path(path))
        with open(path, newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file)) or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"cannot read the plan: {error}", where=str(path)) from None
    n = (len(header) - 4) // 4
    if n < 1 or header != columns(n):
        raise BadInput(
            "not the columns of a plan", where=str(path), found=header, allowed="time_s, q1_rad, …"
        )
    values = np.array(
        [_numbers(row, header, f"{path}, line {i + 2}") for i, row in enumerate(rows)]
    )
    if len(values) == 0 or values[0, 0] != 0.0 or np.any(np.diff(values[:, 0]) <= 0.0):
        raise BadInput("time begins at 0 and increases", where=f"{path}, column time_s")
    parts = np.split(values[:, 1:], [n, 2 * n, 3 * n, 4 * n], axis=1)
    return PlanTable(values[:, 0], *(np.ascontiguousarray(part) for part in parts))


def load_motion(path: str | Path, n: int) -> Trajectory:
    """The motion of ``plan.csv``, or of the folder that holds it, for an arm with ``n`` joints.

    Raises ``BadInput``: as ``load_plan_csv``, or of another arm.
    """
    path = Path(path) / "plan.csv" if Path(path).is_dir() else Path(path)
    table = load_plan_csv(path)
    if table.q.shape[1] != n or len(table.time) < 2:
        raise BadInput(
            "not a motion of this arm",
            str(path),
            f"{table.q.shape[1]} joints",
            f"{n}, from two rows on",
        )
    return quintic_pieces(table.time, table.q, table.qd, table.qdd)


def _numbers(row: list[str], header: list[str], where: str) -> list[float]:
    if len(row) != len(header):
        raise BadInput(
            "wrong number of values", where=where, found=len(row), allowed=str(len(header))
        )
    for name, text in zip(header, row, strict=True):
        try:
            good = math.isfinite(float(text))
        except ValueError:
            good = False
        if not good:
            raise BadInput("not a finite number", where=f"{where}, column {name}", found=text)
    return [float(text) for text in row]
