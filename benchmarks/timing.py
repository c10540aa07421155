"""What the benchmarks share: the time of a call, and the page that their tables are written to."""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "scripts"))

from measured_part import table, tell

__all__ = [
    "asked", "median_seconds", "parser", "print_load", "seconds_per_call", "table", "tell", "two_digits",
]  # fmt: skip


def parser(description: str) -> argparse.ArgumentParser:
    """Command line of a benchmark: ``--out`` names the page that holds its measured parts."""
    made = argparse.ArgumentParser(description=description.splitlines()[0])
    made.add_argument("--out", type=Path, help="page to write to; default: print only")
    return made


def asked(description: str) -> Path | None:
    """The page of a benchmark that has no other option."""
    return parser(description).parse_args().out


def print_load() -> None:
    """Say whether others used the machine: a little over what was measured is none."""
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    print(f"\nprocesses that want a processor, for each that there is: {load:.1f}")


def two_digits(value: float) -> str:
    """A positive number with two digits that count, or all before the point: ``0.80``, ``2.5``, ``104``."""
    return f"{value:.{max(0, 1 - math.floor(math.log10(value)))}f}"


def median_seconds(call: Callable[[], object], calls: int, runs: int) -> float:
    """Median time, over so many runs, of one of the ``calls`` that ``call()`` makes [s].

    A run before them is left out: it compiles.
    """
    call()
    return statistics.median(seconds_per_call(lambda _: call(), calls) for _ in range(runs))


def seconds_per_call(run: Callable[[int], object], calls: int) -> float:
    """Time of one of the ``calls`` that ``run(calls)`` makes [s]."""
    start = time.perf_counter()
    run(calls)
    return (time.perf_counter() - start) / calls
