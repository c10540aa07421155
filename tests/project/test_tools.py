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


_running: dict[str, subprocess.Popen] = {}


def start_tool(name):
    """A tool at work beside the other tests; its test asks for the result."""
    _running[name] = subprocess.Popen(
        [sys.executable, "-m", *COMMANDS[name]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return _running[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_tool_finds_nothing(name):
    with _running.get(name) or start_tool(name) as process:
        output, _ = process.communicate()
    assert process.returncode == 0, output
