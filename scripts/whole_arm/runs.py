"""One run in one world, watched: touches, what was felt and what was true, and how long planning took."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from hopfield_nav.experiment import Simulation
from hopfield_nav.world import parse_world
from whole_arm.worlds import WRONG, Drawn, gears

SETTINGS = {
    "felt_points": "planner: {strategy: felt_points}\n",
    "thompson": "planner: {strategy: thompson}\n",
    "hypothesis_sets": "planner: {strategy: hypothesis_sets}\n",
    "felt_points, probes": "planner: {strategy: felt_points, probe: true}\n",
    "optimist": "planner: {strategy: optimist}\n",
    "felt_points, wrong model": "planner: {strategy: felt_points}\n" + WRONG,
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
SETTINGS |= {
    name: "planner: {strategy: felt_points}\n" + gears(name[2:5], *_WAYS[name[7:]]) for name in GIVING
}
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
        weighed: of every place of these touches: its weight, and its distance from the true point [m].
        delays: of the first alarm on every contact, from the true beginning [s].
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


class _Watch:
    """Stands between a simulation and its navigator."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation, self._truth, self._spent = simulation, None, 0.0
        self.replan: list[float] = []
        self.places: list[list[float]] = []
        self.weighed: list[list[float]] = []
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
            self.weighed += [[float(w), float(e)] for w, e in zip(places.weights, error, strict=False)]
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
        weighed=watch.weighed, delays=_delays(found),
    )  # fmt: skip


def _delays(found: Sequence[Any]) -> list[float]:
    """From the true beginning of every contact to its first alarm [s]."""
    first = {d.touch_time: d.time for d in reversed(found) if not np.isnan(d.touch_time)}
    return [float(alarm - touched) for touched, alarm in first.items()]


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
