"""What the command sweep prints: what it will take, how it goes, what came out."""

import math
import time as clock
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from dynamics import printable
from hopfield_nav.cli.report import print_columns, say
from hopfield_nav.sweeps import Progress as ProgressCall
from hopfield_nav.sweeps import (
    Sweep,
    SweepEstimate,
    Value,
    by_setting,
    mean,
    outcome_shares,
    quantity_means,
    share,
)

_LINE_EVERY = 30.0  # [s] between two lines of progress where stderr is no terminal
_MOST_SETTINGS = 40


def estimate_line(sweep: Sweep, estimate: SweepEstimate, workers: int) -> str:
    """What a sweep will take, in a line."""
    rest = "" if estimate.runs == sweep.count else f" of {sweep.count}"
    at_once = f"{workers} worker{'' if workers == 1 else 's'}" if workers else "this process alone"
    return (
        f"{sweep.name}: {estimate.runs}{rest} runs of about {estimate.run_seconds:.2g} s; "
        f"about {duration(estimate.seconds)} with {at_once}, {size(estimate.disk)} on disk"
    )


def duration(seconds: float) -> str:
    """A time span as it is read aloud: 8 s, 2 min 05 s, 3 h 20 min."""
    if not math.isfinite(seconds):
        return "–"
    whole = max(1, math.ceil(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def size(count: float) -> str:
    """Bytes in the unit that suits them."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


class TimeLeft:
    """Rate and time left, from the rows that came in since the start (not those of an earlier one)."""

    def __init__(self, done: int, total: int) -> None:
        self._first, self._total, self._started = done, total, clock.monotonic()

    def line(self, done: int, counts: Counter) -> str:
        """How it goes, in a line."""
        elapsed = clock.monotonic() - self._started
        rate = (done - self._first) / elapsed if elapsed > 0 else 0.0
        left = duration((self._total - done) / rate) if rate > 0 and done < self._total else "–"
        told = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
        return f"{done} of {self._total} runs, {rate:.3g} a second, {left} left: {told}"


@contextmanager
def sweep_progress(done: int, total: int) -> Iterator[ProgressCall]:
    """A bar on the terminal; where stderr is none, a line now and then."""
    console, pace = Console(stderr=True), TimeLeft(done, total)
    if not console.is_terminal:
        yield _Lines(pace)
        return
    columns = (BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, refresh_per_second=4) as progress:
        task = progress.add_task("starting", total=total, completed=done)

        def show(done: int, counts: Counter) -> None:
            progress.update(task, completed=done, description=pace.line(done, counts))

        yield show


class _Lines:
    """Progress for a file or a batch system: few lines."""

    def __init__(self, pace: TimeLeft) -> None:
        self._pace, self._next = pace, clock.monotonic() + _LINE_EVERY

    def __call__(self, done: int, counts: Counter) -> None:
        if clock.monotonic() >= self._next:
            self._next = clock.monotonic() + _LINE_EVERY
            say(self._pace.line(done, counts))


def print_sweep(sweep: Sweep, rows: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Print outcomes and quantities with their intervals, and every setting where there are few."""
    rows = rows if sweep.is_random else [row for row in rows if row["repeat"] == 0]
    print_columns(["", "n", "share or mean", "95 % interval"], _overall(rows, sweep.quantities))
    settings = by_setting(rows, sweep.parameters)
    if sweep.parameters and 1 < len(settings) <= _MOST_SETTINGS:
        time = ["of those reached: n", "simulated_time_s", "95 % interval"]
        headings = [*sweep.parameters, "n", "reached", "95 % interval", *time]
        lines = (_setting(values, those) for values, those in settings.items())
        print_columns(headings, lines, labels=len(sweep.parameters))
    print("intervals: 95 %, Wilson's for shares, Student's for means")
    print(printable(f"folder: {folder}"))


def _overall(rows: Sequence[Mapping[str, Any]], quantities: Sequence[str]) -> Iterator[list[str]]:
    for outcome, value in outcome_shares(rows).items():
        yield [outcome, str(value.n), f"{value.estimate:.1%}", _percent(value)]
    for name, value in quantity_means(rows, quantities).items():
        yield [name, str(value.n), f"{value.estimate:.4g}", _interval(value)]


def _setting(values: tuple, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    reached = [row for row in rows if row.get("outcome") == "reached"]
    there = share(len(reached), len(rows))
    times = [row["simulated_time_s"] for row in reached if row.get("simulated_time_s") is not None]
    time = mean(map(float, times))
    return [
        *(f"{value:.6g}" if isinstance(value, float) else str(value) for value in values),
        str(there.n),
        f"{there.estimate:.1%}",
        _percent(there),
        str(time.n),
        "–" if time.n == 0 else f"{time.estimate:.4g}",
        _interval(time),
    ]


def _percent(value: Value) -> str:
    return f"{value.low:.1%} … {value.high:.1%}"


def _interval(value: Value) -> str:
    return "–" if math.isnan(value.low) else f"{value.low:.4g} … {value.high:.4g}"
