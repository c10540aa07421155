"""One run in one world: touches, what was felt and what was true, and how long planning took."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from hopfield_nav.world import parse_world
from whole_arm.worlds import WRONG, Drawn, Watched, gears

SETTINGS = {
    "felt_points": "planner: {any_angle: false, strategy: felt_points}\n",
    "thompson": "planner: {any_angle: false, strategy: thompson}\n",
    "hypothesis_sets": "planner: {any_angle: false, strategy: hypothesis_sets}\n",
    "felt_points, probes": "planner: {any_angle: false, strategy: felt_points, probe: true}\n",
    "optimist": "planner: {any_angle: false, strategy: optimist}\n",
    "felt_points, wrong model": "planner: {any_angle: false, strategy: felt_points}\n" + WRONG,
}
_WAYS = {  # what a controller is told, and what surfaces are like, beside the stiffness of the gears
    "known": (True, "", ""),
    "wrong": (False, "", ""),
    "wrong, learnt": (False, "learn: true, ", ""),
    "wrong, rough": (False, "", "contact: {friction: 0.6}\n"),
    "wrong, soft": (False, "", "contact: {stiffness: 3.0e3}\n"),
    "wrong, 2 ms": (False, "period: 0.002, ", ""),
    "wrong, 8 ms": (False, "period: 0.008, ", ""),
}
GIVING = (*(f"σ 2e4, {way}" for way in _WAYS), *(f"σ 1e5, {way}" for way in list(_WAYS)[:3]))
SETTINGS |= {name: SETTINGS["felt_points"] + gears(name[2:5], *_WAYS[name[7:]]) for name in GIVING}
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
        weighed: of every place of these touches: its weight, and its distance from the true point [m].
        delays: of the first alarm on every contact, from the true beginning [s].
        grade, error_bound: of an outcome ``no_path``.
        total: processor time of the whole run, simulation included [s].
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
    weighed: Sequence[Sequence[float]] = ()
    delays: Sequence[float] = ()
    grade: str | None = None
    error_bound: float | None = None
    total: float = math.nan


def run_one(drawn: Drawn, setting: str, most: int) -> Ran:
    """One world in one setting, to its end or to so many touches at most."""
    watched = Watched(parse_world(drawn.text + SETTINGS[setting]), None, drawn.bound)
    started = process_time()
    run = watched.run(None, lambda time, touches: touches < most)
    found, ended = run.summary, run.outcome != "running"
    return Ran(
        drawn.family, drawn.seed, setting, run.outcome if ended else "touches", found["reason"],
        alarms=found["collision_count"], false_alarms=found["false_alarm_count"],
        contacts=found["contact_count"], motions=found["motions"],
        time=found["simulated_time_s"], path=found["path_rad"], bound=drawn.bound,
        peak_force=found["peak_contact_force_N"], spent=found["spent_s"],
        replan=json.loads(found["replans_s"]), places=json.loads(found["places"]),
        weighed=watched.weighed, delays=_delays(watched.simulation.detections),
        grade=found["no_path_grade"], error_bound=found["no_path_error_bound"],
        total=process_time() - started,
    )  # fmt: skip


def _delays(found: Sequence[Any]) -> list[float]:
    """From the true beginning of every contact to its first alarm [s]."""
    first = {d.touch_time: d.time for d in reversed(found) if not math.isnan(d.touch_time)}
    return [float(alarm - touched) for touched, alarm in first.items()]


def run_kept(drawn: Drawn, setting: str, most: int, folder: Path) -> Ran:
    """The run from a folder of earlier ones, or made and kept there."""
    file = folder / f"{drawn.family} {drawn.seed} {setting}.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(run_one(drawn, setting, most)._asdict()), encoding="utf-8")
    return Ran(**json.loads(file.read_text(encoding="utf-8")))
