"""What ``hopfield-nav sweep`` does; ``hopfield_nav.cli.app`` says how it is called.

What the command line prints of a sweep: what it will take, how it goes, what came out.
"""

from __future__ import annotations

import math
import sys
import time as clock
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from dynamics import BadInput
from hopfield_nav.sweeps import Value, by_setting, mean, outcome_shares, quantity_means, share

if TYPE_CHECKING:
    from hopfield_nav.sweeps import Progress as ProgressCall
    from hopfield_nav.sweeps import Sweep, SweepEstimate


def run_sweep(
    name: str, out: Path | None, workers: int | None, scheduler: str | None, resume: bool, plots: bool
) -> int:
    """Run a sweep, or what is missing of it; save, draw and print its results."""
    from hopfield_nav.sweeps import load_sweep

    sweep = load_sweep(name)
    folder = _choose(sweep, out, resume)
    _say_what_is_coming(sweep, folder, workers, scheduler, resume)
    _execute(sweep, folder, workers, scheduler, resume)
    if plots:
        _draw(folder)
    from hopfield_nav.sweeps import read_rows

    print_sweep(sweep, read_rows(folder), folder)
    return 0


def _choose(sweep: Sweep, out: Path | None, resume: bool) -> Path:
    from hopfield_nav.cli.folders import choose_folder, newest_folder

    if not resume:
        return choose_folder(out, sweep.name)
    folder = out or newest_folder(sweep.name)
    if folder is None:
        raise BadInput(
            "there is nothing to resume", where=f"runs/{sweep.name}", allowed="--out FOLDER, or no --resume"
        )
    from hopfield_nav.sweeps import require_same

    require_same(sweep, folder)
    return folder


def _say_what_is_coming(
    sweep: Sweep, folder: Path, workers: int | None, scheduler: str | None, resume: bool
) -> None:
    """Print what the sweep will take, before it starts."""
    from dynamics import compiled

    for remark in sweep.remarks:
        _say(remark)
    if not compiled.cache_is_warm():
        _say("compiling once, about a minute; later runs start at once")
    from hopfield_nav.sweeps import connect, core_count, estimate, finished_counts, thread_count

    if scheduler is None:
        count = core_count() if workers is None else workers
    else:
        with connect(None, scheduler) as client:
            count = thread_count(client)
    left = sweep.count - (finished_counts(folder).total() if resume else 0)
    if left > 0:
        _say(estimate_line(sweep, estimate(sweep, left, count), count))


def _execute(sweep: Sweep, folder: Path, workers: int | None, scheduler: str | None, resume: bool) -> None:
    from hopfield_nav.sweeps import execute, finished_counts

    done = finished_counts(folder).total() if resume else 0
    try:
        with sweep_progress(done, sweep.count) as progress:
            execute(sweep, folder, workers, scheduler, resume, progress)
    except KeyboardInterrupt:
        kept = finished_counts(folder).total()
        _say(f"{kept} of {sweep.count} runs are kept in {folder}; --resume does the rest")
        raise


def _draw(folder: Path) -> None:
    from hopfield_nav.figures.sweep import draw_sweep_figures

    draw_sweep_figures(folder)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


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


class Pace:
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
    console, pace = Console(stderr=True), Pace(done, total)
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

    def __init__(self, pace: Pace) -> None:
        self._pace, self._next = pace, clock.monotonic() + _LINE_EVERY

    def __call__(self, done: int, counts: Counter) -> None:
        if clock.monotonic() >= self._next:
            self._next = clock.monotonic() + _LINE_EVERY
            print(self._pace.line(done, counts), file=sys.stderr, flush=True)


def print_sweep(sweep: Sweep, rows: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Print outcomes and quantities with their intervals, and every setting where there are few."""
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(_overall(rows, sweep.quantities))
    settings = by_setting(rows, sweep.parameters)
    if sweep.parameters and 1 < len(settings) <= _MOST_SETTINGS:
        console.print(_settings(settings, sweep.parameters))
    console.print(
        f"intervals: 95 %, Wilson's for shares, Student's for means\nfolder: {folder}", markup=False
    )


def _overall(rows: Sequence[Mapping[str, Any]], quantities: Sequence[str]) -> Table:
    table = _table("", "n", "share or mean", "95 % interval")
    for outcome, value in outcome_shares(rows).items():
        table.add_row(Text(outcome), str(value.n), f"{value.estimate:.1%}", _percent(value))
    for name, value in quantity_means(rows, quantities).items():
        table.add_row(Text(name), str(value.n), f"{value.estimate:.4g}", _interval(value))
    return table


def _settings(settings: Mapping[tuple, Sequence[Mapping[str, Any]]], columns: Sequence[str]) -> Table:
    table = _table(
        *columns, "n", "reached", "95 % interval", "simulated_time_s", "95 % interval", first=len(columns)
    )
    for values, rows in settings.items():
        reached = [row for row in rows if row.get("outcome") == "reached"]
        there = share(len(reached), len(rows))
        time = mean(
            float(row["simulated_time_s"]) for row in reached if row.get("simulated_time_s") is not None
        )
        cells = [Text(f"{v:.6g}" if isinstance(v, float) else str(v)) for v in values]
        told = "–" if time.n == 0 else f"{time.estimate:.4g}"
        table.add_row(*cells, str(there.n), f"{there.estimate:.1%}", _percent(there), told, _interval(time))
    return table


def _table(*headings: str, first: int = 1) -> Table:
    table = Table(box=SIMPLE)
    for k, heading in enumerate(headings):
        table.add_column(Text(heading), justify="left" if k < first else "right", no_wrap=True)
    return table


def _percent(value: Value) -> str:
    return f"{value.low:.1%} … {value.high:.1%}"


def _interval(value: Value) -> str:
    return "–" if math.isnan(value.low) else f"{value.low:.4g} … {value.high:.4g}"
