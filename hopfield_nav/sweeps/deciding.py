"""A sweep that goes on until its best setting is decided.

Which runs each round lacks, what is decided in the end, what stays open, and how many seeds that
takes.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from hopfield_nav.sweeps.any_time import runs_to_show
from hopfield_nav.sweeps.choice import Choice, choose
from hopfield_nav.sweeps.gaps import Gap
from hopfield_nav.sweeps.rounds import Stage, decided_choice, first_stage, go_on, used
from hopfield_nav.sweeps.sections import REACHED, Equal
from hopfield_nav.sweeps.settings import ALARMS, PEAK, Layout, Settings, arrays_of, counted
from hopfield_nav.sweeps.shown import least_seeds
from hopfield_nav.sweeps.sweep_file import Sweep
from hopfield_nav.sweeps.verdict import ERROR, Undecided, contest_of, undecided

Row = Mapping[str, Any]


def rounds_of(sweep: Sweep, rows: list[Any]) -> Iterator[list[int]]:
    """The runs that each round lacks, after the ``rows`` that are there when it is asked for.

    ``sweep`` has as many repeats as its budget may need.
    """
    assert sweep.budget is not None
    layout = Layout(sweep)
    stage = first_stage(layout.count, sweep.budget)
    while not stage.ended:
        done = {row["index"] for row in rows}
        missing = [index for index in _runs(sweep, stage.seeds) if index not in done]
        if missing:
            yield missing
        if nothing_random(sweep, rows):
            return
        settings, _ = settings_so_far(sweep, rows)
        stage = go_on(stage, settings, sweep.file.aim, sweep.budget)


def settings_so_far(sweep: Sweep, rows: Iterable[Row]) -> tuple[Settings, Layout]:
    """The runs of rows by setting, repeats that are the same run included."""
    rows = list(rows)
    seeds = 1 + max((row["repeat"] for row in rows), default=0)
    fitting = sweep.with_repeats(seeds)
    old = sweep.file.repeats
    placed = [{**row, "index": row["index"] // old * seeds + row["repeat"]} for row in rows]
    return arrays_of(fitting, placed)


def nothing_random(sweep: Sweep, rows: Iterable[Row]) -> bool:
    """Whether all runs of every setting are the same."""
    rows = list(rows)
    settings = {row["index"] // sweep.file.repeats for row in rows}
    return not sweep.is_random or len(rows) > len(settings) == len(counted(sweep, rows))


def choice_of(sweep: Sweep, settings: Settings, rows: Iterable[Row]) -> tuple[Choice, Stage | None]:
    """The best setting, and how far a sweep has come that goes on until it is decided."""
    rows = list(rows)
    if sweep.budget is None or nothing_random(sweep, rows):
        return choose(settings, sweep.file.aim), None
    so_far, _ = settings_so_far(sweep, rows)
    return decided_choice(so_far, sweep.file.aim, sweep.budget)


def seeds_beforehand(sweep: Sweep) -> dict[str, int]:
    """How many seeds of a setting it takes to show what takes most, by the words of what is shown."""
    settings, _ = arrays_of(sweep.with_repeats(1), [])
    aim = sweep.file.aim
    level = ERROR / contest_of(settings, aim).claims
    equal = Equal() if aim is None else aim.equal
    seeds = least_seeds(equal, level)
    conditions = {} if aim is None else aim.conditions
    found = {}
    for name in (REACHED, ALARMS, PEAK) if aim is None else aim.names:
        gap = Gap.of(name, equal)
        condition = conditions.get(name)
        if name == REACHED and condition is not None and 0.0 < condition.number < 1.0:
            words = f"a share of {condition.number:g}, if all runs arrive"
            found[words] = runs_to_show(condition.number, level)
        elif name == REACHED:
            found[f"equal shares, within {gap.zone:g}, if all runs arrive"] = seeds["share"]
        elif gap.relative:
            found[f"equal forces and the like, within {100 * gap.zone:g} %"] = seeds["force"]
        else:
            found[f"equal counts, within {gap.zone:g} a run"] = seeds["count"]
    return found


def still_open(sweep: Sweep, rows: Iterable[Row], stage: Stage) -> list[Undecided]:
    """The settings that are not settled, what is open, and how many seeds that takes."""
    if stage.verdict is None or stage.verdict.decided:
        return []
    settings, _ = settings_so_far(sweep, rows)
    return list(undecided(used(settings, stage), sweep.file.aim))


def _runs(sweep: Sweep, seeds: np.ndarray) -> Iterator[int]:
    """The runs of so many seeds of every setting, one seed of each after the other."""
    for repeat in range(int(seeds.max())):
        for setting in np.flatnonzero(seeds > repeat):
            yield int(setting) * sweep.file.repeats + repeat
