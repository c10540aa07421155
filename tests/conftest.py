"""Fixtures shared by the tests."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest

# Several processes test at once: threads of linear algebra in each would wait for each other in
# circles.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from dynamics import list_arms, load_arm  # loads NumPy, which asks then

# the built-in sets whose equations of motion and kinematics describe one and the same chain
UR = [name for name in list_arms() if name.startswith("ur5")]
RIGID = [name for name in UR if name != "ur5_ragazzon2012_as_printed"]

# the recordings of a UR5 by kufieta2014 that the tests read, below ``data_folder``
KUFIETA = ["no1", "no8", "no5_free", "no5_pushed", "no10_standstill_force_sensor_fx"]

QUICK = (  # what says most in a minute and a half: `pytest -m quick`
    "cli/test_commands.py", "control/test_alarm.py", "control/test_control_step.py",
    "control/test_detectors.py", "control/test_laws.py", "control/test_momentum_observer.py",
    "dynamics/test_dynamics_laws.py", "dynamics/test_dynamics_pinocchio.py", "dynamics/test_energy.py",
    "dynamics/test_inverse_kinematics.py", "dynamics/test_kinematics.py", "dynamics/test_presliding.py",
    "experiment/test_main_experiment.py", "geometry/test_solids.py", "extensions/isolation/test_isolate.py",
    "extensions/clearance/test_collisions.py", "extensions/recordings/test_threshold.py", "loop/test_closed_loop.py",
    "loop/test_contact.py", "extensions/engines/test_flexible.py", "loop/test_sticking.py",
    "navigation/test_beliefs.py",
    "navigation/test_tool_navigator.py", "planning/test_hopfield.py", "planning/test_limit.py",
    "planning/test_plan_path.py", "project/test_docs.py", "project/test_layers.py",
    "project/test_measured_parts.py", "record/test_run.py", "record/test_scoring.py",
    "sweeps/test_sweep_file.py", "world/test_all_faults.py", "world/test_faults.py", "world/test_world.py",
)  # fmt: skip

# The tests start Python hundreds of times: what it has read once is kept, whatever it was told.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.pop("COLUMNS", None)  # where nobody looks, tables are as wide as they want
sys.dont_write_bytecode = False

HERE = Path(__file__).resolve().parent
EXTENSIONS = HERE.parent / "hopfield_nav" / "extensions"
STUDY = "\npytestmark = pytest.mark.study\n"
MISSING = re.compile(r"needs the extension '\w+'|hopfield_nav\.extensions|No such command")
LONGEST = (
    "test_the_front_pages_can_be_typed", "test_kernels_stay_inside_their_arrays[NUMBA_B",
    "test_tool_finds_nothing[types]",
)  # fmt: skip
MOST_PROCESSES = 8  # of which each holds its own compiled kernels


def pytest_configure():
    """Ctrl-C is heard, here and by the programs that are tested, where who started us ignores it (nohup)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config):
    """The whole suite runs in as many processes as there are cores; what is named alone, in this one."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    return 0 if named else min(os.cpu_count() or 1, MOST_PROCESSES)


def _is_quick(path: Path) -> bool:
    return path.as_posix().endswith(QUICK)


def _is_core(path: Path) -> bool:
    return path.relative_to(HERE).parts[0] not in ("extensions", "scripts", "project")


def _has_studies(path: Path) -> bool:
    """Some tests of the file bear the mark `study`; in tests/scripts all do."""
    return _is_study(path) or "mark.study" in path.read_text(encoding="utf-8")


def _is_study(path: Path) -> bool:
    """Every test of the file is a study."""
    return path.is_relative_to(HERE / "scripts") or STUDY in path.read_text(encoding="utf-8")


def pytest_ignore_collect(collection_path, config):
    """Only files that are asked for are read, which takes most of the time; studies are no part of the suite."""
    if collection_path.suffix != ".py" or _is_named(config):
        return None
    wanted = {
        "quick": _is_quick, "study": _has_studies, "": lambda path: not _is_study(path),
        "core": lambda path: _is_core(path) and not _is_study(path),
    }.get(config.option.markexpr)  # fmt: skip
    return True if wanted and not wanted(collection_path) else None


def _is_named(config) -> bool:
    """Files or tests are named in the command, and no mark: then studies among them run too."""
    return config.args_source is pytest.Config.ArgsSource.ARGS and not config.option.markexpr


def pytest_collection_modifyitems(config, items):
    """What takes minutes is asked first, so that no process is left with it at the end."""
    items.sort(key=lambda item: not item.name.startswith(LONGEST))
    for item in items:
        for needed in item.iter_markers("needs"):
            if not (EXTENSIONS / needed.args[0]).is_dir():
                item.add_marker(pytest.mark.skip(reason=f"needs the extension {needed.args[0]}"))
        _put_marks(item)
    if not config.option.markexpr and not _is_named(config):
        studies = [item for item in items if item.get_closest_marker("study")]
        items[:] = [item for item in items if not item.get_closest_marker("study")]
        config.hook.pytest_deselected(items=studies)


def _put_marks(item) -> None:
    """A study is neither a quick test nor one of the core."""
    if _is_study(item.path):
        item.add_marker(pytest.mark.study)
    if item.get_closest_marker("study"):
        return
    if _is_quick(item.path):
        item.add_marker(pytest.mark.quick)
    if _is_core(item.path):
        item.add_marker(pytest.mark.core)


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    """A file of tests that needs an extension is skipped where that was taken away."""
    outcome = yield
    report = outcome.get_result()
    if (
        not EXTENSIONS.is_dir()
        and report.failed
        and "hopfield_nav.extensions" in str(report.longrepr)
    ):
        report.outcome, report.longrepr = "skipped", (str(collector.path), 0, "needs an extension")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """So is a test that meets the line which says that an extension is missing."""
    outcome = yield
    report = outcome.get_result()
    if not EXTENSIONS.is_dir() and report.failed and MISSING.search(str(report.longrepr)):
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, "needs an extension")


@pytest.fixture(params=UR)
def arm(request):
    """Each built-in set of a UR arm."""
    return load_arm(request.param)


@pytest.fixture(params=RIGID)
def rigid_arm(request):
    """Each of them that is a rigid arm."""
    return load_arm(request.param)


@pytest.fixture
def ax():
    """Axes of a figure of their own."""
    from matplotlib.figure import Figure

    return Figure().add_subplot()


@pytest.fixture
def sketched(monkeypatch):
    """Figures of runs are laid out and drawn, but their files stay empty: for tests that ask which there are."""
    from pictures import sketch

    monkeypatch.setattr("hopfield_nav.figures.run.draw.save_figure", sketch)


@pytest.fixture(scope="session")
def ur5():
    """The UR5 as its own controller computes it."""
    return load_arm("ur5_controller")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Recordings that nobody here made; tests that need them skip where they are missing."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("HOPFIELD_NAV_DATA") or default)
    if not folder.is_dir():
        pytest.skip(
            f"no recordings at {folder}; set HOPFIELD_NAV_DATA to the folder that holds ur5_kufieta2014"
        )
    return folder
