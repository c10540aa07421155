"""The table of reactions: what each does after an alarm, in worlds with an ideal arm and with a real one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from measured_part import table

from hopfield_nav import load_world, simulate

REACTIONS = ("retreat", "stop", "float")


def _sections_of(world: str, *keys: str) -> list[str]:
    """Changes that give another world these sections of a world."""
    sections = load_world(world).model_dump(mode="json", exclude_unset=True)
    return [f"{key}={sections[key]}" for key in keys]


CASES: dict[str, tuple[str, list[str], int]] = {  # name: world, changes, seeds
    "`u_trap`": ("u_trap", [], 1),
    "`ragazzon2012` (`mark: desired`)": ("ragazzon2012", [], 1),
    "`enclosed_goal`": ("enclosed_goal", [], 1),
    "`random_cylinders`, 4 seeds": ("random_cylinders", [], 4),
    "`ragazzon2012_real` (`ur5_full`, 8 ms), 5 seeds": ("ragazzon2012_real", [], 5),
    "the same, obstacles and goal of `u_trap`, 3 seeds": (
        "ragazzon2012_real",
        _sections_of("u_trap", "obstacles", "goal"),
        3,
    ),
    "`ragazzon2012_real`, 1e4 N/m, 3 seeds": ("ragazzon2012_real", ["contact.stiffness=1e4"], 3),
}
BEFORE, BEHIND = 0.2, 1.0  # [s] of an alarm: the stretch over which the force is added up


class Reacted(NamedTuple):
    """One run: peak [N]; medians over its alarms, force behind [N] and impulse [N·s]; time [s]."""

    outcome: str
    peak: float
    force: float
    impulse: float
    time: float
    collisions: int


def reacted(world: str, change: Sequence[str], reaction: str, seed: int) -> Reacted:
    """Run a world with a reaction."""
    run = simulate(load_world(world, [*change, f"detection.reaction={reaction}"]), seed=seed)
    time, force = run.data.time.values, np.linalg.norm(run.data.force.values, axis=1)
    steps = np.gradient(time)
    largest, impulses = [], []
    for alarm in run.data.event_time.values:
        behind = (time >= alarm) & (time <= alarm + BEHIND)
        about = (time >= alarm - BEFORE) & (time <= alarm + BEHIND)
        largest.append(force[behind].max())
        impulses.append(float(force[about] @ steps[about]))
    told = run.summary
    return Reacted(
        run.outcome, told["peak_contact_force_N"], float(np.median(largest)), float(np.median(impulses)),
        told["simulated_time_s"], told["collision_count"],
    )  # fmt: skip


def reactions() -> str:
    """Every case with every reaction."""
    rows = []
    for name, (world, change, seeds) in CASES.items():
        for reaction in REACTIONS:
            runs = [reacted(world, change, reaction, seed) for seed in range(seeds)]
            rows.append([name if reaction == REACTIONS[0] else "", reaction, *_cells(runs)])
    head = ["world", "", "outcome", "peak", "from the alarm on", "", "time", "collisions"]
    return table(head, rows)


def _cells(runs: list[Reacted]) -> list[str]:
    outcome, peak, force, impulse, time, collisions = zip(*runs, strict=True)
    return [
        ", ".join(sorted(set(outcome))).replace("_", " "),
        f"{_span(peak, '.0f')} N",
        f"{_span(force, '.0f')} N",
        f"{_span(impulse, '.1f')} N·s",
        f"{_span(time, '.0f')} s",
        _span(collisions, "d"),
    ]


def _span(values: Sequence[float], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low}–{high}"
