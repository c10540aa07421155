"""Text files of numbers as recorders leave them: time and signals, the last line perhaps cut short."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from dynamics.files import require_regular


class RecordedTable(NamedTuple):
    """Numbers of one file."""

    values: np.ndarray  # (k, columns), time first [s]
    cut_short: bool  # the last line was incomplete and is left out


class Recorded(NamedTuple):
    """Signals on one time axis."""

    time: np.ndarray  # (k,) [s]
    signals: dict[str, np.ndarray]  # (k, n) or (k, 3) by name
    cut_short: list[str]  # files whose last line was incomplete
    dropped: int  # rows that one of several files lacks


def read_lines(path: Path) -> tuple[list[str], bool]:
    """Lines of a file with their text, and whether the last one was cut short (it is left out then).

    A last line without line break counts as cut: 0.01 may have been 0.0137.

    Raises:
        BadInput: no such file, no regular one, no text, or nothing in it.
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
) -> RecordedTable:
    """Numbers of the chosen columns, time first, of rows of a width, the first at a line of the file.

    Lines count from 1; the separator None is white space.

    Raises:
        BadInput: a row with another width, a word, or no finite number, with its line; no rows; or
            time that does not increase.
    """
    fields = [line.split(separator) for line in lines]
    cut = len(fields) > 1 and (len(fields[-1]) < width or not fields[-1][-1].strip())
    rows = fields[:-1] if cut else fields
    if not rows:
        raise BadInput("no numbers in the log", where=str(path), allowed="rows of time and signals")
    _check_width(path, rows, first_line, width)
    values = _numbers(path, rows, first_line, columns)
    _check_time(path, values[:, 0], first_line)
    return RecordedTable(values, cut)


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


def _check_time(path: Path, time: np.ndarray, first_line: int) -> None:
    back = np.flatnonzero(np.diff(time) <= 0)
    if len(back):
        k = int(back[0])
        found = f"{time[k + 1]:.6f} s after {time[k]:.6f} s"
        raise BadInput("time does not increase", where=f"{path}, line {first_line + k + 1}", found=found)
