"""What the rows of a bench say: how many goals were reached, at what cost, and who was better where."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hopfield_nav.extensions.bench.suite import Suite
from hopfield_nav.record import Quantity, alarm_rate, as_text, version_of
from hopfield_nav.sweeps import (
    FAILURES,
    is_same,
    limits_of,
    mean,
    paired_means,
    paired_shares,
    share,
    share_in_words,
)

Row = Mapping[str, Any]
Cell = tuple[str, str]  # family and condition
Pair = tuple[Row, Row]  # of two methods in one world
ALARMS = "false_alarm_count"  # told as a rate
MISSED = "silent_contact_count"  # told of how many contacts, where their number is kept
CONTACTS = "contact_count"
SCORED, _HOUR = "scored worlds", 3600.0  # [s]
# which say little of a run that did not reach its goal
ON_THE_WAY = {"collision_count", "simulated_time_s", "way_m"}
FELT = {
    "detection_delay_median_s",
    "detection_delay_max_s",
    MISSED,
    ALARMS,
    "peak_contact_force_N",
}
MOST_DIFFERENT = 5  # worlds that are listed for every pair


class Table(NamedTuple):
    """A table with its title: head and rows of text."""

    title: str
    head: list[str]
    rows: list[list[str]]


def cells(suite: Suite) -> list[Cell]:
    """Every family and condition."""
    return [
        (family, condition)
        for family in suite.suite.families
        for condition in suite.suite.conditions
    ]


def pairs(suite: Suite, methods: Sequence[str]) -> list[tuple[str, str]]:
    """Which methods are compared: those of the file, and those that were added with the file's first."""
    given = [pair for pair in suite.suite.pairs if set(pair) <= set(methods)]
    own = suite.data["methods"] if given else ()
    return [*given, *((methods[0], name) for name in methods[1:] if name not in own)]


def reached_table(suite: Suite, rows: Sequence[Row], methods: Sequence[str], cell: Cell) -> Table:
    """Of every method the share of the scored worlds which it reached, means over those, ``FELT`` of all scored."""
    compared, today = compared_of(suite), version_of("hopfield-nav")
    head = ["method", SCORED, "reached [%]", "false no_path", "passed through", "method failed"]
    head += [headed(key, quantity) for key, quantity in compared.items()]
    lines = []
    for method in methods:
        own = rows_of(rows, cell, method)
        counted = [r for r in own if r["counts"]]
        good = [*filter(has_reached, counted)]
        gave_up, passed = (
            sum(r["outcome"] == ended for r in counted) for ended in ("no_path", "passed_through")
        )
        failed = sum(r["outcome"] in FAILURES for r in own)
        versions = sorted({str(r["version"]) for r in own if r["version"]})
        name = method if versions in ([], [today]) else f"{method} (version {', '.join(versions)})"
        once = suite.runs_once(method)
        values = [
            _told(key, quantity, counted if key in FELT else good, once)
            for key, quantity in compared.items()
        ]
        of_all = share(len(good), len(counted))
        reached = f"{100.0 * of_all.estimate:.3g}" if once else of_all.text(100.0)
        lines.append(
            [name, str(len(counted)), reached, str(gave_up), str(passed), str(failed), *values]
        )
    return _telling(Table(f"{cell[0]}, {cell[1]}", head, lines), has_goals(suite))


def headed(key: str, quantity: Quantity) -> str:
    """What a table calls a quantity, with its unit."""
    unit = "1/h" if key == ALARMS else quantity.shown
    return quantity.label + (f" [{unit}]" if unit else "")


def has_reached(row: Row) -> bool:
    """Whether a run came to its goal."""
    return bool(row["outcome"] == "reached")


def has_goals(suite: Suite) -> bool:
    """Whether a suite compares what it takes to reach a goal, and not only what is felt."""
    return bool(ON_THE_WAY & set(suite.suite.compare))


def _telling(table: Table, goals: bool) -> Table:
    """Without columns that say nothing: goals where there are none, failures where none failed, dashes."""
    columns = list(zip(table.head, *table.rows, strict=True))
    silent = {key: {"0"} for key in ("false no_path", "passed through", "method failed")}
    kept = [
        column
        for column in columns
        if (goals or column[0] != "reached [%]") and set(column[1:]) - silent.get(column[0], {"–"})
    ]
    head, *rows = zip(*kept, strict=True)
    return Table(table.title, list(head), list(map(list, rows)))


def pair_table(suite: Suite, rows: Sequence[Row], pair: tuple[str, str], cell: Cell) -> Table:
    """World by world, the second method less the first; but for ``FELT`` over worlds that both reached."""
    both, there = both_of(suite, rows, pair, cell)
    got = [(has_reached(a), has_reached(b)) for a, b in both]
    won = [str(got.count(one)) for one in ((True, False), (False, True))]
    gap = paired_shares([a for a, _ in got], [b for _, b in got]).text(100.0, difference=True)
    lines = [[SCORED, str(len(both)), *3 * ["–"]]]
    lines += [["reached [%]", str(len(got)), gap, *won]] if has_goals(suite) else []
    for key, quantity in compared_of(suite).items():
        told = both if key in FELT else there
        values = [
            (_number(a, key), _number(b, key))
            for a, b in told
            if a[key] is not None and b[key] is not None
        ]
        if told and not values:
            continue
        differ = [(a, b) for a, b in values if not is_same(a, b)]
        better = [str(sum(a < b for a, b in differ)), str(sum(b < a for a, b in differ))]
        scale = 1.0 if key == ALARMS else quantity.scale
        gap = paired_means([a for a, _ in values], [b for _, b in values]).text(
            scale, difference=True
        )
        lines.append([headed(key, quantity), str(len(values)), gap, *better])
    gap = f"difference from {pair[0]}, mean and 95 %"
    head = ["", "worlds", gap, *(f"{name} better" for name in pair)]
    return Table(f"{pair[1]} beside {pair[0]}: {cell[0]}, {cell[1]}", head, lines)


def both_of(
    suite: Suite, rows: Sequence[Row], pair: tuple[str, str], cell: Cell
) -> tuple[list[Pair], list[Pair]]:
    """The rows of two methods in every scored world, and in those that both reached.

    The one run of a method in which nothing is random stands beside every run of the other.
    """
    first, second = (
        {int(row["repeat"]): row for row in rows_of(rows, cell, name)} for name in pair
    )
    once, twice = (suite.runs_once(name) for name in pair)
    if once and not twice and first:
        first = dict.fromkeys(second, first[0])
    if twice and not once and second:
        second = dict.fromkeys(first, second[0])
    both = [
        (first[k], second[k]) for k in sorted(first.keys() & second.keys()) if first[k]["counts"]
    ]
    return both, [pair for pair in both if all(map(has_reached, pair))]


def most_different(suite: Suite, rows: Sequence[Row], pair: tuple[str, str]) -> list[Pair]:
    """Worlds that one of two methods alone reached, then those where their times differ most."""
    found = [both for cell in cells(suite) for both in both_of(suite, rows, pair, cell)[0]]
    return sorted(found, key=_how_alike)[:MOST_DIFFERENT]


def different_table(
    pair: tuple[str, str], worlds: Sequence[Pair], links: Mapping[tuple, str]
) -> Table:
    """These worlds, with a link to the view of each run where there is one."""
    lines = []
    for both in worlds:
        line = [f"{both[0]['family']}, {both[0]['condition']}", str(both[0]["seed"])]
        for row in both:
            told = str(row["outcome"])
            for key, unit in (("simulated_time_s", "s"), ("collision_count", "touches")):
                told += f", {as_text(row[key], unit, 1.0)}" if row.get(key) is not None else ""
            link = links.get(run_of(row))
            line.append(f"[{told}]({link})" if link else told)
        lines.append(line)
    return Table(
        f"Where they differ most: {pair[1]} beside {pair[0]}", ["worlds", "seed", *pair], lines
    )


def run_of(row: Row) -> tuple[str, str, str, int]:
    """Family, condition, method and number of the world."""
    return row["family"], row["condition"], row["method"], row["repeat"]


def curves(
    rows: Sequence[Row], methods: Sequence[str], key: str
) -> dict[str, list[tuple[float, float]]]:
    """Of every method the share of the scored worlds which was reached by so much of a quantity."""
    found = {}
    for method in methods:
        own = [r for r in rows if r["method"] == method and r["counts"]]
        ends = sorted(_numbers(r[key] for r in filter(has_reached, own)))
        found[method] = [(value, (k + 1) / len(own)) for k, value in enumerate(ends)]
    return found


def compared_of(suite: Suite) -> dict[str, Quantity]:
    """What a suite compares, by column."""
    return {name: suite.kept[name] for name in suite.suite.compare if name in suite.kept}


def rows_of(rows: Sequence[Row], cell: Cell, method: str) -> list[Row]:
    """Those of a method in a family and condition."""
    return [r for r in rows if (r["family"], r["condition"], r["method"]) == (*cell, method)]


def _how_alike(both: Pair) -> tuple[Any, ...]:
    reached = [has_reached(row) for row in both]
    times = [float(row.get("simulated_time_s") or 0.0) for row in both]
    return reached[0] == reached[1], -abs(times[1] - times[0]), run_of(both[0])


def _numbers(values: Any) -> Iterator[float]:
    return (float(v) for v in values if isinstance(v, (int, float)) and math.isfinite(v))


def _number(row: Row, key: str) -> float:
    """What a row has of a quantity, of false alarms how many an hour."""
    if key != ALARMS:
        return float(row[key])
    return (
        float(row[key]) * _HOUR / row["simulated_time_s"] if row["simulated_time_s"] else math.nan
    )


def _told(key: str, quantity: Quantity, rows: Sequence[Row], once: bool) -> str:
    """The mean of a quantity, in the unit of tables; of false alarms their rate, of missed contacts of how many.

    ``once``: the one run there is says it all, and has no interval.
    """
    if key == ALARMS:
        return _alarms(rows, once)
    if key == MISSED and all(row.get(CONTACTS) is not None for row in rows):
        return _missed(rows, once)
    return mean((r[key] for r in rows), limits_of(key)).text(quantity.scale)


def _missed(rows: Sequence[Row], once: bool) -> str:
    """How many contacts were missed of all, with Wilson's interval."""
    felt = [row for row in rows if row[MISSED] is not None]
    missed = sum(int(row[MISSED]) for row in felt)
    contacts = sum(int(row[CONTACTS]) for row in felt)
    if once and contacts:
        return f"{missed} of {contacts}"
    return share_in_words(missed, contacts)


def _alarms(rows: Sequence[Row], once: bool) -> str:
    """The rate of false alarms an hour, with its exact interval."""
    rows = [r for r in rows if r[ALARMS] is not None]
    seconds = sum(_numbers(r["simulated_time_s"] for r in rows))
    if not seconds:
        return "–"
    rate, low, high = alarm_rate(sum(int(r[ALARMS]) for r in rows), seconds)
    return f"{rate:.3g}" if once else f"{rate:.3g} ({low:.3g}–{high:.3g})"
