"""The two kinds of recording that are read: a folder of logs, and one table.

The folder holds ``log_*.csv`` files with a time column each, as Kufieta recorded a UR5. The table has a header line,
as the RTDE recorders of Universal Robots arms write it, with spaces or commas.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynamics import BadInput, nearest_name
from dynamics.files import require_regular


class RecordedTable(NamedTuple):
    """Numbers of one file."""

    values: np.ndarray  # (k, columns), time first [s]
    cut_short: bool  # the last line was incomplete and is left out
    repeated: int = 0  # rows that were left out, having the time of the row before


class Recorded(NamedTuple):
    """Signals on one time axis."""

    time: np.ndarray  # (k,) [s]
    signals: dict[str, np.ndarray]  # (k, n) or (k, 3) by name
    cut_short: list[str]  # files whose last line was incomplete
    dropped: int  # rows that one of several files lacks, or that repeat the time of the row before
    start: float = 0.0  # what the log calls the time 0 [s]
    residual: bool = False  # whether efforts are less what a maker's model needs


def read_lines(path: Path) -> tuple[list[str], bool]:
    """Lines of a file with their text, and whether the last one was cut short (it is left out then).

    A last line without line break counts as cut: 0.01 may have been 0.0137.
    """
    try:
        require_regular(path)
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise BadInput(f"cannot read the log: {reason}", where=str(path)) from error
    cut = bool(text) and not text.endswith("\n")
    lines = text.splitlines()[: -1 if cut else None]
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise BadInput("no numbers in the log", where=str(path), allowed="rows of time and signals")
    return lines, cut


def parse(
    path: Path,
    lines: Sequence[str],
    first_line: int,
    separator: str | None,
    columns: Sequence[int],
    width: int,
    repeats: bool = False,
) -> RecordedTable:
    """Numbers of the chosen columns, time first, of rows of a width, the first at a line of the file.

    Lines count from 1; the separator None is white space. With ``repeats`` a row may have the time of the one before,
    as of a logger that is faster than what it logs; it is left out.
    """
    fields = [line.split(separator) for line in lines]
    cut = len(fields) > 1 and (len(fields[-1]) < width or not fields[-1][-1].strip())
    rows = fields[:-1] if cut else fields
    if not rows:
        raise BadInput("no numbers in the log", where=str(path), allowed="rows of time and signals")
    _check_width(path, rows, first_line, width)
    values = _numbers(path, rows, first_line, columns)
    _check_time(path, values[:, 0], first_line, repeats)
    kept = np.concatenate([[True], np.diff(values[:, 0]) > 0])
    return RecordedTable(values[kept], cut, len(kept) - int(kept.sum()))


def _check_width(path: Path, rows: list[list[str]], first_line: int, width: int) -> None:
    for k, row in enumerate(rows):
        if len(row) != width:
            where = f"{path}, line {first_line + k}"
            raise BadInput("wrong number of columns", where=where, found=len(row), allowed=str(width))


def _numbers(path: Path, rows: list[list[str]], first_line: int, columns: Sequence[int]) -> np.ndarray:
    chosen = [[row[c] for c in columns] for row in rows]
    try:
        values = np.array(chosen, dtype=np.float64)
    except ValueError:
        values = None
    if values is None or not np.isfinite(values).all():
        _name_the_culprit(path, chosen, first_line)
    assert values is not None
    return values


def _name_the_culprit(path: Path, rows: list[list[str]], first_line: int) -> None:
    for k, row in enumerate(rows):
        for text in row:
            if not _is_finite(text):
                where = f"{path}, line {first_line + k}"
                raise BadInput("not a finite number", where=where, found=text.strip(), allowed="numbers")


def _is_finite(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _check_time(path: Path, time: np.ndarray, first_line: int, repeats: bool) -> None:
    steps = np.diff(time)
    back = np.flatnonzero((steps < 0) if repeats else (steps <= 0))
    if len(back):
        k = int(back[0])
        found = f"{time[k + 1]:.6f} s after {time[k]:.6f} s"
        raise BadInput("time does not increase", where=f"{path}, line {first_line + k + 1}", found=found)


SENSOR_GAP = 3.0  # median steps of the sensor beyond which nothing is interpolated
NO_SENSOR = 1e-5  # [N, N·m] below it throughout: none was mounted
_JOINT_FILES = {
    "q": "q_actual", "qd": "qd_actual", "q_ref": "q_target", "qd_ref": "qd_target", "qdd_ref": "qdd_target",
    "current": "i_actual", "current_ref": "i_target", "tau": "m_target",
}  # fmt: skip
_TOOL_FORCE, _SENSOR = "tcp_force", "force_sensor"
JOINT_COLUMNS = {  # of an RTDE table, without _0 to _5
    "q": "actual_q", "qd": "actual_qd", "q_ref": "target_q", "qd_ref": "target_qd", "qdd_ref": "target_qdd",
    "current": "actual_current", "current_ref": "target_current", "tau": "target_moment",
}  # fmt: skip
_SIX_COLUMNS = {  # (first three, last three) of six components
    ("tool_position", None): "actual_TCP_pose",
    ("force_estimate", "moment_estimate"): "actual_TCP_force",
    ("force_sensor", "moment_sensor"): "ft_raw_wrench",
}


def read_folder(folder: Path, joints: int) -> Recorded:
    """Signals at the times of ``log_q_actual.csv``; the force sensor, of another rate, is interpolated."""
    if not (folder / "log_q_actual.csv").exists():
        allowed = "a log for every signal"
        raise BadInput("no log_q_actual.csv in the folder", where=str(folder), allowed=allowed)
    tables = {name: _read_log(folder, file, joints) for name, file in _JOINT_FILES.items()}
    tables["wrench"] = _read_log(folder, _TOOL_FORCE, 6)
    sensor = _read_log(folder, _SENSOR, 6)
    logs = {name: table.values for name, table in tables.items() if table is not None}
    time, signals, dropped = aligned(logs, folder)
    if "wrench" in signals:
        signals["force_estimate"], signals["moment_estimate"] = np.split(signals.pop("wrench"), 2, axis=1)
    if sensor is not None and np.abs(sensor.values[:, 1:]).max() > NO_SENSOR:
        wrench = _interpolated(sensor.values, time)
        signals["force_sensor"], signals["moment_sensor"] = np.split(wrench, 2, axis=1)
    return Recorded(time, signals, _cut_short({**tables, "sensor": sensor}), dropped)


def _cut_short(tables: dict[str, RecordedTable | None]) -> list[str]:
    files = {**_JOINT_FILES, "wrench": _TOOL_FORCE, "sensor": _SENSOR}
    return [f"log_{files[name]}.csv" for name, table in tables.items() if table is not None and table.cut_short]


def _read_log(folder: Path, name: str, width: int) -> RecordedTable | None:
    path = folder / f"log_{name}.csv"
    if not path.exists():
        return None
    lines, cut = read_lines(path)
    found = len(lines[0].split(","))
    if found != width + 1:
        what = "wrong number of joints" if name not in (_TOOL_FORCE, _SENSOR) else "not six components"
        raise BadInput(what, where=f"{path}, line 1", found=found - 1, allowed=f"time and {width} numbers")
    table = parse(path, lines, 1, ",", range(width + 1), width + 1)
    return table._replace(cut_short=cut or table.cut_short)


def aligned(logs: dict[str, np.ndarray], folder: Path) -> tuple[np.ndarray, dict[str, np.ndarray], int]:
    """Rows of every log nearest to the times of ``q``; a time that one of them lacks is dropped."""
    first, last = max(log[0, 0] for log in logs.values()), min(log[-1, 0] for log in logs.values())
    time = logs["q"][:, 0]
    half = 0.5 * float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    within = (time >= first - half) & (time <= last + half)
    time = time[within]
    rows = {name: _nearest(log[:, 0], time) for name, log in logs.items()}
    near = [np.abs(logs[name][rows[name], 0] - time) <= half for name in logs]
    kept = np.logical_and.reduce(near)
    if not kept.any():
        raise BadInput("the files have no time in common", where=str(folder))
    signals = {name: logs[name][rows[name][kept], 1:] for name in logs}
    return time[kept], signals, int(len(kept) - kept.sum())


def _nearest(stamps: np.ndarray, time: np.ndarray) -> np.ndarray:
    after = np.clip(np.searchsorted(stamps, time), 1, max(len(stamps) - 1, 1))
    if len(stamps) == 1:
        return np.zeros(len(time), dtype=int)
    return np.where(time - stamps[after - 1] <= stamps[after] - time, after - 1, after)


def _interpolated(log: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Signals of another rate at ``time``; NaN before, after and in gaps."""
    stamps = log[:, 0]
    out = np.column_stack([np.interp(time, stamps, column, np.nan, np.nan) for column in log[:, 1:].T])
    steps = np.diff(stamps)
    if len(steps):
        k = np.clip(np.searchsorted(stamps, time) - 1, 0, len(steps) - 1)
        out[(steps[k] > SENSOR_GAP * np.median(steps)) & ~np.isin(time, stamps)] = np.nan
    return out


def read_rtde(path: Path, joints: int) -> Recorded:
    """Known signals of a table; other columns are passed over."""
    head = read_head(path)
    for needed in ("timestamp", "actual_q_0"):
        head.place(needed, "the header of an RTDE recorder")
    columns = {name: head.numbered(f"{column}_*", joints) for name, column in JOINT_COLUMNS.items()}
    for (first, second), column in _SIX_COLUMNS.items():
        six = head.numbered(f"{column}_*", 6, "not six components")
        columns[first] = six[:3]
        if second:
            columns[second] = six[3:]
    return head.read("timestamp", {name: places for name, places in columns.items() if places})


class Head(NamedTuple):
    """The header of a table, whose columns are separated by commas, semicolons, tabs or spaces."""

    path: Path
    lines: list[str]  # of the file, the header first
    cut: bool  # whether its last line was left out, being incomplete
    separator: str | None
    names: list[str]  # of the columns

    def place(self, name: str, allowed: str = "a column of the header") -> int:
        """Where a column stands; BadInput where there is none."""
        if name not in self.names:
            raise BadInput(
                f"no column {name!r} in the header",
                where=f"{self.path}, line 1",
                found=", ".join(self.names[:6]),
                allowed=allowed,
                nearest=nearest_name(name, self.names),
            )
        return self.names.index(name)

    def numbered(self, pattern: str, count: int | None, what: str = "wrong number of joints") -> list[int]:
        """Places of the columns of a pattern, ``*`` being numbers that rise by one; empty without any."""
        fits = re.compile(re.escape(pattern).replace(r"\*", "([0-9]+)"))
        found = sorted((int(fit[1]), k) for k, name in enumerate(self.names) if (fit := fits.fullmatch(name)))
        first = found[0][0] if found else 0
        if found and [number for number, _ in found] != [*range(first, first + (count or len(found)))]:
            allowed = f"{count or 'columns'}, numbered each once"
            raise BadInput(what, where=f"{self.path}, line 1, {pattern}", found=len(found), allowed=allowed)
        return [k for _, k in found]

    def read(self, time: str, columns: Mapping[str, Sequence[int]]) -> Recorded:
        """Signals at places of their columns."""
        order = [self.place(time)]
        spans: dict[str, slice] = {}
        for name, places in columns.items():
            spans[name] = slice(len(order), len(order) + len(places))
            order += places
        table = parse(self.path, self.lines[1:], 2, self.separator, order, len(self.names), True)
        signals = {name: table.values[:, span] for name, span in spans.items()}
        cut = [self.path.name] if self.cut or table.cut_short else []
        return Recorded(table.values[:, 0], signals, cut, table.repeated)


def read_head(path: Path) -> Head:
    """The header of a table; BadInput as ``read_lines``."""
    lines, cut = read_lines(path)
    header = lines[0].lstrip("# ")
    separator = next((mark for mark in (",", ";", "\t") if mark in header), None)
    names = [name.strip().strip('"') for name in header.split(separator)]
    return Head(path, lines, cut, separator, names)
