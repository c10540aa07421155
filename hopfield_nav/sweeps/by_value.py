"""What every value of a sweep's parameters did, averaged over all else, and how they differ from the best.

Runs that differ in a seed alone are repeats, also where the seed of obstacles is swept. Two values are compared in
pairs: the same seeds, and the same values of everything else; pairs of one seed count as one.
"""

import json
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopfield_nav.plugin import shown_names
from hopfield_nav.record import is_reached
from hopfield_nav.sweeps.axes import AxisColumn
from hopfield_nav.sweeps.statistics import Value, mean, share
from hopfield_nav.sweeps.sweep_file import Sweep

Row = Mapping[str, Any]
TIME = "simulated_time_s"  # of a run that did not reach its goal it says nothing about the method
MAIN = (
    TIME, "collision_count", "peak_contact_force_N", "detection_delay_median_s", "false_alarm_count",
    "silent_contact_count",
)  # fmt: skip
_MOST_VALUES = 24  # of numbers; more are put into quarters
_BEST = 5  # combinations that are shown


@dataclass(frozen=True)
class ValueResult:
    """One value, or combination of values."""

    label: tuple[str, ...]  # a text a parameter
    reached: Value  # share of its runs that reached the goal, and not through an obstacle
    means: dict[str, Value]  # of the main quantities; the time is that of the runs which reached the goal
    less_best: dict[str, Value]  # of ``reached`` and the time, what it has less the best, in pairs; empty for the best


@dataclass(frozen=True)
class ValueTable:
    """The values of one parameter, or of those that go together, or the best combinations of all."""

    names: tuple[str, ...]  # of the parameters
    results: list[ValueResult]  # in order of the values; of combinations the best first
    best: int  # which of them reached most goals, and in the least time where several did
    count: int  # of values; more than results where only the best are shown


def value_tables(sweep: Sweep, rows: Sequence[Row]) -> list[ValueTable]:
    """A table of every swept parameter, and one of their combinations; one of all runs where none is."""
    axes = [[c for c in axis if not c.is_seed] for axis in sweep.grid]
    groups = [part for axis in axes if axis for part in ([[c] for c in axis] if axis[0].drawn else [axis])]
    tables = [_table(sweep, rows, group) for group in groups or [[]]]
    if len(groups) > 1 and not sweep.file.random:
        table = _table(sweep, rows, [c for axis in axes for c in axis])
        tables.append(replace(table, results=sorted(table.results, key=_rank)[:_BEST], best=0))
    return tables


def shown_quantities(sweep: Sweep) -> list[str]:
    """The main quantities that the sweep keeps, or its first ones, and measures of somebody's own."""
    numbers = [name for name, quantity in sweep.kept.items() if quantity.unit is not None]
    own = [] if sweep.measures is None else list(sweep.measures.columns)
    main = [name for name in MAIN if name in numbers] or [n for n in numbers if n not in own][: len(MAIN)]
    return [*main, *(name for name in own if name in numbers)]


def _table(sweep: Sweep, rows: Sequence[Row], columns: Sequence[AxisColumn]) -> ValueTable:
    label, pairs = _labels(rows, columns)
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in sorted(rows, key=lambda row: int(row["index"])):
        groups.setdefault(label(row), []).append(row)
    if not pairs:
        groups = dict(sorted(groups.items()))
    names = shown_quantities(sweep)
    results = [ValueResult(key, *_means(own, names), {}) for key, own in groups.items()]
    best = min(range(len(results)), key=lambda i: _rank(results[i]), default=0)
    others = [c.name for axis in sweep.grid for c in axis if c not in columns]
    blocks = [c.name for axis in sweep.grid for c in axis if c.is_seed or c.drawn]
    own = list(groups.values())
    for i in range(len(results)) if pairs else ():
        if i != best:
            results[i] = replace(results[i], less_best=_differences(own[best], own[i], others, blocks))
    return ValueTable(tuple(c.name for c in columns), results, best, len(results))


def _rank(result: ValueResult) -> tuple[float, float]:
    time = result.means.get(TIME)
    return -result.reached.estimate, math.inf if time is None or not time.n else time.estimate


def _labels(rows: Sequence[Row], columns: Sequence[AxisColumn]) -> tuple[Callable[[Row], tuple], bool]:
    """What the label of a row is; and whether each value has rows that pair with those of another."""
    if len(columns) == 1 and (columns[0].drawn or len(columns[0].values) > _MOST_VALUES):
        name = columns[0].name
        numbers = [row[name] for row in rows]
        if all(isinstance(v, (int, float)) for v in numbers) and len(set(numbers)) > 4:
            edges = np.quantile(numbers, [0, 0.25, 0.5, 0.75, 1])

            def quarter(row: Row) -> tuple[str]:
                k = min(int(np.searchsorted(edges[1:], row[name])), 3)
                return (f"{'abcd'[k]}: {edges[k]:.4g} … {edges[k + 1]:.4g}",)

            return quarter, False
    names = shown_names({row[c.name] for row in rows for c in columns if isinstance(row[c.name], str)})
    return lambda row: tuple(_text(row[c.name], names) for c in columns), True


def _text(value: Any, names: Mapping[str, str]) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return names[value] if isinstance(value, str) else json.dumps(value)


def _means(rows: Sequence[Row], names: Iterable[str]) -> tuple[Value, dict[str, Value]]:
    there = [row for row in rows if is_reached(row)]
    means = {n: mean(_numbers(there if n == TIME else rows, n), signed=False) for n in names}
    return share(len(there), len(rows)), means


def _numbers(rows: Iterable[Row], name: str) -> Iterator[float]:
    values = (row.get(name) for row in rows)
    return (float(v) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool))


def _differences(
    best: Sequence[Row], other: Sequence[Row], others: Sequence[str], blocks: Sequence[str]
) -> dict[str, Value]:
    """What rows have less those of the best that agree in all else; the pairs of one seed count as one."""

    def key(row: Row) -> tuple[Hashable, ...]:
        return row["seed"], *(json.dumps(row[name]) for name in others)

    first = {key(row): row for row in best}
    reached: dict[Hashable, list[float]] = {}
    times: dict[Hashable, list[float]] = {}
    for row in other:
        pair = first.get(key(row))
        if pair is None:
            continue
        block = row["seed"], *(row[name] for name in blocks)
        reached.setdefault(block, []).append(float(is_reached(row)) - float(is_reached(pair)))
        if is_reached(row) and is_reached(pair) and None not in (row.get(TIME), pair.get(TIME)):
            times.setdefault(block, []).append(float(row[TIME]) - float(pair[TIME]))
    found = {"reached": reached, TIME: times}
    return {name: mean(math.fsum(v) / len(v) for v in by.values()) for name, by in found.items()}
