"""Every bundled world, run by the built wheel alone: a fresh environment, an empty folder, no checkout.

    python scripts/wheel_worlds.py [WORLD ...]

builds the wheel, installs it with what it needs from the package index, and runs each world to its
end. It prints a line a world and ends with status 1 where one could not be run. Some minutes; the
first one compiles.
"""

import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_RAN = (0, 1)  # exit statuses of a run: at its goal, or not


def main(worlds: Sequence[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = installed(build(folder), folder)
        names = list(worlds) or bundled(program, folder)
        statuses = [_tell(program, world, folder) for world in names]
        return int(any(status not in _RAN for status in statuses))


def build(folder: Path) -> Path:
    """The wheel of this checkout, in ``folder``."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("*.whl"))


def installed(wheel: Path, folder: Path) -> Path:
    """The program, in a virtual environment of its own."""
    venv.create(folder / "venv", with_pip=True)
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", wheel], check=True)
    return scripts / "hopfield-nav"


def bundled(program: Path, folder: Path) -> list[str]:
    """The worlds that it knows."""
    told = run(program, ["list", "worlds"], folder)
    told.check_returncode()
    return [line.split()[0] for line in told.stdout.splitlines()]


def run(program: Path, words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """The program in ``folder``, which knows of no checkout."""
    own = {
        key: value
        for key, value in os.environ.items()
        if key not in ("PYTHONPATH", "NUMBA_CACHE_DIR")
    }
    here = {**own, "MPLBACKEND": "Agg", "XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.run(
        [program, *words], cwd=folder, env=here, capture_output=True, text=True, check=False
    )


def _tell(program: Path, world: str, folder: Path) -> int:
    done = run(program, ["run", world, "--no-plots"], folder)
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines() if line.strip()]
    said = dict(pair for pair in lines if len(pair) == 2)
    outcome = said.get("outcome", done.stderr.strip().splitlines()[-1:])
    print(f"{world:32} status {done.returncode}  {outcome}", flush=True)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
