"""Two worlds over the same seeds: what differs between the two runs of a seed, with its interval.

Where obstacles or noise are drawn from the seed, both worlds meet the same ones, so that the differences vary less
than the runs do.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dynamics import BadInput
from hopfield_nav.experiment import simulate
from hopfield_nav.record import is_reached
from hopfield_nav.sweeps.statistics import PairedValue, limits_of, paired_means, paired_shares
from hopfield_nav.world import World

QUANTITIES = (
    "simulated_time_s",
    "collision_count",
    "graze_count",
    "false_alarm_count",
    "repeated_alarm_count",
    "peak_contact_force_N",
    "detection_delay_median_s",
    "detection_delay_max_s",
    "final_tool_error_m",
)  # of a summary


class Compared(NamedTuple):
    """Two worlds over the same seeds."""

    pairs: dict[
        str, PairedValue
    ]  # by the name of the quantity; ``reached`` is 1 for a run that reached its goal, else 0
    alike: bool  # whether every seed gave the same numbers, as where nothing is random


def compare_with_first(
    worlds: Sequence[World], seeds: Sequence[int], progress: Callable[[int, int], None] | None = None
) -> list[Compared]:
    """Run worlds with every seed and compare each after the first with the first, seed by seed.

    ``progress`` is called after every run with the number of runs done and of all.

    Raises ``BadInput``: no seed, or what ``simulate`` refuses.
    """
    if not seeds:
        raise BadInput("no seeds", allowed="one or more")
    rows: list[list[dict[str, float]]] = [[] for _ in worlds]
    for seed in seeds:
        for world, done in zip(worlds, rows, strict=True):
            done.append(_numbers(world, seed))
            if progress is not None:
                progress(sum(map(len, rows)), len(worlds) * len(seeds))
    first, *others = rows
    return [
        Compared(
            {name: _pair(name, *([row[name] for row in done] for done in (first, other))) for name in first[0]},
            all(row == done[0] for done in (first, other) for row in done[1:]),
        )
        for other in others
    ]


def _numbers(world: World, seed: int) -> dict[str, float]:
    """What is compared of one run; NaN where it has no such number."""
    quiet = world.with_changes(record=world.record.model_copy(update={"signals": "none"}))
    summary: dict[str, Any] = simulate(quiet, seed).summary
    numbers = {name: math.nan if summary[name] is None else float(summary[name]) for name in QUANTITIES}
    return {"reached": float(is_reached(summary)), **numbers}


def _pair(name: str, first: list[float], second: list[float]) -> PairedValue:
    return paired_shares(first, second) if name == "reached" else paired_means(first, second, limits_of(name))
