"""What Windows and macOS lack, taken away: the program does without, and says so where it matters."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dynamics.kernels import cache
from hopfield_nav.cli.app import main
from hopfield_nav.experiment import compiling
from hopfield_nav.sweeps import core_count

MISSING_ON_WINDOWS = (
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getpgid",
    "fork",
    "sched_getaffinity",
    "chown",
)
WITHOUT = f"""\
import sys
for name in ("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty"):
    sys.modules[name] = None
import os
for name in {MISSING_ON_WINDOWS!r}:
    if hasattr(os, name):
        delattr(os, name)
from hopfield_nav.cli.app import main
from hopfield_nav.record import load_run
status = main(["run", "empty", "--no-plots", "--out", "made"])
assert status == 0, status
assert load_run("made").outcome == "reached"
more = (["export", "made", "--csv"], ["check", "u_trap"], ["plot", "made"], ["view", "made", "--html", "v"])
for words in more:
    assert main(words) == 0, words
"""


@pytest.fixture
def no_locks(monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)


def test_a_run_and_what_is_made_of_it_without_what_windows_lacks(tmp_path):
    here = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=tmp_path,
        env=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "made" / "signals.csv").is_file()
    assert (tmp_path / "made" / "figures" / "maps.png").is_file()
    assert (tmp_path / "v").is_file()


def test_with_locks_the_cache_is_shared():
    pytest.importorskip("fcntl")
    assert cache.cache_is_shared()


def test_without_locks_one_process_fills_the_cache(no_locks, monkeypatch, tmp_path, capsys):
    assert not cache.cache_is_shared()
    with cache.filling_cache(), cache.filling_cache():  # nobody is held back, not even ourselves
        pass
    processes = []

    def remember(names, at_once):
        processes.append(at_once)
        yield from names

    monkeypatch.setattr(compiling, "compile_parts", remember)
    import hopfield_nav.experiment as experiment

    monkeypatch.setitem(vars(experiment), "compile_parts", remember)
    assert main(["warm", "empty", "--processes", "4"]) == 0
    assert processes == [1, 1]


def test_folders_without_owners_are_private(monkeypatch, tmp_path):
    """Others may write to it: refused where a system knows of others, taken where it does not."""
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    if hasattr(os, "getuid"):
        assert not cache.is_private(open_to_all)
        monkeypatch.delattr(os, "getuid")
    assert cache.is_private(open_to_all)


def test_cores_where_nobody_says_which_are_ours(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert core_count() == (os.cpu_count() or 1)
