"""The rows of a whole run, in memory up to a bound.

Beyond it they are written in pieces to a file without a name. The file lies in the folder for
temporary files (``TMPDIR``) and is gone with the process, however that ends: nothing of an
interrupted run is left that could be taken for a record.
"""

import tempfile
import weakref
from typing import IO

import numpy as np

from dynamics import BadInput
from hopfield_nav.loop.log import Column, Log, make_log

FIRST_ROWS = 16384  # rows that there is room for at first
MAX_ROWS = 131072  # in memory, 95 MB for six joints


class Rows:
    """What the loop has logged of n joints.

    There is room for ``first`` rows at first; 0: nothing is logged.
    ``further`` columns are those that not every log has.
    """

    def __init__(self, n: int, first: int = FIRST_ROWS, further: tuple[Column, ...] = ()) -> None:
        self.log = make_log(first, n, further)  # where the loop writes
        self._file: IO[bytes] | None = None
        self._stored = 0

    def __len__(self) -> int:
        return self._stored + self.log.now.used

    def __getstate__(self) -> tuple[np.ndarray, int, Log]:
        """The rows so far, room in memory, and the log without its table."""
        rows = np.asarray(self.table())
        return rows, len(self.log.table), self.log._replace(table=rows[:0])

    def __setstate__(self, state: tuple[np.ndarray, int, Log]) -> None:
        """The same rows in memory, or in a file of its own."""
        rows, room, log = state
        self.log = log._replace(table=np.empty((room, rows.shape[1])))
        self._file = None
        self._stored = 0
        if len(rows) <= room:
            self.log.table[: len(rows)] = rows
            self.log.now.used = len(rows)
        else:
            self._append(rows)

    def make_room(self) -> None:
        """Room for more rows, where there is none left.

        There is twice as much, or what is there goes to the file.

        Raises ``BadInput``: there is no room on the disk.
        """
        table = self.log.table
        if len(table) < MAX_ROWS:
            larger = np.empty((min(2 * len(table), MAX_ROWS), table.shape[1]))
            larger[: len(table)] = table
            self.log = self.log._replace(table=larger)
        else:
            self._store()

    def table(self) -> np.ndarray:
        """Every row so far (k, columns).

        Rows in memory are copied. Where there is a file, it is mapped and takes no memory.
        """
        if self._file is None:
            return self.log.table[: self.log.now.used].copy()
        self._store()
        width = self.log.table.shape[1]
        return np.memmap(self._file, np.float64, "r", shape=(self._stored, width))

    def pieces(self) -> list[np.ndarray]:
        """Every row so far in tables of at most ``MAX_ROWS`` rows, none of them a copy."""
        if self._file is None:
            return [self.log.table[: self.log.now.used]]
        table = self.table()
        return [table[first : first + MAX_ROWS] for first in range(0, len(table), MAX_ROWS)]

    def set_last(self, column: slice, value: float) -> None:
        """Change a number of the last row, where there is one."""
        used = self.log.now.used
        width = self.log.table.shape[1]
        if used:
            self.log.table[used - 1, column] = value
        elif self._file is not None:
            self._file.seek(8 * ((self._stored - 1) * width + column.start))
            self._file.write(np.float64(value).tobytes())
            self._file.flush()

    def _store(self) -> None:
        """Append what is in memory to the file."""
        self._append(self.log.table[: self.log.now.used])
        self.log.now.used = 0

    def _append(self, rows: np.ndarray) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115  closed with the rows
                weakref.finalize(self, self._file.close)
            self._file.seek(8 * self._stored * rows.shape[1])
            self._file.write(rows.data)
            self._file.flush()
        except OSError as error:
            raise BadInput(
                f"no room for the signals of so long a run: {error.strerror or error}",
                where=f"{tempfile.gettempdir()} (TMPDIR)",
                found=f"{8e-9 * (self._stored + len(rows)) * rows.shape[1]:.2g} GB so far",
                allowed="more room, record.every above 1, record.signals: none,"
                " or a shorter time_limit",
            ) from None
        self._stored += len(rows)
