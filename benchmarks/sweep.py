"""Sweeps: runs a second on one and two workers, and the memory of the process that collects.

Run with ``python benchmarks/sweep.py [--runs 120]``. The first rows run the main experiment, the
same sweep on one worker and on two in turn, scaled to 1000 runs; efficiency is the time on one
worker over twice the time on two, the start of the pool included and without it. The last hands out
jobs that do nothing and reads the collector's resident memory while the last rows come in.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import psutil
from timing import parser, table, tell

from hopfield_nav.sweeps import Pool, Sweep, SweepTable, execute, make_sweep, warm_up
from hopfield_nav.sweeps.table import make_row

RUNS, ROUNDS = 120, 2
FAKES = (100, 1000, 10_000)


def main_experiment(runs: int) -> Sweep:
    """Thresholds and contact stiffness around the document's choice."""
    thresholds = [8, 10, 12, 14]
    return make_sweep(
        "ragazzon2012", {"detection.threshold": thresholds}, repeats=max(1, runs // len(thresholds))
    )


def timed(sweep: Sweep, workers: int) -> tuple[float, float]:
    """Seconds of a sweep as a whole, and from its first row on, scaled to all rows."""
    first: list[float] = []

    def note(done: int, counts: object) -> None:
        first.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        execute(sweep, Path(folder) / "sweep", workers, progress=note)
        whole = time.perf_counter() - started
    return whole, (first[-1] - first[workers]) * len(first) / (len(first) - 1 - workers)


def speed(runs: int) -> list[list[str]]:
    """Rows of times on one worker and on two."""
    sweep = main_experiment(runs)
    warm_up(sweep)
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for workers, list_ in times.items():
            list_.append(timed(sweep, workers))
    best = {
        workers: [min(column) for column in zip(*rows, strict=True)]
        for workers, rows in times.items()
    }
    whole, alone = ((best[1][k], best[2][k]) for k in (0, 1))
    thousand = whole[1] - alone[1] + alone[1] * 1000 / sweep.count

    def both(pair: tuple[float, float]) -> str:
        return f"{pair[0]:.1f} s / {pair[1]:.1f} s: {pair[0] / pair[1] / 2:.0%}".replace("%", " %")

    return [
        ["1000 runs of the main experiment, two workers, the whole command", f"{thousand:.0f} s"],
        [
            f"{sweep.count} runs, one worker / two, from the first row on",
            f"{both(alone)} efficient",
        ],
        ["the same with the start of the pool", both(whole)],
    ]


def fake(sweep: Sweep, index: int, folder: Path | None) -> dict:
    """A row for nothing."""
    return make_row(sweep, sweep.job(index), {"outcome": "failed"}, "nothing was done")


def memory() -> list[str]:
    """Row of the collector's memory over the number of runs."""
    sizes = []
    for count in FAKES:
        sweep = make_sweep("empty", {"detection.threshold": [12]}, repeats=count)
        with tempfile.TemporaryDirectory() as folder, Pool(sweep, 2, work=fake) as pool:
            found = SweepTable(Path(folder))
            for row in pool.rows(range(count), count):
                found.append(row)
            sizes.append(f"{psutil.Process().memory_info().rss / 1e6:.0f}")
    counts = " / ".join(f"{count:,}" if count > 9999 else f"{count}" for count in FAKES)
    return [f"memory of the collecting process after {counts} runs", " / ".join(sizes) + " MB"]


def main() -> None:
    """Print the table."""
    commands = parser(__doc__)
    commands.add_argument("--runs", type=int, default=RUNS, help="of the main experiment")
    options = commands.parse_args()
    tell(table(["", "time"], [*speed(options.runs), memory()]), options.out, "sweep")


if __name__ == "__main__":
    main()
