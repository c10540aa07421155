"""The log of the compiled loop: one table of its columns, and writing a row of them.

The loops write rows, ``record`` labels and saves them. ``COLUMNS`` is the only place that names a
signal, with its size, unit, long name and kind of number; ``write_row`` and ``write_truth`` write
in its order. What records of earlier programs lack is listed in ``record/stored.py``.
"""

from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record


class Column(NamedTuple):
    """A signal of the log."""

    name: str  # in ``log.nc``
    size: str | None  # ``joint`` (n columns), ``axis`` or ``flange_axis`` (3), or None (1)
    unit: str  # as NetCDF has it
    long_name: str  # what it is
    # whether the plant alone knows it at the start of the step: it is written after the step
    truth: bool = False
    kind: type = np.float64  # of its numbers in ``log.nc``


COLUMNS = (
    Column("time", None, "s", "simulated time"),
    Column("q", "joint", "rad", "joint angle"),
    Column("qd", "joint", "rad s-1", "joint velocity"),
    Column("q_ref", "joint", "rad", "reference joint angle"),
    Column("qd_ref", "joint", "rad s-1", "reference joint velocity"),
    Column("qdd_ref", "joint", "rad s-2", "reference joint acceleration"),
    Column("tau", "joint", "N m", "motor torque"),
    Column("q_sensed", "joint", "rad", "measured joint angle"),
    Column("qd_sensed", "joint", "rad s-1", "measured joint velocity"),
    Column("tau_external_estimate", "joint", "N m", "estimated torque of contact on the joint"),
    Column("force_estimate", "axis", "N", "estimated force on the tool"),
    Column("moment_estimate", "axis", "N m", "estimated moment at the tool point"),
    Column("level", None, "1", "alarm level as a share of the threshold"),
    Column("detected", None, "1", "1 where a collision was detected", kind=np.int8),
    Column(
        "estimate_damped", None, "1", "1 where the estimate was damped near a singularity",
        kind=np.int8,
    ),
    Column("tau_external", "joint", "N m", "true torque of contact on the joint", truth=True),
    Column("tau_friction", "joint", "N m", "true Coulomb friction in the joint", truth=True),
    Column("tool_position", "axis", "m", "true position of the tool point", truth=True),
    Column("force", "axis", "N", "sum of the true contact forces on the arm", truth=True),
    Column(
        "contact_link", None, "1",
        "link of the largest contact force, counted from 1; 0: no contact",
        truth=True, kind=np.int8,
    ),
    Column(
        "contact_point", "axis", "m", "where the largest contact force acts; NaN: no contact",
        truth=True,
    ),
    Column("contact_force", "axis", "N", "largest contact force", truth=True),
)  # fmt: skip

# behind the others: of a world with a sensor at the flange, and of one whose torques are measured
# with noise
WRIST_COLUMNS = (
    Column(
        "force_sensed",
        "flange_axis",
        "N",
        "measured force at the flange, the payload taken off, flange axes",
    ),
    Column(
        "moment_sensed",
        "flange_axis",
        "N m",
        "measured moment about the flange frame's origin, flange axes",
    ),
)
TORQUE_COLUMNS = (
    Column("tau_sensed", "joint", "N m", "measured motor torque, of the control period before"),
)


@record
class LogNow:
    """The number of ``Log``."""

    used: int = 0  # rows that are written


class Log(NamedTuple):
    """Rows of the log."""

    now: LogNow  # how far it is
    table: np.ndarray  # (k, columns) room for k rows; none: nothing is logged
    truth: int  # first column of what is written after the step
    wrist: int  # first column of the sensor at the flange; 0: there is none
    torque: int  # first column of the measured torque; 0: there is none


def make_log(rows: int, n: int, further: tuple[Column, ...] = ()) -> Log:
    """An empty log with room for so many rows, for an arm with ``n`` joints.

    ``further`` columns are behind the others.
    """
    columns = log_columns(n, further)
    first_of_truth = next(column.name for column in COLUMNS if column.truth)
    width = max(place.stop for place in columns.values())
    return Log(
        now=LogNow(),
        table=np.empty((rows, width)),
        truth=columns[first_of_truth].start,
        wrist=_first_of(WRIST_COLUMNS, columns),
        torque=_first_of(TORQUE_COLUMNS, columns),
    )


def _first_of(group: tuple[Column, ...], columns: dict[str, slice]) -> int:
    """First column of a group of signals that not every log has; 0: there are none."""
    name = group[0].name
    return columns[name].start if name in columns else 0


def log_columns(n: int, further: tuple[Column, ...] = ()) -> dict[str, slice]:
    """Columns of the table by signal, for an arm with ``n`` joints, and of ``further`` signals."""
    sizes = {"joint": n, "axis": 3, "flange_axis": 3, None: 1}
    columns = {}
    start = 0
    for column in (*COLUMNS, *further):
        columns[column.name] = slice(start, start + sizes[column.size])
        start += sizes[column.size]
    return columns


@inlined
def write_row(log, state, time):
    """Append a row with what is known before the step: state, reference, torque, belief."""
    row, table = log.now.used, log.table
    sensed, belief, alarm = state.control.sensed, state.control.belief, state.control.alarm
    table[row, 0] = time
    at = _put_three(table, row, 1, state.q, state.qd, sensed.q_ref)
    at = _put_three(table, row, at, sensed.qd_ref, sensed.qdd_ref, sensed.tau)
    at = _put_three(table, row, at, sensed.q, sensed.qd, belief.tau_external)
    at = _put(table, row, at, belief.wrench)
    table[row, at] = belief.now.level
    table[row, at + 1] = alarm.now.raised
    table[row, at + 2] = belief.now.damped
    if log.wrist > 0:
        _put(table, row, log.wrist, sensed.wrench)
    if log.torque > 0:
        _put(table, row, log.torque, state.control.tau_sensed)
    alarm.now.raised = False
    log.now.used = row + 1


@inlined
def write_truth(log, truth):
    """Complete the row with what the integrator's first stage has shown: contact and friction."""
    row = log.now.used - 1
    table = log.table
    touch = truth.touch
    at = _put(table, row, log.truth, truth.external)
    at = _put(table, row, at, truth.friction)
    at = _put(table, row, at, truth.tool)
    at = _put(table, row, at, touch.force)
    table[row, at] = touch.now.link
    if touch.now.link > 0:
        at = _put(table, row, at + 1, touch.point)
    else:
        for k in range(3):
            table[row, at + 1 + k] = np.nan
        at += 4
    _put(table, row, at, touch.largest)


@inlined
def _put_three(table, row, at, first, second, third):
    """Write three vectors of one size, one after the other, in one loop.

    A loop costs more than they do.
    """
    n = first.size
    for i in range(n):
        table[row, at + i] = first[i]
        table[row, at + n + i] = second[i]
        table[row, at + 2 * n + i] = third[i]
    return at + 3 * n


@inlined
def _put(table, row, at, values):
    """Write ``values`` from column ``at`` on; returns the column after them."""
    for k in range(values.size):
        table[row, at + k] = values[k]
    return at + values.size
