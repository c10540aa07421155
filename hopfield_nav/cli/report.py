"""What the commands print: lines and bars while they work, tables at their end."""

import os
import shlex
import sys
import time as clock
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from textwrap import wrap

from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from dynamics import printable
from hopfield_nav.plugin import comes_along
from hopfield_nav.record import SHOWN, Run, missed_in_words, summary_rows

_WIDTH = 160  # of a table that goes to a file, where COLUMNS says no other
_LONG = 32  # letters that stay in one line, where there is room for so many: no number has more


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
def compiling() -> Iterator[None]:
    """Around what a command compiles in its first run, which is said, and how long it took."""
    from dynamics.kernels.cache import cache_is_warm

    if cache_is_warm():
        yield
        return
    started = clock.monotonic()
    say_if_cold()
    with count_bar("compiling", "parts"):
        yield
    say(f"compiled in {clock.monotonic() - started:.0f} s")


@contextmanager
def bar(words: str, total: float | None = None) -> Iterator[Callable[..., None] | None]:
    """A bar on the terminal, with words that change: ``show(words, done)``.

    None where stderr is no terminal.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(words, total=total)

        def show(words: str, done: float, total: float | None = total) -> None:
            progress.update(task, description=words, completed=done, total=total)

        yield show


@contextmanager
def count_bar(name: str, things: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar of things done, such as the frames of a film.

    Gives None where stderr is no terminal.
    """
    with bar(name) as show:
        yield show and (
            lambda done, total: show(f"{name}: {done} of {total} {things}", done, total)
        )


def print_results(run: Run, folder: Path) -> None:
    """Print the results of a run as a table of two columns, and what it missed in a line below."""
    print_table([*summary_rows(run.summary, SHOWN), *where_to_look(folder)])
    if missed := missed_in_words(run):
        print(printable(missed))


def where_to_look(folder: Path) -> list[tuple[str, str]]:
    """The last rows of a table of results.

    The folder, and the command, if it is there, that shows it in a browser.
    """
    view = [("see it", f"hopfield-nav view {shlex.quote(str(folder))}")]
    return [("folder", str(folder)), *(view if comes_along("RunView") else [])]


def print_table(rows: Iterable[tuple[str, str]], title: str | None = None) -> None:
    """Print rows of a name and a text.

    Where there is little room the text is below the name. No number is cut.
    """
    console = _console()
    table = Table(
        box=SIMPLE, show_header=False, title=title and Text(printable(title)), title_justify="left"
    )
    table.add_column(overflow="fold")
    cells = [(Text(printable(label), style="bold"), Text(printable(text))) for label, text in rows]
    words = max((cell_len(word) for _, text in cells for word in text.plain.split()), default=0)
    beside = max((label.cell_len for label, _ in cells), default=0) + min(words, _LONG) + 7
    if beside <= console.width:
        table.add_column(overflow="fold")
    for label, text in cells:
        table.add_row(*((label, text) if beside <= console.width else [label + "\n  " + text]))
    console.print(table)


def print_columns(headings: Sequence[str], rows: Iterable[Sequence[str]], labels: int = 1) -> None:
    """Print a table with a head.

    The first ``labels`` columns name a row, the others hold its values. Where it is wider than the
    terminal words of its head and long cells go below each other, then columns to further tables
    with the same names, and where not even one fits every value gets a line. No number is cut.
    """
    width = _console().width
    columns = [[printable(cell) for cell in column] for column in zip(headings, *rows, strict=True)]
    if _width(columns) > width:
        columns = [_narrow(*column) for column in columns]
    names, values = columns[:labels], columns[labels:]
    while values:
        fitting = [k for k in range(1, len(values) + 1) if _width(names + values[:k]) <= width]
        if not fitting:
            _print_lines(names, values)
            return
        table, shown = Table(box=SIMPLE), values[: fitting[-1]]
        for heading, *_ in names:
            table.add_column(Text(heading), style="bold", no_wrap=True)
        for heading, *_ in shown:
            table.add_column(Text(heading), justify="right", no_wrap=True)
        for row in list(zip(*names, *shown, strict=True))[1:]:
            table.add_row(*map(Text, row))
        _console().print(table)
        values = values[fitting[-1] :]


def _print_lines(names: Sequence[Sequence[str]], values: Sequence[Sequence[str]]) -> None:
    """A table for each row, a line for each of its values."""
    heads, *rows = (
        [" ".join(cell.split()) for cell in row] for row in zip(*names, *values, strict=True)
    )
    for row in rows:
        named = (
            f"{head} {cell}".strip() for head, cell in zip(heads, row[: len(names)], strict=False)
        )
        print_table(
            zip(heads[len(names) :], row[len(names) :], strict=True),
            title=" ".join(filter(None, named)),
        )


def _narrow(heading: str, *cells: str) -> list[str]:
    """A column with its words below each other, where its cells are no wider for it."""
    broken = [wrap(cell, _LONG, break_long_words=False, break_on_hyphens=False) for cell in cells]
    widest = max((cell_len(line) for lines in broken for line in lines), default=0)
    head = wrap(heading, max(widest, *map(len, heading.split()), 1), break_long_words=False)
    return ["\n".join(lines) for lines in (head, *broken)]


def _width(columns: Sequence[Sequence[str]]) -> int:
    """Of a table on the terminal."""
    cells = (
        max((cell_len(line) for cell in column for line in cell.split("\n")), default=0)
        for column in columns
    )
    return 1 + sum(3 + cell for cell in cells)


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDTH)
