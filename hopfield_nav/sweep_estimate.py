"""What a sweep will take, from a few of its runs: time and disk."""

from __future__ import annotations

import tempfile
import time as clock
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hopfield_nav.sweep_warm import warm_up

if TYPE_CHECKING:
    from hopfield_nav.sweep_file import Sweep

_PROBES, _ENOUGH = 3, 2.0  # runs to try, and the seconds after which no other is begun
_SLICE = 0.5  # [s] simulated between two looks at the clock
_CELL = 16  # bytes of a number in both tables together, about
_LONGEST_PROBE = 5.0  # [s] of wall time for one run


@dataclass(frozen=True)
class Estimate:
    """About what a sweep takes.

    Attributes:
        runs: still to do.
        run_seconds: wall time of one.
        seconds: wall time of all, on the given number of workers.
        disk: bytes of the results.
    """

    runs: int
    run_seconds: float
    seconds: float
    disk: int


def estimate(sweep: Sweep, runs: int, workers: int) -> Estimate:
    """Try the first, the last and the middle job of a sweep for a moment.

    Args:
        sweep: to look at.
        runs: how many are still to do.
        workers: that share them.
    """
    warm_up(sweep)
    probes, started = [], clock.monotonic()
    for index in sorted({0, sweep.count - 1, sweep.count // 2}, key=lambda i: (i != 0, i))[:_PROBES]:
        probes.append(_probe(sweep, index))
        if clock.monotonic() - started > _ENOUGH:
            break
    seconds, kept = (sum(column) / len(probes) for column in zip(*probes, strict=True))
    row = _CELL * (4 + len(sweep.parameters) + len(sweep.quantities))
    return Estimate(runs, seconds, runs * seconds / max(1, min(workers, runs)), round(runs * (row + kept)))


def _probe(sweep: Sweep, index: int) -> tuple[float, int]:
    """Seconds of a run, extrapolated to its time limit if it is long, and bytes of its folder."""
    from hopfield_nav.simulation import Simulation

    job, started = sweep.job(index), clock.monotonic()
    try:
        world = sweep.world_for(job)
        simulation = Simulation(world, seed=job.seed)
        while simulation.step(_SLICE) is None:
            if clock.monotonic() - started > _LONGEST_PROBE:
                break
        seconds = clock.monotonic() - started
        if simulation.outcome is None:
            seconds *= world.time_limit / simulation.time
        kept = _folder_size(simulation) if sweep.keep == "runs" else 0
    except Exception:  # its row will say what is wrong
        return clock.monotonic() - started, 0
    if sweep.time_limit_per_run is not None:
        seconds = min(seconds, sweep.time_limit_per_run)
    return seconds, kept


def _folder_size(simulation: object) -> int:
    with tempfile.TemporaryDirectory() as folder:
        place = simulation.record().save(Path(folder) / "run")  # type: ignore[attr-defined]
        return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
