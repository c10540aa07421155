"""Mutated and random worlds: refused in one line, or a run without NaN outside ``diverged``."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from hopfield_nav import simulate
from hopfield_nav.world import World, load_world, parse_world
from hopfield_nav.world.files import list_worlds
from torturing.trials import Trials

_ODD: list[Any] = [
    None, True, "", "words", -1, 0, 3, 10**400, -1e300, 1e-300, float("nan"), float("inf"), 90.0, [], {},
    [[]], {"a": 1}, [1, 2, 3], "nowhere.py:METHOD", "nowhere.yaml", "x" * 5000,
]  # fmt: skip


def mutated(place: Path, count: int, first: int, limit: float) -> Trials:
    """One to three places of a world that comes along, replaced, removed, doubled or scaled."""
    bases = [load_world(name).to_yaml() for name in list_worlds()]
    for number in range(first, first + count):
        dice = random.Random(number)
        data = yaml.safe_load(dice.choice(bases))
        for _ in range(dice.randrange(1, 4)):
            _change(data, dice)
        text = yaml.safe_dump(data, allow_unicode=True)
        yield f"mutated world {number}", lambda text=text: parse_world(text)


def random_worlds(place: Path, count: int, first: int, time_limit: float) -> Trials:
    """Worlds drawn from the ranges of their keys; those that are valid are run, every tenth one twice."""
    for number in range(first, first + count):
        yield f"random world {number}", lambda number=number: _run(number, time_limit)


def _run(number: int, time_limit: float) -> None:
    dice = random.Random(number)
    world = _draw(dice, time_limit)
    run = simulate(world)
    if number % 10 == 0:
        assert simulate(world).data.identical(run.data), "another record the second time"
    if run.outcome == "diverged":
        return
    for name in ("q", "qd", "tau", "force"):
        assert np.isfinite(run.data[name].values).all(), (
            f"NaN in {name} of a run that {run.outcome}"
        )


def _draw(dice: random.Random, time_limit: float) -> World:
    places = [(dice.uniform(0.2, 0.6), dice.uniform(-0.25, 0.25)) for _ in range(dice.randrange(6))]
    cylinders = [
        {"cylinder": {"center": list(at), "radius": dice.uniform(0.01, 0.06)}} for at in places
    ]
    integrator = dice.choice(["rk4", "semi_implicit_euler"])
    mark, reaction = (
        dice.choice(["felt", "actual", "desired"]),
        dice.choice(["retreat", "stop", "float"]),
    )
    noise, encoder = dice.choice([0, 0.001, 0.01]), dice.choice([0, 1e-5])
    data = {
        "format": 1,
        "arm": dice.choice(["ur5_ragazzon2012", "ur5_tu2023", "ur5_full", "ur5e"]),
        "plant": {"step": dice.choice([0.0005, 0.001, 0.002]), "integrator": integrator},
        "contact": {"stiffness": 10 ** dice.uniform(3, 6), "friction": dice.uniform(0, 0.5)},
        "detection": {"mark": mark, "reaction": reaction},
        "sensors": {"velocity_noise": noise, "encoder_resolution": encoder},
        "obstacles": cylinders,
        "goal": {"cell": [dice.randrange(1, 19), dice.randrange(1, 19)]},
        "time_limit": time_limit,
        "record": {"every": 10},
        "seed": dice.randrange(1000),
    }  # fmt: skip
    return parse_world(yaml.safe_dump(data))


def _change(data: Any, dice: random.Random) -> None:
    places = list(_places(data))
    inner, key = dice.choice(places)
    how = dice.choice(["replace", "remove", "wrap", "scale", "rename"])
    value = inner[key]
    if how == "replace":
        inner[key] = dice.choice(_ODD)
    elif how == "remove":
        del inner[key]
    elif how == "wrap":
        inner[key] = [value] * dice.randrange(1, 4)
    elif how == "scale" and isinstance(value, (int, float)):
        inner[key] = value * dice.choice([-1, 1e-9, 1000, 1e12])
    elif isinstance(inner, dict):
        inner[dice.choice("aeiou_") + str(key)] = inner.pop(key)


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in list(items):
        yield data, key
        yield from _places(value)
