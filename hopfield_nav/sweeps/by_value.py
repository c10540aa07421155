"""What every value of a sweep's parameters did, averaged over all else, and how settings differ from the base world's.

Runs that differ in a seed alone are repeats, also where the seed of obstacles is swept. Settings
are compared in pairs of a seed with that of the base world.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopfield_nav.plugin import shown_names
from hopfield_nav.record import is_reached
from hopfield_nav.sweeps.axes import Axis, AxisColumn
from hopfield_nav.sweeps.choice import Choice, choose
from hopfield_nav.sweeps.deciding import choice_of
from hopfield_nav.sweeps.rounds import Stage
from hopfield_nav.sweeps.sections import REACHED
from hopfield_nav.sweeps.settings import (
    PEAK,
    TIME,
    Layout,
    Settings,
    base_position,
    counted,
    read_settings,
)
from hopfield_nav.sweeps.statistics import (
    Value,
    limits_of,
    mean,
    paired_means,
    paired_shares,
    share,
)
from hopfield_nav.sweeps.sweep_file import Sweep

Row = Mapping[str, Any]
MAIN = (
    TIME, "collision_count", "graze_count", PEAK, "detection_delay_median_s", "false_alarm_count",
    "silent_contact_count",
)  # fmt: skip
_MOST_VALUES = 24  # of numbers; more are put into quarters
_SHOWN = 5  # settings, and that of the base world


@dataclass(frozen=True)
class ValueResult:
    """One value, or setting."""

    label: tuple[str, ...]  # a text a parameter
    reached: Value  # share of its runs that reached the goal, and not through an obstacle
    means: dict[
        str, Value
    ]  # of the main quantities; the time is that of the runs which reached the goal
    differences: dict[
        str, Value
    ]  # from the base world's setting, in pairs of a seed; empty where there are none
    is_base: bool = False  # whether it is the base world's
    is_best: bool = False  # whether it was chosen


@dataclass(frozen=True)
class ValueTable:
    """The values of one parameter, or of those that go together, or settings."""

    names: tuple[str, ...]  # of the parameters
    results: list[ValueResult]  # in order of the values; of settings from the best
    count: int  # of values; more than results where only the best are shown


@dataclass(frozen=True)
class Best:
    """The best setting, of all or of one method."""

    method: tuple[str, ...]  # the words that it is the best of; empty for all
    result: ValueResult
    choice: Choice
    edges: str  # axes at whose edge it lies


@dataclass(frozen=True)
class Judged:
    """The settings of a sweep, compared."""

    tables: list[ValueTable]  # one a parameter
    settings: ValueTable | None  # the best of their combinations; None where no key is swept
    best: list[Best]  # of all settings, then of every method
    layout: Layout
    compared: Settings  # what the runs of each did
    stage: Stage | None = None  # how far a sweep has come that goes on until it is decided
    labels: tuple[tuple[str, ...], ...] = ()  # of every setting, a text a parameter


def judge(sweep: Sweep, rows: Sequence[Row]) -> Judged:
    """Tables of every swept parameter and of settings, and the best of them.

    The best are so by the sweep's aim, or by the rule.
    """
    compared = _Compared(sweep, rows)
    rows, layout = compared.rows, compared.layout
    if not layout.axes:
        return Judged([_table(sweep, rows, ())], None, [], layout, compared.settings)
    parts = (
        part
        for _, axis in layout.axes
        for part in ([(c,) for c in axis] if axis[0].drawn else [axis])
    )
    tables = [_table(sweep, rows, part) for part in parts]
    best = [compared.best((), None), *(compared.best(*method) for method in _methods(layout))]
    names = tuple(column.name for column in compared.columns)
    alone = (
        len(layout.axes) == 1 and tables[0].count == layout.count
    )  # then its table is that of the settings
    shown = [*range(layout.count)] if alone else best[0].choice.ranks[:_SHOWN].tolist()
    if layout.base is not None and layout.base not in shown:
        shown.append(layout.base)
    results = [compared.result(k, not alone and k == best[0].choice.best) for k in shown]
    settings = ValueTable(names, results, layout.count)
    labels = tuple(compared.label(k) for k in range(layout.count)) if compared.stage else ()
    shown_tables = [] if alone else tables
    return Judged(shown_tables, settings, best, layout, compared.settings, compared.stage, labels)


def shown_quantities(sweep: Sweep) -> list[str]:
    """The main quantities that the sweep keeps, or its first ones.

    And those of its aim, and measures of one's own.
    """
    numbers = [name for name, quantity in sweep.kept.items() if quantity.unit is not None]
    own = [] if sweep.measures is None else list(sweep.measures.columns)
    main = [name for name in MAIN if name in numbers] or [n for n in numbers if n not in own][
        : len(MAIN)
    ]
    aimed = [] if sweep.file.aim is None else sweep.file.aim.names
    return list(dict.fromkeys([*main, *(name for name in [*aimed, *own] if name in numbers)]))


class _Compared:
    """The settings of a sweep with what is said of them."""

    def __init__(self, sweep: Sweep, rows: Sequence[Row]) -> None:
        self.settings, self.layout = read_settings(sweep, rows)
        self.choice, self.stage = choice_of(sweep, self.settings, rows)
        self.rows = sorted(counted(sweep, rows), key=lambda row: int(row["index"]))
        self.columns = _named(self.layout)  # by which a setting is known

    def result(self, setting: int, is_best: bool) -> ValueResult:
        """What is said of a setting."""
        base, sweep = self.layout.base, self.layout.sweep
        own = [row for row in self.rows if self.layout.of_run[row["index"]] == setting]
        label = self.label(setting)
        gaps: dict[str, Value] = {}
        if base not in (None, setting):
            of_both = {
                name: self.settings.values(name)[[base, setting]] for name in (REACHED, TIME, PEAK)
            }
            gaps = {REACHED: paired_shares(*of_both.pop(REACHED))}
            gaps |= {name: paired_means(a, b, limits_of(name)) for name, (a, b) in of_both.items()}
        return ValueResult(
            label, *_means(own, shown_quantities(sweep)), gaps, base == setting, is_best
        )

    def label(self, setting: int) -> tuple[str, ...]:
        """By what a setting is known, a text a parameter."""
        names = _names(self.columns)
        job = self.layout.sweep.job(int(np.argmax(self.layout.of_run == setting)))
        return tuple(_text(job.values[column.name], names) for column in self.columns)

    def best(self, method: tuple[str, ...], among: np.ndarray | None) -> Best:
        """The best setting among some (settings,), which are those of a method."""
        layout = self.layout
        aim = layout.sweep.file.aim
        choice = self.choice if among is None else choose(self.settings, aim, among)
        at = enumerate(
            zip(layout.orders, np.unravel_index(choice.nearest, layout.shape), strict=True)
        )
        edges = [k for k, (order, i) in at if order is not None and i in (order[0], order[-1])]
        return Best(
            method,
            self.result(choice.nearest, choice.best is not None),
            choice,
            layout.names(edges),
        )


def _named(layout: Layout) -> list[AxisColumn]:
    """The columns by which a setting is known.

    Of those that go together words, and the first that tells all apart.
    """
    kept: list[AxisColumn] = []
    for _, axis in layout.axes:
        apart = [
            c
            for c in axis
            if c.drawn
            or len({json.dumps(c.value(i)) for i in range(len(c.values))}) == len(c.values)
        ]
        kept += [c for c in axis if c.drawn or c in apart[:1] or _is_words(c) or not apart]
    return kept


def _methods(layout: Layout) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    """Each combination of words that are swept beside numbers, and which settings have it."""
    columns = []  # of words, each with the number of its axis
    for k, (_, axis) in enumerate(layout.axes):
        columns += [(k, column) for column in axis if _is_words(column)]
    names = _names(column for _, column in columns)
    texts = []  # of each setting
    for at in np.ndindex(*layout.shape):
        values = [column.value(at[k]) for k, column in columns]
        texts.append(tuple(_text(value, names) for value in values))
    methods = dict.fromkeys(texts)
    if 1 < len(methods) < layout.count:
        for method in methods:
            yield method, np.array([text == method for text in texts])


def _is_words(column: AxisColumn) -> bool:
    return not column.drawn and any(isinstance(value, str) for value in column.values)


def _table(sweep: Sweep, rows: Sequence[Row], axis: Axis) -> ValueTable:
    """The values of one axis, averaged over all else.

    Nothing is compared, since the settings around differ.
    """
    label, ordered = _labels(rows, axis)
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(label(row), []).append(row)
    if not ordered:
        groups = dict(sorted(groups.items()))
    at = base_position(sweep, axis) if axis and ordered else None
    base = None if at is None else label({c.name: c.value(at) for c in axis})
    names = shown_quantities(sweep)
    results = [
        ValueResult(key, *_means(own, names), {}, key == base) for key, own in groups.items()
    ]
    return ValueTable(tuple(c.name for c in axis), results, len(results))


def _labels(
    rows: Sequence[Row], columns: Sequence[AxisColumn]
) -> tuple[Callable[[Row], tuple], bool]:
    """What the label of a row is; and whether every value has one of its own."""
    if len(columns) == 1 and (columns[0].drawn or len(columns[0].values) > _MOST_VALUES):
        name = columns[0].name
        numbers = [row[name] for row in rows]
        if all(isinstance(v, (int, float)) for v in numbers) and len(set(numbers)) > 4:
            edges = np.quantile(numbers, [0, 0.25, 0.5, 0.75, 1])

            def quarter(row: Row) -> tuple[str]:
                k = min(int(np.searchsorted(edges[1:], row[name])), 3)
                return (f"{'abcd'[k]}: {edges[k]:.4g} … {edges[k + 1]:.4g}",)

            return quarter, False
    names = _names(columns)
    return lambda row: tuple(_text(row[c.name], names) for c in columns), True


def _names(columns: Iterable[AxisColumn]) -> dict[str, str]:
    """How the words among the values of some columns are called."""
    return shown_names(
        value for column in columns for value in column.values if isinstance(value, str)
    )


def _text(value: Any, names: Mapping[str, str]) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return names.get(value, value) if isinstance(value, str) else json.dumps(value)


def _means(rows: Sequence[Row], names: Iterable[str]) -> tuple[Value, dict[str, Value]]:
    there = [row for row in rows if is_reached(row)]
    means = {
        n: mean((row.get(n) for row in (there if n == TIME else rows)), limits_of(n)) for n in names
    }
    return share(len(there), len(rows)), means
