"""Sweeps killed at random moments: what was finished is kept, and with ``--resume`` no row is lost."""

import random
import shutil
import subprocess
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil

from torturing.trials import Trials, begin, ended

_SWEEP = """\
format: 1
world: u_trap
set: {time_limit: 4}
vary: {detection.threshold: [6, 8, 10, 12], contact.stiffness: [1.0e4, 1.0e5]}
repeats: 6
quantities: [outcome, simulated_time_s, collision_count]
"""
VICTIMS = ("the sweep", "the sweep while it starts", "a worker", "a worker while it starts")


def killed_sweeps(place: Path, count: int, first: int, limit: float) -> Trials:
    """One process of a sweep is killed; then it goes on by itself, or is resumed: the table is the same."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "kills.yaml").write_text(_SWEEP, encoding="utf-8")
    ended(_begin(place, "whole"))
    whole = (place / "whole" / "sweep.csv").read_bytes()
    for number in range(first, first + count):
        victim = VICTIMS[number % len(VICTIMS)]
        yield (
            f"kill {number}: {victim}",
            partial(_kill_one, place, whole, victim, random.Random(number)),
        )


def _kill_one(place: Path, whole: bytes, victim: str, dice: random.Random) -> None:
    shutil.rmtree(place / "out", ignore_errors=True)
    process = _begin(place, "out")
    me, rows, delay = psutil.Process(process.pid), dice.randrange(1, 40), dice.uniform(0.0, 3.0)
    pool: list[psutil.Process] = []
    while process.poll() is None:
        with suppress(psutil.Error):
            pool = [child for child in me.children() if "spawn_main" in " ".join(child.cmdline())]
        young = bool(pool) and time.time() - pool[0].create_time() >= delay
        if young if victim.endswith("starts") else bool(pool) and _rows(place / "out") >= rows:
            break
        time.sleep(0.02)
    with suppress(psutil.Error):
        (dice.choice(pool) if victim.startswith("a worker") and pool else me).kill()
    if victim.startswith("a worker"):
        assert ended(process)[0] == 0, "the sweep did not get over it"
    else:
        ended(process)
        _, left = psutil.wait_procs(pool, timeout=30)
        assert not left, "workers outlive their sweep"
        begun = (place / "out" / "sweep.yaml").exists()
        assert ended(_begin(place, "out", *(["--resume"] if begun else [])))[0] == 0, (
            "it cannot be resumed"
        )
    assert (place / "out" / "sweep.csv").read_bytes() == whole, "another table"


def _begin(place: Path, out: str, *more: str) -> subprocess.Popen:
    words = ["sweep", "kills.yaml", "--workers", "2", "--out", out, "--no-plots", *more]
    return begin(place, *words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _rows(folder: Path) -> int:
    with suppress(OSError):
        return (folder / "sweep.csv").read_bytes().count(b"\n") - 1
    return 0
