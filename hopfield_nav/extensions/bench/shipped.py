"""Rows that come with the program: what built-in methods did in a suite, with version, seeds and digest."""

import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dynamics import BadInput
from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.record import version_of
from hopfield_nav.sweeps import format_line, parse_line

_HEAD = "# method "
Row = dict[str, Any]


def columns(suite: Suite) -> list[str]:
    """The columns of a bench's table."""
    return ["version", "family", "condition", "method", "repeat", "seed", *suite.kept, "error"]


def with_version(rows: Iterable[Mapping[str, Any]], suite: Suite) -> list[Row]:
    """Rows of the engine as those of a bench."""
    version = version_of("hopfield-nav")
    return [{"version": version, **{name: row[name] for name in columns(suite)[1:]}} for row in rows]


def table_text(suite: Suite, rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV."""
    names = columns(suite)
    return "".join([format_line(names), *(format_line([row[name] for name in names]) for row in rows)])


def shipped_file(suite: Path) -> Path:
    """Where the rows lie that come with the suite of a file."""
    return suite.with_suffix(".csv.gz")


def read_shipped(suite: Suite, path: Path) -> list[Row]:
    """The shipped rows of the suite's methods: CSV below a line with the digest of every method, compressed.

    Those of a method whose digest is another are left out: its settings, the worlds or the measures have changed.

    Raises ``BadInput``: the file holds no such rows.
    """
    if not path.is_file():
        return []
    try:
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    except (OSError, EOFError, UnicodeDecodeError, zlib.error):
        raise BadInput("not the rows of a suite", where=str(path)) from None
    heads = [line.removeprefix(_HEAD).rpartition(": ") for line in lines if line.startswith(_HEAD)]
    digests = {name: digest for name, _, digest in heads}
    names, *cells = [parse_line(line) for line in lines if not line.startswith("#")] or [[]]
    if not cells or any(len(row) != len(names) for row in cells):
        raise BadInput("not the rows of a suite", where=str(path))
    if names != columns(suite):
        return []
    rows = [dict(zip(names, row, strict=True)) for row in cells]
    alike = {name for name in suite.suite.methods if digests.get(name) == suite.method_digest(name)}
    return [row for row in rows if row["method"] in alike]


def shipped_worlds(suite: Suite, rows: Sequence[Row]) -> int:
    """How many worlds of a suite every method has of which there are rows; 0 where there are none."""
    alike = len(suite.suite.families) * len(suite.suite.conditions)
    methods = Counter(row["method"] for row in rows)
    return min((count // alike for count in methods.values()), default=0)
