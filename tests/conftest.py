"""Fixtures shared by the tests."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from dynamics import list_arms, load_arm

# the built-in sets whose equations of motion and kinematics describe one and the same chain
UR = [name for name in list_arms() if name.startswith("ur5")]
RIGID = [name for name in UR if name != "ur5_ragazzon2012_as_printed"]

# the recordings of a UR5 by kufieta2014 that the tests read, below ``data_folder``
KUFIETA = ["no1", "no8", "no5_free", "no5_pushed", "no10_standstill_force_sensor_fx"]

MANY = 500  # tests, from which on the longest one is worth a process of its own
_started: list = []


def pytest_configure():
    """Ctrl-C is heard, here and by the programs that are tested, where who started us ignores it (nohup)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config, items):
    """In a run of the whole suite bounds of kernels and types are checked beside the other tests."""
    if "NUMBA_BOUNDSCHECK" in os.environ or config.option.collectonly or (os.cpu_count() or 1) < 2:
        return
    long = [item for item in items if item.name.startswith("test_kernels_stay_inside_their_arrays[NUMBA_B")]
    if long and len(items) > MANY:
        types = [item for item in items if item.name == "test_tool_finds_nothing[types]"]
        items[:] = [item for item in items if item not in long + types] + types + long  # asked last
        folder = Path(tempfile.mkdtemp(prefix="bounds-check-"))
        _started.append((long[0].module.start_bounds_check(folder), folder))
        for item in types:
            _started.append((item.module.start_tool("types"), folder))


def pytest_sessionfinish():
    """Leave nothing behind when the run ends before its last test."""
    for process, folder in _started:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


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
