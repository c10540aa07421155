"""One run of a sweep, and its row in the table: whatever happens, there is a row.

``warm_up`` compiles what the runs call, so that it is ready in this process before the first job.
"""

import contextlib
import time as clock
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dynamics import BadInput, HopfieldNavError
from dynamics.files import remove_folder
from dynamics.kernels.cache import filling_cache
from hopfield_nav.plugin import MethodFailed
from hopfield_nav.record import Run
from hopfield_nav.sweeps.patience import overdue, watched
from hopfield_nav.sweeps.sweep_file import Job, Sweep
from hopfield_nav.sweeps.table import make_row

FAILED, TIMED_OUT, GIVEN_UP, METHOD_FAILED = "failed", "timed_out", "given_up", "method_failed"
RUNS = "runs"  # the folder of those that are kept
FAILURES = (FAILED, METHOD_FAILED, "internal_error")  # outcomes of what did not work as it should
_WORTH_A_REASON = ("diverged", METHOD_FAILED, "internal_error")  # outcomes of a simulation that say in `error` why
_warm: set[str] = set()


class _GaveUp(Exception):
    """The run has had its wall time."""


def run_job(sweep: Sweep, index: int, folder: Path | None = None) -> dict[str, Any]:
    """The row of a job: index, repeat, seed, swept values, quantities, and ``error``; never raises.

    ``error`` says why the outcome is ``timed_out``, ``diverged`` or one of ``FAILURES``; else None.
    """
    job = sweep.job(index)
    late = overdue(sweep, index, folder)
    if late is not None:
        return late
    with watched(sweep, index, folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a diverging run overflows; its row says so
        try:
            summary = _simulate(sweep, job, folder)
        except _GaveUp:
            reason = f"given up after {sweep.file.time_limit_per_run:g} s of wall time"
            return make_row(sweep, job, {"outcome": TIMED_OUT}, reason)
        except Exception as error:
            failed = isinstance(error, MethodFailed)
            return make_row(sweep, job, {"outcome": METHOD_FAILED if failed else FAILED}, _told(error))
    why = str(summary["reason"]) if summary["outcome"] in _WORTH_A_REASON else None
    return make_row(sweep, job, summary, why)


def failed_row(sweep: Sweep, index: int, reason: str) -> dict[str, Any]:
    """The row of a run that gave no result."""
    return make_row(sweep, sweep.job(index), {"outcome": FAILED}, reason)


def run_folder(folder: Path, index: int) -> Path:
    """Where a run of a sweep is kept."""
    return folder / RUNS / f"{index:06d}"


def _simulate(sweep: Sweep, job: Job, folder: Path | None) -> Mapping[str, Any]:
    limit = sweep.file.time_limit_per_run
    deadline = None if limit is None else clock.monotonic() + limit
    touches = sweep.file.until.touches

    def goes_on(time: float, collisions: int) -> bool:
        if deadline is not None and clock.monotonic() > deadline:
            raise _GaveUp
        return touches is None or collisions < touches

    simulation = sweep.start(job)
    try:
        run = simulation.run(None, goes_on)
    except Exception as error:
        if not hasattr(error, "run"):  # which an error of the program has
            raise
        run = error.run
    if sweep.file.keep == "runs" and folder is not None:
        place = run_folder(folder, job.index)
        remove_folder(place, folder)  # what a killed worker may have left of it
        run.save(place)
    outcome = {"outcome": GIVEN_UP} if run.outcome == "running" else {}
    return {**run.summary, **outcome, **sweep.extra(run), **_measured(sweep, run)}


def _measured(sweep: Sweep, run: Run) -> Mapping[str, Any]:
    """The columns of somebody's own."""
    measures = sweep.measures
    if measures is None:
        return {}
    try:
        found = dict(measures.function(run))
    except (Exception, SystemExit) as error:
        raise BadInput(f"measures {sweep.file.measures}: {type(error).__name__}: {error}") from error
    if found.keys() != measures.columns.keys():
        told = f"measures {sweep.file.measures} gives other columns"
        raise BadInput(told, found=list(found), allowed=", ".join(measures.columns))
    return found


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, HopfieldNavError) else f"{type(error).__name__}: {error}"


def warm_up(sweep: Sweep) -> None:
    """Compile, or load, everything that the sweep's runs may call; once a process.

    Processes of one machine wait for each other: Numba's cache is filled by one at a time.
    """
    from hopfield_nav.experiment import PARTS, compile_part

    if sweep.digest in _warm:
        return
    with filling_cache():
        for name in PARTS:
            compile_part(name)
        _start_one(sweep)
    _warm.add(sweep.digest)


def _start_one(sweep: Sweep) -> None:
    """The first job, for a moment: it meets the arrays of this very world."""
    if sweep.calls_own:  # which may hang: its row will tell
        return
    with contextlib.suppress(Exception):  # its row will say what is wrong
        sweep.start(sweep.job(0)).step(0.1)
