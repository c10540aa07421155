"""The report of an internal error: a file to send along with a bug report."""

from __future__ import annotations

import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("hopfield-nav", "numpy", "numba", "pydantic", "typer")


def write_report(arguments: Sequence[str], error: BaseException) -> Path:
    """Write what happened to ``hopfield-nav-error-TIME.txt``, here or in the temporary folder.

    Args:
        arguments: the command line.
        error: the exception that was not meant to happen.
    """
    name = f"hopfield-nav-error-{time.strftime('%Y%m%d-%H%M%S')}.txt"
    for folder in (Path(), Path(tempfile.gettempdir())):
        try:
            path = folder / name
            path.write_text(_text(arguments, error), encoding="utf-8")
            return path
        except OSError:
            continue
    return Path("nowhere (no folder could be written)")


def _text(arguments: Sequence[str], error: BaseException) -> str:
    lines = [f"hopfield-nav {' '.join(arguments)}", f"Python {sys.version}", platform.platform()]
    lines += [f"{package} {_version_of(package)}" for package in _PACKAGES]
    return "\n".join([*lines, "", *traceback.format_exception(error)])


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
