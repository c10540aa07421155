"""Damaged records: every one is refused in a line that names the file, or reads as what was saved."""

import shutil
from pathlib import Path

import numpy as np

from hopfield_nav import load_run, load_world, simulate, sweep
from hopfield_nav.sweeps import make_sweep, read_rows
from torturing.trials import Trials

_VARY = {"detection.threshold": [6, 12], "contact.stiffness": [1e4, 1e5]}
_SET = {"time_limit": 2}


def damaged_runs(
    place: Path, count: int, first: int, limit: float = 0.0, sums: bool = True
) -> Trials:
    """Damage of a saved run; without checksums it need only be told in a line, or give some run."""
    run = simulate(load_world("u_trap", ["time_limit=7", "record.every=10"]))
    whole = run.save(place / "whole")
    names = [path.name for path in whole.iterdir() if sums or path.name != "checksums.sha256"]
    for number in range(first, first + count):
        dice = np.random.default_rng(number)
        name = str(dice.choice(sorted(names)))
        folder = place / "damaged"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        if not sums:
            (folder / "checksums.sha256").unlink()
        how = damage(folder / name, dice)

        def look(folder: Path = folder, name: str = name) -> None:
            again = load_run(folder)
            assert not sums or again.data.identical(run.data), f"{name} was taken for whole"

        yield f"{number}: {name}, {how}", look


def damaged_tables(place: Path, count: int, first: int) -> Trials:
    """Damage of a sweep's table: no row of another run, none that the sweep has not."""
    folder, made = place / "sweep", make_sweep("u_trap", _VARY, set=_SET)
    sweep("u_trap", _VARY, set=_SET, workers=0, folder=folder)
    whole = (folder / "sweep.csv").read_bytes()
    for number in range(first, first + count):
        (folder / "sweep.csv").write_bytes(whole)
        how = damage(folder / "sweep.csv", np.random.default_rng(number))

        def look() -> None:
            rows = read_rows(folder, made)
            assert all(0 <= row["index"] < made.count for row in rows)

        yield f"{number}: sweep.csv, {how}", look


def damage(path: Path, dice: np.random.Generator) -> str:
    """Flip, overwrite, cut, double or empty; returns how."""
    content = path.read_bytes()
    at = int(dice.integers(0, len(content)))
    how = str(dice.choice(["bit", "bytes", "cut", "doubled", "empty", "zeros", "missing"]))
    if how == "missing":
        path.unlink()
        return how
    path.write_bytes(
        {
            "bit": content[:at]
            + bytes([content[at] ^ (1 << int(dice.integers(8)))])
            + content[at + 1 :],
            "bytes": content[:at] + dice.bytes(8) + content[at + 8 :],
            "cut": content[:at],
            "doubled": content[:at] + content,
            "empty": b"",
            "zeros": content[:at] + bytes(min(64, len(content) - at)) + content[at + 64 :],
        }[how]
    )
    return f"{how} at {at}"
