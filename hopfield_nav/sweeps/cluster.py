"""The workers of a running Dask cluster, and how the jobs of a sweep are handed to them.

Each of its threads has a process of its own that runs the jobs, as on one machine: a run that kills
its process or hangs is a row, and the cluster's worker goes on. Only a window of jobs is on the
cluster at any time, so that the collecting process holds as little for ten thousand jobs as for a
hundred.
"""

import multiprocessing
import pickle
import threading
import time as clock
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from dynamics import BadInput
from dynamics.errors import needs_library
from hopfield_nav.sweeps.job import warm_up
from hopfield_nav.sweeps.pool import DEATHS, Pool, Row, WorkersLost

if TYPE_CHECKING:
    from distributed import Client

    from hopfield_nav.sweeps.sweep_file import Sweep

_CONNECT, _FIRST_WORKER = 10, 60  # [s] to wait for a scheduler, and for its first worker


_mine = (
    threading.local()
)  # of a worker's thread: the ``pool`` with its process, and the ``payload`` it works for


@contextmanager
def connect(address: str) -> "Iterator[Client]":
    """A client of a running cluster, ``tcp://HOST:8786``.

    Raises ``LibraryMissing``: Dask is not installed; ``BadInput``: nobody answers there, or it has
    no workers.
    """
    where = f"--scheduler {address}"
    with needs_library("a cluster needs Dask", "cluster", where):
        from distributed import Client
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
            raise BadInput(
                f"the cluster had no worker within {_FIRST_WORKER} s", where=where, allowed=allowed
            )
        yield client
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=_CONNECT)


def run_one(payload: bytes, index: int, folder: Path | None) -> Row:
    """On a worker of the cluster: the row of a job."""
    if getattr(_mine, "payload", None) != payload:
        if hasattr(_mine, "pool"):
            _mine.pool.__exit__()
        multiprocessing.current_process().daemon = (
            False  # which a nanny's is, and could start no process
        )
        sweep = pickle.loads(payload)
        warm_up(sweep)
        _mine.pool, _mine.payload = Pool(sweep, 1, folder), payload
    (row,) = _mine.pool.rows([index], 1)
    return row


def cluster_rows(
    client: "Client", sweep: "Sweep", indices: Iterable[int], folder: Path | None
) -> Iterator[Row]:
    """The rows of jobs run on a cluster, in the order in which they come in.

    Raises ``WorkersLost``: the scheduler is gone, or its workers die again and again.
    """
    from distributed import KilledWorker, as_completed
    from distributed.client import FutureCancelledError

    name, payload, waiting = f"sweep-{sweep.digest[:8]}", pickle.dumps(sweep), iter(indices)
    flying, jobs = (
        as_completed(loop=client.loop),
        dict[str, int](),
    )  # those on the cluster, by their futures' keys
    deaths = 0  # of workers, since the last row

    def fill() -> None:
        """Have two jobs a thread on the cluster: one that runs, one that waits for it."""
        try:
            count = 2 * max(1, sum(client.nthreads().values())) - len(jobs)
        except RuntimeError as error:  # the client is closed
            raise OSError(str(error)) from None
        for index in islice(waiting, max(0, count)):
            key = f"{name}-{index}-{clock.monotonic_ns()}"
            jobs[key] = index
            flying.add(client.submit(run_one, payload, index, folder, key=key, pure=False))

    try:
        fill()
        for future in flying:
            index = jobs.pop(str(future.key))
            try:
                row = future.result()
            except KilledWorker:  # whole machines, since runs have processes of their own
                deaths += 1
                if deaths == DEATHS:
                    raise
                waiting = chain([index], waiting)
            else:
                deaths = 0
                yield row
            fill()
    except (KilledWorker, FutureCancelledError, OSError) as error:
        lost = f"the cluster is gone ({type(error).__name__}); finished rows are kept, --resume does the rest"
        raise WorkersLost(lost) from None
