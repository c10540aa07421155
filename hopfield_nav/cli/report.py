"""What the commands print: lines and bars while they work, tables at their end."""

import shlex
import sys
import time as clock
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from dynamics import printable
from hopfield_nav.record import MEANT, SHOWN, SUMMARY

ProgressCall = Callable[[float, int], None]

_FIRST_ALARMS = 10  # whose times a table shows
_WIDTH = 160  # of a table that goes to a file


def say(*messages: str) -> None:
    """Lines to stderr."""
    for message in messages:
        print(printable(message), file=sys.stderr, flush=True)


def say_if_cold() -> None:
    """Tell why the first run takes longer."""
    from dynamics.kernels.cache import cache_is_warm

    if not cache_is_warm():
        say("compiling once; later runs start at once")


@contextmanager
def compiling(command: str) -> Iterator[None]:
    """Around what a command compiles in its first run: how long it took the last time, takes now, and has taken."""
    from dynamics.kernels.cache import cache_is_warm

    if cache_is_warm():
        yield
        return
    from hopfield_nav.experiment import last_seconds, note_seconds

    name, started = f"compile {command}", clock.monotonic()
    last = last_seconds(name)
    say(f"compiling once{f', {last:.0f} s the last time' if last else ''}; later runs start at once")
    with count_bar("compiling", "parts"):
        yield
    seconds = clock.monotonic() - started
    note_seconds(name, seconds)
    say(f"compiled in {seconds:.0f} s")


@contextmanager
def progress_bar(time_limit: float) -> Iterator[ProgressCall | None]:
    """A bar of simulated time [s] on the terminal; gives None where stderr is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    now, felt = TextColumn("{task.fields[seconds]}"), TextColumn("{task.fields[felt]}")
    with Progress(now, BarColumn(), felt, TimeElapsedColumn(), console=console, transient=True) as progress:
        task = progress.add_task("", total=time_limit, seconds="0.0 s", felt="0 collisions")

        def show(time: float, collisions: int) -> None:
            felt = f"{collisions} collision{'' if collisions == 1 else 's'}"
            progress.update(task, completed=time, seconds=f"{time:.1f} of {time_limit:g} s", felt=felt)

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
    rows = [(SUMMARY[key].label, _with_word(key, summary[key])) for key in SHOWN if key in summary]
    rows += [("imperfect", f"{key} = {value}") for key, value in summary.get("imperfections", {}).items()]
    rows += [("warning", warning) for warning in summary.get("warnings", [])]
    print_table([*rows, *where_to_look(folder)])


def _with_word(key: str, value: object) -> str:
    return SUMMARY[key].text(value) + (f" ({MEANT[key]})" if key in MEANT else "")


def where_to_look(folder: Path) -> list[tuple[str, str]]:
    """The last rows of a table of results: the folder, and the command that shows it in a browser."""
    return [("folder", str(folder)), ("see it", f"hopfield-nav view {shlex.quote(str(folder))}")]


def alarms_in_words(times: Sequence[float]) -> str:
    """How many alarms there were, and when the first ones were [s]."""
    first = ", ".join(f"{t:.2f}" for t in times[:_FIRST_ALARMS])
    rest = ", …" if len(times) > _FIRST_ALARMS else ""
    return f"{len(times)} at {first}{rest} s" if len(times) else "0"


def print_table(rows: Iterable[tuple[str, str]], title: str | None = None) -> None:
    """Print rows of a name and a text."""
    table = Table(box=SIMPLE, show_header=False, title=title and _text(title), title_justify="left")
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(_text(label), _text(text))
    _print(table)


def print_columns(headings: Sequence[str], rows: Iterable[Sequence[str]], labels: int = 1) -> None:
    """Print a table with a head; the first ``labels`` columns name a row, the others hold its values."""
    table = Table(box=SIMPLE)
    for heading in headings[:labels]:
        table.add_column(_text(heading), style="bold", no_wrap=True)
    for heading in headings[labels:]:
        table.add_column(_text(heading), justify="right")
    for row in rows:
        table.add_row(*map(_text, row))
    _print(table)


def _text(words: str) -> Text:
    return Text(printable(words))


def _print(table: Table) -> None:
    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)
