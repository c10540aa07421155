"""The result of a sweep: one row a run in ``sweep.csv``, and the same labelled in ``sweep.nc``.

``SweepTable`` appends rows as runs end; ``read_rows`` reads them back; ``finish`` sorts the table
and writes the labelled one. Nothing in a row depends on the machine or on the order of the runs,
unless the sweep asks for computing times.

A row is one line of text, from which every value is read back as it was. Nothing is an empty cell,
a number is written with all its digits, true and false are words. Text is written as it is, unless
it would read as something else, also to a spreadsheet, or would not stay in its line: then it is
JSON, in quotation marks.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from dynamics import BadInput
from dynamics.files import require_regular, whole_file
from hopfield_nav.record import is_formula, write_checksums
from hopfield_nav.sweeps.dataset import dataset
from hopfield_nav.sweeps.sweep_file import Job, Sweep

_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?|nan|-?inf", re.ASCII)
_WORDS = {"": None, "true": True, "false": False}
_AWKWARD = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")
CSV, NETCDF = "sweep.csv", "sweep.nc"


class SweepTable(AbstractContextManager):
    """The growing table of a running sweep. Use it in a ``with`` statement.

    A row is in the file when ``append`` returns; a row torn by the end of the program is cut off
    when the file is opened again. The folder is made if need be.

    Raises ``BadInput``: there is a file of that name which is no table, or another program is
    writing it; ``OSError``: the file cannot be written.
    """

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder) / CSV
        path.parent.mkdir(parents=True, exist_ok=True)
        require_regular(path)
        self._file = path.open("a+b", buffering=0)
        try:
            _lock(self._file, path)
            with path.open("rb") as file:
                self._file.truncate(
                    sum(len(line) for line in file if line.endswith(b"\n"))
                )  # without a torn line
            self._file.seek(0)
            head = self._file.readline().decode(errors="replace")
            self._columns = _parse(head, path, 1) if head else None
        except BaseException:
            self._file.close()
            raise

    def append(self, row: Mapping[str, Any]) -> None:
        """Write a row.

        Raises ``BadInput``: its columns are not those of the table.
        """
        if self._columns is None:
            self._columns = list(row)
            self._write(format_line(self._columns))
        if list(row) != self._columns:
            raise BadInput(
                "not a row of this table", where=CSV, found=list(row), allowed=str(self._columns)
            )
        self._write(format_line(list(row.values())))

    def __exit__(self, *exception: object) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, line: str) -> None:
        left = line.encode()
        while left:
            left = left[self._file.write(left) :]


def _lock(file: IO[bytes], path: Path) -> None:
    """Have the table alone until it is closed; where there are no locks, trust that it is so."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        told = "another program is at work on this sweep"
        raise BadInput(told, where=str(path), allowed="wait until it has ended") from None
    except (ImportError, OSError):
        return


def read_rows(folder: str | Path, sweep: Sweep | None = None) -> list[dict[str, Any]]:
    """The rows of a sweep, in the order of the file.

    Of a run that is there twice the last one counts.

    Raises ``BadInput``: there is no table, or a line of it is damaged or none of the sweep's; a
    torn last line is left out.
    """
    return list({row["index"]: row for row in _rows(folder, sweep)}.values())


def write_rows(sweep: Sweep, rows: Iterable[Mapping[str, Any]], folder: Path) -> None:
    """Write ``sweep.csv`` anew, sorted by index; it is replaced when it is complete."""
    ordered = sorted(rows, key=lambda row: int(row["index"]))
    text = map(format_line, [columns(sweep), *(list(row.values()) for row in ordered)])
    with whole_file(folder / CSV) as path:
        path.write_bytes("".join(text).encode())


def finish(sweep: Sweep, folder: str | Path) -> None:
    """Sort ``sweep.csv`` by index and write ``sweep.nc``.

    Each file is replaced when it is complete.
    """
    folder = Path(folder)
    rows = read_rows(folder, sweep)
    write_rows(sweep, rows, folder)
    with whole_file(folder / NETCDF) as path:
        dataset(sweep, rows).to_netcdf(path, engine="h5netcdf")
    write_checksums(folder, [CSV, NETCDF])


def columns(sweep: Sweep) -> list[str]:
    """The columns of the table, in order."""
    return ["index", "repeat", "seed", *sweep.parameters, *sweep.kept, "error"]


def make_row(
    sweep: Sweep, job: Job, summary: Mapping[str, Any], error: str | None = None
) -> dict[str, Any]:
    """The row of a run: what the summary lacks is None; lists are JSON text."""
    kept = {name: summary.get(name) for name in sweep.kept}
    why = " ".join(error.split())[:500] if error else None
    return {
        "index": job.index,
        "repeat": job.repeat,
        "seed": job.seed,
        **swept_cells(job),
        **kept,
        "error": why,
    }


def swept_cells(job: Job) -> dict[str, Any]:
    """The swept values of a run as its row has them."""
    return {name: as_cell(value) for name, value in job.values.items()}


def as_cell(value: Any) -> Any:
    """A value of the world as a row has it: lists and sections are JSON text."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def format_line(cells: Sequence[Any]) -> str:
    """A line of the file, its end included."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([_format(cell) for cell in cells])
    return out.getvalue()


def parse_line(line: str) -> list[Any]:
    """The cells of a line.

    Raises ``ValueError``: it is none.
    """
    try:
        rows = list(csv.reader([line.removesuffix("\n")], strict=True))
    except csv.Error as error:
        raise ValueError(str(error)) from None
    return [_parse_cell(text) for text in rows[0]] if rows else [None]


def _format(cell: Any) -> str:
    cell = cell.item() if isinstance(cell, np.generic) else cell
    if cell is None or isinstance(cell, bool):
        return {None: "", True: "true", False: "false"}[cell]
    if isinstance(cell, (int, float)):
        return repr(cell)
    text = cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
    is_itself = isinstance(_parse_cell(text), str) and not text.startswith('"')
    return (
        text
        if is_itself and not _AWKWARD.search(text) and not is_formula(text)
        else json.dumps(text)
    )


def _parse_cell(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    with suppress(ValueError):
        return json.loads(text) if text.startswith('"') else text
    return text


def _rows(folder: str | Path, sweep: Sweep | None) -> Iterator[dict[str, Any]]:
    """Every complete line of the table below its head, as a row."""
    path, names = Path(folder) / CSV, list[Any]()
    try:
        require_regular(path)
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if not raw.endswith(b"\n"):
                    return
                line = raw.decode()
                cells = _parse(line, path, number)
                names = names or cells
                if number == 1 and sweep is not None and names != columns(sweep):
                    raise BadInput(
                        "not the columns of this sweep", where=str(path), found=line[:80]
                    )
                row = dict(zip(names, cells, strict=False))
                if number > 1 and (len(cells) != len(names) or not _is_row(row, sweep)):
                    raise BadInput("damaged line", where=f"{path}, line {number}", found=line[:80])
                if number > 1:
                    yield row
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("no table of a sweep", where=str(path), found=str(error)) from None


def _is_row(row: Mapping[str, Any], sweep: Sweep | None) -> bool:
    """Whether a row is that of one of the sweep's runs, with its seed and values."""
    index = row["index"]
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        return False
    if sweep is None:
        return True
    if index >= sweep.count or not isinstance(row["outcome"], str):
        return False
    kept = {name: row[name] for name in sweep.kept}
    asked = make_row(sweep, sweep.job(index), {})
    as_read = dict(zip(asked, parse_line(format_line(list(asked.values()))), strict=True))
    same = {**as_read, **kept, "error": row["error"]} == dict(row)
    return same and all(
        value is None or sweep.kept[name].fits(value) for name, value in kept.items()
    )


def _parse(line: str, path: Path, number: int) -> list[Any]:
    try:
        cells = parse_line(line)
    except ValueError as error:
        raise BadInput("damaged line", where=f"{path}, line {number}", found=str(error)) from None
    if number == 1 and (cells[:1] != ["index"] or len(set(map(str, cells))) != len(cells)):
        raise BadInput("not the table of a sweep", where=str(path), found=line[:80])
    return cells
