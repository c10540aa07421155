"""What the command line prints of a run: progress while it lasts, a table at its end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

ProgressCall = Callable[[float, int], None]

_ROWS = (
    ("outcome", "outcome", "", 1.0),
    ("reason", "reason", "", 1.0),
    ("simulated time", "simulated_time_s", "s", 1.0),
    ("wall time", "wall_time_s", "s", 1.0),
    ("real-time factor", "real_time_factor", "", 1.0),
    ("collisions", "collision_count", "", 1.0),
    ("false alarms", "false_alarm_count", "", 1.0),
    ("peak contact force", "peak_contact_force_N", "N", 1.0),
    ("detection delay, median", "detection_delay_median_s", "ms", 1e3),
    ("detection delay, largest", "detection_delay_max_s", "ms", 1e3),
    ("final tool error", "final_tool_error_m", "mm", 1e3),
    ("saturated share", "saturated_share", "%", 1e2),
)


@contextmanager
def progress_bar(time_limit: float) -> Iterator[ProgressCall | None]:
    """A bar of simulated time on the terminal; gives None where stderr is no terminal.

    Args:
        time_limit: simulated time at which the bar is full [s].
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.fields[seconds]}"),
        BarColumn(),
        TextColumn("{task.fields[felt]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=time_limit, seconds="0.0 s", felt="0 collisions")

        def show(time: float, collisions: int) -> None:
            progress.update(
                task,
                completed=time,
                seconds=f"{time:.1f} of {time_limit:g} s",
                felt=f"{collisions} collision{'' if collisions == 1 else 's'}",
            )

        yield show


@contextmanager
def count_bar(name: str, things: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar of things done, such as the frames of a film; gives None where stderr is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn(name), BarColumn(), TextColumn("{task.fields[count]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None, count="")

        def show(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total, count=f"{done} of {total} {things}")

        yield show


def print_results(summary: Mapping[str, Any], folder: Path) -> None:
    """Print the results of a run as a table of two columns."""
    rows = [(label, cell(summary[key], unit, scale)) for label, key, unit, scale in _ROWS if key in summary]
    rows += [("imperfect", f"{key} = {value}") for key, value in summary.get("imperfections", {}).items()]
    rows += [("warning", warning) for warning in summary.get("warnings", [])]
    print_table([*rows, ("folder", str(folder))])


def print_table(rows: Iterable[tuple[str, str]]) -> None:
    """Print rows of a name and a text."""
    table = Table(box=SIMPLE, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(label, Text(text))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def cell(value: object, unit: str, scale: float) -> str:
    """A value as a table shows it: four digits, unit behind, a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    number = f"{value * scale:.4g}" if isinstance(value, float) or scale != 1.0 else str(value)
    return f"{number} {unit}".strip()
