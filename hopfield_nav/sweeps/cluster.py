"""The workers of a sweep, a cluster of this machine or a running one, and how jobs are handed to them.

Only a window of batches is on the cluster at any time, so that the collecting process holds as little for ten
thousand jobs as for a hundred. Workers may die: the scheduler then repeats the batch elsewhere. A batch on which
several workers died is taken apart in the end and its jobs are run one by one, so that the one that kills is found
and the others are not lost with it.
"""

import logging
import os
import pickle
import sys
import tempfile
import time as clock
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamics import BadInput, HopfieldNavError
from dynamics.files import remove_folder
from hopfield_nav.experiment import note_seconds
from hopfield_nav.sweeps.job import failed_row, run_job, warm_up
from hopfield_nav.sweeps.patience import in_worker

if TYPE_CHECKING:
    from distributed import Client, Future

    from hopfield_nav.sweeps.sweep_file import Sweep

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
ONE_THREAD = dict.fromkeys(_THREADS, "1")
DEATHS = 2  # a job that was on the worker when one more worker than this died is taken for the cause
_STARTS = 4  # attempts at a pool of processes
_CONNECT, _FIRST_WORKER = 10, 60  # [s] to wait for a scheduler, and for its first worker
_CONFIG = {
    "distributed.nanny.pre-spawn-environ": ONE_THREAD,
    "distributed.scheduler.allowed-failures": DEATHS,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.worker.profile.enabled": False,
}
Row = dict[str, Any]
Work = Callable[["Sweep", int, Path | None], Row]
_SCRATCH = "hopfield-nav-sweep-"
_BATCH = 0.7  # [s] of work in a batch
_LARGEST = 200  # jobs in a batch
_COUNT_EVERY = 2.0  # [s] between two looks at the number of workers
_sweeps: dict[bytes, Any] = {}


@contextmanager
def connect(workers: int | None, scheduler: str | None) -> "Iterator[Client]":
    """A client of a running cluster, ``tcp://HOST:8786``, or of one here that ends with the block.

    Raises ``BadInput``: nobody answers at the address, or the cluster there has no workers; the processes would
    import a script that starts them again.
    """
    from distributed import Client

    if scheduler is None:
        _require_guard()
        started = clock.monotonic()
        with _local_cluster(workers or core_count()) as cluster, Client(cluster) as client:
            note_seconds("workers", clock.monotonic() - started)
            yield client
        return
    with _client_of(scheduler) as client:
        yield client


def _require_guard() -> None:
    """Every process imports the script that was started: what stands there unguarded, it does too."""
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    if script is None or getattr(main, "__spec__", None) or not Path(script).is_file():  # -c, -m, a notebook
        return
    if "__main__" not in Path(script).read_text(encoding="utf-8", errors="replace"):
        told = "a sweep starts processes, which import this script and would start the sweep again"
        allowed = 'if __name__ == "__main__": around what it does, or workers=0'
        raise BadInput(told, where=script, allowed=allowed)


def core_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(client: "Client") -> int:
    """How many jobs the cluster runs at a time, now; 1 while it has no workers."""
    return max(1, sum(client.nthreads().values()))


@contextmanager
def _local_cluster(workers: int) -> Iterator[Any]:
    """Processes on the loopback address, one thread each; a nanny starts the dead ones again.

    Whoever talks to a scheduler has it execute what he likes: here it takes keys that only this process and its
    workers have, made for this sweep.
    """
    import dask

    _remove_orphans(Path(tempfile.gettempdir()))
    with (
        tempfile.TemporaryDirectory(prefix=f"{_SCRATCH}{os.getpid()}-", ignore_cleanup_errors=True) as scratch,
        _without_current_folder(),
        dask.config.set(_CONFIG),
        _started(workers, scratch) as cluster,
    ):
        yield cluster


@contextmanager
def _without_current_folder() -> Iterator[None]:
    """Python started inside imports nothing from the current folder before it knows where this one does."""
    before = os.environ.get("PYTHONSAFEPATH", "")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        os.environ["PYTHONSAFEPATH"] = before  # without a word it is as if it were not there


def _started(workers: int, scratch: str) -> Any:
    """The processes; where one dies before they are all there, they are started anew.

    Raises ``LostCluster``: that happened every time.
    """
    from distributed import LocalCluster, Security

    for _ in range(_STARTS):
        try:
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                protocol="tls://",
                security=Security.temporary(),
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # None would take the usual port
                silence_logs=logging.CRITICAL,
                local_directory=scratch,
                preload=[str(Path(__file__).with_name("preload.py"))],
            )
        except (RuntimeError, OSError) as error:
            last = error
    told = f"no worker processes could be started, in {_STARTS} attempts: {last}"
    raise LostCluster(f"{told}; --workers 0 does without them") from last


def _remove_orphans(place: Path) -> None:
    """Remove the scratch folders of our own sweeps that were killed: nobody has their process number now."""
    import psutil  # comes with distributed

    for folder in place.glob(f"{_SCRATCH}*-*"):
        number = folder.name.removeprefix(_SCRATCH).split("-")[0]
        with suppress(OSError, BadInput):
            ours = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
            if ours and number.isdecimal() and not psutil.pid_exists(int(number)):
                remove_folder(folder, place)


@contextmanager
def _client_of(address: str) -> "Iterator[Client]":
    from distributed import Client

    where = f"--scheduler {address}"
    try:
        client = Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
        allowed = "such as tcp://10.0.0.1:8786"
        raise BadInput(f"no scheduler answers: {error}", where=where, allowed=allowed) from None
    try:
        with suppress(TimeoutError):
            client.wait_for_workers(1, timeout=_FIRST_WORKER)
        if not client.nthreads():
            allowed = "start one: dask worker ADDRESS"
            told = f"the cluster had no worker within {_FIRST_WORKER} s"
            raise BadInput(told, where=where, allowed=allowed)
        yield client
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=_CONNECT)


class LostCluster(HopfieldNavError):
    """The scheduler is gone; what was finished is in the table."""


def run_batch(payload: bytes, indices: Sequence[int], folder: Path | None, work: Work) -> tuple[list[Row], float]:
    """On a worker: the rows of some jobs, and the seconds that they took."""
    if payload not in _sweeps:
        _sweeps.clear()
        _sweeps[payload] = pickle.loads(payload)
    sweep = _sweeps[payload]
    warm_up(sweep)
    started = clock.perf_counter()
    in_worker.set()
    rows = [work(sweep, index, folder) for index in indices]
    return rows, clock.perf_counter() - started


class Batches:
    """The rows of ``count`` jobs run on a cluster, in the order in which they come in."""

    def __init__(
        self, client: "Client", sweep: "Sweep", indices: Iterable[int], count: int, folder: Path | None,
        work: Work = run_job,
    ) -> None:  # fmt: skip
        self._client, self._sweep, self._folder, self._work = client, sweep, folder, work
        self._payload = pickle.dumps(sweep)
        self._indices, self._left = iter(indices), count
        self._batches: dict[str, list[int]] = {}
        self._suspects: list[int] = []
        self._alone: str | None = None
        self._job_seconds: float | None = None
        self._begun = clock.monotonic()
        self._threads, self._counted = 1, -_COUNT_EVERY

    def __iter__(self) -> Iterator[Row]:
        from distributed import as_completed

        flying = as_completed(loop=self._client.loop)
        self._fill(flying)
        for future in flying:
            yield from self._take(future)
            self._fill(flying)

    def _fill(self, flying: Any) -> None:
        """Have two batches a thread on the cluster: one that runs, one that waits for it."""
        self._count_threads()
        while len(self._batches) < 2 * self._threads:
            batch = list(islice(self._indices, self._size()))
            if not batch:
                break
            self._left -= len(batch)
            flying.add(self._submit(batch))
        if not self._batches and self._suspects:  # alone, so that nobody else can be the cause
            future = self._submit([self._suspects.pop()])
            self._alone = str(future.key)
            flying.add(future)

    def _count_threads(self) -> None:
        if clock.monotonic() - self._counted > _COUNT_EVERY:
            try:
                self._threads, self._counted = thread_count(self._client), clock.monotonic()
            except (OSError, RuntimeError) as error:
                raise _lost(error) from None

    def _size(self) -> int:
        """Jobs in the next batch: one until it is known how long they take, and fewer near the end."""
        if self._job_seconds is None:
            return 1
        share = self._left // (4 * self._threads)
        return max(1, min(_LARGEST, share, round(_BATCH / max(self._job_seconds, 1e-6))))

    def _submit(self, batch: list[int]) -> "Future":
        future = self._client.submit(
            run_batch, self._payload, batch, self._folder, self._work,
            key=f"sweep-{self._sweep.digest[:8]}-{batch[0]}-{len(batch)}-{clock.monotonic_ns()}", pure=False,
        )  # fmt: skip
        self._batches[str(future.key)] = batch
        return future

    def _take(self, future: "Future") -> list[Row]:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        batch = self._batches.pop(str(future.key))
        try:
            rows, seconds = future.result()
        except KilledWorker:
            if future.key == self._alone:
                return [failed_row(self._sweep, batch[0], "the run killed its worker every time")]
            self._suspects += batch
            return []
        except (FutureCancelledError, OSError) as error:
            raise _lost(error) from None
        if self._job_seconds is None:
            note_seconds("load", clock.monotonic() - self._begun - seconds)
        each, old = seconds / len(batch), self._job_seconds
        self._job_seconds = each if old is None else 0.7 * old + 0.3 * each
        return rows


def _lost(error: Exception) -> LostCluster:
    return LostCluster(f"the cluster is gone ({type(error).__name__}); finished rows are kept, --resume does the rest")
