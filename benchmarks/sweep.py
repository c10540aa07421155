"""Sweeps: runs a second on one and two workers, and the memory of the process that collects.

Run with ``python benchmarks/sweep.py [RUNS]``. The first table runs the main experiment, the same
sweep on one worker and on two in turn, and scales to 1000 runs; efficiency is the time on one worker
over twice the time on two, the start of the pool included and without it. The second hands out jobs
that do nothing and reads the collector's resident memory while the last rows come in.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import psutil

from hopfield_nav.sweeps import Batches, Sweep, SweepTable, connect, execute, failed_row, make_sweep, warm_up

RUNS, ROUNDS = 200, 2
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


def speed(runs: int) -> None:
    """Print the table of times."""
    sweep = main_experiment(runs)
    warm_up(sweep)
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for workers, list_ in times.items():
            list_.append(timed(sweep, workers))
    print(
        "| workers | runs | with start [s] | without [s] | 1000 runs with start [s] |\n|---|---|---|---|---|"
    )
    best = {workers: [min(column) for column in zip(*rows, strict=True)] for workers, rows in times.items()}
    for workers, (whole, alone) in best.items():
        scaled = whole - alone + alone * 1000 / sweep.count
        print(f"| {workers} | {sweep.count} | {whole:.1f} | {alone:.1f} | {scaled:.0f} |")
    print(f"\nefficiency of two: {best[1][0] / best[2][0] / 2:.1%} with the start, ", end="")
    print(f"{best[1][1] / best[2][1] / 2:.1%} without\n")


def fake(sweep: Sweep, index: int, folder: Path | None) -> dict:
    """A row for nothing."""
    return failed_row(sweep, index, "nothing was done")


def memory() -> None:
    """Print the collector's memory over the number of runs."""
    print("| runs | seconds | resident memory of the collector [MB] |\n|---|---|---|")
    for count in FAKES:
        sweep = make_sweep("empty", {"detection.threshold": [12]}, repeats=count)
        with tempfile.TemporaryDirectory() as folder, connect(2, None) as client:
            started, table = time.perf_counter(), SweepTable(Path(folder))
            for row in Batches(client, sweep, range(count), count, None, fake):
                table.append(row)
            used = psutil.Process().memory_info().rss / 1e6
            print(f"| {count} | {time.perf_counter() - started:.1f} | {used:.0f} |")


if __name__ == "__main__":
    speed(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
    memory()
