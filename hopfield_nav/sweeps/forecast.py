"""What a sweep will take, time and disk, estimated from a few of its runs; and which of its runs would be refused."""

import math
import tempfile
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dynamics import BadInput
from hopfield_nav.sweeps.job import warm_up, watched
from hopfield_nav.sweeps.sweep_file import Job, Sweep

_ENOUGH = 2.0  # [s] of runs that are tried, after which no other is begun
_SLICE = 0.5  # [s] simulated between two looks at the clock
_CELL = 16  # bytes of a number in both tables together, about
_START, _PAGE = 4.0, 1.0  # [s] that workers take to begin, and a figure, about
_LONGEST_PROBE = 5.0  # [s] of wall time for one run


@dataclass(frozen=True)
class SweepEstimate:
    """Estimated time and disk space of a sweep."""

    runs: int  # still to do
    run_seconds: float  # wall time of one
    seconds: float  # wall time of all, on the given number of workers
    start: float  # wall time until the workers are there
    figures: float  # wall time of drawing
    disk: int  # bytes of the results

    @property
    def total(self) -> float:
        """Wall time of everything."""
        return self.start + self.seconds + self.figures


def estimate(sweep: Sweep, runs: int, workers: int, drawn: bool = True) -> SweepEstimate:
    """Try the first, the last and the middle job of a sweep for a moment, and tell what its runs will take.

    Without workers this process does it all; figures are ``drawn`` in the end.
    """
    warm_up(sweep)
    probes, started = [], clock.monotonic()
    for index in sorted({0, sweep.count - 1, sweep.count // 2}, key=lambda i: (i != 0, i)):
        probes.append(_probe(sweep, index))
        if clock.monotonic() - started > _ENOUGH:
            break
    seconds, kept = (sum(column) / len(probes) for column in zip(*probes, strict=True))
    row = _CELL * (4 + len(sweep.parameters) + len(sweep.kept))
    share = runs * seconds / max(1, min(workers, runs))
    start, figures = (workers > 0) * _START, drawn * _pages(sweep) * _PAGE
    return SweepEstimate(runs, seconds, share, start, figures, round(runs * (row + kept)))


def _pages(sweep: Sweep) -> int:
    """How many figures a sweep has: outcomes, lines over each parameter or heat maps, and fronts."""
    count = len(sweep.parameters)
    return 1 + (1 if count == 2 else count) + (count > 1)


def _probe(sweep: Sweep, index: int) -> tuple[float, int]:
    """Seconds of a run, at most, if it is long: to its time limit; and bytes of its folder."""
    started, most = clock.monotonic(), sweep.file.time_limit_per_run
    try:
        with watched(sweep.file.patience):
            simulation = sweep.start(sweep.job(index))
            begun = clock.monotonic()
            while simulation.step(_SLICE) is None:
                if clock.monotonic() - started > _LONGEST_PROBE:
                    break
            seconds = clock.monotonic() - started
            if simulation.outcome is None:
                share = simulation.world.time_limit / simulation.time - 1.0
                seconds += share * (clock.monotonic() - begun)
            kept = 0
            if sweep.file.keep == "runs":
                with tempfile.TemporaryDirectory() as folder:
                    place = simulation.record().save(Path(folder) / "run")
                    kept = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    except Exception:  # its row will say what is wrong
        return clock.monotonic() - started, 0
    return seconds if most is None else min(seconds, most), kept


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
    return Tried(count, len(jobs), refused)


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
