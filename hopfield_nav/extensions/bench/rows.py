"""The rows of a bench's table: those that come with the program, and results that other programs made on its worlds.

What comes along is what built-in methods did in a suite, with version, seeds and digest.
"""

import gzip
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dynamics import BadInput, nearest_name
from dynamics.errors import require_known
from dynamics.files import require_regular
from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.record import version_of
from hopfield_nav.sweeps import format_line, parse_line
from hopfield_nav.world import together

_HEAD = "# method "
REQUIRED = ("family", "condition", "method", "seed", "outcome")
OUTCOMES = ("reached", "no_path", "time_limit", "given_up", "passed_through", "failed")
_TEXT = ("version", "reason", "error", "no_path_grade")
_LONGEST, _BYTES = 200, 50_000_000  # letters of a text, bytes of a file
Row = dict[str, Any]


def columns(suite: Suite) -> list[str]:
    """The columns of a bench's table."""
    return ["version", "family", "condition", "method", "repeat", "seed", *suite.kept, "error"]


def with_version(rows: Iterable[Mapping[str, Any]], suite: Suite) -> list[Row]:
    """Rows of the engine as those of a bench."""
    version = version_of("hopfield-nav")
    return [
        {"version": version, **{name: row[name] for name in columns(suite)[1:]}} for row in rows
    ]


def table_text(suite: Suite, rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV."""
    names = columns(suite)
    return "".join(
        [format_line(names), *(format_line([row[name] for name in names]) for row in rows)]
    )


def shipped_file(suite: Path) -> Path:
    """Where the rows lie that come with the suite of a file."""
    return suite.with_suffix(".csv.gz")


def read_shipped(suite: Suite, path: Path) -> list[Row]:
    """The shipped rows of the suite's methods: CSV below a line with the digest of every method, compressed.

    Those of a method whose digest is another are left out: its settings, the worlds or the measures
    have changed.

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


def join_results(
    suite: Suite, rows: Sequence[Mapping[str, Any]], files: Sequence[Path]
) -> tuple[Suite, list[Row], list[Row]]:
    """The suite and its rows with those of others, in the worlds that it was run in; and what was left out of these.

    Whether a world counts is the suite's to say. The suite has all methods of the rows; the files
    are tables with ``REQUIRED`` columns and any others of the suite's own table.

    Raises ``BadInput``: one fault for every line that cannot be used.
    """
    worlds = {_world(row): row for row in sorted(rows, key=lambda row: row["counts"] is not None)}
    # a run that was ended from outside does not know whether its world counts
    joined = [
        {**row, "counts": worlds[_world(row)]["counts"]} if row["counts"] is None else dict(row)
        for row in rows
    ]
    methods, left_out = dict(suite.suite.methods), list[Row]()
    for path in files:
        own = _read(suite, path)
        methods |= {str(row["method"]): {} for row in own}
        for row in own:
            ours = worlds.get(_world(row))
            if ours is None:
                left_out.append(row)
            else:
                joined.append({**row, "repeat": ours["repeat"], "counts": ours["counts"]})
    return (
        replace(suite, suite=suite.suite.model_copy(update={"methods": methods})),
        joined,
        left_out,
    )


def _world(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["family"], row["condition"], row["seed"]


def _read(suite: Suite, path: Path) -> list[Row]:
    """The rows of one table, checked."""
    try:
        require_regular(path)
        with path.open("rb") as file:
            text = file.read(_BYTES + 1)
        lines = text.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("no table of results", where=str(path), found=str(error)) from None
    if len(text) > _BYTES or not lines:
        raise BadInput("no table of results", where=str(path), allowed=f"1 to {_BYTES} bytes")
    names = [cell.strip() for cell in lines[0].split(",")]
    _check_head(suite, names, path)
    faults: list[BadInput] = []
    found: dict[tuple[Any, ...], Row] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        try:
            row = _row(suite, names, line)
            key = (*_world(row), row["method"])
            if key in found:
                raise BadInput("this world has a row of this method already", found=key)
            found[key] = row
        except BadInput as error:
            where = f"{path}, line {number}" + (f", {error.where}" if error.where else "")
            faults.append(error.at(where))
    if faults:
        raise together(faults)
    if not found:
        raise BadInput(
            "no results", where=str(path), found="a first line alone", allowed="a line a run"
        )
    return list(found.values())


def _check_head(suite: Suite, names: Sequence[str], path: Path) -> None:
    known = [name for name in columns(suite) if name not in ("repeat", "counts")]
    for name in REQUIRED:
        if name not in names:
            raise BadInput("a column is missing", f"{path}, line 1", ",".join(names), name)
    for name in names:
        if name not in known or names.count(name) > 1:
            nearest = nearest_name(name, known)
            raise BadInput(
                "no such column, or twice", f"{path}, line 1", name, ", ".join(known), nearest
            )


def _row(suite: Suite, names: Sequence[str], line: str) -> Row:
    try:
        cells = parse_line(line)
    except ValueError as error:
        raise BadInput("damaged line", found=str(error)) from None
    if len(cells) != len(names):
        raise BadInput("not as many cells as columns", found=len(cells), allowed=str(len(names)))
    row = {**dict.fromkeys(columns(suite)), "version": None, **dict(zip(names, cells, strict=True))}
    families = suite.data["families"]  # all of the file, of which some may have been chosen
    for name, words in (
        ("family", families),
        ("condition", suite.suite.conditions),
        ("outcome", OUTCOMES),
    ):
        require_known(row[name], words, "unknown", name)
    method = row["method"]
    if not isinstance(method, str) or method in suite.suite.methods:
        raise BadInput("a method of the suite, or no name", "method", method, "another name")
    for name in names:
        _check_cell(suite, name, row[name])
    return row


def _check_cell(suite: Suite, name: str, value: Any) -> None:
    """Refuse text that is long, and numbers that are none, negative, or a count in parts."""
    if name in (*REQUIRED[:3], "outcome", *_TEXT):
        if value is not None and not (isinstance(value, str) and len(value) <= _LONGEST):
            raise BadInput("no text", where=name, found=value, allowed=f"up to {_LONGEST} letters")
        return
    counted = name == "seed" or name.endswith("_count")
    if value is None and name != "seed":
        return
    number = (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) <= sys.float_info.max
    )
    if not number or value < 0 or (counted and not isinstance(value, int)):
        raise BadInput(
            "no number", where=name, found=value, allowed="a count" if counted else "0 or more"
        )
