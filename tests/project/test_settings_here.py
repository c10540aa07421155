"""Settings that libraries look for in the current folder: they change nothing and stop nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHANGED = {".numba_config.yaml": "boundscheck: 1\n", "matplotlibrc": "text.usetex: True\n"}
MALFORMED = {".numba_config.yaml": "]: [", "matplotlibrc": b"axes.grid: perhaps\n\xff"}
OUTSIDE = """\
import numpy as np
from dynamics.kernels.decorators import kernel, load_numba

@kernel
def outside(x, i):
    return x[i - 1] * 0

print(outside(np.ones(3), 4))
"""
COLOURS = """\
import matplotlib
print(matplotlib.rcParams["text.usetex"], matplotlib.rcParams["axes.grid"])
"""


def _told(folder, code, settings, name="asked.py"):
    (folder / "elsewhere").mkdir(exist_ok=True)
    (folder / "elsewhere" / name).write_text(code)
    for file, text in settings.items():
        (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, str(folder / "elsewhere" / name)], cwd=folder, env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize("settings", [CHANGED, MALFORMED], ids=["changed", "malformed"])
@pytest.mark.parametrize("before", ["", "import numba\n"], ids=["we load Numba", "it is loaded"])
def test_kernels_are_compiled_with_the_settings_of_the_environment(tmp_path, settings, before):
    """An index outside is an error where Numba's settings say so; who loads it himself keeps his own for himself."""
    if before and settings is MALFORMED:
        settings = {}
        before += "import pathlib\npathlib.Path('.numba_config.yaml').write_text(']: [')\n"
    assert _told(tmp_path, before + OUTSIDE, settings) == "0.0"


def test_settings_that_come_later_are_not_looked_for(tmp_path):
    late = "import os\nload_numba()\nopen('.numba_config.yaml', 'w').write('boundscheck: 1')\n"
    late += "os.environ['NUMBA_BOUNDSCHECK'] = '1'\n"
    code = OUTSIDE.replace("\n@kernel", f"\n{late}@kernel")
    assert _told(tmp_path, code, {}) == "0.0"


@pytest.mark.parametrize("settings", [CHANGED, MALFORMED], ids=["changed", "malformed"])
@pytest.mark.parametrize("room", ["figures.film", "extensions.known_world.figures"])
def test_pictures_are_those_of_every_folder(tmp_path, settings, room):
    assert _told(tmp_path, f"import hopfield_nav.{room}\n{COLOURS}", settings) == "False False"


def test_settings_of_the_users_own_hold_as_ever(tmp_path, monkeypatch):
    (tmp_path / "mine").write_text("axes.grid: True\n")
    monkeypatch.setenv("MATPLOTLIBRC", str(tmp_path / "mine"))
    assert _told(tmp_path, f"import hopfield_nav.figures\n{COLOURS}", CHANGED) == "False True"
