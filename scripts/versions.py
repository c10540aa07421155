"""Do the bounds of ``pyproject.toml`` hold? The program with the lowest versions it allows, and the newest.

    python scripts/versions.py [lowest] [newest] [--keep FOLDER]

Each is installed by uv (``pip install uv``) into an environment of its own. In it the main
experiment, the whole arm and a sweep run, every command prints its help, and some hundred quick
tests pass; a warning is a fault. Prints a line a step and ends with status 1 where one failed.
Compiles twice, some minutes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

ROOT = Path(__file__).resolve().parents[1]
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
FOR_TESTS = ("pytest>=8", "pytest-xdist>=3.5", "hypothesis>=6.100")
TOLD = ("numpy", "numba", "scipy", "matplotlib", "pydantic", "typer", "click", "xarray")
SWEEP = "format: 1\nworld: u_trap\nvary: {detection.threshold: [3, 5]}\n"
TYPERS_OWN = "ignore:'click.utils:DeprecationWarning"  # an old typer's imports from a new click
TESTS = (  # they need nothing but the program and what is above
    "world/test_faults.py", "world/test_units.py", "sweeps/test_sweep_file.py", "record/test_scoring.py",
    "planning/test_plan_path.py", "loop/test_trajectory.py", "control/test_alarm.py", "dynamics/test_errors.py",
)  # fmt: skip


def main(
    which: Annotated[list[str] | None, typer.Argument()] = None, keep: Path | None = None
) -> None:
    """Install and try lowest, newest, or by default both; KEEP: folder of the environments, kept for the next time."""
    names = which or list(RESOLUTIONS)
    if not set(names) <= set(RESOLUTIONS):
        raise SystemExit(f"{' '.join(names)}: one or both of {', '.join(RESOLUTIONS)}")
    with tempfile.TemporaryDirectory(prefix="hopfield-nav-versions-") as scratch:
        folder = keep or Path(scratch)
        failed = sum(_failures(name, folder.resolve() / name, Path(scratch)) for name in names)
    raise SystemExit(failed > 0)


def _failures(name: str, environment: Path, scratch: Path) -> int:
    python = install(name, environment)
    print(f"{name}: {', '.join(versions(python))}", flush=True)
    place = scratch / f"{name}-runs"
    place.mkdir()
    (place / "sweep.yaml").write_text(SWEEP, encoding="utf-8")
    return sum(not _step(name, what, python, words, place) for what, words in steps(python))


def install(name: str, environment: Path) -> Path:
    """The interpreter of an environment with the program and its lowest or newest versions."""
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv is None:
        raise SystemExit("versions.py needs uv: pip install uv")
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        subprocess.run([uv, "venv", "-q", "--python", sys.executable, environment], check=True)
    into = ["-q", "--python", python, "--resolution", RESOLUTIONS[name]]
    fresh = ["--reinstall-package", "hopfield-nav"]
    subprocess.run([uv, "pip", "install", *into, *fresh, ".", *FOR_TESTS], cwd=ROOT, check=True)
    return python


def versions(python: Path) -> list[str]:
    """What is installed there of that by which versions have broken the program, as ``name version``."""
    code = f"from importlib.metadata import version\nfor n in {TOLD!r}: print(n, version(n))"
    return _printed(python, code).splitlines()


def _printed(python: Path, code: str) -> str:
    command = [python, "-c", code]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=python.parent
    ).stdout


def steps(python: Path) -> Iterator[tuple[str, list[str]]]:
    """What is tried: its name, and the words after ``python``."""
    program = ["-m", "hopfield_nav"]
    code = "from hopfield_nav.cli.app import app\nprint(*(c.name for c in app.registered_commands))"
    for command in _printed(python, code).split():
        yield f"{command} --help", [*program, command, "--help"]
    yield "the main experiment", [*program, "run", "ragazzon2012", "--out", "main"]
    yield "the whole arm", [*program, "run", "whole_arm", "--no-plots", "--out", "whole"]
    yield "a sweep", [*program, "sweep", "sweep.yaml", "--workers", "2", "--out", "swept"]
    files = [str(ROOT / "tests" / name) for name in TESTS]
    alone = ["-n", "0", "-p", "no:cacheprovider", "--rootdir", str(ROOT), "-W", TYPERS_OWN]
    yield "quick tests", ["-m", "pytest", *alone, *files]


def _step(name: str, what: str, python: Path, words: Sequence[str], place: Path) -> bool:
    started = time.perf_counter()
    here = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {
        "MPLBACKEND": "Agg"
    }
    done = subprocess.run(
        [python, *words], cwd=place, env=here, capture_output=True, text=True, check=False
    )
    warned = "Warning" in done.stderr
    good = done.returncode == 0 and not warned
    print(
        f"{name}: {what}: {'ok' if good else 'FAILED'}, {time.perf_counter() - started:.0f} s",
        flush=True,
    )
    if not good:
        print(done.stdout[-2000:] + done.stderr[-4000:], flush=True)
    return good


if __name__ == "__main__":
    typer.run(main)
