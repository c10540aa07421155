"""Handing out a sweep's jobs in batches, a few at a time, and taking the rows as they come.

Only a window of batches is on the cluster at any time, so that the collecting process holds as
little for ten thousand jobs as for a hundred. Workers may die: the scheduler then repeats the batch
elsewhere. A batch on which several workers died is taken apart in the end and its jobs are run one
by one, so that the one that kills is found and the others are not lost with it.
"""

from __future__ import annotations

import pickle
import time as clock
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamics.errors import HopfieldNavError
from hopfield_nav.sweep_cluster import thread_count
from hopfield_nav.sweep_job import failed_row, run_job
from hopfield_nav.sweep_warm import warm_up

if TYPE_CHECKING:
    from distributed import Client, Future

    from hopfield_nav.sweep_file import Sweep

Row = dict[str, Any]
Work = Callable[["Sweep", int, Path | None], Row]
_BATCH = 0.7  # [s] of work in a batch
_LARGEST = 200  # jobs in a batch
_COUNT_EVERY = 2.0  # [s] between two looks at the number of workers


class LostCluster(HopfieldNavError):
    """The scheduler is gone; what was finished is in the table."""


def run_batch(
    payload: bytes, indices: Sequence[int], folder: Path | None, work: Work
) -> tuple[list[Row], float]:
    """On a worker: the rows of some jobs, and the seconds that they took."""
    sweep = _unpack(payload)
    warm_up(sweep)
    started = clock.perf_counter()
    rows = [work(sweep, index, folder) for index in indices]
    return rows, clock.perf_counter() - started


class Batches:
    """The rows of jobs run on a cluster, in the order in which they come in.

    Args:
        client: of the cluster.
        sweep: whose jobs these are.
        indices: of the jobs, as many as ``count``.
        count: of jobs.
        folder: of the sweep's results.
        work: what is done for a job; default ``run_job``.
    """

    def __init__(
        self, client: Client, sweep: Sweep, indices: Iterable[int], count: int, folder: Path | None,
        work: Work = run_job,
    ) -> None:  # fmt: skip
        self._client, self._sweep, self._folder, self._work = client, sweep, folder, work
        self._payload = pickle.dumps(sweep)
        self._indices, self._left = iter(indices), count
        self._batches: dict[str, list[int]] = {}
        self._suspects: list[int] = []
        self._alone: str | None = None
        self._job_seconds: float | None = None
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

    def _submit(self, batch: list[int]) -> Future:
        future = self._client.submit(
            run_batch, self._payload, batch, self._folder, self._work,
            key=f"sweep-{self._sweep.digest[:8]}-{batch[0]}-{len(batch)}-{clock.monotonic_ns()}", pure=False,
        )  # fmt: skip
        self._batches[str(future.key)] = batch
        return future

    def _take(self, future: Future) -> list[Row]:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        batch = self._batches.pop(str(future.key))
        try:
            rows, seconds = future.result()
        except KilledWorker:
            return self._blame(batch, future.key == self._alone)
        except (FutureCancelledError, OSError) as error:
            raise _lost(error) from None
        self._learn(seconds / len(batch))
        return rows

    def _blame(self, batch: list[int], alone: bool) -> list[Row]:
        if alone:
            return [failed_row(self._sweep, batch[0], "the run killed its worker every time")]
        self._suspects += batch
        return []

    def _learn(self, seconds: float) -> None:
        old = self._job_seconds
        self._job_seconds = seconds if old is None else 0.7 * old + 0.3 * seconds


def _lost(error: Exception) -> LostCluster:
    return LostCluster(
        f"the cluster is gone ({type(error).__name__}); finished rows are kept, --resume does the rest"
    )


_sweeps: dict[bytes, Any] = {}


def _unpack(payload: bytes) -> Sweep:
    """The sweep, built once in a process."""
    if payload not in _sweeps:
        _sweeps.clear()
        _sweeps[payload] = pickle.loads(payload)
    return _sweeps[payload]
