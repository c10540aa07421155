"""A planned motion as a table: time, joints, torque and tool, one row a period, in a CSV file."""

import csv
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics
from dynamics.files import require_regular, write_whole
from hopfield_nav.extensions.known_world.timing import motor_torque
from hopfield_nav.loop import Trajectory, quintic_pieces, values_at

PERIOD = 0.008  # [s] of the UR5's controller


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
    return PlanTable(time, q, qd, qdd, motor_torque(arm, q, qd, qdd), forward_kinematics(arm, q)[:, :3, 3])


def sample_times(trajectory: Trajectory, period: float) -> np.ndarray:
    """(k,) multiples of ``period`` before the end of a trajectory, and the end [s]."""
    if not 0.0 < period < math.inf:
        raise BadInput("period must be positive", found=period, allowed="above 0 [s]")
    end = float(trajectory.knots[-1])
    before = period * np.arange(max(1, math.ceil(end / period - 1e-6)))
    return np.append(before, end) if end > 0.0 else before


def write_plan_csv(arm: Arm, trajectory: Trajectory, path: str | Path, period: float = PERIOD) -> Path:
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

    Raises ``BadInput``: unreadable, other columns, no numbers, or time that does not begin at 0 and increase.
    """
    try:
        require_regular(Path(path))
        with open(path, newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file)) or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"cannot read the plan: {error}", where=str(path)) from None
    n = (len(header) - 4) // 4
    if n < 1 or header != columns(n):
        raise BadInput("not the columns of a plan", where=str(path), found=header, allowed="time_s, q1_rad, …")
    values = np.array([_numbers(row, header, f"{path}, line {i + 2}") for i, row in enumerate(rows)])
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
        raise BadInput("not a motion of this arm", str(path), f"{table.q.shape[1]} joints", f"{n}, from two rows on")
    return quintic_pieces(table.time, table.q, table.qd, table.qdd)


def _numbers(row: list[str], header: list[str], where: str) -> list[float]:
    if len(row) != len(header):
        raise BadInput("wrong number of values", where=where, found=len(row), allowed=str(len(header)))
    for name, text in zip(header, row, strict=True):
        try:
            good = math.isfinite(float(text))
        except ValueError:
            good = False
        if not good:
            raise BadInput("not a finite number", where=f"{where}, column {name}", found=text)
    return [float(text) for text in row]
