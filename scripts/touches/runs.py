"""Many runs of ``random_cylinders`` in one setting, and what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from hopfield_nav import load_world, simulate
from hopfield_nav.bench import has_path
from hopfield_nav.plugin import load_from_file
from hopfield_nav.record import share_interval

FULL = ["plant.dynamics=ur5_full", "controller.model=ur5_full"]
SETTINGS = {
    "default": [],
    "payload of 1 kg": ["tool.payload.mass=1"],
    "payload of 1 kg, unknown": ["tool.payload.mass=1", "controller.model_error.payload=unknown"],
    "period of 8 ms": ["controller.period=0.008"],
    "`ur5_full`": FULL,
    "`ur5_full`, friction 20 % off": [
        *FULL,
        "plant.friction=arm",
        "plant.presliding=ideal",
        "controller.model_error.friction_scale=0.8",
    ],
    "masses 10 % off": ["controller.model_error.mass_scale=1.1"],
    "twice as fast": ["trajectory.time_per_cell=0.25"],
}
FIRST = 10_000  # seed; others than those that the method was made with
WIDE, NARROW = 0.005, 0.002  # [m] to spare on a path over cell centres
_BENCHES = Path(__file__).resolve().parents[2] / "worlds" / "benches"
FELT_FORCE, answers_to_strong = (
    load_from_file("measure", f"tool.py:{name}", _BENCHES) for name in ("FELT_FORCE", "answers_to_strong")
)


class One(NamedTuple):
    """What one run came to; once, missed and strong are of contacts that reached ``FELT_FORCE``.

    Answered once is one from which the arm went back once, or which it passed by; missed is one that was
    not felt.
    """

    reached: bool
    gave_up: bool
    wide: bool
    narrow: bool
    collisions: int
    grazes: int
    contacts: int
    once: int
    missed: int
    strong: int
    time: float


def run_one(seed: int, change: list[str]) -> One:
    """One random world; every fifth row of its signals is kept."""
    run = simulate(load_world("random_cylinders", [*change, "record.every=5"]), seed=seed)
    answers = answers_to_strong(run)
    return One(
        reached=run.outcome == "reached",
        gave_up=run.outcome == "no_path",
        wide=has_path(run.world, WIDE),
        narrow=has_path(run.world, NARROW),
        collisions=run.summary["collision_count"],
        grazes=run.summary["graze_count"],
        contacts=run.summary["contact_count"],
        once=sum(a == 1 for a in answers),
        missed=sum(a == 0 for a in answers),
        strong=len(answers),
        time=run.summary["simulated_time_s"],
    )


HEAD = (
    "| | worlds | reached, path with 5 mm | with 2 mm | false `no_path` | collisions on contacts "
    "| grazes | answered once | not at all | time to the goal |\n|---|---|---|---|---|---|---|---|---|---|"
)


def row(name: str, runs: list[One]) -> str:
    """A line of the table."""
    reached = [r.time for r in runs if r.reached]
    parts = [
        name,
        str(len(runs)),
        _share(sum(r.reached for r in runs if r.wide), sum(r.wide for r in runs)),
        _share(sum(r.reached for r in runs if r.narrow), sum(r.narrow for r in runs)),
        str(sum(r.gave_up and r.narrow for r in runs)),
        _ratio(sum(r.collisions for r in runs), sum(r.contacts for r in runs)),
        str(sum(r.grazes for r in runs)),
        _share(sum(r.once for r in runs), sum(r.strong for r in runs)),
        _share(sum(r.missed for r in runs), sum(r.strong for r in runs)),
        f"{np.mean(reached):.1f} s" if reached else "-",
    ]
    return "| " + " | ".join(parts) + " |"


def _share(part: int, whole: int) -> str:
    """Share in per cent with its 95 % interval."""
    if whole == 0:
        return "-"
    low, high = share_interval(part, whole)
    return f"{part} of {whole} ({100 * low:.1f}–{100 * high:.1f} %)"


def _ratio(part: int, whole: int) -> str:
    return f"{part} on {whole} ({part / whole:.2f})" if whole else f"{part} on 0"
