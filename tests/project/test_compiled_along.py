"""Compiled code that comes along: where it fits nothing is compiled, where it does not a line says so."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from compiled_code import _add, pack

from dynamics.kernels import archive, digests, numba_parts
from dynamics.kernels.checksums import sealed

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


def _about(made):
    return archive.read_about(archive.parts_of(made)[0])


@pytest.fixture
def other(made, tmp_path):
    """A folder with a copy of that archive, about which other things may be said."""

    def copy(**about):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(archive, "ARCHIVES", tmp_path / "archives")
            told = _about(made[2])
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
    folder = Path(shutil.copytree(made[2], tmp_path / made[2].name))
    part = archive.parts_of(folder)[-1]
    content = part.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    damaged = {"cut": content[: len(content) // 2], "flipped": bytes(flipped), "empty": b""}
    part.write_bytes(damaged.get(how, b"PK" * 99))
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


def _of_one_part(made, place, name, content, about=None):
    """An archive with one file in it."""
    folder = place / made.name
    folder.mkdir(exist_ok=True)
    with tarfile.open(folder / "room.tar.xz", "w:xz") as files:
        _add(files, archive.ABOUT, json.dumps(_about(made) if about is None else about).encode())
        _add(files, name, content)
    return folder


@pytest.mark.parametrize("name", ["/outside.nbc", "../outside.nbc", "in/../../outside.nbc"])
def test_one_that_leads_out_of_its_folder_is_not_taken(made, tmp_path, name):
    folder = _of_one_part(made[2], tmp_path, name, sealed(b"code"))
    with pytest.raises(ValueError, match="leads out"):
        archive.contents(folder)


def test_one_that_says_nothing_of_itself_is_not_taken(made, tmp_path):
    _of_one_part(made[2], tmp_path, "a.nbc", sealed(b"code"), about=[])
    answer, compiled, _, _, errors = _told(_start(tmp_path, tmp_path))
    assert (answer, compiled > 0, errors.count("\n")) == (made[0], True, 1)
    assert "cannot be unpacked" in errors


def test_a_change_in_one_room_leaves_the_other_parts_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "ARCHIVES", tmp_path / "archives")
    about = {**digests.versions(), "folder": "code-0123456789abcdef"}

    def packed(files):
        folder = tmp_path / f"compiled-{len(files)}-{os.urandom(4).hex()}"
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(sealed(content))
        made = pack(folder, about, tmp_path / "elsewhere")
        return {part.name: part.read_bytes() for part in archive.parts_of(made)}

    first = {"dynamics/a-1.nbc": b"1", "hopfield_nav/loop/b-2.nbc": b"2", "texts/c": b"3"}
    before = packed(first)
    assert before.keys() == {"dynamics.tar.xz", "hopfield_nav.loop.tar.xz", "texts.tar.xz"}
    again = packed({**first, "dynamics/a-1.nbc": b"1, compiled in another order"})
    assert again == before
    room = "hopfield_nav/extensions/gym/d-4.nbc"
    after = packed({**{k: v for k, v in first.items() if "loop" not in k}, room: b"4"})
    assert after.keys() == {"dynamics.tar.xz", "hopfield_nav.extensions.gym.tar.xz", "texts.tar.xz"}
    assert after["dynamics.tar.xz"] == before["dynamics.tar.xz"]


@pytest.mark.study
def test_the_one_in_this_checkout_has_all_that_the_first_command_needs(tmp_path):
    """Where it fails, an edited kernel is newer than the archive: scripts/compiled_code.py makes it anew."""
    inside = archive.contents(archive.archive_folder(digests.versions()))
    run = subprocess.run(
        [sys.executable, "-m", "hopfield_nav", "run", "ragazzon2012", "--no-plots"], cwd=tmp_path, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}, capture_output=True,
    )  # fmt: skip
    assert run.returncode == 0
    there = {path.name for path in tmp_path.rglob("*.nbc")}
    assert there == {Path(name).name for name in inside if name.endswith(".nbc")}


def test_an_installation_gets_the_numba_that_it_was_made_for():
    newest = re.search(r'"numba>=[\d.]+,<=([\d.]+)"', (ROOT / "pyproject.toml").read_text("utf-8"))[
        1
    ]
    assert newest == numba_parts.NEWEST_TESTED
    for path in archive.ARCHIVES.glob("*/*.tar.xz"):
        assert archive.read_about(path)["Numba"] == newest
