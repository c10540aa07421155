"""Compilation and its cache: stale code never runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from refusals import refused

from dynamics.kernels import cache, digests
from dynamics.kernels.decorators import first_class, kernel

ROOT = Path(__file__).resolve().parents[2]


def _run(arguments: list[str], tmp_path: Path, **flags: str) -> subprocess.CompletedProcess:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        **flags,
    }
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )


# --- the name of the cache folder
# ---------------------------------------------------------------------


@pytest.fixture
def decorators(tmp_path, monkeypatch):
    """A copy of the files that say how kernels are compiled, and what names the folder by it."""
    for name in digests._DECORATORS:
        shutil.copy(ROOT / "dynamics" / "kernels" / name, tmp_path / name)
    monkeypatch.setattr(digests, "__file__", str(tmp_path / "digests.py"))
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    return tmp_path, lambda: digests.folder_digest(tmp_path / "texts")


def test_an_edited_decorator_changes_the_folder_and_its_layout_does_not(decorators):
    folder, name = decorators
    before, path = name(), folder / "decorators.py"
    assert name() == before
    text = path.read_text()
    path.write_text(
        f'"""Something else."""\n\n\n# and more\n{text[text.index("import functools") :]}'
    )
    assert name() == before
    path.write_text(text.replace('"nogil": True', '"nogil": False'))
    assert name() != before


def test_a_damaged_note_of_what_a_file_says_is_made_anew(decorators):
    folder, name = decorators
    before = name()
    for path in (folder / "texts").iterdir():
        path.write_bytes(path.read_bytes()[:-40])
    assert name() == before


def test_the_place_of_the_sources_is_not_in_the_digest(decorators):
    assert decorators[1]() == digests.folder_digest(decorators[0] / "others")
    assert decorators[1]() == cache_name(decorators[0])


def cache_name(place: Path) -> str:
    """The folder that this checkout uses, in which nothing else than versions and flags counts."""
    code = "from dynamics.kernels.cache import cache_folder; print(cache_folder().name)"
    return _run(["-c", code], place).stdout.strip().removeprefix("code-")


def test_numba_flag_changes_the_folder(decorators, monkeypatch):
    before = decorators[1]()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert decorators[1]() != before


def test_no_other_processor_can_be_asked_for(monkeypatch):
    monkeypatch.setenv("HOPFIELD_NAV_TARGET", "pentium")
    with refused("HOPFIELD_NAV_TARGET: .*pentium.*native"):
        digests.target.__wrapped__()


def test_cache_location_keeps_the_folder_name(decorators, monkeypatch):
    before = decorators[1]()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/somewhere/else")
    assert decorators[1]() == before


def test_numba_version_changes_the_folder(decorators, monkeypatch):
    before = decorators[1]()
    monkeypatch.setattr(digests, "version", lambda package: "0.0.0")
    assert decorators[1]() != before


def _folder(root, name, tag=cache._TAGGED, time=0):
    folder = root / name
    folder.mkdir()
    (folder / "work").write_text("of a week")
    if tag is not None:
        (folder / cache._TAG).write_text(tag)
    os.utime(folder, (time, time))
    return folder


def test_old_folders_are_pruned_and_the_current_stays(tmp_path):
    folders = [_folder(tmp_path, f"code-{k:016x}", time=100 + k) for k in range(12)]
    (tmp_path / "other").mkdir()
    cache._prune(tmp_path, current=folders[0])
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["other", folders[0].name, *(f.name for f in folders[-cache._KEEP :])]
    )


def test_only_what_this_program_has_made_is_pruned(tmp_path):
    """A folder of the user's, of nearly our name, with a tag of somebody else's, or behind a link, stays."""
    others = [
        _folder(tmp_path, name) for name in ("code-review", "code-1", f"code-{0:016x}-old", "code-")
    ]
    others += [
        _folder(tmp_path, f"code-{1:016x}", None),
        _folder(tmp_path, f"code-{2:016x}", "of a backup"),
    ]
    (tmp_path / f"code-{3:016x}").symlink_to(others[0])
    for k in range(cache._KEEP):
        _folder(tmp_path, f"code-{16 + k:016x}", time=1000 + k)
    before = sorted(tmp_path.rglob("*"))
    cache._prune(tmp_path, current=tmp_path / f"code-{0:016x}")
    assert sorted(tmp_path.rglob("*")) == before


def test_the_folder_that_is_made_is_one_that_may_be_pruned(tmp_path):
    code = "from dynamics.kernels.cache import cache_folder, _is_tagged; print(_is_tagged(cache_folder()))"
    assert _run(["-c", code], tmp_path).stdout.strip() == "True"


def test_folder_that_cannot_be_written_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path))
    assert cache._choose_root().parent == tmp_path


def test_cache_is_used(tmp_path):
    """The second process finds the code of the first, where none comes along."""
    code = (
        "from dynamics import load_arm, forward_kinematics\n"
        "from dynamics.kernels.cache import cache_is_warm\n"
        "warm = cache_is_warm(); forward_kinematics(load_arm('ur5e'), [0] * 6); print(warm)"
    )
    runs = [_run(["-c", code], tmp_path, HOPFIELD_NAV_TARGET="native") for _ in range(2)]
    assert [run.stdout.strip() for run in runs] == ["False", "True"], (
        runs[0].stderr + runs[1].stderr
    )


# --- compiled functions
# -------------------------------------------------------------------------------


_LAW_CALLED = """
import numpy as np
from dynamics import load_arm
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.work import make_work
from hopfield_nav.plugin import find_method, make_sensed
method, arm, n = find_method("controller", "hybrid_force_motion"), load_arm("ur5_full"), 6
sensed, work, memory = make_sensed(n), make_work(n), np.zeros(method.memory(n))
update_frames(arm, sensed.q, work)
update_tool_position(arm, work)
for sensed.time[0] in (0.0, 1.0, 2.0):
    method.kernel(arm, sensed, method.pack({}, n), memory, work, np.zeros(n))
print("called")
"""


def test_a_second_process_can_use_a_step_that_is_handed_parameters_by_name(tmp_path):
    """Their class is made at run time: a version that was kept for it would be for no class of the second process."""
    for _ in range(2):
        done = _run(["-c", _LAW_CALLED], tmp_path)
        assert done.stdout.strip() == "called", done.stderr


def test_first_class_functions_are_values():
    """One kernel, handed different functions, calls each; it is compiled once."""
    signature = numba.float64(numba.float64)

    def double(x):
        return 2 * x

    def square(x):
        return x * x

    functions = [first_class(signature, f) for f in (double, square)]

    @numba.njit(error_model="numpy")
    def apply(function, x):
        return function(x)

    assert [apply(f, 5.0) for f in functions] == [10.0, 25.0]
    assert len(apply.signatures) == 1


def test_division_by_zero_is_infinite_and_nan_stays():
    assert kernel(_divide)(1.0, 0.0) == np.inf
    assert np.isnan(kernel(_divide)(np.nan, 1.0))


def _divide(a, b):
    return a / b


def test_a_kernel_that_is_in_no_file_is_compiled_and_not_kept():
    """As one that is typed into a notebook."""
    names = {}
    exec("def half(x): return 0.5 * x", names)
    assert kernel(names["half"])(4.0) == 2.0


def test_the_number_of_threads_does_not_move_the_cache(decorators, monkeypatch):
    before = decorators[1]()
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert decorators[1]() == before


def test_the_cache_is_filled_by_one_process_at_a_time(tmp_path):
    """Three processes warm an empty cache; between two marks of one there is none of another."""
    script = tmp_path / "fill.py"
    script.write_text(
        "import os, sys, time\n"
        "from dynamics.kernels.cache import filling_cache\n"
        "def mark(what):\n"
        "    with open(sys.argv[1], 'a') as log: log.write(f'{what} {os.getpid()}\\n')\n"
        "with filling_cache():\n"
        "    mark('in'); time.sleep(0.2); mark('out')\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }
    command = [sys.executable, str(script), str(tmp_path / "log")]
    started = [subprocess.Popen(command, env=environment) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    marks = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert [what for what, _ in marks] == ["in", "out"] * 3
    assert all(marks[k][1] == marks[k + 1][1] for k in range(0, 6, 2))


def test_where_no_lock_can_be_had_nobody_waits(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path / "missing")
    with cache.filling_cache():
        pass


@pytest.mark.parametrize(
    ("version", "flags", "together"),
    [
        ((3, 11, 7), "", True),
        ((3, 13, 5), "", True),
        ((3, 14, 0), "", False),
        ((3, 13, 5), "t", False),
    ],
)
def test_pythons_that_were_tried_share_their_code(monkeypatch, version, flags, together):
    usual = digests.versions()["Python"]
    monkeypatch.setattr(digests.sys, "version_info", version)
    monkeypatch.setattr(digests.sys, "abiflags", flags)
    name = "cpython-314" if version[:2] == (3, 14) else "cpython-313"
    monkeypatch.setattr(digests.sys.implementation, "cache_tag", name)
    assert (digests.versions()["Python"] == usual) == together


def test_a_script_of_ones_own_can_hand_over_a_record_that_it_defines(tmp_path):
    """Its class is found by no other process, so the code is compiled in each."""
    script = tmp_path / "script.py"
    script.write_text(
        "from typing import NamedTuple\n"
        "import numpy as np\n"
        "from dynamics.kernels.decorators import kernel\n"
        "from dynamics.kernels.records import record\n"
        "@record\nclass Count:\n    calls: int = 0\n"
        "class Kept(NamedTuple):\n    now: Count\n    rows: np.ndarray\n"
        "@kernel\ndef step(kept):\n    kept.now.calls += 1\n    return kept.now.calls + kept.rows[0]\n"
        "print(step(Kept(Count(), np.ones(2))))\n"
    )
    for _ in range(2):
        done = _run([str(script)], tmp_path)
        assert done.stdout.strip() == "2.0", done.stderr
