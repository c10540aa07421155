"""Compiled code that comes along: where it fits nothing is compiled, where it does not a line says so."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from compiled_code import _add, pack

from dynamics.kernels import archive, digests, numba_parts

ROOT = Path(__file__).resolve().parents[2]
# What a program prints that finds archives in a folder of ours: an answer, and how many functions
# were in its cache.
ASKED = """
import json, pathlib, sys
from dynamics.kernels import archive, cache, digests
archive.ARCHIVES = pathlib.Path({archives!r})
import numpy as np
from numba.core import event
from hopfield_nav.planning.ascent import step_up

class Compiled(event.Listener):
    count = 0
    def on_start(self, event): Compiled.count += 1
    def on_end(self, event): pass

{before}
event.register("numba:compile", Compiled())
answer = int(step_up(np.array([[1, 2], [0, 2], [0, 1]]), 0, np.array([0.5, 0.6, 0.9]), np.zeros(3, np.int64)))
print(json.dumps([answer, Compiled.count, cache.cache_folder().name, digests.versions()]))
"""
NO_V3 = """
import llvmlite.binding as llvm
less = llvm.get_host_cpu_features()
less["avx2"] = False
llvm.get_host_cpu_features = lambda: less
"""

pytestmark = pytest.mark.skipif(
    digests.target() != digests.FIXED, reason="this machine compiles for itself"
)


def _start(place, archives, before="", **environment):
    own = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("NUMBA_", "HOPFIELD_NAV_"))
    }
    own |= {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(place / "cache"), **environment}
    code = ASKED.format(archives=str(archives), before=before)
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=own,
        cwd=place,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _told(process):
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return *json.loads(out), errors


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The answer, the versions, and an archive of what gave it."""
    place = tmp_path_factory.mktemp("made")
    answer, compiled, folder, versions, errors = _told(_start(place, place))
    assert compiled > 0
    assert errors == ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archive, "ARCHIVES", place / "archives")
        return (
            answer,
            versions,
            pack(place / "cache" / folder, {**versions, "folder": folder}, place),
        )


@pytest.fixture
def other(made, tmp_path):
    """A folder with a copy of that archive, about which other things may be said."""

    def copy(**about):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(archive, "ARCHIVES", tmp_path / "archives")
            told = archive.read_about(made[2])
            folder = tmp_path / "unpacked"
            folder.mkdir()
            for name, content in archive.contents(made[2]).items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            return pack(folder, {**told, **about}, tmp_path)

    return copy


def test_what_fits_is_unpacked_and_nothing_is_compiled(made, tmp_path):
    answer, compiled, _, _, errors = _told(_start(tmp_path, made[2].parent))
    assert (answer, compiled, errors) == (made[0], 0, "")


def test_a_home_that_cannot_be_written_has_it_in_the_temporary_folder(made, tmp_path):
    (tmp_path / "home").write_text("no folder")
    (tmp_path / "tmp").mkdir(mode=0o700)
    elsewhere = {
        "NUMBA_CACHE_DIR": "",
        "XDG_CACHE_HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "tmp"),
    }
    answer, compiled, _, _, errors = _told(_start(tmp_path, made[2].parent, **elsewhere))
    assert (answer, compiled, errors) == (made[0], 0, "")


def test_programs_that_unpack_at_once_leave_one_whole_folder(made, tmp_path):
    (tmp_path / "cache").mkdir(mode=0o700)
    started = [_start(tmp_path, made[2].parent) for _ in range(4)]
    assert [_told(process)[:2] for process in started] == [(made[0], 0)] * 4
    assert len(list((tmp_path / "cache").glob("*code-*"))) == 1


@pytest.mark.parametrize("about", [{"Numba": "0.1"}, {"llvmlite": "0.1", "SVML": "9"}])
def test_one_of_other_versions_is_not_taken(other, made, about, tmp_path):
    answer, compiled, _, _, errors = _told(_start(tmp_path, other(**about).parent))
    assert (answer, compiled > 0, errors.count("\n")) == (made[0], True, 1)
    for what, version in about.items():
        assert f"{what} {version}, not {made[1][what]}" in errors


def test_one_that_was_compiled_in_another_way_is_not_taken(other, made, tmp_path):
    answer, compiled, _, _, errors = _told(
        _start(tmp_path, other(folder="code-0123456789abcdef").parent)
    )
    assert (answer, compiled > 0, errors.count("\n")) == (made[0], True, 1)
    assert "another way of compiling" in errors


@pytest.mark.parametrize("how", ["another Python", "no such processor"])
def test_that_none_is_for_this_machine_is_said(other, made, how, tmp_path):
    if how == "another Python":
        before, archives = "", other(Python="cpython-399").parent
    else:
        before, archives = NO_V3, made[2].parent
    answer, compiled, _, _, errors = _told(_start(tmp_path, archives, before))
    assert (answer, compiled > 0, errors.count("\n")) == (made[0], True, 1)
    assert "no compiled code comes along for" in errors


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "nothing of the kind"])
def test_a_damaged_one_is_not_taken(made, how, tmp_path):
    content = made[2].read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    damaged = {"cut": content[: len(content) // 2], "flipped": bytes(flipped), "empty": b""}.get(
        how, b"PK" * 99
    )
    (tmp_path / made[2].name).write_bytes(damaged)
    answer, compiled, _, _, errors = _told(_start(tmp_path, tmp_path))
    assert (answer, compiled > 0, errors.count("\n")) == (made[0], True, 1)
    assert "cannot be unpacked" in errors


def test_who_asks_for_another_code_gets_none_of_it(made, tmp_path):
    for k, flag in enumerate(({"HOPFIELD_NAV_TARGET": "native"}, {"NUMBA_OPT": "1"})):
        (tmp_path / str(k)).mkdir()
        answer, compiled, _, versions, errors = _told(
            _start(tmp_path / str(k), made[2].parent, **flag)
        )
        assert (answer, compiled > 0, errors) == (made[0], True, "")
        assert (versions["target"] == digests.NATIVE) == (k == 0)


def test_one_that_leads_out_of_its_folder_is_not_taken(made, tmp_path):
    for name in (str(tmp_path / "outside.nbc"), "../outside.nbc"):
        path = tmp_path / made[2].name
        with tarfile.open(path, "w:xz") as files:
            _add(files, archive.ABOUT, json.dumps(archive.read_about(made[2])).encode())
            _add(files, name, archive.sealed(b"code"))
        with pytest.raises(ValueError, match="leads out"):
            archive.contents(path)


def test_one_that_says_nothing_of_itself_is_not_taken(made, tmp_path):
    with tarfile.open(tmp_path / made[2].name, "w:xz") as files:
        _add(files, archive.ABOUT, b"[]")
    answer, compiled, _, _, errors = _told(_start(tmp_path, tmp_path))
    assert (answer, compiled > 0, errors.count("\n")) == (made[0], True, 1)
    assert "cannot be unpacked" in errors


def test_an_installation_gets_the_numba_that_it_was_made_for():
    newest = re.search(r'"numba>=[\d.]+,<=([\d.]+)"', (ROOT / "pyproject.toml").read_text("utf-8"))[
        1
    ]
    assert newest == numba_parts.NEWEST_TESTED
    for path in archive.ARCHIVES.glob("*.tar.xz"):
        assert archive.read_about(path)["Numba"] == newest
