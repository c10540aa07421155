"""The record of a stream: an RTDE table that ``load_recording`` reads, the alarms, and how it was judged.

A table's time must increase and its columns stay: where the clock goes back or the fields change, a
new table begins (``rtde-2.csv``, …), which is read by its own name.
"""

import json
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

import numpy as np

from dynamics import told
from hopfield_nav.extensions.live.detector_stream import Seen
from hopfield_nav.extensions.live.recipe import TYPES, Recipe
from hopfield_nav.extensions.recordings import WATCHED_TABLE

ALARMS, SETTINGS = "alarms.csv", "watch.json"
MOST_TABLES = 100
_CANNOT = "cannot keep a record"
_FLUSH = 100  # rows after which they are on disk


class Recorder:
    """Writes a record into a folder that does not exist or is empty.

    Raises ``BadInput``: the folder cannot be made or written to.
    """

    def __init__(self, folder: Path) -> None:
        # tables: that were begun
        # ended: why no more rows are kept: the disk is full, or the clock went back too often;
        # empty: they are
        self.folder, self.tables, self.ended = folder, 0, ""
        self._table: TextIO | None = None
        self._names: tuple[str, ...] = ()  # of the table's fields
        self._rows = 0
        with told(_CANNOT, folder):
            self._made = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            self._alarms = (folder / ALARMS).open("x", encoding="utf-8")
        self._alarms.write("time_s,level,link,probability\n")

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the files; where nothing came the folder is as it was, for the next try."""
        faults = []
        for file in (self._alarms, self._table):
            try:
                if file is not None:
                    file.close()
            except OSError as fault:
                faults.append(fault)
        with told(_CANNOT, self.folder):
            if not self.tables:
                (self.folder / ALARMS).unlink(missing_ok=True)
                if self._made:
                    self.folder.rmdir()
            if faults and kind is None:
                raise faults[0]

    def add(self, recipe: Recipe, values: np.ndarray, anew: bool) -> str:
        """Keep a row of every field, all digits; why, at the first one that is not kept, else "".

        ``anew``: its clock has jumped.
        """
        if self.ended:
            return ""
        try:
            if self._table is None or anew or recipe.names != self._names:
                if self.tables == MOST_TABLES:
                    return self._end(f"{MOST_TABLES} tables were begun")
                self._begin(recipe)
            assert self._table is not None
            self._table.write(",".join(map(repr, values.tolist())) + "\n")
            self._rows += 1
            if self._rows % _FLUSH == 0:
                self._table.flush()
        except OSError as error:
            return self._end(str(error.strerror))
        return ""

    def _end(self, why: str) -> str:
        if self._table is not None:
            with suppress(OSError):
                self._table.close()
            self._table = None
        self.ended = f"{why}; from here on no rows are kept"
        return self.ended

    def add_alarm(self, seen: Seen) -> None:
        """Keep an alarm with its likely link; if it cannot be written, closing tells so."""
        link, share = seen.links[0] if seen.links else (0, 0.0)
        with suppress(OSError):
            self._alarms.write(f"{seen.time!r},{seen.level!r},{link},{share:.3f}\n")
            self._alarms.flush()

    def say(self, settings: dict[str, Any]) -> None:
        """Keep how the stream was judged, and what was counted.

        Raises ``BadInput``: it cannot be written.
        """
        text = json.dumps(settings, indent=2, ensure_ascii=False)
        with told(_CANNOT, self.folder):
            (self.folder / SETTINGS).write_text(text + "\n", encoding="utf-8")

    def _begin(self, recipe: Recipe) -> None:
        if self._table is not None:
            self._table.close()
        self.tables += 1
        name = WATCHED_TABLE if self.tables == 1 else WATCHED_TABLE.replace(".", f"-{self.tables}.")
        self._table, self._names = (self.folder / name).open("w", encoding="utf-8"), recipe.names
        pairs = [
            (name, TYPES[kind][1]) for name, kind in zip(recipe.names, recipe.types, strict=True)
        ]
        columns = [
            f"{name}_{k}" if count > 1 else name for name, count in pairs for k in range(count)
        ]
        self._table.write(",".join(columns) + "\n")
