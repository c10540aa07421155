"""What a simulation is given, checked: its start, its seed, how long it shall go on.

Obstacles in which the arm starts are refused where they are known, and warned of where they are
not.
"""

import sys

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.build import all_solids, build_obstacles, standing_times, stands_at
from hopfield_nav.navigation import depths_at_start
from hopfield_nav.world import World

_MIN_DEPTH = 1e-6  # [m] less is on the surface


def check_start(world: World, arm: Arm, q: np.ndarray, refuse: bool = True) -> list[str]:
    """One sentence on obstacles in which the tool point or a link starts.

    Of links with ``contact.bodies: arm``.
    """
    whole = world.contact.bodies == "arm"
    depth, link = depths_at_start(arm, q, build_obstacles(world), whole)
    depth = np.where(stands_at(standing_times(world), 0.0), depth, -np.inf)
    solids, unknown = all_solids(world), len(world.obstacles)
    told = []
    for j in np.flatnonzero(depth > _MIN_DEPTH):
        number, known = (j, "") if j < unknown else (j - unknown, "known ")
        who = f"link {link[j]}" if whole else "the tool"
        kind = type(solids[j]).__name__.lower()
        where = f"{1e3 * depth[j]:.3g} mm inside {known}obstacle {number} ({kind})"
        if known and refuse:
            raise BadInput(
                f"{who} starts {where}",
                "start.joints",
                allowed="a pose that touches no known obstacle",
            )
        told.append(f"{who} {where}")
    return [f"the arm starts in contact: {', '.join(told)}"] if told else []


def check_seed(seed: object) -> int:
    """The seed of a run."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise BadInput("seed", found=seed, allowed="a whole number from 0 to 2^63 - 1")
    return int(seed)


def check_duration(duration: object) -> float:
    """The simulated time for which a simulation is to go on [s]."""
    given = duration.item() if isinstance(duration, np.generic) else duration
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not given >= 0:
        raise BadInput("duration", found=duration, allowed="a number of seconds, 0 or more")
    return float(min(given, sys.float_info.max))
