"""Try to break the program, and print what held: the table of docs/lab/reliability.md.

    python scripts/torture.py [--short] [--only KIND,…] [--count N]
        [--first N] [--keep FILE] [--out docs/lab/reliability.md]

It uses one core, two for pairs, and three for killed sweeps. What broke the program is named below
the table; the exit status is then 1. ``--keep`` adds a block of trials to FILE as soon as it is
done, tries none that is there already, and makes the table of all that FILE holds, so that many
calls, side by side too, make one table. Whether the tests would notice small faults is asked by
``scripts/mutants.py``.
"""

import json
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import typer
from measured_part import table, tell
from torturing.caches import damaged_caches
from torturing.calls import odd_calls
from torturing.combinations import combinations
from torturing.empty import cases, empty_worlds
from torturing.folders import commands_in_foreign_folders
from torturing.kills import killed_sweeps
from torturing.links import linked_records
from torturing.pairs import pairs_at_once
from torturing.records import damaged_runs, damaged_tables
from torturing.streams import hostile_streams
from torturing.trials import HEAD, Tally, Trials, joined, try_all
from torturing.walls import soft_walls
from torturing.worlds import mutated, random_worlds


class Kind(NamedTuple):
    """One kind of trials."""

    name: str  # in the table; ``limit`` is the simulated time [s]
    total: int  # how many there are
    short: int  # how many are a short form
    block: int  # how many are kept at a time
    make: Callable[[Path, int, int, float], Trials]  # folder, count, number of the first, limit
    counted: bool = True  # whether refusals and times are its own


ALL = {
    "worlds": Kind("mutated worlds, read", 10_000, 60, 500, mutated),
    "runs": Kind("random worlds, {limit:g} s of simulated time", 10_000, 3, 50, random_worlds),
    "combinations": Kind("features that meet at random, {limit:g} s", 300, 3, 10, combinations),
    "walls": Kind("soft walls, {limit:g} s", 1000, 3, 50, soft_walls),
    "empty": Kind(
        "every arm, engine and method in an empty world",
        len(cases()),
        32,
        len(cases()),
        empty_worlds,
    ),
    "records": Kind("damaged records", 500, 30, 100, damaged_runs),
    "links": Kind("records that lead elsewhere", 200, 8, 50, linked_records),
    "kills": Kind("killed sweeps", 100, 0, 4, killed_sweeps, counted=False),
    "pairs": Kind("two at once", 50, 0, 5, pairs_at_once, counted=False),
    "calls": Kind("calls with odd arguments", 2000, 120, 100, odd_calls),
    "streams": Kind("hostile streams, watched", 2000, 21, 100, hostile_streams),
    "folders": Kind(
        "commands in foreign folders", 190, 2, 19, commands_in_foreign_folders, counted=False
    ),
    "caches": Kind("damaged caches", 200, 3, 20, damaged_caches, counted=False),
}
KINDS = tuple(ALL)
FULL, SHORT, BLOCK = ({name: kind[k] for name, kind in ALL.items()} for k in (1, 2, 3))


def torture(sizes: dict[str, int], time_limit: float = 60.0, first: int = 0) -> list[Tally]:
    """Try each kind of trial so many times, from number ``first`` on; a kind left out is not tried."""
    found = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow of what is odd on purpose
        for kind, count in sizes.items():
            found += _try(kind, Path(folder) / kind, count, time_limit, first) if count else []
    return found


def _try(kind: str, place: Path, count: int, limit: float, first: int) -> list[Tally]:
    name, total, _, _, make, counted = ALL[kind]
    if kind != "records":
        return [
            try_all(
                name.format(limit=limit), make(place, count, first, limit), total, counted=counted
            )
        ]
    half, quarter = (count // 2, first // 2, limit), (count // 4, first // 4)
    return [
        try_all(name, make(place / "a", *half), total // 2),
        try_all(
            "damaged records without checksums",
            damaged_runs(place / "b", *quarter, sums=False),
            total // 4,
        ),
        try_all("damaged tables of a sweep", damaged_tables(place / "c", *quarter), total // 4),
    ]


def torture_in_blocks(sizes: dict[str, int], first: int, keep: Path) -> list[Tally]:
    """As ``torture``, block by block, each added to a file; returns all that the file then holds."""
    blocks = [(kind, k) for kind, n in sizes.items() for k in range(first, first + n, BLOCK[kind])]
    for kind, begin in blocks:
        if (kind, begin) not in (key for key, _ in _kept(keep)):
            for tally in torture({kind: BLOCK[kind]}, first=begin):
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"kind": kind, "first": begin, **asdict(tally)}) + "\n")
    return joined(
        tally for _, tally in sorted(_kept(keep), key=lambda part: KINDS.index(part[0][0]))
    )


def _kept(keep: Path) -> list[tuple[tuple[str, int], Tally]]:
    """The tallies of a file, each with its kind and first number."""
    lines = keep.read_text(encoding="utf-8").splitlines() if keep.exists() else []
    found = [json.loads(line) for line in lines]
    return [((line.pop("kind"), line.pop("first")), Tally(**line)) for line in found]


def main(
    only: str = ",".join(KINDS),
    short: bool = False,
    count: int = 0,
    first: int = 0,
    keep: Path | None = None,
    out: Path | None = None,
) -> None:
    """Print the table and what broke; ONLY: kinds, with commas; COUNT: trials of every kind."""
    sizes = {kind: count or (SHORT if short else FULL)[kind] for kind in only.split(",")}
    if keep and any(n % BLOCK[kind] for kind, count in sizes.items() for n in (count, first)):
        raise SystemExit(
            "--keep goes with numbers of whole blocks: "
            + str({kind: BLOCK[kind] for kind in sizes})
        )
    torture({kind: SHORT[kind] for kind in sizes})  # compiles, which is not to be timed
    tallies = torture_in_blocks(sizes, first, keep) if keep else torture(sizes, first=first)
    tell(table(HEAD, (tally.row for tally in tallies)), out)
    broken = [line for tally in tallies for line in tally.broken]
    print("\n".join(["", *broken]) if broken else "")
    raise SystemExit(bool(broken))


if __name__ == "__main__":
    typer.run(main)
