"""The rows that come with a suite, under the digests of today, if the suite still gives them.

    python scripts/rekey_rows.py [SUITE ...] [--worlds 3] --folder before       (before a change)
    python scripts/rekey_rows.py [SUITE ...] [--worlds 3] --earlier before --write    (after it)

Rows are kept by a digest of everything that may decide them, every Python file that a suite names
among it. After a change that cannot change a result (a file that moved, an import) they are dropped
all the same, without a word. This runs the first worlds of every family, condition and method and
compares each row, to the last digit, with the one of ``--earlier``, which the program before the
change gave on this machine, or else with the one that comes along, which another processor may have
rounded otherwise. ``--write`` then puts the new digests in place of the old, and touches no row.
Where a row is another, it ends with status 1 and writes nothing: the rows are to be measured again
(``own_compared.py --ship``).
"""

import gzip
import re
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from dynamics.files import whole_file
from hopfield_nav.extensions.bench import (
    Suite,
    find_suite,
    list_suites,
    load_suite,
    shipped_file,
    with_version,
)
from hopfield_nav.sweeps import execute, parse_line, read_rows

_HEAD = re.compile(r"^# method (.*): [0-9a-f]{64}$", re.MULTILINE)


def text_of(path: Path) -> str:
    """The table that a file of rows holds."""
    return gzip.decompress(path.read_bytes()).decode()


def with_digests(text: str, suite: Suite) -> str:
    """The table with the digests of today."""
    return _HEAD.sub(lambda found: f"# method {found[1]}: {suite.method_digest(found[1])}", text)


def rows_of(text: str) -> list[dict]:
    """Its rows, whatever their digests are."""
    names, *cells = [parse_line(line) for line in text.splitlines() if not line.startswith("#")]
    return [dict(zip(names, row, strict=True)) for row in cells]


def others(kept: list[dict], again: list[dict]) -> list[str]:
    """What differs between rows that were run again and those that are kept of the same worlds."""
    by_world = {_world(row): row for row in kept}
    found = []
    for row in again:
        old = by_world.get(_world(row), {})
        told = [
            f"{key} {old.get(key)!r}, now {row[key]!r}" for key in row if _differ(old, row, key)
        ]
        found += [f"{', '.join(map(str, _world(row)))}: {'; '.join(told)}"] * bool(told)
    return found


def _world(row: dict) -> tuple:
    return tuple(row[name] for name in ("family", "condition", "method", "seed"))


def _differ(old: dict, row: dict, key: str) -> bool:
    return key != "version" and (key not in old or old[key] != row[key])


def main(
    suites: Annotated[list[str] | None, typer.Argument()] = None, worlds: int = 3, workers: int = 2,
    folder: Path | None = None, earlier: Path | None = None, write: bool = False,
) -> None:  # fmt: skip
    """Compare the rows of WORLDS of each kind with kept ones; FOLDER: where the new ones are kept."""
    different = False
    for name in suites or [
        name for name in list_suites() if shipped_file(find_suite(name)).is_file()
    ]:
        suite, path = load_suite(name, allow_code=True).of(worlds), shipped_file(find_suite(name))
        text = text_of(path)
        with tempfile.TemporaryDirectory() as nowhere:
            place = (folder or Path(nowhere)) / suite.name
            again = with_version(
                read_rows(execute(suite, place, workers, resume=place.exists()), suite), suite
            )
        kept = (
            text
            if earlier is None
            else (earlier / suite.name / "sweep.csv").read_text(encoding="utf-8")
        )
        told = others(rows_of(kept), again)
        different |= bool(told)
        print(
            "\n".join(
                [*told, f"{suite.name}: {len(again)} rows run again, {len(told)} are others"]
            ),
            flush=True,
        )
        if write and not told:
            with whole_file(path) as partial:
                partial.write_bytes(gzip.compress(with_digests(text, suite).encode(), mtime=0))
    raise SystemExit(different)


if __name__ == "__main__":
    typer.run(main)
