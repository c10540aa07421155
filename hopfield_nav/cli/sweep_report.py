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
from hopfield_nav.record import Quantity
from hopfield_nav.sweeps import Progress as ProgressCall
from hopfield_nav.sweeps import Sweep, SweepEstimate, Value, ValueTable, shown_quantities, value_tables

_LINE_EVERY = 30.0  # [s] between two lines of progress where stderr is no terminal
TIME = "simulated_time_s"
_SHORT = {
    TIME: "time", "collision_count": "collisions", "peak_contact_force_N": "peak force",
    "detection_delay_median_s": "delay", "false_alarm_count": "false alarms",
    "silent_contact_count": "missed",
}  # fmt: skip
_EXPLAINED = (
    "means over all else; time: of the runs that reached the goal; *: the best; less *: in pairs of a seed;\n"
    "intervals: 95 %, Wilson's for shares, Student's over seeds for differences"
)
Row = Mapping[str, Any]


def estimate_line(sweep: Sweep, estimate: SweepEstimate, workers: int) -> str:
    """What a sweep will take, in a line."""
    rest = "" if estimate.runs == sweep.count else f" of {sweep.count}"
    at_once = f"{workers} worker{'' if workers == 1 else 's'}" if workers else "this process alone"
    parts = {"to start them": estimate.start, "of runs": estimate.seconds, "of figures": estimate.figures}
    told = ", ".join(f"{duration(seconds)} {what}" for what, seconds in parts.items() if seconds)
    return (
        f"{sweep.name}: {estimate.runs}{rest} runs of {_of_a_run(estimate.run_seconds)}; about "
        f"{duration(estimate.total)} with {at_once} ({told}), {size(estimate.disk)} on disk"
    )


def _of_a_run(seconds: float) -> str:
    """A long one is tried for a moment only, and may end long before its time limit."""
    return f"about {seconds:.2g} s" if seconds < 60 else f"{duration(seconds)} at most"


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


def print_sweep(sweep: Sweep, rows: Sequence[Row], folder: Path) -> None:
    """Print how the runs ended, a table of every swept parameter, and why runs gave no result."""
    counted = rows if sweep.is_random else [row for row in rows if row["repeat"] == 0]
    outcomes = Counter(str(row.get("outcome")) for row in counted)
    told = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    print(printable(f"{len(counted)} runs: {told}"))
    for table in value_tables(sweep, counted):
        _print_values(sweep, table)
    _print_reasons(sweep, rows)
    print(_EXPLAINED)
    print(printable(f"every run: {folder / 'sweep.csv'}"))
    print(printable(f"folder: {folder}"))


def _print_values(sweep: Sweep, table: ValueTable) -> None:
    quantities = {name: sweep.kept[name] for name in shown_quantities(sweep)}
    heads = [_SHORT.get(name, quantity.label) for name, quantity in quantities.items()]
    compared = any(result.less_best for result in table.results)
    less = ["reached, less *", f"{_SHORT[TIME]}, less *"] if compared else []
    lines = []
    for i, result in enumerate(table.results):
        means = [_mean(result.means[name], quantity) for name, quantity in quantities.items()]
        star = "*" if i == table.best and compared else ""
        line = [star, ", ".join(result.label), _share(result.reached), *means]
        if compared:
            line += [_gap(result.less_best.get("reached"), 100.0, "%"), _gap(result.less_best.get(TIME), 1.0, "s")]
        lines.append(line)
    one = table.count == len(table.results)
    name = ", ".join(table.names) if one else f"the best {len(table.results)} of {table.count}"
    print_columns(["", name, "reached (95 %)", *heads, *less], lines, labels=2)


def _print_reasons(sweep: Sweep, rows: Sequence[Row]) -> None:
    """Why runs gave no result, and with which values first."""
    first = {str(row["error"]): row for row in reversed(rows) if row.get("error")}
    for reason, count in Counter(str(row["error"]) for row in rows if row.get("error")).most_common():
        values = ", ".join(f"{name}={first[reason][name]}" for name in sweep.parameters)
        print(printable(f"{count} of {len(rows)} runs, first that with {values}: {reason}"))


def _share(value: Value) -> str:
    if not value.n:
        return "–"
    count = round(value.estimate * value.n)
    return f"{count}/{value.n}  {value.estimate:.0%} ({100 * value.low:.0f}–{100 * value.high:.0f})"


def _gap(value: Value | None, scale: float, unit: str) -> str:
    """A difference with its interval where more than one seed gives one."""
    if value is None or not value.n:
        return ""
    middle, low, high = (f"{scale * v:+.3g}" for v in (value.estimate, value.low, value.high))
    return f"{middle} {unit}" if math.isnan(value.low) else f"{middle} {unit} ({low}…{high})"


def _mean(value: Value, quantity: Quantity) -> str:
    """Three digits of a mean, in the unit of tables."""
    return quantity.text(float(f"{value.estimate:.3g}") if value.n else None)
