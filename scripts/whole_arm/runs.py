"""One run in one world, watched: touches, what was felt and what was true, and how long planning took."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from hopfield_nav.experiment import Simulation
from hopfield_nav.world import parse_world
from whole_arm.worlds import GEARS, WRONG, Drawn

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
_SLICE = 0.25  # [s] between two looks at the joints
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


class _Watch:
    """Stands between a simulation and its navigator."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation, self._truth, self._spent = simulation, None, 0.0
        self.replan: list[float] = []
        self.places: list[list[float]] = []
        self.motions = 1
        navigator: Any = simulation.navigator
        self._on_detection, self._localize = navigator.on_detection, navigator.localize
        self._replan = navigator.replan
        navigator.on_detection, navigator.localize = self.on_detection, self.localize
        navigator.replan = self.replanned

    def _timed(self, call: Callable, *given: Any) -> Any:
        started = process_time()
        result = call(*given)
        self._spent += process_time() - started
        return result

    def on_detection(self, detection: Any) -> Any:
        """The truth at the alarm."""
        touch = self._simulation.state.truth.touch
        touching = float(np.linalg.norm(touch.force)) > 0.0
        self._truth = (touch.point.copy(), touch.now.link) if touching else None
        self.motions += 1
        return self._timed(self._on_detection, detection)

    def localize(self, trace: Any) -> Any:
        """What was felt beside what was true."""
        places = self._timed(self._localize, trace)
        if self._truth is not None:
            point, link = self._truth
            error = [*np.linalg.norm(places.points - point, axis=1), NONE]
            likeliest = (
                (int(places.links[0]) == link, float(places.weights[0])) if len(error) > 1 else (0, 0.0)
            )
            self.places.append([error[0], min(error[:2]), min(error[:3]), *likeliest])
        return places

    def replanned(self, *given: Any) -> Any:
        """One touch is over."""
        motion = self._timed(self._replan, *given)
        self.replan.append(self._spent)
        self._spent = 0.0
        self.motions += 1
        return motion


def run_one(drawn: Drawn, setting: str, most: int) -> Ran:
    """One world in one setting, to its end or to so many touches at most."""
    simulation = Simulation(parse_world(drawn.text + SETTINGS[setting]))
    watch, path, before = _Watch(simulation), 0.0, simulation.state.q.copy()
    started = process_time()
    while simulation.outcome is None and len(simulation.detections) < most:
        simulation.step(_SLICE)
        path += float(np.linalg.norm(simulation.state.q - before))
        before[:] = simulation.state.q
    spent = process_time() - started
    found = simulation.detections
    return Ran(
        drawn.family, drawn.seed, setting, simulation.outcome or "touches", simulation.reason,
        alarms=len(found), false_alarms=sum(d.false_alarm for d in found),
        contacts=simulation.state.statistics.contacts, motions=watch.motions,
        time=simulation.time, path=path, bound=drawn.bound,
        peak_force=simulation.state.statistics.peak_force, spent=spent,
        replan=watch.replan, places=[[float(v) for v in row] for row in watch.places],
    )  # fmt: skip


def run_kept(drawn: Drawn, setting: str, most: int, folder: Path) -> Ran:
    """The run from a folder of earlier ones, or made and kept there."""
    file = folder / f"{drawn.family} {drawn.seed} {setting}.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(run_one(drawn, setting, most)._asdict()), encoding="utf-8")
    return Ran(**json.loads(file.read_text(encoding="utf-8")))


def kept_runs(family: str, setting: str, folder: Path) -> list[Ran]:
    """The runs of a family and setting that lie in a folder."""
    files = [file for file in folder.glob(f"{family} *.json") if file.stem.split(" ", 2)[2] == setting]
    return [Ran(**json.loads(file.read_text(encoding="utf-8"))) for file in files]
