"""What a sweep will take: time and disk, estimated from a few of its runs."""

import tempfile
import time as clock
from dataclasses import dataclass
from pathlib import Path

from hopfield_nav.experiment import last_seconds
from hopfield_nav.sweeps.job import warm_up, watched
from hopfield_nav.sweeps.sweep_file import Sweep

_ENOUGH = 2.0  # [s] of runs that are tried, after which no other is begun
_SLICE = 0.5  # [s] simulated between two looks at the clock
_CELL = 16  # bytes of a number in both tables together, about
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

    What else it takes, it took the last time on this machine. Without workers this process does it all; figures are
    ``drawn`` in the end.
    """
    warm_up(sweep)
    probes, started = [], clock.monotonic()
    for index in sorted({0, sweep.count - 1, sweep.count // 2}, key=lambda i: (i != 0, i)):
        probes.append(_probe(sweep, index))
        if clock.monotonic() - started > _ENOUGH:
            break
    seconds, kept = (sum(column) / len(probes) for column in zip(*probes, strict=True))
    row = _CELL * (4 + len(sweep.parameters) + len(sweep.quantities))
    share = runs * seconds / max(1, min(workers, runs))
    start = (workers > 0) * last_seconds("workers", 5.0)
    figures = drawn * _pages(sweep) * last_seconds("page", 1.0)
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
            kept = _folder_size(simulation) if sweep.file.keep == "runs" else 0
    except Exception:  # its row will say what is wrong
        return clock.monotonic() - started, 0
    return seconds if most is None else min(seconds, most), kept


def _folder_size(simulation: object) -> int:
    with tempfile.TemporaryDirectory() as folder:
        place = simulation.record().save(Path(folder) / "run")  # type: ignore[attr-defined]
        return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
