"""Which runs of a sweep would be refused."""

import math
import time as clock
from collections.abc import Callable

from dynamics import BadInput
from hopfield_nav.sweeps.job import watched
from hopfield_nav.sweeps.sweep_file import Job, Sweep


def try_combinations(
    sweep: Sweep, seconds: float = math.inf, progress: Callable[[int, int], None] | None = None
) -> tuple[int, int, dict[str, list[Job]]]:
    """Begin the run of every combination of values with its first seed, and stop before it moves.

    After the first one others are begun for some ``seconds``; their worlds are all looked at. How many were tried, how
    many there are, and by the reason every one that would be refused.
    """
    seeds = [axis[0] for axis in sweep.grid if all(column.is_seed for column in axis)]  # of which the first is tried
    every = (sweep.job(index) for index in range(0, sweep.count, sweep.file.repeats))
    jobs = [job for job in every if all(job.values[seed.name] == seed.value(0) for seed in seeds)]
    faults = [_faults(sweep, job, begin=False) for job in jobs]
    count, ends = sum(map(bool, faults)), math.inf
    for k, job in enumerate(jobs):
        if clock.monotonic() > ends:
            break
        if faults[k]:
            continue
        faults[k] = _faults(sweep, job, begin=True)
        if ends == math.inf:  # the first one compiles
            ends = clock.monotonic() + seconds
        count += 1
        if progress is not None:
            progress(count, len(jobs))
    refused: dict[str, list[Job]] = {}
    for job, reasons in zip(jobs, faults, strict=True):
        for reason in dict.fromkeys(reasons):
            refused.setdefault(reason, []).append(job)
    return count, len(jobs), refused


def _faults(sweep: Sweep, job: Job, begin: bool) -> list[str]:
    """Why the world does not allow a combination, which takes no time; or why its run would not ``begin``."""
    from hopfield_nav.experiment import try_world

    try:
        with watched(sweep.file.patience):
            world = sweep.world_for(job)
            if begin:
                try_world(world)
        return []
    except BadInput as error:
        return [str(fault) for fault in (error, *error.others)]
    except Exception as error:  # of a user's method
        return [f"{type(error).__name__}: {error}"]
