"""Obstacles in which the arm starts: refused where they are known, warned of where they are not."""

import numpy as np

from dynamics import Arm, BadInput
from hopfield_nav.navigation import depths_at_start
from hopfield_nav.world import World, all_solids, build_obstacles

_MIN_DEPTH = 1e-6  # [m] less is on the surface


def check_start(world: World, arm: Arm, q: np.ndarray, refuse: bool = True) -> list[str]:
    """Look for obstacles in which the arm starts: its tool point, or with ``contact.bodies: arm`` any link.

    Args:
        world: resolved.
        arm: of this world.
        q: (n,) joint angles at the start [rad].
        refuse: whether a known obstacle is an error; else it is warned of too.

    Returns:
        One sentence on all of them, or none.

    Raises:
        BadInput: the arm starts in a known obstacle.
    """
    whole = world.contact.bodies == "arm"
    depth, link = depths_at_start(arm, q, build_obstacles(world), whole)
    solids, unknown = all_solids(world), len(world.obstacles)
    told = []
    for j in np.flatnonzero(depth > _MIN_DEPTH):
        number, known = (j, "") if j < unknown else (j - unknown, "known ")
        who = f"link {link[j]}" if whole else "the tool"
        kind = type(solids[j]).__name__.lower()
        where = f"{1e3 * depth[j]:.3g} mm inside {known}obstacle {number} ({kind})"
        if known and refuse:
            raise BadInput(
                f"{who} starts {where}", where="start.joints", allowed="a pose that touches no known obstacle"
            )
        told.append(f"{who} {where}")
    return [f"the arm starts in contact: {', '.join(told)}"] if told else []


def check_world(world: object) -> World:
    """The world of a run.

    Raises:
        BadInput: it is none, such as a name.
    """
    if not isinstance(world, World):
        raise BadInput("no world", found=world, allowed="one from load_world")
    return world


def check_seed(seed: object) -> int:
    """The seed of a run.

    Raises:
        BadInput: no whole number from 0 to 2^63 - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise BadInput("seed", found=seed, allowed="a whole number from 0 to 2^63 - 1")
    return int(seed)


def check_duration(duration: object) -> float:
    """The simulated time for which a simulation is to go on [s].

    Raises:
        BadInput: no number, or below 0.
    """
    if isinstance(duration, bool) or not isinstance(duration, (int, float, np.number)) or not duration >= 0:
        raise BadInput("duration", found=duration, allowed="a number of seconds, 0 or more")
    return float(duration)
