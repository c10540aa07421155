"""A pile of jobs for two processes: all are done, whatever happens to the copy."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest

from hopfield_nav.figures.two_processes import do_in_two_processes, draw_in_two_processes

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="no copy of a process on this system"
)


def jobs_of(folder, count, work=lambda k: None):
    """Each writes a file with the number of its process, and says whether its number is even."""
    here = os.getpid()

    def job(k):
        work(k if os.getpid() != here else None)
        (folder / str(k)).write_text(str(os.getpid()))
        time.sleep(0.02)
        return k % 2 == 0

    return [lambda k=k: job(k) for k in range(count)]


def test_both_work_and_every_answer_is_in_its_place(tmp_path):
    assert do_in_two_processes(jobs_of(tmp_path, 21)) == [k % 2 == 0 for k in range(21)]
    assert len({(tmp_path / str(k)).read_text() for k in range(21)}) == 2


def test_no_jobs_and_one():
    assert do_in_two_processes([]) == []
    assert do_in_two_processes([lambda: True]) == [True]


@pytest.mark.parametrize("how", ["an error", "killed"])
def test_what_the_copy_leaves_undone_is_done_here(tmp_path, capfd, how):
    def fall(k):
        if k is not None:
            if how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            raise ValueError("in the copy alone")

    assert do_in_two_processes(jobs_of(tmp_path, 9, fall)) == [k % 2 == 0 for k in range(9)]
    assert {(tmp_path / str(k)).read_text() for k in range(9)} == {str(os.getpid())}
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_is_raised_here_as_in_one_process(tmp_path, error):
    def fall(k):
        if k is None:
            raise error

    with pytest.raises(error):
        do_in_two_processes(jobs_of(tmp_path, 9, fall))
    assert {(tmp_path / str(k)).exists() for k in range(0, 9, 2)} == {False}


def pictures(fall_at=None):
    """Number ``k`` is full of k; beside it stands who drew it. The copy ends at one of them."""
    here = os.getpid()

    def draw(k):
        if k == fall_at and os.getpid() != here:
            raise ValueError
        return np.array([[k, k, k], [os.getpid() == here] * 3] * 40000)

    return draw


@pytest.mark.parametrize("count", [0, 1, 2, 9, 10])
def test_every_second_picture_is_drawn_by_the_copy(count):
    drawn = list(draw_in_two_processes(pictures(), count))
    assert [picture[0, 0] for picture in drawn] == list(range(count))
    assert [bool(picture[1, 0]) for picture in drawn] == [k % 2 == 0 for k in range(count)]


def test_what_the_copy_does_not_draw_is_drawn_here():
    drawn = list(draw_in_two_processes(pictures(fall_at=5), 10))
    assert [picture[0, 0] for picture in drawn] == list(range(10))
    assert [bool(picture[1, 0]) for picture in drawn] == [True, False, True, False] + [True] * 6


def test_who_looks_no_further_ends_the_copy_too():
    drawn = draw_in_two_processes(pictures(), 1000)
    next(drawn)
    drawn.close()  # waits for the copy, which has nobody to draw for
