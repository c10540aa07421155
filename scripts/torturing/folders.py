"""Commands in a folder full of modules and settings of somebody else: none is executed, none is read."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from importlib.metadata import packages_distributions
from pathlib import Path

from torturing.trials import LONGEST, Trials

_EXECUTED = "executed-"
_MODULE = (
    f"open('{_EXECUTED}' + __name__, 'w').close()\nraise SystemExit(f'{{__file__}} was executed')\n"
)
SETTINGS = {
    "changed": {".numba_config.yaml": "disable_jit: 1\n", "matplotlibrc": "text.usetex: True\n"},
    "malformed": {".numba_config.yaml": "]: [", "matplotlibrc": "axes.grid: perhaps\n\udcff\n"},
}  # fmt: skip
_PROGRAM = (
    "from hopfield_nav.cli import main\nif __name__ == '__main__':\n    raise SystemExit(main())\n"
)
_SWEEP = """\
format: 1
world: u_trap
set: {time_limit: 0.5}
vary: {detection.threshold: [6, 8]}
quantities: [outcome, simulated_time_s]
"""
COMMANDS = {  # and how each may end
    "run u_trap --set time_limit=0.5 --out OUT --no-plots": (1,),
    "plot run": (0,),
    "animate run": (0,),
    "sweep sweep.yaml --workers 1 --out OUT --no-plots": (0,),
    "plan cell --out OUT --no-plots": (0,),
    "view run --html page": (0,),
    "replay run --detector force_norm --plot replay.png": (0,),
    "export run --csv --mat": (0,),
    "compare run run": (0,),
    "tune u_trap --false-alarms-per-hour 1000 --seeds 2 --out tuned.yaml": (0, 1),
    "demo --rounds 1 --out OUT --no-plots": (0,),
    "identify run --arm ur5e --out arm.yaml": (0, 1, 2),
    "list worlds": (0,),
    "check u_trap": (0,),
    "schema": (0,),
    "new OUT.yaml": (0,),
    "serve nowhere": (2,),
    "watch 127.0.0.1 --port 9 --retry 0 --world u_trap --motor-constants 11,11,11,8,8,8": (2,),
    "warm u_trap": (0,),
}


def commands_in_foreign_folders(place: Path, count: int, first: int, limit: float) -> Trials:
    """One command after the other, each with settings that are changed or malformed."""
    here = make_folder(place)
    for number in range(first, first + count):
        command = list(COMMANDS)[number % len(COMMANDS)]
        kind = random.Random(number).choice(list(SETTINGS))
        yield (
            f"folder {number}: {command}, settings {kind}",
            partial(_try, here, command, kind, f"out{number}"),
        )


def make_folder(place: Path) -> Path:
    """A folder with a saved run, a sweep file, and a file for every module that we could think of.

    Beside it is ``start/hopfield-nav``, as a package manager writes it: what lies there comes
    first.
    """
    from hopfield_nav import load_world, simulate

    here = place / "here"
    (place / "start").mkdir(parents=True)
    (place / "start" / "hopfield-nav").write_text(_PROGRAM, encoding="utf-8")
    simulate(load_world("u_trap", ["time_limit=1.5"])).save(here / "run")
    (here / "sweep.yaml").write_text(_SWEEP, encoding="utf-8")
    known = {"hopfield_nav", "dynamics", "__main__"}
    for name in {*sys.stdlib_module_names, *packages_distributions()} - known:
        (here / f"{name}.py").write_text(_MODULE, encoding="utf-8")
    return here


def put_settings(here: Path, kind: str) -> None:
    """What libraries look for in the current folder."""
    for name, text in SETTINGS[kind].items():
        (here / name).write_bytes(text.encode("utf-8", "surrogateescape"))


def start_program(
    here: Path, words: Sequence[str], start: Sequence[str] = ()
) -> subprocess.CompletedProcess:
    """What one call of the program in a folder of ``make_folder`` has said; by default it is the file beside it."""
    told = start or [str(here.parent / "start" / "hopfield-nav")]
    # all starts would be safe
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    return subprocess.run(
        [sys.executable, *told, *words], cwd=here, env={**ours, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip


def executed(here: Path) -> list[str]:
    """The files that were."""
    return sorted(path.name.removeprefix(_EXECUTED) for path in here.glob(f"{_EXECUTED}*"))


def _try(here: Path, command: str, kind: str, out: str) -> None:
    put_settings(here, kind)
    for name in ("arm.yaml", "tuned.yaml"):
        (here / name).unlink(missing_ok=True)
    done = start_program(here, command.replace("OUT", out).split())
    shutil.rmtree(here / out, ignore_errors=True)
    assert executed(here) == [], "executed"
    assert done.returncode in COMMANDS[command], f"status {done.returncode}: {done.stderr[-300:]}"
