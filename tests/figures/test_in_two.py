"""A pile of jobs for two processes: all are done, whatever happens to the copy."""

from __future__ import annotations

import os
import signal
import time

import pytest

from hopfield_nav.figures.in_two import do_in_two

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no copy of a process on this system")


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
    assert do_in_two(jobs_of(tmp_path, 21)) == [k % 2 == 0 for k in range(21)]
    assert len({(tmp_path / str(k)).read_text() for k in range(21)}) == 2


def test_no_jobs_and_one():
    assert do_in_two([]) == []
    assert do_in_two([lambda: True]) == [True]


@pytest.mark.parametrize("how", ["an error", "killed"])
def test_what_the_copy_leaves_undone_is_done_here(tmp_path, capfd, how):
    def fall(k):
        if k is not None:
            if how == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            raise ValueError("in the copy alone")

    assert do_in_two(jobs_of(tmp_path, 9, fall)) == [k % 2 == 0 for k in range(9)]
    assert {(tmp_path / str(k)).read_text() for k in range(9)} == {str(os.getpid())}
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_is_raised_here_and_the_copy_takes_nothing_more(tmp_path, error):
    def fall(k):
        if k is None:
            raise error
        time.sleep(0.05)

    with pytest.raises(error):
        do_in_two(jobs_of(tmp_path, 50, fall))
    assert len(list(tmp_path.iterdir())) < 5
