"""The workers of a running Dask cluster, and how the jobs of a sweep are handed to them.

Each of its threads has a process of its own that runs the jobs, as on one machine: a run that kills its process or
hangs is a row, and the cluster's worker goes on. Only a window of jobs is on the cluster at any time, so that the
collecting process holds as little for ten thousand jobs as for a hundred.
"""

import multiprocessing
import pickle
import threading
import time as clock
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamics import BadInput, LibraryMissing
from hopfield_nav.sweeps.job import warm_up
from hopfield_nav.sweeps.pool import DEATHS, Pool, Row, WorkersLost

if TYPE_CHECKING:
    from distributed import Client, Future

    from hopfield_nav.sweeps.sweep_file import Sweep

_CONNECT, _FIRST_WORKER = 10, 60  # [s] to wait for a scheduler, and for its first worker


class _Mine(threading.local):
    """The process of a thread of a worker, and the sweep that it works for."""

    pool: Pool | None = None
    payload = b""


_mine = _Mine()


@contextmanager
def connect(address: str) -> "Iterator[Client]":
    """A client of a running cluster, ``tcp://HOST:8786``.

    Raises ``LibraryMissing``: Dask is not installed; ``BadInput``: nobody answers there, or it has no workers.
    """
    where = f"--scheduler {address}"
    try:
        from distributed import Client
    except ImportError:
        allowed = "pip install 'hopfield-nav[cluster]'"
        raise LibraryMissing("a cluster needs Dask", where=where, allowed=allowed) from None
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
            raise BadInput(f"the cluster had no worker within {_FIRST_WORKER} s", where=where, allowed=allowed)
        yield client
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=_CONNECT)


def thread_count(client: "Client") -> int:
    """How many jobs the cluster runs at a time, now; 1 while it has no workers."""
    return max(1, sum(client.nthreads().values()))


def run_one(payload: bytes, index: int, folder: Path | None) -> Row:
    """On a worker of the cluster: the row of a job."""
    if _mine.pool is None or _mine.payload != payload:
        if _mine.pool is not None:
            _mine.pool.__exit__()
        multiprocessing.current_process().daemon = False  # which a nanny's is, and could start no process
        sweep = pickle.loads(payload)
        warm_up(sweep)
        _mine.pool, _mine.payload = Pool(sweep, 1, folder), payload
    (row,) = _mine.pool.rows([index], 1)
    return row


class ClusterRows:
    """The rows of jobs run on a cluster, in the order in which they come in.

    Raises ``WorkersLost`` while it is read: the scheduler is gone, or its workers die again and again.
    """

    def __init__(self, client: "Client", sweep: "Sweep", indices: Iterable[int], folder: Path | None) -> None:
        self._client, self._name, self._folder = client, sweep.digest[:8], folder
        self._payload, self._indices = pickle.dumps(sweep), iter(indices)
        self._flying: dict[str, int] = {}  # jobs on the cluster, by their futures' keys
        self._deaths = 0  # of workers, since the last rows

    def __iter__(self) -> Iterator[Row]:
        from distributed import as_completed

        flying = as_completed(loop=self._client.loop)
        self._fill(flying)
        for future in flying:
            yield from self._take(future)
            self._fill(flying)

    def _fill(self, flying: Any) -> None:
        """Have two jobs a thread on the cluster: one that runs, one that waits for it."""
        try:
            threads = thread_count(self._client)
        except (OSError, RuntimeError) as error:
            raise _lost(error) from None
        for index in islice(self._indices, max(0, 2 * threads - len(self._flying))):
            key = f"sweep-{self._name}-{index}-{clock.monotonic_ns()}"
            self._flying[key] = index
            flying.add(self._client.submit(run_one, self._payload, index, self._folder, key=key, pure=False))

    def _take(self, future: "Future") -> list[Row]:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        index = self._flying.pop(str(future.key))
        try:
            row: Row = future.result()
        except KilledWorker as error:  # whole machines, since runs have processes of their own
            self._deaths += 1
            if self._deaths == DEATHS:
                raise _lost(error) from None
            self._indices = chain([index], self._indices)
            return []
        except (FutureCancelledError, OSError) as error:
            raise _lost(error) from None
        self._deaths = 0
        return [row]


def _lost(error: Exception) -> WorkersLost:
    return WorkersLost(f"the cluster is gone ({type(error).__name__}); finished rows are kept, --resume does the rest")
