"""Where the seconds of a first run and of a later one go.

    python benchmarks/profile_start.py [--out docs/lab/benchmarks.md]

Of one process: `run` itself compiles in two, which halves what a person waits for and adds imports.
The first run is timed by the clock, so that it is worth nothing where others use the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from timing import parser, print_load, table, tell

ROUNDS = 5
OTHERS = 0.5  # [s] own time of a group of functions below which it is not named alone


def warm() -> dict[str, float]:
    """Seconds of each part of `run ragazzon2012 --no-plots`, in a process that has just been started."""
    found, last = {}, 0.0

    def until_now(what: str) -> None:
        nonlocal last
        now = time.process_time()
        found[what], last = now - last, now

    until_now("Python starts")
    import h5netcdf
    import numba
    import rich.console
    import typer
    import xarray

    assert all((h5netcdf, numba, rich.console, typer, xarray))
    until_now("imports of libraries")
    from hopfield_nav import Simulation, load_world

    world = load_world("ragazzon2012")
    until_now("imports of the program; the world is read")
    from hopfield_nav.loop import compiled_loop

    compiled_loop()
    until_now("the compiled loop is read")
    simulation = Simulation(world)
    until_now("the simulation is made, with the first plan and its kernels")
    run = simulation.run()
    until_now("50.6 s are simulated")
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "run")
    until_now("the record is written")
    return found


def cold() -> dict[str, float]:
    """Seconds of the same run without compiled code: by the rooms whose functions are compiled."""
    from numba.core import event

    from hopfield_nav import simulate
    from hopfield_nav.world import load_world

    begun = time.perf_counter()  # as the events are timed
    with (
        event.install_recorder("numba:compile") as compiled,
        event.install_recorder("numba:llvm_lock") as llvm,
    ):
        simulate(load_world("ragazzon2012"))
    whole = time.perf_counter() - begun
    own: Counter[str] = Counter()
    stack: list[list] = []  # room, when it began, seconds of what was compiled inside
    for when, found in compiled.buffer:
        if found.is_start:
            module = found.data["dispatcher"].py_func.__module__.split(".")
            stack.append(
                [".".join(module[:2] if module[0] == "hopfield_nav" else module[:1]), when, 0.0]
            )
            continue
        room, start, inside = stack.pop()
        own[room] += when - start - inside
        if stack:
            stack[-1][2] += when - start
    parts = {
        f"functions of `{room}`": seconds for room, seconds in own.most_common() if seconds > OTHERS
    }
    parts["other functions"] = sum(own.values()) - sum(parts.values())
    parts["everything else"] = whole - sum(own.values())
    parts["of all this in LLVM; the rest is Numba's own, in Python"] = _locked(llvm.buffer)
    return parts


def _locked(buffer: list) -> float:
    """Seconds between the beginnings and ends of outermost events."""
    seconds, depth, begun = 0.0, 0, 0.0
    for when, found in buffer:
        begun = when if found.is_start and depth == 0 else begun
        depth += 1 if found.is_start else -1
        seconds += when - begun if depth == 0 else 0.0
    return seconds


def asked(what: str, cache: Path | None = None) -> dict[str, float]:
    """One of the two above, in a process of its own."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment |= {"NUMBA_CACHE_DIR": str(cache)} if cache else {}
    command = [sys.executable, __file__, "--measure", what]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Print both tables."""
    commands = parser(__doc__)
    commands.add_argument(
        "--measure", choices=["warm", "cold"], help="measure this process, as JSON"
    )
    options = commands.parse_args()
    if options.measure:
        print(json.dumps({"warm": warm, "cold": cold}[options.measure]()))
        return
    asked("warm")  # fills the cache
    found = [asked("warm") for _ in range(ROUNDS)]
    rows = [(name, sorted(one[name] for one in found)[ROUNDS // 2]) for name in found[0]]
    rows.append(("together", sum(seconds for _, seconds in rows)))
    head = ["a later run", "of processor"]
    tell(
        table(head, ([name, f"{seconds:.2f} s"] for name, seconds in rows)),
        options.out,
        "warm_start",
    )
    with tempfile.TemporaryDirectory() as cache:
        parts = asked("cold", Path(cache))
    head = ["the first run", "by the clock"]
    tell(
        table(head, ([name, f"{seconds:.1f} s"] for name, seconds in parts.items())),
        options.out,
        "cold_start",
    )
    print_load()


if __name__ == "__main__":
    main()
