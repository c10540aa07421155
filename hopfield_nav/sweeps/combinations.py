"""What a sweep's combinations of values would be refused for, each tried once before anything runs."""

import math
import time as clock
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dynamics import BadInput
from hopfield_nav.sweeps.job import watched
from hopfield_nav.sweeps.sweep_file import Job, Sweep


@dataclass(frozen=True)
class Tried:
    """Combinations that were tried."""

    count: int  # of those tried; each has one seed
    total: int  # of all; more than tried where the time was up
    refused: dict[str, list[Job]]  # by the reason, every combination that would be refused for it


def try_combinations(
    sweep: Sweep, seconds: float = math.inf, progress: Callable[[int, int], None] | None = None
) -> Tried:
    """Begin the run of every combination of values with its first seed, and stop before it moves.

    After the first one others are begun for some ``seconds``; their worlds are all looked at.
    """
    jobs = list(_first_of_each(sweep))
    refused: dict[str, list[Job]] = {}

    def is_good(job: Job, begin: bool) -> bool:
        faults = _faults(sweep, job, begin)
        for fault in dict.fromkeys(faults):
            refused.setdefault(fault, []).append(job)
        return not faults

    able = [job for job in jobs if is_good(job, begin=False)]
    count, ends = len(jobs) - len(able), math.inf
    for job in able:
        if clock.monotonic() > ends:
            break
        is_good(job, begin=True)
        if ends == math.inf:  # the first one compiles
            ends = clock.monotonic() + seconds
        count += 1
        if progress is not None:
            progress(count, len(jobs))
    return Tried(count, len(jobs), refused)


def _first_of_each(sweep: Sweep) -> Iterator[Job]:
    """The first run of every combination; of values that are seeds the first."""
    seeds = [axis[0] for axis in sweep.grid if all(column.is_seed for column in axis)]
    for index in range(0, sweep.count, sweep.repeats):
        job = sweep.job(index)
        if all(job.values[column.name] == column.value(0) for column in seeds):
            yield job


def _faults(sweep: Sweep, job: Job, begin: bool) -> list[str]:
    """Why the world does not allow a combination, which takes no time; or why its run would not ``begin``."""
    from hopfield_nav.experiment import try_world

    try:
        with watched(sweep.file.patience):
            world = sweep.world_for(job)
            return [str(fault) for fault in try_world(world).faults] if begin else []
    except BadInput as error:
        return [str(fault) for fault in (error, *error.others)]
    except Exception as error:  # of a user's method
        return [f"{type(error).__name__}: {error}"]
