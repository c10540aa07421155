"""Try to break the program, and print what held: the table of docs/reliability.md.

    python scripts/torture.py [--short] [--only worlds,runs,records,calls] [--count N]

It uses one core. What broke the program is named below the table; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path

from torturing.calls import odd_calls
from torturing.records import damaged_runs, damaged_tables
from torturing.trials import HEAD, Tally, try_all
from torturing.worlds import mutated, random_worlds

FULL = {"worlds": 10_000, "runs": 10_000, "records": 500, "calls": 2000}
SHORT = {"worlds": 60, "runs": 3, "records": 30, "calls": 120}
KINDS = tuple(FULL)


def torture(sizes: dict[str, int], time_limit: float = 60.0) -> list[Tally]:
    """Try each kind of trial so many times; a kind that is left out is not tried."""
    found = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow of what is odd on purpose
        for kind, count in sizes.items():
            place = Path(folder) / kind
            found += _KINDS[kind](place, count, time_limit)
    return found


_KINDS = {
    "worlds": lambda place, count, limit: [try_all("mutated worlds, read", mutated(count))],
    "runs": lambda place, count, limit: [
        try_all(f"random worlds, {limit:g} s of simulated time", random_worlds(count, limit))
    ],
    "records": lambda place, count, limit: [
        try_all("damaged records", damaged_runs(place / "a", count // 2)),
        try_all("damaged records without checksums", damaged_runs(place / "b", count // 4, sums=False)),
        try_all("damaged tables of a sweep", damaged_tables(place / "c", count // 4)),
    ],
    "calls": lambda place, count, limit: [try_all("calls with odd arguments", odd_calls(count))],
}


def main() -> int:
    """Print the table and what broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a few trials of each kind")
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, with commas")
    parser.add_argument("--count", type=int, help="so many trials of every kind")
    asked = parser.parse_args()
    sizes = {kind: asked.count or (SHORT if asked.short else FULL)[kind] for kind in asked.only.split(",")}
    torture(SHORT)  # compiles, which is not to be timed
    tallies = torture(sizes)
    print("\n".join([HEAD, *(tally.row for tally in tallies)]))
    broken = [line for tally in tallies for line in tally.broken]
    print("\n".join(["", *broken]) if broken else "")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
