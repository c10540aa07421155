"""What the seed of a run decides: noise, obstacles and goals that are drawn, in words."""

from collections.abc import Iterator, Mapping

import numpy as np

from hopfield_nav import world as worlds
from hopfield_nav.navigation import space_of

_SENSORS: Mapping[str, str] = {
    "velocity_noise": "noise of joint velocities",
    "torque_noise": "noise of motor torques",
    "force_noise": "noise of the wrist's forces",
    "moment_noise": "noise of the wrist's moments",
    "force_drift": "drift of the wrist's forces",
    "moment_drift": "drift of the wrist's moments",
}


def what_is_random(world: worlds.World) -> list[str]:
    """What the seed decides in a run of a world, in words; empty where every seed gives the same run.

    Methods from outside count, since they may draw.
    """
    return list(dict.fromkeys(_sources(world)))


def _sources(world: worlds.World) -> Iterator[str]:
    for key, value in worlds.flat_values(world).items():
        name = key.rpartition(".")[2]
        is_noise = name.endswith(("_noise", "_drift"))
        if is_noise and np.any(np.asarray(value) > 0.0):
            yield _SENSORS.get(name, name.replace("_", " "))
    if any(obstacle.is_drawn for obstacle in world.obstacles):
        yield "obstacles"
    yield from space_of(world).draws(world)
    for method in worlds.own_methods(world):
        yield f"what {method.name.rpartition('/')[2]} draws"
