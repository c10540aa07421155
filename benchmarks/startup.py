"""Whole processes: the help, a run, its figures, its film, and what an empty cache costs.

    python benchmarks/startup.py [--film]

The wall time is what a person waits for; the processor time, of all processes together, says more
on a machine that others use too. Cold runs have an empty folder of compiled code. Medians of
several runs (one for the cold run and the film).
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from timing import parser, print_load, table, tell

REPEATS = 5
NO_PLOTS = ["run", "ragazzon2012", "--no-plots"]


class Cost:
    """Wall and processor time of what runs inside ``measured`` [s]."""

    wall = processor = 0.0


@contextmanager
def measured() -> Iterator[Cost]:
    """Measure the processes that are started and awaited inside."""
    cost, started, before = Cost(), time.perf_counter(), _processor()
    yield cost
    cost.wall, cost.processor = time.perf_counter() - started, _processor() - before


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def call(arguments: list[str], cache: Path | None = None) -> tuple[float, float]:
    """Wall and processor time of one call of the command line."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment |= {"NUMBA_CACHE_DIR": str(cache)} if cache else {}
    with tempfile.TemporaryDirectory() as folder:
        out = ["--out", str(Path(folder) / "run")] if arguments[0] == "run" else []
        command = [sys.executable, "-m", "hopfield_nav", *arguments, *out]
        with measured() as cost:
            subprocess.run(command, env=environment, check=True, capture_output=True)
    return cost.wall, cost.processor


def warm(arguments: list[str], repeats: int = REPEATS) -> tuple[float, float]:
    """Medians of several calls."""
    walls, processors = zip(*(call(arguments) for _ in range(repeats)), strict=True)
    return statistics.median(walls), statistics.median(processors)


def main() -> None:
    """Print the table."""
    commands = parser(__doc__)
    commands.add_argument(
        "--film", action="store_true", help="make the film too, which takes half a minute"
    )
    options = commands.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        rows = {"run ragazzon2012 --no-plots, nothing compiled": call(NO_PLOTS, Path(cache))}
    call(NO_PLOTS)  # and with the cache that the others will find
    rows["--help"] = warm(["--help"])
    rows["run ragazzon2012 --no-plots"] = warm(NO_PLOTS)
    rows["run ragazzon2012, with its figures"] = warm(NO_PLOTS[:2])
    if options.film:
        rows["run ragazzon2012 --no-plots --animate, with its film"] = warm(
            [*NO_PLOTS, "--animate"], 1
        )
    costs = (
        [_written(name), f"{wall:.2g} s", f"{processor:.2g} s"]
        for name, (wall, processor) in rows.items()
    )
    tell(table(["call", "by the clock", "of processor"], costs), options.out, "startup")
    print_load()


def _written(name: str) -> str:
    """A call as a page has it."""
    command, _, about = name.partition(", ")
    return f"`hopfield-nav {command}`" + (f", {about}" if about else "")


if __name__ == "__main__":
    main()
