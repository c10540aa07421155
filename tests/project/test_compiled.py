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

import dynamics
import hopfield_nav
from dynamics.kernels import cache, digests
from dynamics.kernels.decorators import first_class, kernel

ROOT = Path(__file__).resolve().parents[2]
KERNEL_FILE = "from dynamics.kernels.decorators import kernel\n"


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A small tree of sources that takes the place of the two packages in the digest."""
    for root in ("dynamics", "hopfield_nav"):
        (tmp_path / root).mkdir()
        (tmp_path / root / "plain.py").write_text("ANSWER = 42\n")
        (tmp_path / root / "algorithm.py").write_text(KERNEL_FILE)
        (tmp_path / root / "record.py").write_text("from typing import NamedTuple\n")
        (tmp_path / root / "numbers.py").write_text("@record\nclass Clock:\n    step: int = 0\n")
        (tmp_path / root / "kinds.py").write_text("from enum import IntEnum\n")
    extensions = tmp_path / "hopfield_nav" / "extensions"
    for name, text in (
        ("first", ""),
        ("second", "from hopfield_nav.extensions.first import step\n"),
    ):
        (extensions / name).mkdir(parents=True)
        (extensions / name / "steps.py").write_text(KERNEL_FILE + text)
    monkeypatch.setattr(digests, "checkout", lambda: tmp_path)
    return tmp_path


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


def test_the_folder_is_that_of_the_sources_that_are_imported():
    assert Path(dynamics.__file__).parent == digests.checkout() / "dynamics"
    assert Path(hopfield_nav.__file__).parent == digests.checkout() / "hopfield_nav"


def test_same_sources_same_folder(sources):
    assert digests.core_digest() == digests.core_digest()


@pytest.mark.parametrize("root", ["dynamics", "hopfield_nav"])
@pytest.mark.parametrize("name", ["algorithm.py", "record.py", "numbers.py", "kinds.py"])
def test_edited_source_changes_the_folder(sources, root, name):
    before = digests.core_digest()
    path = sources / root / name
    path.write_text(path.read_text() + "\n# edited\n")
    assert digests.core_digest() != before


def test_new_kernel_file_changes_the_folder(sources):
    before = digests.core_digest()
    (sources / "hopfield_nav" / "deeper").mkdir()
    (sources / "hopfield_nav" / "deeper" / "new.py").write_text(KERNEL_FILE)
    assert digests.core_digest() != before


def test_source_without_kernels_keeps_the_folder(sources):
    before = digests.core_digest()
    (sources / "hopfield_nav" / "plain.py").write_text("ANSWER = 43\n")
    assert digests.core_digest() == before


@pytest.mark.parametrize(
    ("edited", "changed"), [("first", {"first", "second"}), ("second", {"second"})]
)
def test_an_edited_extension_changes_its_own_folder_and_of_those_that_name_it(
    sources, edited, changed
):
    folders = {name: sources / "hopfield_nav" / "extensions" / name for name in ("first", "second")}
    core, before = (
        digests.core_digest(),
        {name: digests.package_digest(path) for name, path in folders.items()},
    )
    path = folders[edited] / "steps.py"
    path.write_text(path.read_text() + "# edited\n")
    assert {
        name for name, path in folders.items() if digests.package_digest(path) != before[name]
    } == changed
    assert digests.core_digest() == core


def test_the_place_of_the_sources_is_not_in_the_digest(sources, monkeypatch):
    before = (
        digests.core_digest(),
        digests.package_digest(sources / "hopfield_nav" / "extensions" / "second"),
    )
    other = shutil.copytree(sources, sources / "elsewhere")
    monkeypatch.setattr(digests, "checkout", lambda: other)
    assert before == (
        digests.core_digest(), digests.package_digest(other / "hopfield_nav" / "extensions" / "second")
    )  # fmt: skip


def test_numba_flag_changes_the_folder(sources, monkeypatch):
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    before = digests.core_digest()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert digests.core_digest() != before


def test_no_other_processor_can_be_asked_for(monkeypatch):
    monkeypatch.setenv("HOPFIELD_NAV_TARGET", "pentium")
    with refused("HOPFIELD_NAV_TARGET: .*pentium.*native"):
        digests.target.__wrapped__()


def test_cache_location_keeps_the_folder_name(sources, monkeypatch):
    before = digests.core_digest()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/somewhere/else")
    assert digests.core_digest() == before


def test_numba_version_changes_the_folder(sources, monkeypatch):
    before = digests.core_digest()
    monkeypatch.setattr(digests, "version", lambda package: "0.0.0")
    assert digests.core_digest() != before


@pytest.mark.parametrize(
    "name",
    [
        "arm.py",
        "work.py",
        "kernels/decorators.py",
        "kernels/views.py",
        "kernels/lent.py",
        "kernels/our_compiler.py",
    ],
)
def test_what_decides_the_code_of_a_kernel_is_in_the_digest(name):
    """Swapped fields of ``Arm`` or ``Work`` have the same types: old code would read one as the other."""
    assert digests.decides_code(ROOT / "dynamics" / name)
    assert digests.decides_code(
        ROOT / "hopfield_nav" / "control" / "detectors" / "joint_torque.py"
    )  # and its threshold
    assert not digests.decides_code(ROOT / "dynamics" / "errors.py")


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


def test_the_number_of_threads_does_not_move_the_cache(monkeypatch):
    before = digests.core_digest()
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert digests.core_digest() == before


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
