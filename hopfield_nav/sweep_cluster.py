"""The workers of a sweep: a cluster of this machine, or one that is running already."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamics.errors import BadInput

if TYPE_CHECKING:
    from distributed import Client

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
ONE_THREAD = dict.fromkeys(_THREADS, "1")
DEATHS = 2  # a job that was on the worker when one more worker than this died is taken for the cause
_CONNECT, _FIRST_WORKER = 10, 60  # [s] to wait for a scheduler, and for its first worker
_CONFIG = {
    "distributed.nanny.pre-spawn-environ": ONE_THREAD,
    "distributed.scheduler.allowed-failures": DEATHS,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.worker.profile.enabled": False,
}


@contextmanager
def connect(workers: int | None, scheduler: str | None) -> Iterator[Client]:
    """A client of a running cluster, or of one of this machine that ends with the block.

    Args:
        workers: number of processes of the local cluster; default the number of cores.
        scheduler: address of a running cluster, such as ``tcp://10.0.0.1:8786``.

    Raises:
        BadInput: nobody answers at the address, or the cluster there has no workers.
    """
    from distributed import Client

    if scheduler is None:
        with _local_cluster(workers or core_count()) as cluster, Client(cluster) as client:
            yield client
        return
    with _client_of(scheduler) as client:
        _require_worker(client, scheduler)
        yield client


def core_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(client: Client) -> int:
    """How many jobs the cluster runs at a time, now; 1 while it has no workers."""
    return max(1, sum(client.nthreads().values()))


@contextmanager
def _local_cluster(workers: int) -> Iterator[Any]:
    """Processes on the loopback address, one thread each; a nanny starts the dead ones again."""
    import dask
    from distributed import LocalCluster

    with (
        tempfile.TemporaryDirectory(prefix="hopfield-nav-sweep-", ignore_cleanup_errors=True) as scratch,
        dask.config.set(_CONFIG),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # None would take the usual port
            silence_logs=logging.CRITICAL,
            local_directory=scratch,
            preload=[str(Path(__file__).with_name("sweep_preload.py"))],
        ) as cluster,
    ):
        yield cluster


@contextmanager
def _client_of(address: str) -> Iterator[Client]:
    from distributed import Client

    try:
        client = Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # TimeoutError is an OSError
        raise BadInput(
            f"no scheduler answers: {error}",
            where=f"--scheduler {address}",
            allowed="such as tcp://10.0.0.1:8786",
        ) from None
    try:
        yield client
    finally:
        with suppress(OSError, TimeoutError):
            client.close(timeout=_CONNECT)


def _require_worker(client: Client, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=_FIRST_WORKER)
    except TimeoutError:
        raise BadInput(
            f"the cluster had no worker within {_FIRST_WORKER} s",
            where=f"--scheduler {address}",
            allowed="start one: dask worker ADDRESS",
        ) from None
