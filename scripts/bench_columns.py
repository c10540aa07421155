"""Columns of tables over the rows of a bench: functions of the rows of each method of a line to a cell."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np

from hopfield_nav.record import alarm_rate, share_interval

Row = Mapping[str, Any]
Rows = Sequence[Row]
Cell = Callable[[list[Rows]], str]  # of the rows of every method of a line, world by world
Test = Callable[[Row], Any]


def reached(row: Row) -> bool:
    return row["outcome"] == "reached"


def counts(row: Row) -> bool:
    """Whether the suite's oracle says so."""
    return bool(row["counts"])


def narrow(row: Row) -> bool:
    """Whether a path keeps 2 mm from everything."""
    return bool(row["narrow"])


def gave_up(row: Row) -> bool:
    """Whether the run said that there is no path though one keeps 2 mm."""
    return row["outcome"] == "no_path" and narrow(row)


def number(key: str) -> Callable[[Row], float]:
    """A column as a number, NaN where there is none."""
    return lambda row: np.nan if row[key] is None else float(row[key])


def share_text(part: int, whole: int, digits: int = 1) -> str:
    """A share with its 95 % interval."""
    if not whole:
        return "-"
    low, high = share_interval(part, whole)
    return f"{part} of {whole} ({100 * low:.{digits}f}–{100 * high:.{digits}f} %)"


def column(told: Callable[..., str]) -> Callable[..., Cell]:
    """What is told of rows, with further arguments, is a cell of those of a line's first method."""

    @wraps(told)
    def with_arguments(*given: Any, **named: Any) -> Cell:
        return lambda methods: told(methods[0], *given, **named)

    return with_arguments


def worlds(methods: list[Rows]) -> str:
    return str(len(methods[0]))


@column
def share(rows: Rows, part: Test, whole: Test = lambda row: True, digits: int = 1) -> str:
    """Share of some rows among others."""
    among = [row for row in rows if whole(row)]
    return share_text(sum(bool(part(row)) for row in among), len(among), digits)


@column
def sums(rows: Rows, part: str, whole: str) -> str:
    """Share of the sum of a column in that of another."""
    return share_text(int(added(rows, part)), int(added(rows, whole)))


@column
def on(rows: Rows, part: str, whole: str, ratio: bool = True) -> str:
    """The sum of a column on that of another, with their ratio."""
    a, b = int(added(rows, part)), int(added(rows, whole))
    return f"{a} on {b}" + (f" ({a / b:.2f})" if ratio and b else "")


@column
def total(rows: Rows, key: str) -> str:
    return str(int(added(rows, key)))


@column
def count(rows: Rows, test: Test) -> str:
    return str(sum(bool(test(row)) for row in rows))


@column
def of(
    rows: Rows,
    key: str,
    form: str,
    how: Callable = np.mean,
    where: Test = reached,
    scale: float = 1.0,
) -> str:
    """A statistic of a column over some rows."""
    values = scale * np.array([number(key)(row) for row in rows if where(row)])
    values = values[~np.isnan(values)]
    return form.format(how(values)) if len(values) else "-"


def first(key: str, form: str = "{}") -> Cell:
    """A column of every method's first row, side by side; once where all are the same text."""

    def cell(methods: list[Rows]) -> str:
        texts = [form.format(m[0][key]) if m[0][key] is not None else "-" for m in methods]
        return texts[0] if form == "`{}`" and len(set(texts)) == 1 else " / ".join(texts)

    return cell


def beside(
    key: str | Test, form: str, unit: str = "", how: Callable = np.mean, alike: bool = True
) -> Cell:
    """A statistic of every method, side by side; ``alike``: of worlds in which all came to the same end."""
    value = number(key) if isinstance(key, str) else key

    def cell(methods: list[Rows]) -> str:
        chosen = same_end(methods) if alike else list(zip(*methods, strict=True))
        columns = zip(*chosen, strict=True) if chosen else [()] * len(methods)
        texts = [
            form.format(how([value(row) for row in rows])) if rows else "-" for rows in columns
        ]
        return " / ".join(texts) + unit

    return cell


def same_end(methods: list[Rows]) -> list[tuple[Row, ...]]:
    """The rows of the worlds in which all methods came to the same end."""
    return [
        rows for rows in zip(*methods, strict=True) if len({row["outcome"] for row in rows}) == 1
    ]


def faster(methods: list[Rows]) -> str:
    """Share of these worlds in which the second method took less time."""
    pairs = [tuple(map(number("simulated_time_s"), rows)) for rows in same_end(methods)]
    return share_text(sum(b < a for a, b in pairs), len(pairs), 0)


def ratio_of_times(methods: list[Rows]) -> str:
    """Median of the second method's time over the first's; its interval by 2000 samples with replacement."""
    pairs = [tuple(map(number("simulated_time_s"), rows)) for rows in same_end(methods)]
    if not pairs:
        return "-"
    ratio = np.array([b / a for a, b in pairs])
    drawn = np.random.default_rng(0).choice(ratio, (2000, len(ratio)))
    low, high = np.percentile(np.median(drawn, axis=1), [2.5, 97.5])
    return f"{np.median(ratio):.2f} ({low:.2f}–{high:.2f})"


def listed(rows: Rows, key: str) -> np.ndarray:
    """All numbers that the texts of a column list; of "NUMBER:NUMBER" the rows (k, 2)."""
    texts = [text for row in rows for text in str(row[key] or "").split()]
    found = np.array([[float(part) for part in text.split(":")] for text in texts])
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found.reshape(-1, 2)


def quantiles(values: Iterable[float], form: str = "{:.0f}", high: float = 0.95) -> str:
    """Median and a high quantile."""
    array = np.asarray(values, dtype=float).reshape(-1)
    return ", ".join(form.format(v) for v in np.quantile(array, [0.5, high])) if len(array) else "–"


def median(values: Sequence[float] | np.ndarray, form: str = "{:.2f}") -> str:
    """Median, by default with two digits."""
    return form.format(np.median(values)) if len(values) else "-"


def ratio(rows: Rows, part: str, whole: str) -> str:
    """Sum of a column over that of another."""
    below = added(rows, whole)
    return f"{added(rows, part) / below:.0f}" if below else "-"


def hourly(rows: Rows, count: str, seconds: str) -> str:
    """Sum of a column over that of times, as a rate with its exact interval."""
    rate, low, high = alarm_rate(int(added(rows, count)), added(rows, seconds))
    return f"{rate:.0f} ({low:.0f} … {high:.0f})"


def added(rows: Rows, key: str) -> float:
    """Sum of a column."""
    return sum(float(row[key] or 0.0) for row in rows)


@column
def span(
    rows: Rows, key: str, form: str, where: Test = reached, unit: str = "", to: str = "–"
) -> str:
    """Smallest and largest value of a column over some rows; one where they look alike."""
    ends = sorted({form.format(number(key)(row)) for row in rows if where(row)}, key=float)
    return "" if not ends else f"{to.join(dict.fromkeys((ends[0], ends[-1])))}{unit}"


def each(cell: Cell, number: int) -> Cell:
    """A cell of one of the methods that stand side by side."""
    return lambda methods: cell([methods[number]])
