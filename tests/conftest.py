"""Fixtures shared by the tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dynamics import list_arms, load_arm

# the built-in sets whose equations of motion and kinematics describe one and the same chain
RIGID = [name for name in list_arms() if name != "ur5_ragazzon2012_as_printed"]


@pytest.fixture(params=list_arms())
def arm(request):
    """Each built-in set."""
    return load_arm(request.param)


@pytest.fixture(params=RIGID)
def rigid_arm(request):
    """Each built-in set that is a rigid arm."""
    return load_arm(request.param)


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
