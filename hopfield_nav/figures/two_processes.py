"""Work that this process and a copy of it share: the pages of a run, the frames of its film.

Who draws much may ask for it, where no other threads run: a command does, a notebook does not.

A pool of ``concurrent.futures`` would not do. It takes 35 ms to begin, a copy 2 ms; on Ctrl-C it
goes on with what it has begun and taken beforehand, where a copy ends at once; and where its
process is killed while jobs are called back, its own thread ends with an error
(``InvalidStateError``, Python 3.11).
"""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import numpy as np


def can_copy() -> bool:
    """Whether a copy of this process helps: on Linux, with a second processor to run on."""
    return hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1


def do_in_two_processes(jobs: Sequence[Callable[[], bool]]) -> list[bool]:
    """Do every job, every second one in a copy of this process, or here where that ends; what each has said.

    What they remember is lost. An error here is raised as in one process.
    """
    return [
        bool(said[0]) for said in draw_in_two_processes(lambda k: np.array([jobs[k]()]), len(jobs))
    ]


def draw_in_two_processes(draw: Callable[[int], np.ndarray], count: int) -> Iterator[np.ndarray]:
    """``draw(0)``, ``draw(1)``, … in order; a copy of this process, made at once, draws every second one.

    What it returns has always the same shape and type. What the copy has not drawn when it ends,
    for an error too, is drawn here.
    """
    here, there = Pipe(duplex=False)

    def draw_odd_ones() -> None:
        here.close()  # so that it ends with who reads
        with suppress(BaseException):
            for k in range(1, count, 2):
                there.send_bytes(draw(k).tobytes())

    copy = get_context("fork").Process(target=draw_odd_ones)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which draws
        copy.start()
    there.close()
    return _in_order(draw, count, here, copy)


def _in_order(
    draw: Callable[[int], np.ndarray], count: int, here: Connection, copy: BaseProcess
) -> Iterator[np.ndarray]:
    try:
        mine = np.zeros(0)
        for k in range(count):
            sent = None
            if k % 2:
                with suppress(EOFError, OSError):  # the copy is gone
                    sent = np.frombuffer(here.recv_bytes(), mine.dtype).reshape(mine.shape)
            mine = draw(k) if sent is None else sent
            yield mine
    finally:
        here.close()
        copy.join()
