"""Fixtures shared by the tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from dynamics import list_arms, load_arm

# the built-in sets whose equations of motion and kinematics describe one and the same chain
UR = [name for name in list_arms() if name.startswith("ur5")]
RIGID = [name for name in UR if name != "ur5_ragazzon2012_as_printed"]

# the recordings of a UR5 by kufieta2014 that the tests read, below ``data_folder``
KUFIETA = ["no1", "no8", "no5_free", "no5_pushed", "no10_standstill_force_sensor_fx"]

LONGEST = ("test_kernels_stay_inside_their_arrays[NUMBA_B", "test_tool_finds_nothing[types]")
MOST_PROCESSES = 8  # of which each holds its own compiled kernels


def pytest_configure():
    """Ctrl-C is heard, here and by the programs that are tested, where who started us ignores it (nohup)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config):
    """The whole suite runs in as many processes as there are cores; what is named alone, in this one."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    return 0 if named else min(os.cpu_count() or 1, MOST_PROCESSES)


def pytest_collection_modifyitems(items):
    """What takes minutes is asked first, so that no process is left with it at the end."""
    items.sort(key=lambda item: not item.name.startswith(LONGEST))


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
