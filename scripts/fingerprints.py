"""Fingerprints of whole runs: what a change that shall change nothing must leave as it is.

    python scripts/fingerprints.py --out FILE [--only TEXT]      # writes them
    python scripts/fingerprints.py --against FILE [--only TEXT]  # compares, and names every run that differs

Every bundled world under real conditions, forty worlds of the whole arm, and every way in which a
touch is answered, with methods of one's own too: outcome and reason, every detection with its cell,
path and places, and a digest of all recorded signals, bit for bit. It uses all processors and takes
some minutes.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer
from benches import suite_module

from dynamics import BadInput
from hopfield_nav import Simulation, load_world
from hopfield_nav.world import World, parse_world

whole_arm = suite_module("whole_arm")
WRONG = """\
plant: {dynamics: ur5_full, friction: arm, presliding: ideal}
controller: {model: ur5_full, model_error: {mass_scale: 1.1, friction_scale: 0.8}}
sensors: {encoder_resolution: 1.0e-5, velocity_noise: 1.0e-3}
"""
BUNDLED = Path(__file__).resolve().parents[1] / "worlds"
_FULL = ("plant.dynamics=ur5_full", "controller.model=ur5_full")
_REAL = "plant.friction=arm plant.presliding=ideal sensors.encoder_resolution=1e-5 sensors.velocity_noise=1e-3"
_FRICTION = (*_FULL, *_REAL.split())
CONDITIONS: dict[str, tuple[str, ...]] = {
    "as it is": (),
    "payload of 1 kg": ("tool.payload.mass=1",),
    "8 ms": ("controller.period=0.008",),
    "ur5_full": _FULL,
    "masses 10 % off": ("controller.model_error.mass_scale=1.1",),
    "twice as fast": ("trajectory.time_per_cell=0.25",),
    "friction": _FRICTION,
    "friction 20 % off": (*_FRICTION, "controller.model_error.friction_scale=0.8"),
}
# every way in which a touch is answered: its changes, and the worlds in which it is tried
OWN = Path(__file__).resolve().parent / "own_kinds.py"
_FLAT = ("ragazzon2012_real", "u_trap", "door", "narrow_gap", "enclosed_goal")
_IN_SPACE = ("over_the_wall", "behind_the_base", "free_rotation")
_WHOLE = ("whole_arm", "over_the_wall_whole_arm")
_FELT = (*_FLAT, *_IN_SPACE)
_SMALL = "map.shape=[12, 8, 10, 1, 1, 1]"
WAYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "marks as documented": (
        ("detection.mark=desired", "detection.back_off=against_velocity"),
        ("ragazzon2012", "u_trap", "over_the_wall"),
    ),
    "marks ahead": (("detection.mark=actual",), ("ragazzon2012", *_FELT)),
    "marks, then float": (("detection.mark=actual", "detection.reaction=float"), _FLAT),
    "marks, then stop": (("detection.mark=desired", "detection.reaction=stop"), ("u_trap",)),
    "marks, on a path of A*": (("detection.mark=actual", "planner.kind=a_star"), _FLAT),
    "felt": (
        ("detection.mark=felt",),
        ("ragazzon2012", "ragazzon2012_momentum", "random_cylinders"),
    ),
    "float": (("detection.reaction=float",), _FELT),
    "stop": (("detection.reaction=stop",), _FELT),
    "retreat from every touch": (("detection.graze=retreat",), _FELT),
    "A*": (("planner.kind=a_star",), (*_FELT, *_WHOLE)),
    "at any angle": (("planner.any_angle=true",), _FELT),
    "cells, not lines": (("planner.any_angle=false",), _WHOLE),
    "what cannot be reached is ignored": (("planner.unreachable=ignore",), _FELT),
    "tanh": (
        ("planner.network=sum", "planner.beta=0.1", "planner.activation=tanh"),
        ("u_trap", "over_the_wall"),
    ),
    "sigmoid, which finds no path": (
        ("planner.network=sum", "planner.beta=0.1", "planner.activation=sigmoid"),
        ("u_trap",),
    ),
    "slower where unknown": (("trajectory.unknown_speed=0.5",), ("u_trap", "over_the_wall")),
    "follow": (("explore=follow",), _FELT),
    "follow, then float": (("explore=follow", "detection.reaction=float"), _FELT),
    "slide": (("explore=slide", "detection.estimator=momentum_observer"), _FELT),
    "slide, forgetting": (
        ("explore=slide", "detection.estimator=momentum_observer", "planner.forget=5"),
        ("u_trap", "over_the_wall"),
    ),
    "learns": (("controller.learn=true",), ("ragazzon2012_real", "u_trap")),
    "own planner": ((f"planner.kind={OWN}:PLANNER",), _FELT),
    "own response": ((f"explore={OWN}:RESPONSE",), _FELT),
    "own response, then float": (
        (f"explore={OWN}:RESPONSE", "detection.reaction=float"),
        ("u_trap", "over_the_wall"),
    ),
    "own planner of the whole arm": ((f"planner.kind={OWN}:PLANNER", _SMALL), _WHOLE),
    "own response of the whole arm": ((f"explore={OWN}:RESPONSE", _SMALL), _WHOLE),
    "own belief of the whole arm": ((f"planner.strategy={OWN}:BELIEF", _SMALL), _WHOLE),
}
SEEDS = range(10)  # of each family of the whole arm; every other one with a wrong model
MOST_TOUCHES = 60  # after which a run is left


class Case(NamedTuple):
    """One run: its name, and the file or text of its world with overrides."""

    name: str
    file: str
    text: str
    overrides: tuple[str, ...]

    def world(self) -> World:
        """The world, read."""
        if not self.file:
            return parse_world(self.text)
        return load_world(self.file, list(self.overrides), allow_code=True)


def cases() -> Iterator[Case]:
    """All runs, the longest kind first."""
    for family in whole_arm.FAMILIES:
        for seed in SEEDS:
            text = whole_arm.draw_text(family, seed).replace("record: {signals: none}\n", "")
            yield Case(f"{family} {seed}", "", text + WRONG * (seed % 2), ())
    for path in sorted(BUNDLED.glob("*.yaml")):
        for name, overrides in CONDITIONS.items():
            yield Case(f"{path.stem}, {name}", str(path), "", overrides)
    for way, (changes, worlds) in WAYS.items():
        for world in worlds:
            yield Case(f"{world}; {way}", str(BUNDLED / f"{world}.yaml"), "", changes)


def fingerprint(case: Case) -> dict[str, Any]:
    """What a run came to; a world that is refused has its refusal alone."""
    try:
        simulation = Simulation(case.world())
    except BadInput as fault:
        return {"refused": str(fault).replace(str(BUNDLED), "worlds").replace(str(OWN), OWN.name)}
    while simulation.outcome is None and len(simulation.detections) < MOST_TOUCHES:
        simulation.step(1.0)
    run = simulation.record()
    signals = {
        str(name): found
        for name, found in run.data.data_vars.items()
        if found.dims[:1] == ("time",)
    }
    return {
        "outcome": simulation.outcome,
        "reason": simulation.reason,
        "time": simulation.time,
        "first path": _digest(run.data.first_path.values),
        "log": _digest(*(signals[name].values for name in sorted(signals))),
        "events": [
            {
                "time": d.time,
                "touched": repr(d.touch_time),
                "cell": [int(c) for c in d.cell],
                "path": _digest(np.asarray(d.path, dtype=np.int64)),
                "places": _digest(d.places.points, d.places.weights),
            }
            for d in simulation.detections
        ],
    }


def _digest(*arrays: np.ndarray) -> str:
    """Of shapes, types and bytes."""
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(f"{array.shape}{array.dtype}".encode() + np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()[:16]


def fingerprints(
    only: str, tell: Callable[[str, dict[str, Any]], None]
) -> dict[str, dict[str, Any]]:
    """Of all runs whose names hold a text; each is told as soon as it is there."""
    chosen = [case for case in cases() if only in case.name]
    found = {}
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for case, value in zip(chosen, pool.map(fingerprint, chosen), strict=True):
            found[case.name] = value
            tell(case.name, value)
    return found


def difference(before: dict[str, Any], now: dict[str, Any]) -> str:
    """The first thing in which two fingerprints differ; empty where they do not."""
    for key in sorted(before.keys() | now.keys()):
        was, is_now = before.get(key), now.get(key)
        if key == "events" and was and is_now:
            pairs = zip(was, is_now, strict=False)
            number = next(
                (k for k, (a, b) in enumerate(pairs) if a != b), min(len(was), len(is_now))
            )
            if was != is_now:
                return f"event {number} of {len(was)}, now of {len(is_now)}"
        elif was != is_now:
            return f"{key}: {was}, now {is_now}"
    return ""


def main(out: Path | None = None, against: Path | None = None, only: str = "") -> None:
    """Write a file, or compare with one; of the runs whose names hold a text."""
    before = json.loads(against.read_text(encoding="utf-8")) if against else {}
    differing = []

    def tell(name: str, value: dict[str, Any]) -> None:
        if against and (found := difference(before.get(name, {}), value)):
            differing.append(name)
            print(f"{name}: {found}", flush=True)

    found = fingerprints(only, tell)
    if not found:
        raise SystemExit(f"no run's name holds {only!r}")
    for name in before.keys() - found.keys():
        if only in name:
            differing.append(name)
            print(f"{name}: is run no more", flush=True)
    if out:
        out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(f"{len(found)} runs" + (f", {len(differing)} differ" if against else ""))
    raise SystemExit(bool(differing))


if __name__ == "__main__":
    typer.run(main)
