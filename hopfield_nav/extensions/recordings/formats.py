"""The two kinds of recording that are read: a folder of logs, and one table.

The folder holds ``log_*.csv`` files with a time column each, as Kufieta recorded a UR5. The table
has a header line, as the RTDE recorders of Universal Robots arms write it, with spaces or commas;
without one its columns are numbered. Lines before the header are passed over, and one of units
behind it.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynamics import BadInput, nearest_name
from dynamics.files import require_regular


class Recorded(NamedTuple):
    """Signals on one time axis."""

    time: np.ndarray  # (k,) [s], never falling
    signals: dict[str, np.ndarray]  # (k, n) or (k, 3) by name; NaN in a row that was lost
    cut_short: list[str]  # files whose last line was incomplete
    dropped: int  # rows that one of several files lacks
    start: float = 0.0  # what the log calls the time 0 [s]
    residual: bool = False  # whether efforts are less what a maker's model needs
    joints: tuple[str, ...] = ()  # n names, where the log has them
    columns: str = ""  # which columns or fields hold the signals, in words
    left_out: str = ""  # what was left out where it was read, in words


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
    of_time: int = 1,
) -> tuple[np.ndarray, bool]:
    """Numbers (k, columns) of the chosen columns, time first, and whether the last line was cut short (and left out).

    Rows of so many fields, the first at a line of the file, counted from 1; the separator None is
    white space. Lines without text are passed over, rows without numbers are NaN, and rows may have
    the same time. ``of_time`` 2: the first two columns are seconds and nanoseconds, which become
    one.
    """
    rows = _without_last_separator(_fields(lines, first_line, separator), width)
    cut = len(rows) > 1 and (
        len(rows[-1][1]) < width or (not rows[-1][1][-1].strip() and bool(rows[-2][1][-1].strip()))
    )
    rows = rows[:-1] if cut else rows
    if not rows:
        raise BadInput("no numbers in the log", where=str(path), allowed="rows of time and signals")
    for line, row in rows:
        if len(row) != width:
            where = f"{path}, line {line}"
            raise BadInput(
                "wrong number of columns", where=where, found=len(row), allowed=str(width)
            )
    values = _numbers(path, rows, columns)
    if of_time == 2:
        time = values[:, 0] + 1e-9 * values[:, 1]
        values = np.column_stack([time, values[:, 2:]])
    back = np.flatnonzero(np.diff(values[:, 0]) < 0)
    if len(back):
        before, after = values[back[0] : back[0] + 2, 0]
        where = f"{path}, line {rows[back[0] + 1][0]}"
        if _are_nanoseconds_alone(values[:, 0]):
            raise BadInput(
                "time does not increase: nanoseconds of a second alone",
                where=where,
                found=f"{after:.0f} after {before:.0f}",
                allowed="`time: [SECONDS, NANOSECONDS]`, both columns",
            )
        found = f"{after:.6f} s after {before:.6f} s"
        raise BadInput("time does not increase", where=where, found=found)
    return values, cut


def _are_nanoseconds_alone(time: np.ndarray) -> bool:
    """Whether times (k,) are the part of a stamp below a second: they begin again with each."""
    is_whole = bool(np.all(time == np.rint(time)))
    return is_whole and 1e6 < time.max() < 1e9 and time.min() >= 0.0


def _without_last_separator(
    rows: list[tuple[int, list[str]]], width: int
) -> list[tuple[int, list[str]]]:
    """Rows without the empty field behind a separator that ends each of their lines."""
    if any(len(row) != width + 1 or row[-1].strip() for _, row in rows):
        return rows
    return [(line, row[:-1]) for line, row in rows]


def _fields(
    lines: Sequence[str], first_line: int, separator: str | None
) -> list[tuple[int, list[str]]]:
    """The number of each line that has text, and its fields without quotation marks."""
    if separator is None:
        return [(first_line + k, line.split()) for k, line in enumerate(lines) if line.strip()]
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    return [(first_line - 1 + reader.line_num, row) for row in reader if row]


def _numbers(path: Path, rows: list[tuple[int, list[str]]], columns: Sequence[int]) -> np.ndarray:
    """Numbers (k, columns); in a row that was lost all but the time are missing, and NaN."""
    chosen = [[row[c] for c in columns] for _, row in rows]
    try:
        values = np.array(chosen, dtype=np.float64)
    except ValueError:
        values = np.array([[_number(text) for text in row] for row in chosen])
    lost = np.isnan(values[:, 1:]).all(axis=1)
    wrong = ~np.isfinite(values)
    wrong[lost, 1:] = False
    for k, column in np.argwhere(wrong)[:1]:
        text = chosen[k][column].strip()
        decimal = re.fullmatch("[-+]?[0-9]*,[0-9]+(e.*)?", text)
        allowed = (
            f"numbers with a decimal point, as {text.replace(',', '.')}" if decimal else "numbers"
        )
        raise BadInput(
            "not a finite number", where=f"{path}, line {rows[k][0]}", found=text, allowed=allowed
        )
    return values


def _number(text: str) -> float:
    """NaN where nothing stands, infinity for what is no number."""
    try:
        return float(text) if text.strip() else np.nan
    except ValueError:
        return np.inf


SENSOR_GAP = 3.0  # median steps of the sensor beyond which nothing is interpolated
NO_SENSOR = 1e-5  # [N, N·m] below it throughout: none was mounted
_JOINT_FILES = {
    "q": "q_actual", "qd": "qd_actual", "q_ref": "q_target", "qd_ref": "qd_target", "qdd_ref": "qdd_target",
    "current": "i_actual", "current_ref": "i_target", "tau": "m_target",
}  # fmt: skip
_FILES = {**_JOINT_FILES, "wrench": "tcp_force", "sensor": "force_sensor"}
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
    """Signals at the times of ``log_q_actual.csv``.

    The force sensor, of another rate, is interpolated.
    """
    if not (folder / "log_q_actual.csv").exists():
        raise BadInput(
            "no log_q_actual.csv in the folder", where=str(folder), allowed="a log for every signal"
        )
    logs: dict[str, np.ndarray] = {}
    cut: list[str] = []
    for name, file in _FILES.items():
        path = folder / f"log_{file}.csv"
        if path.exists():
            logs[name], short = _read_log(path, joints if name in _JOINT_FILES else 6)
            cut += [path.name] * short
    sensor = logs.pop("sensor", None)
    time, signals, dropped = aligned(logs, folder)
    if "wrench" in signals:
        signals["force_estimate"], signals["moment_estimate"] = np.split(
            signals.pop("wrench"), 2, axis=1
        )
    if sensor is not None and np.abs(sensor[:, 1:]).max() > NO_SENSOR:
        signals["force_sensor"], signals["moment_sensor"] = np.split(
            _interpolated(sensor, time), 2, axis=1
        )
    columns = ", ".join(f"{name} of log_{_FILES[name]}.csv" for name in logs)
    return Recorded(time, signals, cut, dropped, columns=columns)


def _read_log(path: Path, width: int) -> tuple[np.ndarray, bool]:
    lines, cut = read_lines(path)
    found = len(lines[0].split(","))
    if found != width + 1:
        what = (
            "not six components"
            if path.stem[4:] in ("tcp_force", "force_sensor")
            else "wrong number of joints"
        )
        raise BadInput(
            what, where=f"{path}, line 1", found=found - 1, allowed=f"time and {width} numbers"
        )
    values, incomplete = parse(path, lines, 1, ",", range(width + 1), width + 1)
    return values, cut or incomplete


def aligned(
    logs: dict[str, np.ndarray], folder: Path
) -> tuple[np.ndarray, dict[str, np.ndarray], int]:
    """Rows of every log nearest to the times of ``q``; a time that one of them lacks is dropped."""
    first, last = max(log[0, 0] for log in logs.values()), min(log[-1, 0] for log in logs.values())
    time = logs["q"][:, 0]
    half = 0.5 * float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    time = time[(time >= first - half) & (time <= last + half)]
    rows = {
        name: np.rint(np.interp(time, log[:, 0], np.arange(len(log)))).astype(int)
        for name, log in logs.items()
    }
    kept = np.logical_and.reduce(
        [np.abs(logs[name][rows[name], 0] - time) <= half for name in logs]
    )
    if not kept.any():
        raise BadInput("the files have no time in common", where=str(folder))
    return (
        time[kept],
        {name: log[rows[name][kept], 1:] for name, log in logs.items()},
        int(len(kept) - kept.sum()),
    )


def _interpolated(log: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Signals of another rate at ``time``; NaN before, after and in gaps."""
    stamps = log[:, 0]
    out = np.column_stack(
        [np.interp(time, stamps, column, np.nan, np.nan) for column in log[:, 1:].T]
    )
    steps = np.diff(stamps)
    if len(steps):
        k = np.clip(np.searchsorted(stamps, time) - 1, 0, len(steps) - 1)
        out[(steps[k] > SENSOR_GAP * np.median(steps)) & ~np.isin(time, stamps)] = np.nan
    return out


def read_rtde(path: Path, joints: int) -> Recorded:
    """Known signals of a table; other columns are passed over."""
    head = read_head(path)
    for needed in ("timestamp", "actual_q_0"):
        head.place(needed)
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
    rows: list[str]  # lines of the file after the header
    first: int  # line of the first of them
    cut: bool  # whether the last line was left out, being incomplete
    separator: str | None
    names: list[str]  # of the columns; 1, 2 and so on where the table has no header
    passed_over: str = ""  # lines that are neither header nor numbers, in words

    def place(self, name: str) -> int:
        """Where a column stands; BadInput where there is none."""
        if name in self.names:
            return self.names.index(name)
        where, what, nearest = (
            f"{self.path}, line 1",
            f"no column {name!r}",
            nearest_name(name, self.names),
        )
        if self.first == 1:
            allowed = f"columns by number in a description, 1 to {len(self.names)}"
            raise BadInput(f"{what}: the table has no header", where=where, allowed=allowed)
        found = ", ".join(self.names[:6])
        raise BadInput(
            f"{what} in the header",
            where=where,
            found=found,
            allowed="its columns",
            nearest=nearest,
        )

    def matching(self, pattern: str, text: str = ".+") -> list[tuple[str, int]]:
        """What stands for the ``*`` of a pattern, which is like a regular expression, and where, of each column."""
        fits = re.compile(re.escape(pattern).replace(r"\*", f"({text})"))
        return [(fit[1], k) for k, name in enumerate(self.names) if (fit := fits.fullmatch(name))]

    def numbered(
        self, pattern: str, count: int | None, what: str = "wrong number of joints"
    ) -> list[int]:
        """Places of the columns of a pattern, ``*`` being numbers that rise by one.

        Empty without any.
        """
        found = sorted((int(number), k) for number, k in self.matching(pattern, "[0-9]+"))
        first = found[0][0] if found else 0
        if found and [number for number, _ in found] != [
            *range(first, first + (count or len(found)))
        ]:
            allowed = f"{count or 'columns'}, numbered each once"
            raise BadInput(
                what, where=f"{self.path}, line 1, {pattern}", found=len(found), allowed=allowed
            )
        return [k for _, k in found]

    def read(self, time: str | Sequence[str], columns: Mapping[str, Sequence[int]]) -> Recorded:
        """Signals at places of their columns; ``time`` may be two, seconds and nanoseconds."""
        of_time = [time] if isinstance(time, str) else list(time)
        order = [self.place(name) for name in of_time]
        spans: dict[str, slice] = {}
        for name, places in columns.items():
            spans[name] = slice(len(order), len(order) + len(places))
            order += places
        values, cut = parse(
            self.path,
            self.rows,
            self.first,
            self.separator,
            order,
            len(self.names),
            len(of_time),
        )
        joined = len(of_time) - 1  # columns that have become one with the first
        signals = {
            name: values[:, span.start - joined : span.stop - joined]
            for name, span in spans.items()
        }
        ends = {
            name: dict.fromkeys(self.names[k] for k in (places[0], places[-1]))
            for name, places in columns.items()
        }
        words = (f"{name} of {' … '.join(both)}" for name, both in ends.items())
        short = [self.path.name] if self.cut or cut else []
        said = ", ".join([f"time of {' and '.join(of_time)}", *words])
        return Recorded(values[:, 0], signals, short, 0, columns=said, left_out=self.passed_over)


_MOST_BEFORE = 50  # lines that are looked at for the first row of numbers


def read_head(path: Path) -> Head:
    """The header of a table; BadInput as ``read_lines``."""
    lines, cut = read_lines(path)
    given = re.fullmatch(r"sep=(.)", lines[0].strip())  # of Excel
    asked = given[1] if given else None
    begin = 1 if given else 0
    numbers = _first_numbers(lines, begin, asked)
    header: int | None = begin  # what is taken for it where no row of numbers follows
    units = None
    separator = _separator(lines[begin], asked)
    if numbers is not None:
        separator = _separator(lines[numbers], asked)
        header, units = _header_before(lines, numbers, begin, separator)
    if header is None:
        width = len(_split(lines[begin], separator))
        names = [str(k + 1) for k in range(width)]
        return Head(path, lines[begin:], begin + 1, cut, separator, names)
    names = [name.strip() for name in _split(lines[header].lstrip("# "), separator)]
    while len(names) > 1 and not names[-1]:  # behind a separator that ends the line
        names.pop()
    after = header + 1 if units is None else units + 1
    words = [f"{header} lines before the header"] if header > begin else []
    if units is not None:
        words.append(
            f"a line of units, {', '.join(dict.fromkeys(_split(lines[units], separator)))}"
        )
    return Head(path, lines[after:], after + 1, cut, separator, names, "; ".join(words))


def _separator(line: str, asked: str | None) -> str | None:
    return asked or next((mark for mark in (",", ";", "\t") if mark in line), None)


def _split(line: str, separator: str | None) -> list[str]:
    """The fields of a line; none of an empty one."""
    rows = _fields([line], 1, separator)
    return rows[0][1] if rows else []


def _first_numbers(lines: Sequence[str], begin: int, asked: str | None) -> int | None:
    """Where the first row of nothing but numbers stands; None without one near the beginning."""
    for k in range(begin, min(len(lines), begin + _MOST_BEFORE)):
        fields = _split(lines[k], _separator(lines[k], asked))
        numbers = [_number(field) for field in fields if field.strip()]
        if numbers and np.isfinite(numbers).all():
            return k
    return None


def _header_before(
    lines: Sequence[str], first: int, begin: int, separator: str | None
) -> tuple[int | None, int | None]:
    """Where the header before the first row of numbers stands, and the line of units behind it; None: there is none."""
    if first == begin:
        return None, None
    width = len(_split(lines[first], separator))
    fitting = []
    for k in range(begin, first):
        fields = _split(lines[k].lstrip("# "), separator)
        if len(fields) in (width, width - 1) and width > 1:
            fitting.append(k)
    if not fitting:
        return begin, None
    if fitting[-1] != first - 1:  # a row with something wrong in it, which is told when it is read
        return fitting[0], None
    if len(fitting) > 1 and fitting[-2] == first - 2 and _are_units(lines[first - 1], separator):
        return first - 2, first - 1
    return (fitting[0], None) if len(fitting) > 1 else (fitting[-1], None)


def _are_units(line: str, separator: str | None) -> bool:
    """Whether no field of a line is a number, and most have text."""
    fields = _split(line, separator)
    filled = [field for field in fields if field.strip()]
    return 2 * len(filled) > len(fields) and all(np.isinf(_number(field)) for field in filled)
