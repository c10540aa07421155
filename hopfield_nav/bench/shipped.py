"""Rows that come with the program: what built-in methods did in a suite, with version, seeds and digest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dynamics import BadInput
from dynamics.files import whole_file
from hopfield_nav.bench.suite import Suite
from hopfield_nav.record import version_of
from hopfield_nav.sweeps import format_line, parse_line

_HEAD = "# method "
Row = dict[str, Any]


def columns(suite: Suite) -> list[str]:
    """The columns of a bench's table."""
    return ["version", "family", "condition", "method", "repeat", "seed", *suite.quantities, "error"]


def with_version(rows: Iterable[Mapping[str, Any]], suite: Suite) -> list[Row]:
    """Rows of the engine as those of a bench."""
    version = version_of("hopfield-nav")
    return [{"version": version, **{name: row[name] for name in columns(suite)[1:]}} for row in rows]


def table_text(suite: Suite, rows: Sequence[Mapping[str, Any]], digests: bool = True) -> str:
    """Rows as CSV; with ``digests`` below a line with that of every method."""
    heads = [
        f"{_HEAD}{name}: {suite.method_digest(name)}\n"
        for name in sorted({r["method"] for r in rows})
        if digests
    ]
    names = columns(suite)
    return "".join(
        [*heads, format_line(names), *(format_line([row[name] for name in names]) for row in rows)]
    )


def write_shipped(suite: Suite, rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the rows that ship beside a suite's file, or its part of them."""
    with whole_file(path) as partial:
        partial.write_text(table_text(suite, rows), encoding="utf-8")


def read_shipped(suite: Suite, path: Path) -> list[Row]:
    """The shipped rows of the suite's methods for as many worlds as it has.

    Rows of a method whose digest is another (its settings, the worlds or the measures have changed since), or
    of too few worlds, are left out.

    Raises:
        BadInput: the file holds no such rows.
    """
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = [line.removeprefix(_HEAD).split(": ") for line in lines if line.startswith(_HEAD)]
    digests = {head[0]: head[1] for head in heads if len(head) == 2}
    names, *cells = [parse_line(line) for line in lines if not line.startswith("#")]
    if names != columns(suite):
        return []
    if any(len(row) != len(names) for row in cells):
        raise BadInput("not the rows of a suite", where=str(path))
    rows = [dict(zip(names, row, strict=True)) for row in cells]
    found: list[Row] = []
    for method in suite.suite.methods:
        own = [r for r in rows if r["method"] == method and r["repeat"] < suite.repeats]
        wanted = suite.repeats * len(suite.suite.families) * len(suite.suite.conditions)
        if digests.get(method) == suite.method_digest(method) and len(own) == wanted:
            found += own
    return found
