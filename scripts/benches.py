"""The files of the suites, for scripts that use more of them than their rows."""

import sys
from pathlib import Path
from types import ModuleType

from hopfield_nav.plugin import load_from_file

BENCHES = Path(__file__).resolve().parents[1] / "worlds" / "benches"


def suite_module(name: str) -> ModuleType:
    """The module that a suite's file ``NAME.py`` is."""
    return sys.modules[load_from_file("setup", f"{name}.py:__name__", BENCHES)]
