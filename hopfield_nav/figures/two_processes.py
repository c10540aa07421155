"""Work that this process and a copy of it share: the pages of a run, the frames of its film.

It owns the copy and its end. Who draws much may import it, where no other threads run: a command does, a notebook
does not.

A pool of ``concurrent.futures`` would not do. It takes 35 ms to begin, a copy 2 ms; on Ctrl-C it goes on with what it
has begun and taken beforehand, where a copy ends at once; and where its process is killed while jobs are called back,
its own thread ends with an error (``InvalidStateError``, Python 3.11).
"""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np


def can_copy() -> bool:
    """Whether a copy of this process helps: on Linux, with a second processor to run on."""
    return hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1


def do_in_two_processes(jobs: Sequence[Callable[[], bool]]) -> list[bool]:
    """Do every job, every second one in a copy of this process, or here where that ends; what each has said.

    What they remember is lost. An error here is raised as in one process.
    """
    return [bool(said[0]) for said in draw_in_two_processes(lambda k: np.array([jobs[k]()]), len(jobs))]


def draw_in_two_processes(draw: Callable[[int], np.ndarray], count: int) -> Iterator[np.ndarray]:
    """``draw(0)``, ``draw(1)``, … in order; a copy of this process, made at once, draws every second one.

    What it returns has always the same shape and type. What the copy has not drawn when it ends, for an error too, is
    drawn here.
    """
    told, tell = os.pipe()

    def draw_odd_ones() -> None:
        os.close(told)  # so that it ends with who reads
        with open(tell, "wb") as out:
            for k in range(1, count, 2):
                out.write(np.ascontiguousarray(draw(k)).data)
                out.flush()  # little things are waited for too

    copy = _copy_that_does(draw_odd_ones)
    os.close(tell)
    return _in_order(draw, count, told, copy)


def _in_order(draw: Callable[[int], np.ndarray], count: int, told: int, copy: int) -> Iterator[np.ndarray]:
    try:
        with open(told, "rb") as there:
            for k in range(0, count, 2):
                mine = draw(k)
                yield mine
                if k + 1 < count:
                    sent = there.read(mine.nbytes)
                    whole = len(sent) == mine.nbytes
                    yield np.frombuffer(sent, mine.dtype).reshape(mine.shape) if whole else draw(k + 1)
    finally:
        os.waitpid(copy, 0)


def _copy_that_does(work: Callable[[], None]) -> int:
    """The number of a new copy of this process, which does this work and ends without a word of errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which draws
        copy = os.fork()
    if copy == 0:
        try:
            work()
        finally:
            os._exit(0)
    return copy
