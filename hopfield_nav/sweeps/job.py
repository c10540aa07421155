"""One run of a sweep, and its row in the table: whatever happens, there is a row.

``warm_up`` compiles what the runs call, so that it is ready in this process before the first job;
``try_combinations`` finds the runs that would be refused.
"""

import math
import signal
import threading
import time as clock
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from dynamics import BadInput, HopfieldNavError
from dynamics.files import remove_folder
from dynamics.kernels.cache import filling_cache
from hopfield_nav.plugin import MethodFailed, Overdue, in_this_folder, watching
from hopfield_nav.record import Run
from hopfield_nav.sweeps.sweep_file import Job, Sweep
from hopfield_nav.sweeps.table import make_row

FAILED, TIMED_OUT, GIVEN_UP, METHOD_FAILED = "failed", "timed_out", "given_up", "method_failed"
RUNS = "runs"  # the folder of those that are kept
FAILURES = (FAILED, METHOD_FAILED, "internal_error")  # outcomes of what did not work as it should
_WORTH_A_REASON = (
    "diverged",
    GIVEN_UP,
    METHOD_FAILED,
    "internal_error",
)  # outcomes of a simulation that say in `error` why
_warm: set[str] = set()


class _GaveUp(Exception):
    """The run has had its wall time."""


def run_job(sweep: Sweep, index: int, folder: Path | None = None) -> dict[str, Any]:
    """The row of a job: index, repeat, seed, swept values, quantities, and ``error``; never raises.

    ``error`` says why the outcome is ``timed_out``, ``diverged`` or one of ``FAILURES``, or which
    storm of false alarms ended it; else None.
    """
    job = sweep.job(index)
    with in_this_folder(), watched(sweep.file.patience), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a diverging run overflows; its row says so
        try:
            summary = _simulate(sweep, job, folder)
        except _GaveUp:
            return make_row(sweep, job, {"outcome": TIMED_OUT}, given_up(sweep))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # of whatever kind a user's setup or measures raise it
            outcome = METHOD_FAILED if isinstance(error, MethodFailed) else FAILED
            reason = (
                str(error)
                if isinstance(error, HopfieldNavError)
                else f"{type(error).__name__}: {error}"
            )
            return make_row(sweep, job, {"outcome": outcome}, reason)
    why = str(summary["reason"]) if summary["outcome"] in _WORTH_A_REASON else None
    return make_row(sweep, job, summary, why)


def given_up(sweep: Sweep) -> str:
    """Why a run is ``timed_out``."""
    return f"given up after {sweep.file.time_limit_per_run:g} s of wall time"


@contextmanager
def watched(patience: float) -> Iterator[None]:
    """A block in which one call of a user's method may take so long [s], unless somebody else watches already.

    A signal ends it as soon as it runs Python: in the main thread, on systems that have the signal.
    """
    main = threading.current_thread() is threading.main_thread()
    if watching or not main or not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_: object) -> None:
        raise Overdue(f"one call took longer than {patience:g} s")

    @contextmanager
    def one_call(_: str) -> Iterator[None]:
        before = signal.setitimer(signal.ITIMER_REAL, patience, patience)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *before)

    handler = signal.signal(signal.SIGALRM, end)
    watching.append(one_call)
    try:
        yield
    finally:
        watching.remove(one_call)
        signal.signal(signal.SIGALRM, handler)


def run_folder(folder: Path, index: int) -> Path:
    """Where a run of a sweep is kept."""
    return folder / RUNS / f"{index:06d}"


def _simulate(sweep: Sweep, job: Job, folder: Path | None) -> Mapping[str, Any]:
    limit = sweep.file.time_limit_per_run
    deadline = None if limit is None else clock.monotonic() + limit
    until = sweep.file.until
    simulation = sweep.start(job)

    def goes_on(time: float, touches: int) -> bool:
        if deadline is not None and clock.monotonic() > deadline:
            raise _GaveUp
        if until.touches is not None and touches >= until.touches:
            return False
        if touches < until.false_alarms:
            return True
        return sum(d.false_alarm for d in simulation.detections) < until.false_alarms

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
    given_up = {"outcome": GIVEN_UP, "reason": ""} if run.outcome == "running" else {}
    if given_up and run.summary["false_alarm_count"] >= until.false_alarms:
        given_up["reason"] = f"given up after {until.false_alarms} false alarms"
    return {**run.summary, **given_up, **sweep.extra(run), **_measured(sweep, run)}


def _measured(sweep: Sweep, run: Run) -> Mapping[str, Any]:
    """The columns of a user's own."""
    measures = sweep.measures
    if measures is None:
        return {}
    try:
        found = dict(measures.function(run))
    except (KeyboardInterrupt, Overdue):
        raise
    except BaseException as error:
        raise BadInput(
            f"measures {sweep.file.measures}: {type(error).__name__}: {error}"
        ) from error
    if found.keys() != measures.columns.keys():
        what, allowed = (
            f"measures {sweep.file.measures} gives other columns",
            ", ".join(measures.columns),
        )
        raise BadInput(what, found=list(found), allowed=allowed)
    return found


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
        load_first(sweep)
    _warm.add(sweep.digest)


def load_first(sweep: Sweep) -> None:
    """Run the first job for a moment, which loads what a run of this sweep calls."""
    if sweep.calls_own:  # which may hang: its row will tell
        return
    with suppress(Exception):  # its row will say what is wrong
        sweep.start(sweep.job(0)).step(0.1)


class Tried(NamedTuple):
    """What a trial of the combinations of a sweep found."""

    begun: int  # that were tried
    total: int  # that there are
    refused: dict[str, list[Job]]  # by the reason every one that would be refused
    storms: list[tuple[Job, str]]  # those that begin with false alarms, and what is said of it


def try_combinations(
    sweep: Sweep, seconds: float = math.inf, progress: Callable[[int, int], None] | None = None
) -> Tried:
    """Begin the run of every combination of values with its first seed, and stop after a moment.

    After the first one others are begun for some ``seconds``; their worlds are all looked at. A
    sweep that calls methods of a user's own stops before the arm moves.
    """
    seeds = [
        axis[0] for axis in sweep.grid if all(column.is_seed for column in axis)
    ]  # of which the first is tried
    every = (sweep.job(index) for index in range(0, sweep.count, sweep.file.repeats))
    jobs = [job for job in every if all(job.values[seed.name] == seed.value(0) for seed in seeds)]
    faults = [_faults(sweep, job) for job in jobs]
    storms: list[tuple[Job, str]] = []
    count = sum(map(bool, faults))
    ends = math.inf
    for k, job in enumerate(jobs):
        if clock.monotonic() > ends:
            break
        if faults[k]:
            continue
        faults[k], storm = _begin(sweep, job)
        if storm is not None:
            storms.append((job, storm))
        if ends == math.inf:  # the first one compiles
            ends = clock.monotonic() + seconds
        count += 1
        if progress is not None:
            progress(count, len(jobs))
    refused: dict[str, list[Job]] = {}
    for job, reasons in zip(jobs, faults, strict=True):
        for reason in dict.fromkeys(reasons):
            refused.setdefault(reason, []).append(job)
    return Tried(count, len(jobs), refused, storms)


def _faults(sweep: Sweep, job: Job) -> list[str]:
    """Why the world does not allow a combination, which takes no time."""
    with _told() as faults, watched(sweep.file.patience):
        sweep.world_for(job)
    return faults


def _begin(sweep: Sweep, job: Job) -> tuple[list[str], str | None]:
    """Why the run of a combination would not begin; and what is said of a storm in it."""
    from hopfield_nav.experiment import look_for_storm, try_world

    storm = None
    with _told() as faults, watched(sweep.file.patience):
        simulation = try_world(sweep.world_for(job))
        if not sweep.calls_own:
            storm = look_for_storm(simulation)
    return faults, storm


@contextmanager
def _told() -> Iterator[list[str]]:
    """A block whose errors are told in a list."""
    faults: list[str] = []
    try:
        yield faults
    except BadInput as error:
        faults += [str(fault) for fault in (error, *error.others)]
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # of a user's method
        faults.append(f"{type(error).__name__}: {error}")
