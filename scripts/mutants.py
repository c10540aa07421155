"""Would the tests notice? Small faults are put into a copy of the program, one at a time, and the tests run.

    python scripts/mutants.py [--count 100] [--only ROOM,…] [--seed 0] [--keep FILE] [--again]
        [--out docs/lab/reliability.md]
    python scripts/mutants.py --everywhere [--count 200] [--minutes 25] [--seed 0] [--keep FILE]

Each fault (an operator, a number, a rounding) is tried against the tests of its room and of its
file. What survives is named: the tests let it live, or it makes no difference. Results are added to
FILE as they come; what is there is not tried again, but with --again what survived. Faults in
compiled code cost a compilation. ``--everywhere`` draws from all files but those of pictures, and
runs the up to three test files that speak most of what is defined in the file.
"""

import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import typer
from measured_part import ROOT, table, tell
from torturing.mutations import Mutation, drawn
from torturing.nearest import nearest, sources

TIME_LIMIT = 900.0  # [s] for the tests of a fault; what takes longer is noticed
FATES = ("noticed", "since", "survived")  # at once; by other tests than the nearest, or by new ones
HEAD = [
    "faults in",
    "tried",
    "noticed at once",
    "noticed by other tests, or new ones",
    "not noticed",
]
_COPIED = (
    "dynamics",
    "hopfield_nav",
    "scripts",
    "tests",
    "worlds",
    "docs",
    "pyproject.toml",
    "README.md",
)

# a room: its files, and the tests that are to notice what is wrong with them, besides the nearest
# to each
ROOMS = {
    "scoring": (
        "record/contacts record/scoring record/run record/plans experiment/arrival",
        "extensions/recordings/test_tuning.py",
    ),
    "statistics": (
        "sweeps/statistics sweeps/values sweeps/axes extensions/recordings/tuning",
        "cli/test_sweep_cli.py sweeps/test_sweep_file.py",
    ),
    "navigation": (
        "navigation/map/beliefs navigation/map/collision_map navigation/marks "
        "navigation/motion/reachability navigation/motion/tool_path navigation/responses/retreat",
        "",
    ),
    "world": (
        "world/checks world/fitting world/beforehand world/obstacles",
        "world/test_all_faults.py world/test_faults.py world/test_world.py world/test_explore_section.py "
        "world/test_start_section.py experiment/test_three_dimensions.py",
    ),
    "planner": (
        "planning/a_star planning/ascent planning/limit_bits planning/sum_exact planning/replanning planning/hopfield",
        "planning/test_plan_path.py planning/test_theory.py planning/test_closed.py",
    ),
    "kernels of the arm": (
        "../dynamics/newton_euler ../dynamics/composite ../dynamics/coriolis ../dynamics/kinematics "
        "../dynamics/inverse/closed_form",
        "dynamics/test_dynamics_pinocchio.py dynamics/test_arms.py dynamics/test_inverse_kinematics.py",
    ),
    "control": (
        "control/sensors control/alarm control/detectors/adaptive_joint_torque "
        "control/estimators/momentum_observer control/laws/inverse_dynamics",
        "control/test_torque_detectors.py control/test_momentum_observer.py control/test_computed_torque.py",
    ),
    "contact and geometry": (
        "geometry/distance geometry/round_distance geometry/flat_distance "
        "loop/contact loop/sinking loop/contact_watch",
        "geometry/test_solids.py",
    ),
}


def main(
    count: int = 100,
    only: str = ",".join(ROOMS),
    seed: int = 0,
    keep: Path | None = None,
    again: bool = False,
    out: Path | None = None,
    everywhere: bool = False,
    minutes: float = math.inf,
) -> None:
    """Print the table and what survived; ONLY: rooms, with commas; MINUTES: with EVERYWHERE, to stop after."""
    if everywhere:
        raise SystemExit(try_everywhere(count, seed, minutes, keep))
    known = _read(keep)
    earlier = {name: found["fate"] for name, found in known.items()}
    with tempfile.TemporaryDirectory(prefix="hopfield-nav-mutants-") as folder:
        place = _copy(Path(folder))
        for room in only.split(","):
            faults = chosen(place, room, -(-count // len(ROOMS)), seed)
            wanted = [m for m in faults if earlier.get(m.name) == ("survived" if again else None)]
            if wanted and not run_tests(place, list(tests_of(room).values())):
                raise SystemExit(f"{room}: the tests fail without any fault")
            for mutation in wanted:
                found = fate(place, mutation, tests_of(room)[mutation.path])
                known[mutation.name] = {
                    "room": room,
                    "fate": "since" if again and found == "noticed" else found,
                }
                _add(keep, mutation.name, known[mutation.name])
    tell(table(HEAD, rows(known)), out, "mutants")
    survived = [name for name, found in known.items() if found["fate"] == "survived"]
    print("\n".join(f"survived: {name}" for name in survived))
    raise SystemExit(bool(survived))


def try_everywhere(count: int, seed: int, minutes: float, keep: Path | None) -> int:
    """Draw from every file, in an order of its own for each seed; 1 where any survived."""
    known, end, sound = _read(keep), time.monotonic() + 60 * minutes, set[str]()
    with tempfile.TemporaryDirectory(prefix="hopfield-nav-mutants-") as folder:
        place, dice = _copy(Path(folder)), random.Random(seed)
        paths = [path for path in sources(place) if nearest(place, path)]
        dice.shuffle(paths)
        for mutation in drawn(place, paths, count, dice):
            if mutation.name in known or time.monotonic() > end:
                continue
            tests = nearest(place, mutation.path)
            if tests not in sound and not run_tests(place, [tests]):
                raise SystemExit(f"{tests}: fails without any fault")
            sound.add(tests)
            found = fate(place, mutation, tests)
            known[mutation.name] = {"room": "everywhere", "fate": found}
            _add(keep, mutation.name, known[mutation.name])
    survived = [name for name, one in known.items() if one["fate"] == "survived"]
    print(f"{len(known)} tried, {len(survived)} not noticed")
    return int(bool(survived))


def rows(known: dict[str, dict[str, str]]) -> list[list[str]]:
    """How many faults of each room there were, and what became of them."""
    found = []
    for room in (*ROOMS, "everywhere"):
        fates = [one["fate"] for one in known.values() if one["room"] == room]
        found.append([len(fates), *(fates.count(kind) for kind in FATES)])
    total = [sum(column) for column in zip(*found, strict=True)]
    return [
        [name, *map(str, row)]
        for name, row in zip([*ROOMS, "everywhere", "all"], [*found, total], strict=True)
    ]


def chosen(root: Path, room: str, count: int, seed: int) -> list[Mutation]:
    """The faults of a room."""
    return drawn(root, list(tests_of(room)), count, random.Random(f"{seed} {room}"))


def tests_of(room: str) -> dict[str, str]:
    """The files of a room, and the tests that are to notice what is wrong with each."""
    files, more = ROOMS[room]
    paths = [os.path.normpath(f"hopfield_nav/{name}.py") for name in files.split()]
    return {
        path: " ".join(dict.fromkeys(f"{nearest(ROOT, path)} {more}".split())) for path in paths
    }


def fate(root: Path, mutation: Mutation, tests: str) -> str:
    """Whether the tests notice a fault: ``noticed``, or ``survived``."""
    path = root / mutation.path
    whole = path.read_bytes()
    path.write_bytes(mutation.applied(whole))
    try:
        return "survived" if run_tests(root, [tests]) else "noticed"
    finally:
        path.write_bytes(whole)


def run_tests(root: Path, tests: list[str]) -> bool:
    """Whether the tests of a copy of the program pass."""
    there = [str(root / "tests" / test) for names in tests for test in names.split()]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        *there,
    ]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["NUMBA_CACHE_DIR"] = str(root / "compiled")
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _copy(folder: Path) -> Path:
    """A copy of the program; recordings lie beside it, where the tests look for them."""
    place = folder / "copy"
    place.mkdir()
    for name in _COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, place / name)
    if (ROOT.parent / "shared").exists():
        (folder / "shared").symlink_to(ROOT.parent / "shared")
    return place


def _read(path: Path | None) -> dict[str, dict[str, str]]:
    if path is None or not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {line.pop("name"): line for line in lines}


def _add(path: Path | None, name: str, found: dict[str, str]) -> None:
    print(f"{found['fate']}: {name}", flush=True)
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"name": name, **found}) + "\n")


if __name__ == "__main__":
    typer.run(main)
