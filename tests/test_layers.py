"""The borders between and inside the packages, as ``pyproject.toml`` draws them."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_import_contracts_hold():
    pytest.importorskip("importlinter")
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parent.parent
    )
    assert result.returncode == 0, result.stdout
