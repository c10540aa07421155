"""Try to break the program, and print what held: the table of docs/reliability.md.

    python scripts/torture.py [--short] [--only KIND,…] [--count N]
        [--first N] [--keep FILE] [--out docs/reliability.md]

It uses one core, two for pairs, and three for killed sweeps. What broke the program is named below the table; the exit
status is then 1. ``--keep`` adds a block of trials to FILE as soon as it is done, tries none that is there already, and
makes the table of all that FILE holds, so that many calls, side by side too, make one table. Whether the tests would
notice small faults is asked by ``scripts/mutants.py``.
"""

import json
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import typer
from measured_part import table, tell
from torturing.caches import damaged_caches
from torturing.calls import odd_calls
from torturing.empty import cases, empty_worlds
from torturing.folders import commands_in_foreign_folders
from torturing.kills import killed_sweeps
from torturing.links import linked_records
from torturing.pairs import pairs_at_once
from torturing.records import damaged_runs, damaged_tables
from torturing.streams import hostile_streams
from torturing.trials import HEAD, Tally, joined, try_all
from torturing.walls import soft_walls
from torturing.worlds import mutated, random_worlds

SIZES = {  # of each kind of trials: all of them, a short form, and how many are kept at a time
    "worlds": (10_000, 60, 500),
    "runs": (10_000, 3, 50),
    "walls": (1000, 3, 50),
    "empty": (len(cases()), 32, len(cases())),
    "records": (500, 30, 100),
    "links": (200, 8, 50),
    "kills": (100, 0, 4),
    "pairs": (50, 0, 5),
    "calls": (2000, 120, 100),
    "streams": (2000, 21, 100),
    "folders": (190, 2, 19),
    "caches": (200, 3, 20),
}
FULL, SHORT, BLOCK = ({kind: sizes[k] for kind, sizes in SIZES.items()} for k in range(3))
KINDS = tuple(FULL)


def torture(sizes: dict[str, int], time_limit: float = 60.0, first: int = 0) -> list[Tally]:
    """Try each kind of trial so many times, from number ``first`` on; a kind left out is not tried."""
    found = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overflow of what is odd on purpose
        for kind, count in sizes.items():
            found += _try(kind, Path(folder) / kind, count, time_limit, first) if count else []
    return found


def _try(kind: str, place: Path, count: int, limit: float, first: int) -> list[Tally]:
    total = FULL[kind]
    if kind == "worlds":
        return [try_all("mutated worlds, read", mutated(count, first), total)]
    if kind == "runs":
        name = f"random worlds, {limit:g} s of simulated time"
        return [try_all(name, random_worlds(count, limit, first), total)]
    if kind == "walls":
        return [try_all(f"soft walls, {limit:g} s", soft_walls(count, limit, first), total)]
    if kind == "kills":
        return [try_all("killed sweeps", killed_sweeps(place, count, first), total, counted=False)]
    if kind == "pairs":
        return [try_all("two at once", pairs_at_once(place, count, first), total, counted=False)]
    if kind == "links":
        return [try_all("records that lead elsewhere", linked_records(place, count, first), total)]
    if kind == "calls":
        return [try_all("calls with odd arguments", odd_calls(count, first), total)]
    if kind == "streams":
        return [try_all("hostile streams, watched", hostile_streams(place, count, first), total)]
    if kind == "folders":
        trials = commands_in_foreign_folders(place, count, first)
        return [try_all("commands in foreign folders", trials, total, counted=False)]
    if kind == "caches":
        trials = damaged_caches(place, count, first)
        return [try_all("damaged caches", trials, total, counted=False)]
    if kind == "empty":
        name = "every arm, engine and method in an empty world"
        return [try_all(name, empty_worlds(count, first), total)]
    halves, quarter = (count // 2, first // 2), (count // 4, first // 4)
    runs = damaged_runs(place / "a", halves[0], first=halves[1])
    bare = damaged_runs(place / "b", quarter[0], sums=False, first=quarter[1])
    tables = damaged_tables(place / "c", quarter[0], quarter[1])
    return [
        try_all("damaged records", runs, total // 2),
        try_all("damaged records without checksums", bare, total // 4),
        try_all("damaged tables of a sweep", tables, total // 4),
    ]


def torture_in_blocks(sizes: dict[str, int], first: int, keep: Path) -> list[Tally]:
    """As ``torture``, block by block, each added to a file; returns all that the file then holds."""
    for kind, begin in _blocks(sizes, first):
        if (kind, begin) not in (key for key, _ in _kept(keep)):
            for tally in torture({kind: BLOCK[kind]}, first=begin):
                with keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"kind": kind, "first": begin, **asdict(tally)}) + "\n")
    return joined(tally for _, tally in sorted(_kept(keep), key=lambda part: KINDS.index(part[0][0])))


def _blocks(sizes: dict[str, int], first: int) -> Iterator[tuple[str, int]]:
    for kind, count in sizes.items():
        for begin in range(first, first + count, BLOCK[kind]):
            yield kind, begin


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
        raise SystemExit("--keep goes with numbers of whole blocks: " + str({kind: BLOCK[kind] for kind in sizes}))
    torture({kind: SHORT[kind] for kind in sizes})  # compiles, which is not to be timed
    tallies = torture_in_blocks(sizes, first, keep) if keep else torture(sizes, first=first)
    tell(table(HEAD, (tally.row for tally in tallies)), out)
    broken = [line for tally in tallies for line in tally.broken]
    print("\n".join(["", *broken]) if broken else "")
    raise SystemExit(bool(broken))


if __name__ == "__main__":
    typer.run(main)
