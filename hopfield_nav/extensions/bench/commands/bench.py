"""The command bench."""

import os
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from dynamics import BadInput
from hopfield_nav import cli, sweeps, world
from hopfield_nav.cli import Trusted, folder_option
from hopfield_nav.extensions import bench as benches

VIEWS = 2  # worlds of every pair whose runs are made again for a view of them
_FEW = 8  # runs that are not worth the start of a pool


def bench(
    suite: Annotated[
        list[str],
        typer.Argument(
            metavar="SUITE|[LABEL=]WORLD...",
            help="A suite, by its file or name; or worlds, over the same seeds, which a LABEL names.",
        ),
    ],
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE.yaml",
            help="A method of your own: changes to every world. Repeatable.",
        ),
    ] = None,
    worlds: Annotated[
        int | None, typer.Option(min=1, help="Worlds of every family and condition.")
    ] = None,
    seeds: Annotated[
        str | None,
        typer.Option(
            metavar="fresh|N",
            help="fresh: worlds that nobody has tuned on. N: of worlds  [default: 20]",
        ),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="These families alone: --family 'box*'. Repeatable."),
    ] = None,
    problems: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Archive of MotionBenchMaker's problems; once, they are kept."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of recordings, for suites of these."),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(metavar="OTHERS.csv", help="Results of other programs, for the same tables."),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Run the suite's own methods too, whose rows come along."),
    ] = False,
    out: Annotated[Path | None, folder_option("SUITE")] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=0, help="Processes on this machine; 0: in this one  [default: cores]"),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Use a Dask cluster (an extra): tcp://HOST:8786."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Do what is missing in --out, or in the suite's newest folder."
        ),
    ] = False,
    trust: Trusted = False,
) -> int:
    """Put methods beside each other on families of worlds: a table, and a page to compare them."""
    if problems is not None:
        cli.say(f"{benches.keep_problems(problems)} problems are kept from now on")
    if data is not None:
        os.environ["HOPFIELD_NAV_DATA"] = str(data.resolve())  # workers have it too
    files = _files(method)
    of_worlds = _are_worlds(suite)
    asked: benches.Suite
    if of_worlds:
        _refuse_options_of_suites({"--worlds": worlds, "--family": family})
        asked = benches.load_worlds(suite, _seed_count(seeds), files, trust)
    else:
        if seeds not in (None, "fresh"):
            raise BadInput("seeds", where="--seeds", found=seeds, allowed="fresh")
        seed = _fresh_seed(suite[0], out, resume) if seeds else None
        asked = benches.load_suite(suite[0], files, worlds, seed, trust, family or ())
    benches.join_results(asked, [], results or ())  # refused before anything is run
    asked.require_ready()
    shipped: list[dict[str, Any]] = []
    if files and not of_worlds and not again:
        asked, shipped = _with_shipped(asked, benches.find_suite(suite[0]), worlds)
    known = {row["method"] for row in shipped}
    run = asked.only([name for name in asked.methods if name not in known])
    folder = cli.folder_of(asked.name, out, resume)
    folder.mkdir(parents=True, exist_ok=True)
    rows = [*shipped, *_rows(run, folder / "rows", workers, scheduler, resume)]
    asked, rows, left_out = benches.join_results(asked, rows, results or ())
    _say_left_out(left_out)
    benches.write_results(asked, rows, folder, VIEWS)
    if of_worlds:
        _print_worlds(asked, rows)
    _say_failed(run, rows)
    cli.say(f"folder: {folder}; see {folder / 'report.html'}")
    return 0


def _refuse_options_of_suites(options: dict[str, Any]) -> None:
    """Refuse options that are given, since worlds are compared."""
    for option, value in options.items():
        if value is not None:
            allowed = "--seeds N for worlds"
            raise BadInput("an option of suites", where=option, found=value, allowed=allowed)


def _seed_count(seeds: str | None) -> int:
    """How many seeds worlds are compared over."""
    if seeds is None:
        return benches.SEEDS
    if not seeds.isdecimal() or not 1 <= int(seeds) <= 100_000:
        allowed = "a whole number, 1 to 100000"
        raise BadInput("seeds of worlds", where="--seeds", found=seeds, allowed=allowed)
    return int(seeds)


def compare_worlds(names: Sequence[str], seeds: int, trust: bool) -> int:
    """Print the keys in which worlds differ, and the table that a bench of them writes.

    Nothing is kept.
    """
    if len(names) < 2:
        raise BadInput("--seeds compares worlds", found=len(names), allowed="WORLD_A WORLD_B …")
    asked = benches.load_worlds(names, seeds, allow_code=trust)
    with tempfile.TemporaryDirectory() as nowhere:
        rows = _rows(asked, Path(nowhere) / "rows", 0 if asked.count <= _FEW else None)
    _print_worlds(asked, rows)
    _say_failed(asked, rows)
    return 0


def _rows(
    asked: "benches.Suite",
    folder: Path,
    workers: int | None,
    scheduler: str | None = None,
    resume: bool = False,
) -> list[dict[str, Any]]:
    """Run what is missing of a suite, say how it goes, and give all its rows."""
    cli.say_what_is_coming(asked, folder, scheduler, resume)
    cli.execute_shown(asked, folder, workers, scheduler, resume)
    return benches.with_version(sweeps.read_rows(folder, asked), asked)


def _print_worlds(asked: "benches.Suite", rows: list[dict[str, Any]]) -> None:
    """Print the keys in which the worlds differ, and the table of a paper."""
    family = next(iter(asked.suite.families))
    condition = next(iter(asked.suite.conditions))
    worlds = [asked.changed_world(family, condition, name) for name in asked.methods]
    cli.print_columns(["", *asked.methods], cli.differing_keys(worlds))
    with_rows = {row["method"] for row in rows}
    run = [name for name in asked.suite.methods if name in with_rows]
    for table in benches.paper_tables(asked, rows, run):
        cli.print_columns(table.head, table.rows)


def _are_worlds(names: Sequence[str]) -> bool:
    """Whether worlds are asked for: several, or one, by its file or by a name that no suite has."""
    name, *others = names
    _, equals, named = name.partition("=")
    if others or (equals and named and not Path(name).exists()):
        return True
    if name in world.list_worlds() and name not in benches.list_suites():
        return True
    if not Path(name).is_file():
        return False
    document = world.read_document(Path(name), also={"families"})
    return cli.kind_of(document.data) == "world"


def _with_shipped(
    suite: "benches.Suite", file: Path, worlds: int | None
) -> "tuple[benches.Suite, list[dict[str, Any]]]":
    """The suite, of as many worlds as rows come along unless more are asked for, and these rows."""
    rows = benches.read_shipped(suite, benches.shipped_file(file))
    there = benches.shipped_worlds(suite, rows)
    if not there or (worlds or 0) > there:
        return suite, []
    count = worlds or min(there, suite.file.repeats)
    names = dict.fromkeys(str(row["method"]) for row in rows)
    cli.say(f"rows that come along: {', '.join(names)}, {count} worlds; --again runs them too")
    return suite.of(count), [row for row in rows if row["repeat"] < count]


def _files(given: list[str] | None) -> dict[str, Path]:
    """The file of each method of --method NAME=FILE.yaml."""
    found = {}
    for text in given or []:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            raise BadInput("not a method", where="--method", found=text, allowed="NAME=FILE.yaml")
        if name in found:
            what = "two methods of one name"
            raise BadInput(what, where="--method", found=name, allowed="a name for each")
        found[name] = Path(path)
    return found


def _fresh_seed(suite: str, out: Path | None, resume: bool) -> int:
    """A seed that nobody has seen; that of the folder which is resumed."""
    if not resume:
        return secrets.randbelow(2**40)
    folder = cli.folder_of(benches.find_suite(suite).stem, out, resume)
    return int(world.read_document(folder / "rows" / "sweep.yaml").data["seed"])


def _say_left_out(results: list[dict[str, Any]]) -> None:
    """Say how many results of others are in no table, and name the first."""
    if results:
        first = ", ".join(f"{key} {results[0][key]}" for key in ("family", "condition", "seed"))
        cli.say(
            f"{len(results)} results of others are left out: no run in their world ({first}, …)"
        )


def _say_failed(suite: "benches.Suite", rows: list[dict[str, Any]]) -> None:
    failed = [row for row in rows if row["outcome"] in sweeps.FAILURES]
    for row in failed[:3]:
        which = f"{row['method']}, {row['family']}, {row['condition']}, seed {row['seed']}"
        cli.say(f"{which}: {row['error']}")
    if not any(row["counts"] for row in rows):
        cli.say("no world of the suite counts, so its tables are empty; table.csv has the rows")
    if failed:
        cli.say(f"{len(failed)} of {len(rows)} rows failed; they are marked in the table")
