"""From when until when each obstacle of a world stands."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from hopfield_nav.build.obstacles import solids_of
from hopfield_nav.world import World


def standing_times(
    world: World, late: Mapping[str, float | None] = MappingProxyType({})
) -> np.ndarray:
    """From when until when each solid of ``all_solids`` stands, (m, 2) [s].

    ``late`` holds the solids that could come only after their time, since the arm was where they
    stand: by their numbers the times at which they came; None: never.
    """
    unknown = [obstacle.times for obstacle in world.obstacles for _ in obstacle.solids]
    known = [(0.0, np.inf) for _ in solids_of(world.known)]
    times = np.array([*unknown, *known]).reshape(-1, 2)
    for number, came in late.items():
        times[int(number), 0] = np.inf if came is None else came
    return times


def stands_at(times: np.ndarray, time: float) -> np.ndarray:
    """Which of the solids with ``standing_times`` (m, 2) stand at a time [s]: (m,) bool."""
    return (times[:, 0] <= time) & (time < times[:, 1])
