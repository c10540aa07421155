"""One run in one world: touches, what was felt and what was true, and how long planning took."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from hopfield_nav.world import parse_world
from whole_arm.worlds import GEARS, WRONG, Drawn, Watched

SETTINGS = {
    "felt_points": "planner: {any_angle: false, strategy: felt_points}\n",
    "thompson": "planner: {any_angle: false, strategy: thompson}\n",
    "hypothesis_sets": "planner: {any_angle: false, strategy: hypothesis_sets}\n",
    "felt_points, probes": "planner: {any_angle: false, strategy: felt_points, probe: true}\n",
    "optimist": "planner: {any_angle: false, strategy: optimist}\n",
    "felt_points, wrong model": "planner: {any_angle: false, strategy: felt_points}\n" + WRONG,
}
SETTINGS |= {
    f"gear {gear}, {model}": "planner: {any_angle: false, strategy: felt_points}\n" + GEARS % (gear, *errors)
    for gear in ("ideal", "2e4", "1e5")
    for model, errors in {"known": (1, 1, 1), "wrong": (1.1, 0.8, 2)}.items()
}
STRAIGHT = "planner: {strategy: felt_points}\n"
SETTINGS |= {"straight": STRAIGHT, "straight, wrong model": STRAIGHT + WRONG}
NONE = 9.0  # [m] error of a touch that was located nowhere


class Ran(NamedTuple):
    """What one run came to.

    Attributes:
        outcome: of the run, or ``touches`` where there were too many.
        alarms, false_alarms: answered; contacts: true ones.
        motions: that were begun.
        path, bound: joint path driven, and of the omniscient strategy [rad].
        replan: processor time of every touch, from the alarm to the next path [s].
        spent: processor time of the whole run [s].
        places: of every touch that was looked at: distance from the true point of the likeliest place, of
            the best of two and of three [m], whether its link is right, its weight.
    """

    family: str
    seed: int
    setting: str
    outcome: str
    reason: str
    alarms: int
    false_alarms: int
    contacts: int
    motions: int
    time: float
    path: float
    bound: float
    peak_force: float
    spent: float
    replan: list[float]
    places: list[list[float]]


def run_one(drawn: Drawn, setting: str, most: int) -> Ran:
    """One world in one setting, to its end or to so many touches at most."""
    watched = Watched(parse_world(drawn.text + SETTINGS[setting]), None, drawn.bound)
    run = watched.run(None, lambda time, touches: touches < most)
    found, ended = run.summary, run.outcome != "running"
    return Ran(
        drawn.family, drawn.seed, setting, run.outcome if ended else "touches", found["reason"],
        alarms=found["collision_count"], false_alarms=found["false_alarm_count"],
        contacts=found["contact_count"], motions=found["motions"],
        time=found["simulated_time_s"], path=found["path_rad"], bound=drawn.bound,
        peak_force=found["peak_contact_force_N"], spent=found["spent_s"],
        replan=json.loads(found["replans_s"]), places=json.loads(found["places"]),
    )  # fmt: skip


def run_kept(drawn: Drawn, setting: str, most: int, folder: Path) -> Ran:
    """The run from a folder of earlier ones, or made and kept there."""
    file = folder / f"{drawn.family} {drawn.seed} {setting}.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(run_one(drawn, setting, most)._asdict()), encoding="utf-8")
    return Ran(**json.loads(file.read_text(encoding="utf-8")))
