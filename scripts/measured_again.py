"""What guards each measured part of the pages against a program that has changed since it was measured.

    python scripts/measured_again.py [PART...]          # tells which parts are others today
    python scripts/measured_again.py --note [PART...]   # after they were measured: notes what is run again for them

``measured_origins.yaml`` names every part as PAGE or PAGE.NAME, as its copy in docs/measured is
named, and one guard:

- ``again``: a function of a script, which computes the whole part in seconds; the page must have
  what it returns.
- ``runs``: worlds with changes that the part rests on; a line of each run is kept, and compared.
- ``suite``: the first row of a bench's suite; the row is kept, and compared.
- ``test``: the test that measures the part, or some of it, again.
- ``times``: times of one machine, which nothing can repeat; the words say what was timed.
- ``none``: not guarded; the words say why.

What is kept lies in ``kept/measured.json``. A kept run that is another one today says that the part
is to be measured again; one that is the same says only that this run is.
"""

import json
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
import yaml
from figure_origins import result
from measured_part import KEPT, ROOT

from hopfield_nav.extensions.bench import load_suite
from hopfield_nav.sweeps.job import run_job

sys.path.insert(0, str(ROOT / "scripts" / "suites"))

ORIGINS = ROOT / "scripts" / "measured_origins.yaml"
NOTED = ROOT / "scripts" / "kept" / "measured.json"
GUARDS = ("again", "runs", "suite", "test", "times", "none")
UNRUN = "not run"  # outcome of a world that a suite does not score
COMPARED = ("runs", "suite")  # guards with something kept
_OF_THIS_MACHINE = ("wall", "settling", "planning", "spent", "processor")  # in names of quantities


@cache
def origins() -> dict[str, dict[str, Any]]:
    """The guard of every part, by the part's name."""
    return yaml.safe_load(ORIGINS.read_text(encoding="utf-8"))


def noted() -> dict[str, dict[str, str]]:
    """What was there when it was last noted."""
    return json.loads(NOTED.read_text(encoding="utf-8")) if NOTED.exists() else {}


def today(name: str) -> dict[str, str]:
    """What the runs of a part give today, a line each."""
    origin = origins()[name]
    if "runs" in origin:
        return {run: result(run) for run in origin["runs"]}
    return {origin["suite"]: row_of(origin["suite"])}


@cache
def row_of(suite: str) -> str:
    """The first row of a suite whose world counts, in a line."""
    loaded = load_suite(suite_file(suite), allow_code=True)
    row = next(row for k in range(loaded.count) if (row := run_job(loaded, k))["outcome"] != UNRUN)
    if row["error"] is not None:
        raise SystemExit(f"{suite}: its first row fails: {row['error']}")
    told = [row["outcome"], *filter(None, (_words(row, key) for key in loaded.kept))]
    return ", ".join(dict.fromkeys(told))


def suite_file(name: str) -> str:
    """A suite of a study by its file, one that comes along by its name."""
    own = ROOT / "scripts" / "suites" / f"{name}.yaml"
    return str(own) if own.exists() else name


def _words(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, int | float) or any(word in key for word in _OF_THIS_MACHINE):
        return ""
    return f"{key} {value:.3g}"


def others(names: Iterable[str]) -> list[str]:
    """The parts that are not as they would be measured today, a sentence each."""
    found = []
    kept = noted()
    for name in names:
        origin = origins()[name]
        if "again" in origin and computed(name) != written(name):
            found.append(f"{name}: {origin['again']} gives another table today")
        if not any(guard in origin for guard in COMPARED):
            continue
        for run, line in today(name).items():
            before = kept.get(name, {}).get(run)
            if before != line:
                found.append(f"{name}: {run} was {before}; today {line}")
    return found


def computed(name: str) -> str:
    """A part as its function gives it today."""
    module, _, function = origins()[name]["again"].partition(":")
    return getattr(import_module(module), function)()


def written(name: str) -> str:
    """A part as it was written to its page."""
    return (ROOT / KEPT / f"{name}.md").read_text(encoding="utf-8").strip()


def main(
    names: Annotated[list[str] | None, typer.Argument(metavar="PART")] = None, note: bool = False
) -> None:
    """Tell which parts are others today, or note what stands for them."""
    asked = names or [*origins()]
    if not note:
        print(*others(asked), sep="\n")
        return
    for name in asked:
        if any(guard in origins()[name] for guard in COMPARED):
            keep(name, today(name))


def keep(name: str, lines: dict[str, str]) -> None:
    """Note what the runs of a part give."""
    print(name, lines, flush=True)
    kept = dict(sorted({**noted(), name: lines}.items()))
    NOTED.write_text(f"{json.dumps(kept, indent=1, ensure_ascii=False)}\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
