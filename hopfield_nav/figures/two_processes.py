"""Work that this process and a copy of it share: the pages of a run, the frames of its film.

It owns the copy and its end. Who draws much may import it, where no other threads run: a command does, a
notebook does not.

A pool of ``concurrent.futures`` would not do. It takes 35 ms to begin, a copy 2 ms; on Ctrl-C it goes on with
what it has begun and taken beforehand, where a copy ends at once; and where its process is killed while jobs
are called back, its own thread ends with an error (``InvalidStateError``, Python 3.11).
"""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np

_PIPE = 512  # bytes; a pipe takes that many at once


def can_copy() -> bool:
    """Whether a copy of this process helps: on Linux, with a second processor to run on."""
    return hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1


def do_in_two_processes(jobs: Sequence[Callable[[], bool]]) -> list[bool]:
    """Do every job, here or in a copy of this process, the first ones first; what each has said.

    A job that the copy has not done when it ends, for an error too, is done here. So every job is done, or an
    error is raised as in one process.

    Args:
        jobs: at most 255. What they remember is lost.
    """
    (pile, fill), (told, tell) = os.pipe(), os.pipe()
    os.write(fill, bytes(range(len(jobs))))
    os.close(fill)

    here = os.getpid()

    def take() -> None:
        for k in _taken(pile):
            if os.getppid() != here:  # nobody waits any more
                return
            os.write(tell, bytes([k, jobs[k]()]))

    copy = _copy_that_does(take)
    os.close(tell)
    said: dict[int, bool] = {}
    try:
        for k in _taken(pile):
            said[k] = jobs[k]()
    finally:
        os.read(pile, _PIPE)  # after an error nobody shall take more
        os.waitpid(copy, 0)
        answers = os.read(told, _PIPE)
        os.close(pile)
        os.close(told)
    said |= {k: bool(answer) for k, answer in zip(answers[::2], answers[1::2], strict=True)}
    return [said[k] if k in said else job() for k, job in enumerate(jobs)]


def _taken(pile: int) -> Iterator[int]:
    """The jobs that this process takes from the pile, one at a time."""
    while taken := os.read(pile, 1):
        yield taken[0]


def draw_in_two_processes(draw: Callable[[int], np.ndarray], count: int) -> Iterator[np.ndarray]:
    """``draw(0)``, ``draw(1)``, … in order; a copy of this process, made at once, draws every second one.

    What the copy has not drawn when it ends, for an error too, is drawn here.

    Args:
        draw: what it returns has always the same shape and type.
        count: how many there are.
    """
    told, tell = os.pipe()

    def draw_odd_ones() -> None:
        os.close(told)  # so that it ends with who reads
        with open(tell, "wb") as out:
            for k in range(1, count, 2):
                out.write(np.ascontiguousarray(draw(k)).data)

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
