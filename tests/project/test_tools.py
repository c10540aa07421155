"""Style, docstrings and types are part of the tests: a fault fails them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {
    "style and docstrings": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
}


@pytest.mark.parametrize(
    "name", [*list(COMMANDS)[:2], pytest.param("types", marks=pytest.mark.study)]
)
def test_tool_finds_nothing(name):
    run = subprocess.run(
        [sys.executable, "-m", *COMMANDS[name]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
