"""Walls at the softest stiffness: whether a run says that the tool went through one, when it did."""

import random
from pathlib import Path
from typing import Any

import numpy as np

from hopfield_nav import simulate
from hopfield_nav.record import Run
from hopfield_nav.world import World, load_world
from torturing.trials import Trials

_CLEAR = 0.6  # of the way to the middle line: who stayed outside did not pass


def soft_walls(place: Path, count: int, first: int, time_limit: float) -> Trials:
    """Walls across the way that may be too soft, met by detectors that may be too slow."""
    for number in range(first, first + count):
        yield f"soft wall {number}", lambda number=number: _try(number, time_limit)


def _try(number: int, time_limit: float) -> None:
    world, ends, radius = _draw(random.Random(number), time_limit)
    run = simulate(world)
    crossed, nearest = _seen(run, *ends)
    told = run.summary["passed_through"]
    if crossed:
        assert told, "through the wall, and not told"
    elif nearest > (1.0 - _CLEAR) * radius:
        assert not told, f"{nearest:.3f} m from the middle line at least, and told as passed"


def _seen(run: Run, start: np.ndarray, end: np.ndarray) -> tuple[bool, float]:
    """Whether the tool crossed the middle line of the wall, and how near it came to it [m]."""
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    offset = run.data.tool_position.values[:, :2] - start
    t, side = offset @ along, offset @ np.array([-along[1], along[0]])
    over = np.flatnonzero(side[:-1] * side[1:] < 0.0)
    share = side[over] / (side[over] - side[over + 1])
    place = t[over] + share * (t[over + 1] - t[over])
    nearest = np.hypot(side, t - np.clip(t, 0.0, length)).min()
    return bool(np.any((place >= 0.0) & (place <= length))), float(nearest)


def _draw(
    dice: random.Random, time_limit: float
) -> tuple[World, tuple[np.ndarray, np.ndarray], float]:
    x, tilt, radius = dice.uniform(0.36, 0.48), dice.uniform(-0.06, 0.06), dice.uniform(0.01, 0.03)
    ends = (
        np.array([x - tilt, dice.uniform(-0.3, -0.08)]),
        np.array([x + tilt, dice.uniform(0.08, 0.3)]),
    )
    wall = {"from": ends[0].round(4).tolist(), "to": ends[1].round(4).tolist(), "radius": radius}
    settings: dict[str, Any] = {
        "obstacles": [{"wall": wall}],
        "contact.stiffness": 10 ** dice.uniform(2.5, 4.0),
        "detection.estimator": "momentum_observer",
        "detection.pole": dice.uniform(3.0, 30.0),
        "controller.model_error.mass_scale": dice.choice([1.0, 1.0, 1.2]),
        "explore": dice.choice(["replan", "slide"]),
        "record.every": 1,
        "time_limit": time_limit,
    }
    if dice.random() < 0.5:
        settings |= {
            "detection.measure": "force_norm",
            "detection.threshold": dice.uniform(5.0, 20.0),
        }
    else:
        settings |= {
            "detection.measure": "persistent_joint_torque",
            "detection.threshold": dice.uniform(1, 5),
        }
    return load_world("empty", [f"{key}={value}" for key, value in settings.items()]), ends, radius
