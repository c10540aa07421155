"""A pile of jobs that this process and a copy of it work off together, such as the pages of a run.

It owns the copy and its end. Who draws many files may import it, where no other threads run: a command does,
a notebook does not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

_PIPE = 512  # bytes; a pipe takes that many at once


def can_copy() -> bool:
    """Whether a copy of this process helps: on Linux, with a second processor to run on."""
    return hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1


def do_in_two(jobs: Sequence[Callable[[], bool]]) -> list[bool]:
    """Do every job, here or in a copy of this process, the first ones first; what each has said.

    A job that the copy has not done when it ends, for an error too, is done here. So every job is done, or an
    error is raised as in one process.

    Args:
        jobs: at most 255. What they remember is lost.
    """
    (pile, fill), (told, tell) = os.pipe(), os.pipe()
    os.write(fill, bytes(range(len(jobs))))
    os.close(fill)
    copy = os.fork()
    if copy == 0:
        try:
            for k in _taken(pile):
                os.write(tell, bytes([k, jobs[k]()]))
        finally:
            os._exit(0)  # without a word: what is missing is done again, by one who can tell
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
