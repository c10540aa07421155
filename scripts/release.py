"""Build what one installs, and try it: wheel and source archive, in a clean environment of each Python.

    python scripts/release.py [PYTHON]... [--out dist]

In each environment the wheel alone, with no checkout and nothing compiled before, types the
commands of ``COMMANDS``; none may compile anything. PYTHON: interpreters, by default this one. pip
asks the package index. Ends with status 1 where something was compiled, or a command failed. The
archive of compiled code is made before (``scripts/compiled_code.py``), and the CHANGELOG's section
gets its version.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = (
    ("run", "ragazzon2012"),
    ("plan", "cell"),
    ("run", "door", "--no-plots"),
    ("run", "whole_arm", "--set", "time_limit=5", "--no-plots"),
)
# A command of the program, and on the last line how many functions it has compiled.
COUNTED = """
import sys
from numba.core import event


class Compiled(event.Listener):
    names = []

    def on_start(self, event):
        Compiled.names.append(event.data["dispatcher"].py_func.__qualname__)

    def on_end(self, event):
        pass


event.register("numba:compile", Compiled())
from hopfield_nav.cli import main

try:
    main()
finally:
    print("compiled:", *Compiled.names, file=sys.stderr)
"""
_NOT_ITS = ("PYTHONPATH", "VIRTUAL_ENV", "NUMBA_", "HOPFIELD_NAV_")


def main(
    pythons: Annotated[list[str] | None, typer.Argument()] = None, out: Path = Path("dist")
) -> None:
    """Build into a folder and try the wheel with each interpreter."""
    wheel = build(out.resolve())
    failed = [python for python in pythons or [sys.executable] if not tried(python, wheel)]
    raise SystemExit(1 if failed else 0)


def build(folder: Path) -> Path:
    """Wheel and source archive of the checkout; gives the wheel."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)
    return max(folder.glob("*.whl"), key=lambda path: path.stat().st_mtime)


def tried(python: str, wheel: Path) -> bool:
    """Whether every command ends well in an environment with the wheel alone, and compiles nothing."""
    with tempfile.TemporaryDirectory(prefix="hopfield-nav-release-") as name:
        place = Path(name)
        own = {key: value for key, value in os.environ.items() if not key.startswith(_NOT_ITS)}
        own |= {"XDG_CACHE_HOME": str(place / "cache"), "MPLBACKEND": "Agg", "BROWSER": "true"}
        subprocess.run([python, "-m", "venv", place / "environment"], check=True)
        its = place / "environment" / "bin" / "python"
        subprocess.run([its, "-m", "pip", "install", "-q", wheel], check=True)
        return all(_ends_well(its, words, place, own) for words in COMMANDS)


def _ends_well(python: Path, words: tuple[str, ...], place: Path, own: dict[str, str]) -> bool:
    done = subprocess.run(
        [python, "-c", COUNTED, *words],
        cwd=place,
        env=own,
        check=False,
        capture_output=True,
        text=True,
    )
    *_, last = done.stderr.splitlines() or [""]
    well = done.returncode in (0, 1) and last == "compiled:"
    print(f"{python.resolve().name} {' '.join(words)}: {'ok' if well else done.stderr}", flush=True)
    return well


if __name__ == "__main__":
    typer.run(main)
