"""Random tasks for demonstrations and studies: joint angles at which the arm touches nothing."""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from hopfield_nav.known_world.collision_check import collides
from hopfield_nav.known_world.scene import Scene

_MOST_DRAWS = 200


def random_free_joints(arm: Arm, scene: Scene, count: int, generator: np.random.Generator) -> np.ndarray:
    """Joint angles drawn evenly from half a turn to either side, within the limits, kept where free.

    Args:
        arm: the arm of the scene.
        scene: from ``build_scene``.
        count: of rows.
        generator: of the random numbers.

    Returns:
        (count, n) [rad].

    Raises:
        BadInput: hardly any pose is free.

    Source: nowoczyn2023 3.4, the demonstration's random configurations.
    """
    low, high = np.maximum(arm.position_limits[:, 0], -np.pi), np.minimum(arm.position_limits[:, 1], np.pi)
    rows = np.empty((0, len(arm.dh)))
    for _ in range(_MOST_DRAWS):
        q = generator.uniform(low, high, (max(4 * count, 64), len(arm.dh)))
        rows = np.concatenate([rows, q[~collides(arm, scene, q)]])
        if len(rows) >= count:
            return rows[:count]
    raise BadInput("no room for the arm", found=f"{len(rows)} free poses", allowed=f"{count} are needed")
