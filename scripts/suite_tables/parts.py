"""A table of a suite: its columns, its lines, and how both come from the rows of a bench."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import bench_columns as c

# family, condition, and the last of the methods that are put side by side
Line = tuple[str, str, str]
# text with {f} family, {s} condition, {m} method, or a function of these
Name = str | Callable[[str, str, str], str]


class Part(NamedTuple):
    """One table."""

    mark: str  # on its page; parts of one mark are one table
    name: Name  # of a line
    columns: dict[str, c.Cell]  # by their head
    # that a line puts side by side; None: every method has a line
    methods: Sequence[str] | None = None
    # which lines there are, of the same three
    where: Callable[[str, str, str], bool] = lambda f, s, m: True
    head: str = ""  # of the first column
    whole: bool = False  # also lines of all families together


class Pivot(NamedTuple):
    """A table with a column for every condition, or what else ``column`` tells; attributes as of ``Part``."""

    mark: str
    name: Name
    column: Name
    cell: c.Cell
    head: str


def _told(name: Name, line: Line) -> str:
    """A line's name, or what else is told of it."""
    return name(*line) if callable(name) else name.format(f=line[0], s=line[1], m=line[2])


def lines_of(part: Part, rows: Sequence[c.Row]) -> list[list[str]]:
    """The lines of a table over the rows of a bench."""
    grouped: dict[Line, list[c.Row]] = {}
    for row in [*rows, *({**row, "family": "all"} for row in rows if part.whole)]:
        key = str(row["family"]), str(row["condition"]), str(row["method"])
        grouped.setdefault(key, []).append(row)
    lines, pairs = [], list(dict.fromkeys(key[:2] for key in grouped))
    if part.whole:  # all families of a condition, then all together
        conditions = list(dict.fromkeys(condition for _, condition in pairs))
        pairs.sort(key=lambda pair: conditions.index(pair[1]))
    for family, condition in pairs:
        there = [method for f, s, method in grouped if (f, s) == (family, condition)]
        for side in [[method] for method in there] if part.methods is None else [part.methods]:
            line = family, condition, side[-1]
            if part.where(*line) and set(side) <= set(there):
                own = [grouped[family, condition, method] for method in side]
                lines.append(
                    [_told(part.name, line), *(column(own) for column in part.columns.values())]
                )
    return lines


def pivoted(part: Pivot, rows: Sequence[c.Row]) -> tuple[list[str], list[list[str]]]:
    """Head and lines of such a table; what has no column, or no name, is left out."""
    cells: dict[str, dict[str, list[c.Row]]] = {}
    for row in rows:
        line = str(row["family"]), str(row["condition"]), str(row["method"])
        if _told(part.column, line):
            cells.setdefault(_told(part.name, line), {}).setdefault(
                _told(part.column, line), []
            ).append(row)
    columns = list(dict.fromkeys(column for line in cells.values() for column in line))
    return [part.head, *columns], [
        [name, *(part.cell([line[column]]) if column in line else "-" for column in columns)]
        for name, line in cells.items()
    ]
