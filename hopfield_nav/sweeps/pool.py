"""The processes of a sweep on this machine, with a pipe to each.

The collecting process knows which job is on which worker. A worker that dies is replaced: the job
that it was at goes to another one, and is a row ``failed`` after the third death; no other job is
lost. A worker that is overdue is ended, and its job has a row: in one call of a user's method it
took longer than the sweep's patience, or in one run much longer than the time limit. A worker ends
by itself when the collecting process does.
"""

import math
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time as clock
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from dynamics import BadInput, HopfieldNavError
from dynamics.errors import told
from hopfield_nav.plugin import watching
from hopfield_nav.sweeps.job import FAILED, METHOD_FAILED, TIMED_OUT, given_up, load_first, run_job
from hopfield_nav.sweeps.table import make_row

if TYPE_CHECKING:
    from hopfield_nav.sweeps.sweep_file import Sweep

Row = dict[str, Any]
Work = Callable[["Sweep", int, Path | None], Row]
DEATHS = 3  # of workers at a job, after which the job is taken for the cause
_STARTS = 4  # of each worker, after which none can be expected to begin
_MOST = (
    30 if sys.platform == "win32" else 10_000
)  # workers: Windows waits for 63 ends of pipes and processes at once
_GRACE = 5.0  # [s] that a run may take beyond twice its time limit, which it looks at now and then
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
# Python started inside imports nothing from the current folder before it knows where this one does.
_ENVIRONMENT = {**dict.fromkeys(_THREADS, "1"), "PYTHONSAFEPATH": "1"}
_NEVER = (math.inf, "", "")
_spawn = multiprocessing.get_context("spawn")


class WorkersLost(HopfieldNavError):
    """No worker begins to work, or the cluster is gone; what was finished is in the table."""


def core_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Worker:
    """A process, and what it is at."""

    def __init__(self, *given: Any) -> None:
        self.pipe, theirs = _spawn.Pipe()
        self.process = _spawn.Process(target=_serve, args=(theirs, *given), daemon=True)
        self.is_ready = False
        self.job: int | None = None  # that it runs
        self.limits = [_NEVER]  # moments at which it is ended, with outcome and error of its job
        with (
            told("no worker process can be started", "--workers", "--workers 0, which needs none"),
            _surroundings(),
        ):
            self.process.start()
        theirs.close()

    def messages(self) -> Iterator[tuple[str, Any]]:
        """What it has said; the last is ``died`` if it has."""
        alive = self.process.is_alive()
        with suppress(EOFError, OSError):
            while self.pipe.poll():
                yield self.pipe.recv()
            if alive:
                return
        yield "died", None

    def end(self) -> int | None:
        """End it, if need be by force; its exit status."""
        self.process.terminate()
        self.process.join(1.0)
        self.process.kill()
        self.process.join()
        self.pipe.close()
        return self.process.exitcode


class Pool:
    """Workers that run the jobs of a sweep, one thread each. They end with the ``with`` statement.

    ``work`` gives the row of a job. Raises ``BadInput``: the processes would import a script that
    starts them again, or cannot be started.
    """

    def __init__(
        self, sweep: "Sweep", workers: int, folder: Path | None = None, work: Work = run_job
    ) -> None:
        _require_guard()
        self._sweep = sweep
        self._deaths = Counter[int]()  # of workers, by the job that they were at
        self._unready = 0  # deaths of workers that were not ready, since one was
        self._indices, self._left = (
            iter(range(0)),
            0,
        )  # jobs that no worker has, and how many they are
        self._new = partial(_Worker, pickle.dumps(sweep), folder, work)
        self._workers = [self._new() for _ in range(min(workers, _MOST))]

    def __enter__(self) -> Self:
        """The pool itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End every worker."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.end()

    def rows(self, indices: Iterable[int], count: int) -> Iterator[Row]:
        """The rows of ``count`` jobs, in the order in which they come in.

        Raises ``WorkersLost``: no worker begins to work; and what a worker raises outside of its
        runs.
        """
        self._indices, self._left = iter(indices), count
        while self._left or any(worker.job is not None for worker in self._workers):
            for worker in self._workers:
                if worker.is_ready and worker.job is None and self._left:
                    self._give(worker)
            left = min(min(worker.limits) for worker in self._workers)[0] - clock.monotonic()
            ends = [
                end for worker in self._workers for end in (worker.pipe, worker.process.sentinel)
            ]
            wait(
                ends, None if left == math.inf else max(0.0, left)
            )  # until one says something, ends or is overdue
            for worker in list(self._workers):
                for what, value in worker.messages():
                    yield from self._heed(worker, what, value)
                moment, *verdict = min(worker.limits)
                if moment <= clock.monotonic() and worker in self._workers:
                    yield from self._replace(worker, verdict)

    def _give(self, worker: _Worker) -> None:
        """Hand it the next job."""
        worker.job, self._left = next(self._indices), self._left - 1
        limit = self._sweep.file.time_limit_per_run
        if limit is not None:
            worker.limits.append(
                (clock.monotonic() + 2.0 * limit + _GRACE, TIMED_OUT, given_up(self._sweep))
            )
        with suppress(OSError):  # it has died in the meantime, and will be replaced
            worker.pipe.send(worker.job)

    def _heed(self, worker: _Worker, what: str, value: Any) -> Iterator[Row]:
        if what == "ready":
            worker.is_ready, self._unready = True, 0
        elif what == "asks":
            patience = self._sweep.file.patience
            late = f"{value}: one call took longer than {patience:g} s; its worker was ended"
            worker.limits.append((clock.monotonic() + patience, METHOD_FAILED, late))
        elif what == "answered":
            worker.limits.pop()
        elif what == "row":
            worker.job, worker.limits = None, [_NEVER]
            yield value
        elif what == "error":
            raise value
        else:
            yield from self._replace(worker)

    def _replace(self, worker: _Worker, verdict: Sequence[str] = ()) -> Iterator[Row]:
        """A new worker for one that has died, or is ended now.

        A row for its job with a verdict, or after many.
        """
        self._workers.remove(worker)
        status, job = worker.end(), worker.job
        self._unready += not worker.is_ready
        if self._unready > _STARTS * (1 + len(self._workers)):
            lost = f"no worker process begins to work, of {self._unready} that were started"
            raise WorkersLost(f"{lost}; --workers 0 does without them")
        self._workers.append(self._new())
        if job is None:
            return
        self._deaths[job] += 1
        if not verdict and self._deaths[job] == DEATHS:
            ending = (
                signal.Signals(-status).name
                if status is not None and status < 0
                else f"exit status {status}"
            )
            verdict = FAILED, f"the run killed its worker every time ({ending})"
        if verdict:
            outcome, error = verdict
            yield make_row(self._sweep, self._sweep.job(job), {"outcome": outcome}, error)
        else:
            self._indices, self._left = chain([job], self._indices), self._left + 1


def _require_guard() -> None:
    """Every process imports the script that was started.

    What stands there unguarded, it does too.
    """
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    # -c, -m, a notebook
    if script is None or getattr(main, "__spec__", None) or not Path(script).is_file():
        return
    if "__main__" not in Path(script).read_text(encoding="utf-8", errors="replace"):
        what = "a sweep starts processes, which import this script and would start the sweep again"
        raise BadInput(
            what,
            where=script,
            allowed='if __name__ == "__main__": around what it does, or workers=0',
        )


@contextmanager
def _surroundings() -> Iterator[None]:
    """What a process that is started now inherits.

    Its environment, and no Ctrl-C, which is for this process.
    """
    before = {name: os.environ.get(name, "") for name in _ENVIRONMENT}
    os.environ.update(_ENVIRONMENT)
    if hasattr(signal, "pthread_sigmask"):
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ[name] = value
            if not value:
                del os.environ[name]
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _serve(pipe: Connection, payload: bytes, folder: Path | None, work: Work) -> None:
    """What a worker does: jobs in, rows out, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        sweep = pickle.loads(payload)
        load_first(sweep)
        watching.append(partial(_telling, pipe))
        pipe.send(("ready", None))
        while True:
            pipe.send(("row", work(sweep, pipe.recv(), folder)))
    except (EOFError, ConnectionError):
        return
    except Exception as error:
        pipe.send(("error", error))


def _end_with_parent() -> None:
    multiprocessing.parent_process().join()  # type: ignore[union-attr]
    os._exit(0)


@contextmanager
def _telling(pipe: Connection, method: str) -> Iterator[None]:
    """One call of a user's method, of which the collecting process is told when it begins and ends."""
    pipe.send(("asks", method))
    try:
        yield
    finally:
        pipe.send(("answered", None))
