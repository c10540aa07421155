"""The folder of compiled code, which is executed: nobody else may write to it."""

from __future__ import annotations

import os
import stat

import pytest
from refusals import refused

from dynamics.kernels import cache


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """No choice made yet, a home folder and a temporary folder of our own."""
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setenv("HOPFIELD_NAV_CACHE_DIR", "")
    monkeypatch.setattr(cache.tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(cache.atexit, "register", lambda *_: None)
    cache.cache_folder.cache_clear()
    yield tmp_path
    cache.cache_folder.cache_clear()


def _mode(folder):
    return stat.S_IMODE(folder.stat().st_mode)


def test_the_folder_is_ours_alone(fresh):
    folder = cache.cache_folder()
    assert folder.parent == fresh / "home" / "hopfield-nav"
    assert (_mode(folder), _mode(folder.parent)) == (0o700, 0o700)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_folder_that_others_may_write_to_is_refused(fresh, monkeypatch, mode):
    asked = fresh / "asked"
    asked.mkdir()
    asked.chmod(mode)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(asked))
    with refused("NUMBA_CACHE_DIR: others may write"):
        cache.cache_folder()
    assert list(asked.iterdir()) == []
    asked.chmod(0o755)
    assert cache.cache_folder().parent == asked


def test_code_that_others_may_change_is_refused(fresh):
    folder = cache.cache_folder()
    folder.chmod(0o777)
    cache.cache_folder.cache_clear()
    with refused("others may write"):
        cache.cache_folder()


def test_a_guessed_folder_in_the_temporary_one_is_not_used(fresh):
    """Where there is no home, somebody may have made the folder that stands in for it: another is made."""
    (fresh / "home").rmdir()
    (fresh / "home").write_text("no folder")
    guessed = cache._choose_root()
    assert guessed.parent == fresh / "tmp"
    guessed.chmod(0o777)
    other = cache._choose_root()
    assert other != guessed
    assert other.parent == fresh / "tmp"
    assert _mode(other) == 0o700
    assert os.environ["HOPFIELD_NAV_CACHE_DIR"] == str(other)  # for the workers that we start


def test_what_somebody_else_owns_is_not_private(fresh, monkeypatch):
    assert cache.is_private(fresh / "tmp")
    monkeypatch.setattr(cache.os, "getuid", lambda: os.stat(fresh).st_uid + 1)
    administrator = os.stat(fresh).st_uid == 0  # whose folders count as ours
    assert cache.is_private(fresh / "tmp") == administrator


@pytest.mark.skipif(
    not hasattr(os, "chown") or os.getuid() != 0, reason="only root gives folders away"
)
def test_a_folder_of_somebody_else_is_refused(fresh, monkeypatch):
    asked = fresh / "asked"
    asked.mkdir(mode=0o700)
    os.chown(asked, 12345, 12345)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(asked))
    with refused("others may write"):
        cache.cache_folder()
