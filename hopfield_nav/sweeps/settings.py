"""A sweep's runs by setting: what does not differ in a seed alone is one setting, and its runs are repeats.

A *setting* is a combination of the swept values but seeds; a *block* is one seed of all that is
drawn, so that two settings are compared in pairs of a block.

``choose`` says which setting is the best: that of an aim, or of a rule where there is none. The
rule: of all settings those of which the largest share arrives; of these those with the fewest false
alarms; of these those whose neighbours, one step along every axis of numbers, are among them too
(none is left: without this); of these the least mean peak force; of those that five or more pairs
of seeds cannot tell from it the fastest, then the first of the file. With fewer pairs what is
within 2 % cannot be told.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hopfield_nav.record import is_reached
from hopfield_nav.sweeps.axes import Axis
from hopfield_nav.sweeps.sections import REACHED, Aim
from hopfield_nav.sweeps.statistics import mean
from hopfield_nav.sweeps.sweep_file import Sweep

TIME = "simulated_time_s"  # of a run that did not arrive it says nothing about the setting
ALARMS, PEAK, ERROR = "false_alarm_count", "peak_contact_force_N", "final_tool_error_m"
PAIRS = 5  # of seeds, from which two settings are told apart by their interval
ALIKE = 0.02  # share by which means of fewer may differ
LESS, MORE_ALARMS, BESIDE = "arrives less often", "more false alarms", "a neighbour fails"
NEVER = "never arrives"


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
        """(settings, blocks) of a quantity; the time is that of runs that arrived. NaN all over where not kept."""
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
        """The axes that are no seeds, each with its place in the grid; a group keeps its columns but seeds."""
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
        """Along every axis the order of its values; None where they are words, or drawn, or one alone."""
        return [_order(axis) for _, axis in self.axes]

    def names(self, axes: Iterable[int]) -> str:
        """The first columns of some axes, as words."""
        return ", ".join(self.axes[k][1][0].name for k in axes)


def read_settings(sweep: Sweep, rows: Iterable[Mapping[str, Any]]) -> tuple[Settings, Layout]:
    """The runs of rows by setting. Where nothing is random a repeat is the same run again, and counts once."""
    layout, once = Layout(sweep), counted(sweep, rows)
    columns = {
        name: layout.by_setting(over_runs(sweep, once, name))
        for name, quantity in sweep.kept.items()
        if quantity.unit is not None
    }
    reached = over_runs(
        sweep, [{"index": row["index"], REACHED: is_reached(row)} for row in once], REACHED
    )
    return Settings(
        layout.by_setting(reached), columns, neighbours(layout.shape, layout.orders)
    ), layout


def over_runs(
    sweep: Sweep, rows: Iterable[Mapping[str, Any]], name: str, empty: Any = np.nan
) -> np.ndarray:
    """(runs,) what rows have in a column; ``empty`` where they have nothing, or where there is no row."""
    values = np.full(sweep.count, empty, object if isinstance(empty, str) else float)
    for row in rows:
        if row.get(name) is not None:
            values[row["index"]] = row[name]
    return values.astype(str) if isinstance(empty, str) else values


def counted(sweep: Sweep, rows: Iterable[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The rows that are no repeats of the same run."""
    return [row for row in rows if sweep.is_random or row["repeat"] == 0]


def base_position(sweep: Sweep, axis: Axis) -> int | None:
    """Which value of an axis the base world has."""
    for i in range(len(axis[0].values)):
        if all(
            c.value(i) == (1 if c.base is not None else sweep.base.value_at(c.key)) for c in axis
        ):
            return i
    return None


def neighbours(shape: Sequence[int], orders: Sequence[np.ndarray | None]) -> np.ndarray:
    """(settings, 2 m) the settings one step down and up along every axis that has an order; -1 beyond its ends."""
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
    """The order of an axis's values by its first column of numbers; None where it has words, or was drawn."""
    rows = [[column.value(i) for i in range(len(column.values))] for column in axis]
    if (
        len(rows[0]) < 2
        or any(c.drawn for c in axis)
        or any(isinstance(v, str | bool | None) for r in rows for v in r)
    ):
        return None
    numbers = [row for row in rows if all(isinstance(v, (int, float)) for v in row)]
    return np.argsort(numbers[0], kind="stable") if numbers else None


@dataclass(frozen=True)
class Choice:
    """What was chosen, and why nothing else."""

    best: int | None  # the setting; None where none keeps all that it must
    nearest: int  # the best, or what comes nearest to it
    fails: (
        np.ndarray
    )  # (settings,) in words what each does not keep first; "" for what was left to choose from
    ranks: np.ndarray  # (settings,) all from the best to the worst
    beside: bool = True  # whether the neighbours of the best are as good
    alike: int = 1  # how many the last step could not tell from each other
    few: bool = False  # whether fewer pairs than it takes told them apart


def choose(settings: Settings, aim: Aim | None = None, among: np.ndarray | None = None) -> Choice:
    """The best setting ``among`` some (settings,), by default all."""
    among = np.ones(len(settings.reached), bool) if among is None else among
    return _by_rule(settings, among) if aim is None else _by_aim(settings, aim, among)


def _by_rule(settings: Settings, among: np.ndarray) -> Choice:
    arriving = np.where(among, np.nan_to_num(settings.means(REACHED), nan=-1.0), -2.0)
    alarms, force = (_or_inf(settings.means(name)) for name in (ALARMS, PEAK))
    most = arriving == arriving.max()
    calm = most & (alarms == alarms[most].min())
    robust = calm & np.all((settings.neighbours < 0) | calm[settings.neighbours], axis=1)
    left = robust if robust.any() else calm
    fails = np.select(
        [arriving <= 0.0, ~most, ~calm, ~left], [NEVER, LESS, MORE_ALARMS, BESIDE], ""
    )
    if arriving.max() <= 0.0:
        ranks = np.lexsort((_or_inf(settings.means(ERROR)), ~among))
        return Choice(None, int(ranks[0]), fails, ranks)
    best, alike, few = _least(settings, PEAK, left)
    first = np.arange(len(force)) != best
    ranks = np.lexsort((force, alarms, ~left, ~calm, -arriving, first))
    return Choice(best, best, fails, ranks, bool(robust.any()), alike, few)


def _least(settings: Settings, name: str, left: np.ndarray) -> tuple[int, int, bool]:
    """Of the settings left the least in a quantity, or the fastest of those that cannot be told from it.

    Also how many these are, and whether a comparison had too few pairs.
    """
    means, values, times = (
        _or_inf(settings.means(name)),
        settings.values(name),
        _or_inf(settings.means(TIME)),
    )
    candidates = np.flatnonzero(left)
    least = candidates[np.argmin(means[candidates])]
    alike, few = [], False
    for k in candidates:
        gap = mean(values[k] - values[least])
        few |= k != least and gap.n < PAIRS and bool(np.isfinite(means[least]))
        close = means[k] <= (1.0 + ALIKE) * means[least] if gap.n < PAIRS else gap.low <= 0.0
        if k == least or close:
            alike.append(int(k))
    return min(alike, key=lambda k: (times[k], k)), len(alike), few


def _by_aim(settings: Settings, aim: Aim, among: np.ndarray) -> Choice:
    """Conditions with a number come first, then in their order those with the least of what keeps all before."""
    means = {name: settings.means(name) for name in aim.names}
    keeps: dict[str, np.ndarray] = {}
    for name, condition in sorted(aim.conditions.items(), key=lambda item: item[1].of_least):
        mean = means[name]
        rest = np.all([among, *keeps.values()], axis=0) & np.isfinite(mean)
        least = mean[rest].min() if rest.any() else np.nan
        keeps[f"{name} {condition}"] = condition.keeps(mean, least)
    left = np.all([among, *keeps.values()], axis=0)
    fails = (
        np.select([~kept for kept in keeps.values()], list(keeps), "")
        if keeps
        else np.full(len(left), "")
    )
    missed = np.sum([~kept for kept in keeps.values()], axis=0) if keeps else np.zeros(len(left))
    least = _or_inf(means[aim.least])
    ranks = np.lexsort((least, missed, ~among))
    best = int(ranks[0]) if left.any() and np.isfinite(least[ranks[0]]) else None
    return Choice(best, int(ranks[0]), fails, ranks)


def _or_inf(means: np.ndarray) -> np.ndarray:
    """What is not known is worst."""
    return np.where(np.isfinite(means), means, np.inf)
