"""Tables of the pages from what a bench has left behind.

    hopfield-nav bench touch
    python scripts/bench_tables.py touch runs/touch --out docs/touches.md

The first command runs the suite on every core and can be resumed; the second prints the suite's tables, and
with ``--out`` writes those that have a mark on that page.
"""

from collections.abc import Sequence
from pathlib import Path

import typer
from bench_columns import Row
from measured_part import parts, table, tell
from suite_tables import arm, tool
from suite_tables.arm import REGROUPED
from suite_tables.parts import Part, Pivot, lines_of, pivoted

from hopfield_nav.sweeps import parse_line

TABLES: dict[str, Sequence[Part | Pivot]] = {**tool.TABLES, **arm.TABLES}


def read(folder: Path) -> list[Row]:
    """The rows of a bench's table."""
    head, *lines = map(parse_line, (folder / "table.csv").read_text(encoding="utf-8").splitlines())
    return [dict(zip(head, line, strict=True)) for line in lines]


def tables(suite: str, rows: Sequence[Row]) -> dict[str, str]:
    """The tables of a suite by their marks."""
    found: dict[str, tuple[list[str], list[list[str]]]] = {}
    regrouped = REGROUPED.get(suite, list)(rows)
    for part in TABLES[suite]:
        if isinstance(part, Pivot):
            found[part.mark] = pivoted(part, rows)
            continue
        head = [part.head, *part.columns]
        found.setdefault(part.mark, (head, []))[1].extend(lines_of(part, regrouped))
    return {mark: table(head, lines) for mark, (head, lines) in found.items()}


def main(suite: str, folder: Path, out: Path | None = None) -> None:
    """Print the tables of a suite's results, and write to a page those that have a mark there."""
    if suite not in TABLES:
        raise SystemExit(f"no tables of {suite!r}; there are {', '.join(TABLES)}")
    there = parts(out) if out else {}
    for mark, text in tables(suite, read(folder)).items():
        tell(text, out if mark in there else None, mark)


if __name__ == "__main__":
    typer.run(main)
