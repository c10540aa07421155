"""Tables of the pages from what a bench has left behind.

    hopfield-nav bench touch
    python scripts/bench_tables.py touch runs/touch --out docs/lab/touches.md

The first command runs the suite on every core and can be resumed (one of ``scripts/suites`` by its
path, with ``--trust``); the second prints the suite's tables, and with ``--out`` writes those that
have a mark on that page. A suite that was run in parts, with ``--family``, has several folders;
``--mark`` names the tables that are wanted, and with ``--keep`` lines of the page that the folders
have nothing for stay as they are.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

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


def beside_kept(new: str, old: str) -> str:
    """A table with the lines of an older one where it has none of that name; others follow those of their family."""
    lines = {_name(line): line for line in new.splitlines()}
    kept = [lines.pop(_name(line), line) for line in old.splitlines()]
    for name, line in lines.items():
        like = [
            k for k, other in enumerate(kept) if _name(other).split(": ")[0] == name.split(": ")[0]
        ]
        kept.insert(like[-1] + 1 if like else len(kept), line)
    return "\n".join(kept)


def _name(line: str) -> str:
    return line.split("|")[1].strip()


def main(
    suite: str,
    folders: list[Path],
    out: Path | None = None,
    mark: Annotated[list[str] | None, typer.Option()] = None,
    keep: bool = False,
) -> None:
    """Print the tables of a suite's results, and write to a page those that have a mark there."""
    if suite not in TABLES:
        raise SystemExit(f"no tables of {suite!r}; there are {', '.join(TABLES)}")
    there = parts(out) if out else {}
    for name, text in tables(suite, [row for folder in folders for row in read(folder)]).items():
        if not mark or name in mark:
            page = out if name in there else None
            tell(beside_kept(text, there[name]) if keep and page else text, page, name)


if __name__ == "__main__":
    typer.run(main)
