"""False alarms while nothing touches an arm whose joints turn round again and again.

Runs are counted one by one in a folder, so that more of them may be added at any time.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
from measured_part import table

from friction.conditions import FIRST, REAL, STIFFNESS, wrong_by
from hopfield_nav import load_world
from hopfield_nav.experiment import follow
from hopfield_nav.loop import Trajectory, quintic_trajectory
from hopfield_nav.record import alarm_rate

FACTORS = (2, 5)  # by which the believed stiffness of every gear is off, to either side
LENGTH = 120.0  # [s] of a run
STROKE, LEG = 0.3, (0.4, 1.6)  # [rad] of a joint at most, [s] of a leg
SPARE = 2.0  # rad about the start that the joints keep within


def to_and_fro(seed: int) -> tuple[Trajectory, int]:
    """A motion of all joints by random strokes, and how often a joint turns round in it.

    The arm stops at every other point; each joint turns round at about every second one.
    """
    rng = np.random.default_rng([seed, 39])
    times = rng.uniform(*LEG, round(LENGTH / np.mean(LEG)))
    points = np.array(load_world("empty").start.joints) + np.cumsum(
        rng.uniform(-STROKE, STROKE, (len(times) + 1, 6)), axis=0
    )
    middle = points.mean(axis=0)
    points = middle + SPARE * np.sin((points - middle) / SPARE)
    turns = int((np.diff(np.sign(np.diff(points, axis=0)), axis=0) != 0).sum())
    rest = np.arange(len(times)) % 2 == 1
    rest[-1] = True
    return quintic_trajectory(points, times, rest=rest), turns


def count_alarms(gear: str, factor: float, seed: int) -> tuple[int, float, int]:
    """Alarms, simulated time [s] and turns of joints of one run."""
    trajectory, turns = to_and_fro(seed)
    plant = [f"plant.presliding={gear}", "time_limit=1000", "record.signals=none"]
    world = load_world("empty", [*REAL, *plant, *wrong_by(factor, seed)])
    summary = follow(world, trajectory, seed).summary
    return summary["false_alarm_count"], summary["simulated_time_s"], turns


def free_table(rounds: int, folder: Path) -> str:
    """Hours, turns, alarms and their rate after rounds of one run of every stiffness and factor."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, factor, gear in product(range(FIRST, FIRST + rounds), FACTORS, STIFFNESS):
        file = folder / f"free {gear} {factor} {seed}.json"
        if not file.exists():
            file.write_text(json.dumps(count_alarms(gear, factor, seed)), encoding="utf-8")
    head = ["σ [N·m/rad]", "off by", "hours", "turns of joints", "false alarms", "an hour, at most (95 %)"]
    rows = []
    for factor, gear in product(FACTORS, STIFFNESS):
        kept = [
            json.loads(f.read_text(encoding="utf-8")) for f in folder.glob(f"free {gear} {factor} *.json")
        ]
        if kept:
            alarms, seconds, turns = np.sum(kept, axis=0)
            most = alarm_rate(int(alarms), float(seconds))[2]
            numbers = f"{seconds / 3600:.1f}", f"{int(turns)}", f"{int(alarms)}", f"{most:.2g}"
            rows.append([gear, f"a factor of {factor}", *numbers])
    return table(head, rows)
