"""What the command sweep prints: how it goes, what came out."""

import math
import textwrap
import time as clock
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dynamics import printable
from hopfield_nav.cli.report import bar, print_columns, say
from hopfield_nav.sweeps import (
    Best,
    Judged,
    Kept,
    Sweep,
    Value,
    ValueResult,
    conditions_of,
    counted,
    judge,
    seeds_beforehand,
    shown_quantities,
    still_open,
)
from hopfield_nav.sweeps import Progress as ProgressCall

_WIDTH = 80  # of a line of words
_OPEN_SHOWN = 8  # settings that are not settled
_TELLING = 3  # rows after the first, from which a time left is told
_FIRST_LINE, _LINE_EVERY = 5.0, 30.0  # [s] before a line of progress where stderr is no terminal
TIME, PEAK = "simulated_time_s", "peak_contact_force_N"
_SHORT = {
    TIME: "time", "collision_count": "collisions", "graze_count": "grazes", PEAK: "peak force",
    "detection_delay_median_s": "delay", "false_alarm_count": "false alarms",
    "silent_contact_count": "missed",
}  # fmt: skip
_EXPLAINED = (
    "○: the base world's; ★: the best; means over all else, time: of the runs that\n"
    "reached the goal; 95 % intervals: Wilson's for shares, for differences Bonett and\n"
    "Price's (shares) and Student's, from three pairs"
)
_RULE = (
    "arrives most often, fewest false alarms, fewest missed contacts, neighbours as good, "
    "least peak force, of equals the fastest"
)
Row = Mapping[str, Any]


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


class TimeLeft:
    """Rate and time left, from the rows that came in after the first one.

    The first waits for workers to start and to load what they call, which says nothing of the
    others; and a few tell no time yet.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._first: tuple[int, float] | None = None  # rows when the first came in, and the moment

    def line(self, done: int, counts: Counter, now: float | None = None) -> str:
        """How it goes, in a line; to be asked for at every row, at a moment ``now`` [s]."""
        now = clock.monotonic() if now is None else now
        if self._first is None:
            self._first = (done, now)
        first, begin = self._first
        since, elapsed = done - first, now - begin
        told = f"{done} of {self._total} runs"
        if since >= _TELLING and elapsed > 0.0:
            rate = since / elapsed
            left = duration((self._total - done) / rate) if done < self._total else "–"
            told = f"{told}, {rate:.3g} a second, {left} left"
        return f"{told}: {_in_words(counts)}"


def _in_words(outcomes: Counter) -> str:
    return ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())


@contextmanager
def sweep_progress(total: int) -> Iterator[ProgressCall]:
    """A bar on the terminal; where stderr is none, as in a batch system, a line now and then."""
    pace, due = TimeLeft(total), clock.monotonic() + _FIRST_LINE

    def line(done: int, counts: Counter) -> None:
        nonlocal due
        told = pace.line(done, counts)
        if clock.monotonic() >= due:
            due = clock.monotonic() + _LINE_EVERY
            say(told)

    with bar("starting", total) as show:
        yield line if show is None else lambda done, counts: show(pace.line(done, counts), done)


def print_sweep(sweep: Sweep, rows: Sequence[Row], folder: Path) -> None:
    """Print how the runs ended, tables of values and settings, the best of these, and why runs gave no result."""
    own = counted(sweep, rows)
    print(
        printable(f"{len(own)} runs: {_in_words(Counter(str(row.get('outcome')) for row in own))}")
    )
    judged = judge(sweep, rows)
    for table in judged.tables:
        _print_values(sweep, ", ".join(table.names), table.results)
    _print_settings(sweep, judged, rows)
    _print_reasons(sweep, rows)
    print(_EXPLAINED)
    print(printable(f"every run: {folder / 'sweep.csv'}"))
    print(printable(f"folder: {folder}"))


def _print_settings(sweep: Sweep, judged: Judged, rows: Sequence[Row]) -> None:
    """The best settings beside the base world's, what differs between them, and how the best was chosen."""
    table = judged.settings
    if table is None:
        return
    last = [key.rpartition(".")[2] for key in table.names]
    alone = [
        last.count(part) == 1 and not part.isdecimal() for part in last
    ]  # no other key ends like it
    short = [part if one else key for key, part, one in zip(table.names, last, alone, strict=True)]
    shown, name = table.results, ", ".join(short)
    if len(shown) < table.count:
        print(f"the best of {table.count} settings" + ", and ○" * shown[-1].is_base)
    _print_values(sweep, name, shown)
    _print_differences(sweep, name, shown)
    first, *methods = judged.best
    for line in best_lines(sweep, judged, first):
        print(
            textwrap.fill(printable(line), _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        )
    for line in verdict_lines(sweep, judged, rows):
        print(
            textwrap.fill(printable(line), _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        )
    if methods:
        print("\nevery method's own best")
        _print_values(sweep, name, [best.result for best in methods])


def best_lines(sweep: Sweep, judged: Judged, best: Best) -> list[str]:
    """Which setting is the best, by what, and what to keep in mind."""
    choice, aim, layout = best.choice, sweep.file.aim, judged.layout
    names = judged.settings.names if judged.settings else ()
    setting = ", ".join(
        f"{name} {text}" for name, text in zip(names, best.result.label, strict=True)
    )
    if choice.best is None:
        why = "no run arrived" if aim is None else "no setting keeps to the aim"
        lines = [
            f"★ none: {why}; nearest: {setting} ({choice.fails[choice.nearest] or 'nothing to compare'})"
        ]
    else:
        lines = [f"★ {setting}" + (f"; at the edge of {best.edges}" if best.edges else "")]
    lines.append(f"by the rule: {_RULE}" if aim is None else f"by the aim: {aim}")
    if aim is not None:
        lines += map(_condition_line, conditions_of(judged.compared, choice.nearest, aim))
    if choice.few:
        more = "; add repeats" if sweep.is_random else ""
        equal = (
            f"{choice.alike} within 2 % count as equal"
            if choice.alike > 1
            else "none is within 2 % of it"
        )
        lines.append(f"fewer than 5 pairs of seeds: {equal}{more}")
    elif choice.alike > 1 and judged.stage is None:
        lines.append(
            f"the fastest of {choice.alike} whose peak forces the pairs of seeds cannot tell apart"
        )
    if not choice.beside:
        lines.append("no setting has neighbours that are as good: chosen without them")
    alone = layout.names(
        k for k, order in enumerate(layout.orders) if order is None and layout.shape[k] > 1
    )
    if aim is None and alone:
        lines.append(f"words and drawn values have no neighbours: {alone}")
    if layout.base is None:
        lines.append("the base world's setting was not run: no differences from it")
    return lines


def _condition_line(kept: Kept) -> str:
    """How the setting that is named stands with a condition of the aim."""
    value = kept.value
    if kept.is_share:
        count = round(value.estimate * value.n)
        found = f"{count} of {value.n} runs ({100 * value.low:.0f}–{100 * value.high:.0f} %)"
    else:
        found = f"{value.text(1.0)} in {value.n} runs"
    more = "" if kept.runs is None else f"; {kept.runs} runs that go on so would show it"
    return f"{kept.condition}: {kept.words}, {found}{more}"


def lines_beforehand(sweep: Sweep) -> list[str]:
    """What a sweep that goes on until it is decided may take, before its first run."""
    seeds = [f"{number} for {words}" for words, number in seeds_beforehand(sweep).items()]
    return [f"seeds of a setting to show what takes most: {'; '.join(seeds)}"]


def verdict_lines(sweep: Sweep, judged: Judged, rows: Sequence[Row]) -> list[str]:
    """What is decided, or what stays open and how many seeds that would take."""
    if sweep.budget is None:
        return []
    if judged.stage is None:
        return ["decided: nothing in these runs is random, so that one of each setting says all"]
    verdict, seeds = judged.stage.verdict, judged.stage.judged
    if verdict is None:
        return ["not decided: not even the first round is complete"]
    spent = f"{int(seeds.sum())} runs, {int(seeds.min())} to {int(seeds.max())} seeds a setting"
    if verdict.none:
        return [f"decided: no setting keeps what it must; {spent}"]
    if verdict.decided:
        others = [", ".join(judged.labels[k]) for k in verdict.equal]
        equal = f"; equal to it: {'; '.join(others)}" if others else ""
        how = "wrong with a probability of 5 % at the most, however often it was looked at"
        return [f"decided: ★ is the best, or equal to it ({how}); {spent}{equal}"]
    lines = [f"not decided: {len(verdict.standings)} of {len(seeds)} settings are open; {spent}"]
    found = sorted(still_open(sweep, rows, judged.stage), key=lambda one: one.seeds)
    waiting = [one for one in found if one.leader_alone]
    further = [one for one in found if not one.leader_alone]
    if waiting:
        most = waiting[-1]
        what = "1 setting waits" if len(waiting) == 1 else f"{len(waiting)} settings wait"
        lines.append(
            f"{what} for runs of ★ alone: {', '.join(most.open)}; {_many_seeds(most.seeds)} of it"
        )
    for one in further[:_OPEN_SHOWN]:
        label = ", ".join(judged.labels[one.setting])
        lines.append(f"open: {label}: {', '.join(one.open)}; {_many_seeds(one.seeds)}")
    if len(further) > _OPEN_SHOWN:
        lines.append(f"open: {len(further) - _OPEN_SHOWN} more, which take longer")
    return lines


def _many_seeds(seeds: float) -> str:
    """About how many, in words."""
    return f"about {seeds:.0f} seeds" if math.isfinite(seeds) else "no number of seeds can be told"


def _print_values(sweep: Sweep, name: str, results: Sequence[ValueResult]) -> None:
    quantities = {name: sweep.kept[name] for name in shown_quantities(sweep)}
    heads = [_SHORT.get(name, quantity.label) for name, quantity in quantities.items()]
    lines = [
        [*_named(result), _share(result.reached)]
        + [
            quantity.text(float(f"{result.means[n].estimate:.3g}"))
            for n, quantity in quantities.items()
        ]
        for result in results
    ]
    print_columns(["", name, "reached (95 %)", *heads], lines, labels=2)


def _named(result: ValueResult) -> list[str]:
    """The first two cells of a value's line: its marks and its label."""
    return ["★" * result.is_best + "○" * result.is_base, ", ".join(result.label)]


def _print_differences(sweep: Sweep, name: str, results: Sequence[ValueResult]) -> None:
    compared = [result for result in results if any(gap.n for gap in result.differences.values())]
    if not compared:
        return
    kept = [(key, sweep.kept[key]) for key in (PEAK, TIME) if key in sweep.kept]
    lines = [
        [*_named(result), result.differences["reached"].text(100.0, difference=True)]
        + [result.differences[key].text(quantity.scale, difference=True) for key, quantity in kept]
        for result in compared
    ]
    heads = [f"{_SHORT[key]} [{quantity.shown}]" for key, quantity in kept]
    print("differences from ○, in pairs of a seed")
    print_columns(["", name, "reached [%]", *heads], lines, labels=2)


def _print_reasons(sweep: Sweep, rows: Sequence[Row]) -> None:
    """Why runs gave no result, and with which values first."""
    first = {str(row["error"]): row for row in reversed(rows) if row.get("error")}
    for reason, count in Counter(
        str(row["error"]) for row in rows if row.get("error")
    ).most_common():
        values = ", ".join(f"{name}={first[reason][name]}" for name in sweep.parameters)
        print(printable(f"{count} of {len(rows)} runs, first that with {values}: {reason}"))


def _share(value: Value) -> str:
    if not value.n:
        return "–"
    count = round(value.estimate * value.n)
    return f"{count}/{value.n}  {value.estimate:.0%} ({100 * value.low:.0f}–{100 * value.high:.0f})"
