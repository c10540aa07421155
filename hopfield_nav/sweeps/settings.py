"""A sweep's runs by setting.

What does not differ in a seed alone is one setting, and its runs are repeats. A *setting* is a
combination of the swept values but seeds; a *block* is one seed of all that is drawn, so that two
settings are compared in pairs of a block.

Runs of a setting that are equal to the last digit are one run: nothing in it is random, and a
repeat says nothing new.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hopfield_nav.record import is_reached
from hopfield_nav.sweeps.axes import Axis
from hopfield_nav.sweeps.sections import REACHED
from hopfield_nav.sweeps.sweep_file import Sweep

TIME = "simulated_time_s"  # of a run that did not arrive it says nothing about the setting
ALARMS, MISSED = "false_alarm_count", "silent_contact_count"
PEAK, ERROR = "peak_contact_force_N", "final_tool_error_m"


@dataclass(frozen=True)
class Settings:
    """The runs of a sweep as arrays over settings and blocks."""

    reached: (
        np.ndarray
    )  # (settings, blocks) 1 where the run arrived, else 0; NaN where there is none
    columns: Mapping[
        str, np.ndarray
    ]  # (settings, blocks) of every quantity that is a number; NaN where none
    neighbours: (
        np.ndarray
    )  # (settings, 2 m) the next settings along m axes of numbers, -1 beyond an edge

    def values(self, name: str) -> np.ndarray:
        """(settings, blocks) of a quantity.

        The time is that of runs that arrived. NaN all over where not kept.
        """
        if name == REACHED:
            return self.reached
        values = self.columns.get(name, np.full(self.reached.shape, np.nan))
        return np.where(self.reached == 1.0, values, np.nan) if name == TIME else values

    def means(self, name: str) -> np.ndarray:
        """(settings,) the mean of a quantity, NaN where no run has it."""
        values = self.values(name)
        there = np.isfinite(values)
        count = there.sum(axis=1)
        return np.where(
            count, np.where(there, values, 0.0).sum(axis=1) / np.maximum(count, 1), np.nan
        )


@dataclass(frozen=True)
class Layout:
    """Where the settings of a sweep lie on its axes."""

    sweep: Sweep

    @cached_property
    def axes(self) -> list[tuple[int, Axis]]:
        """The axes that are no seeds, each with its place in the grid.

        A group keeps its columns but seeds.
        """
        parts = (
            (k, tuple(c for c in axis if not c.is_seed)) for k, axis in enumerate(self.sweep.grid)
        )
        return [(k, axis) for k, axis in parts if axis]

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values along every one of them."""
        return tuple(len(axis[0].values) for _, axis in self.axes)

    @property
    def count(self) -> int:
        """Number of settings."""
        return int(np.prod(self.shape, dtype=int))

    @cached_property
    def of_run(self) -> np.ndarray:
        """(runs,) the setting of each run."""
        every = np.arange(self.count).reshape(self.shape)
        kept = [k for k, _ in self.axes]
        beside = np.expand_dims(every, [k for k in range(len(self.sweep.shape)) if k not in kept])
        return np.broadcast_to(beside, self.sweep.shape).ravel()

    def by_setting(self, values: np.ndarray) -> np.ndarray:
        """(settings, blocks) of values (runs,)."""
        kept = [k for k, _ in self.axes]
        moved = np.moveaxis(values.reshape(self.sweep.shape), kept, range(len(kept)))
        return moved.reshape(self.count, -1)

    @cached_property
    def base(self) -> int | None:
        """The setting of the base world; None where it was not among those that were run."""
        at = [base_position(self.sweep, axis) for _, axis in self.axes]
        known = [i for i in at if i is not None]
        return int(np.ravel_multi_index(known, self.shape)) if len(known) == len(at) > 0 else None

    @cached_property
    def orders(self) -> list[np.ndarray | None]:
        """Along every axis the order of its values.

        None where they are words, or drawn, or one alone.
        """
        return [_order(axis) for _, axis in self.axes]

    def names(self, axes: Iterable[int]) -> str:
        """The first columns of some axes, as words."""
        return ", ".join(self.axes[k][1][0].name for k in axes)


def read_settings(sweep: Sweep, rows: Iterable[Mapping[str, Any]]) -> tuple[Settings, Layout]:
    """The runs of rows by setting, those that are the same run again once."""
    return arrays_of(sweep, counted(sweep, rows))


def arrays_of(sweep: Sweep, rows: Sequence[Mapping[str, Any]]) -> tuple[Settings, Layout]:
    """The runs of all rows by setting."""
    layout = Layout(sweep)
    columns = {
        name: layout.by_setting(over_runs(sweep, rows, name))
        for name, quantity in sweep.kept.items()
        if quantity.unit is not None
    }
    arrivals = [{"index": row["index"], REACHED: is_reached(row)} for row in rows]
    reached = layout.by_setting(over_runs(sweep, arrivals, REACHED))
    return Settings(reached, columns, neighbours(layout.shape, layout.orders)), layout


def over_runs(
    sweep: Sweep, rows: Iterable[Mapping[str, Any]], name: str, empty: Any = np.nan
) -> np.ndarray:
    """(runs,) what rows have in a column.

    ``empty`` where they have nothing, or where there is no row.
    """
    values = np.full(sweep.count, empty, object if isinstance(empty, str) else float)
    for row in rows:
        if row.get(name) is not None:
            values[row["index"]] = row[name]
    return values.astype(str) if isinstance(empty, str) else values


def counted(sweep: Sweep, rows: Iterable[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The rows of different runs: of those that are alike to the last digit the first counts."""
    if not sweep.is_random:
        return [row for row in rows if row["repeat"] == 0]
    repeatable = [name for name, quantity in sweep.kept.items() if quantity.repeatable]
    combinations: dict[int, list[Mapping[str, Any]]] = {}
    for row in rows:
        combinations.setdefault(row["index"] // sweep.file.repeats, []).append(row)
    found: list[Mapping[str, Any]] = []
    for own in combinations.values():
        own = sorted(own, key=lambda row: int(row["repeat"]))
        runs = {tuple(row.get(name) for name in repeatable) for row in own}
        is_one = len(runs) == 1 and any(map(_was_measured, *runs))
        found += own[:1] if is_one else own
    return found


def _was_measured(value: Any) -> bool:
    """Whether a value has digits that no two runs share by chance."""
    return isinstance(value, float) and math.isfinite(value) and not value.is_integer()


def base_position(sweep: Sweep, axis: Axis) -> int | None:
    """Which value of an axis the base world has."""
    for i in range(len(axis[0].values)):
        if all(
            c.value(i) == (1 if c.base is not None else sweep.base.value_at(c.key)) for c in axis
        ):
            return i
    return None


def neighbours(shape: Sequence[int], orders: Sequence[np.ndarray | None]) -> np.ndarray:
    """(settings, 2 m) the settings one step down and up along every axis that has an order.

    -1 beyond its ends.
    """
    every = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    beside = [np.empty((every.size, 0), int)]
    for axis, order in enumerate(orders):
        if order is None:
            continue
        along = np.moveaxis(every.take(order, axis), axis, 0)
        found = np.full((every.size, 2), -1)
        found[along[1:].ravel(), 0] = along[:-1].ravel()
        found[along[:-1].ravel(), 1] = along[1:].ravel()
        beside.append(found)
    return np.concatenate(beside, axis=1)


def _order(axis: Axis) -> np.ndarray | None:
    """The order of an axis's values by its first column of numbers.

    None where it has words, or was drawn.
    """
    rows = [[column.value(i) for i in range(len(column.values))] for column in axis]
    if (
        len(rows[0]) < 2
        or any(c.drawn for c in axis)
        or any(isinstance(v, str | bool | None) for r in rows for v in r)
    ):
        return None
    numbers = [row for row in rows if all(isinstance(v, (int, float)) for v in row)]
    return np.argsort(numbers[0], kind="stable") if numbers else None
