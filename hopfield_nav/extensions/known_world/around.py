"""The tool on straight lines round what stands in the way of one: over places beside the line.

A leg whose straight line is not free goes over one pose half-way that is moved to a side, or over
two, its ends moved to a side. These detours are tried from the shortest on; the first that is free
is taken, so that the tool goes hardly further than it must. Each is planned by ``plan_shortest``.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.clearance import Scene
from hopfield_nav.extensions.known_world.line import poses_at, straight_line
from hopfield_nav.extensions.known_world.shortest_path import TOOL_SPEED, TURN_SPEED, plan_shortest
from hopfield_nav.extensions.known_world.task import AROUND, PlannedPath, as_station, pose_of

SHIFTS = (0.02, 0.04, 0.06, 0.09, 0.13, 0.18, 0.25, 0.35, 0.5)  # [m] to a side
_SIDES = np.radians([0, 45, -45, 90, -90, 135, -135, 180])  # about the line, from above it
_COARSE = 5  # times fewer steps, in which a detour is tried first
_MIN_LENGTH = 1e-9  # [m] a leg that is shorter only turns


class AroundPlan(NamedTuple):
    """What ``plan_around`` found."""

    path: PlannedPath | None  # of kind ``around``, or None
    reason: str  # "" where there is a path
    tried: int  # number of detours


# of every leg that needs one: shift, side, and whether over two poses or one
_Detour = tuple[float, float, bool]


def plan_around(
    arm: Arm,
    scene: Scene,
    start: np.ndarray,
    stations: Sequence[np.ndarray],
    steps: int = 100,
    tool_speed: float = TOOL_SPEED,
    turn_speed: float = TURN_SPEED,
) -> AroundPlan:
    """The tool from station to station on straight lines past what stands between them.

    It rests at corners. Arguments as in ``plan_shortest``; the path rests at the detour's corners
    too.

    Raises ``BadInput``: a malformed station, or a number that is not positive; ``NoClosedForm``:
    the arm is not of UR type.
    """
    speeds = tool_speed, turn_speed
    whole = plan_shortest(arm, scene, start, stations, steps, *speeds)
    if whole.path is not None:
        return AroundPlan(whole.path._replace(kind=AROUND), "", 0)
    if whole.searches == 0:
        return AroundPlan(None, whole.reason, 0)
    through = [as_station(arm, s, "stations") for s in (start, *stations)]
    legs = [np.array([pose_of(arm, a), pose_of(arm, b)]) for a, b in itertools.pairwise(through)]
    alone = [plan_shortest(arm, scene, a, [b], steps, *speeds).path is not None for a, b in legs]
    # each free by itself: the joints do not fit
    detoured = [not free or all(alone) for free in alone]
    coarse, tried = max(1, steps // _COARSE), 0
    for tried, detour in enumerate(_detours(legs, detoured), start=1):
        places: list[np.ndarray] = []
        for leg, station, turned in zip(legs, through[1:], detoured, strict=True):
            places += [*(_beside(leg, *detour) if turned else []), station]
        if plan_shortest(arm, scene, through[0], places, coarse, *speeds).path is None:
            continue
        found = plan_shortest(arm, scene, through[0], places, steps, *speeds).path
        if found is not None:
            return AroundPlan(found._replace(kind=AROUND), "", tried)
    return AroundPlan(
        None, f"none of {tried} detours up to {SHIFTS[-1]:g} m beside the line is free", tried
    )


def _detours(legs: list[np.ndarray], detoured: list[bool]) -> list[_Detour]:
    """From the shortest way of the tool on; of equals first those that lead over the top."""
    lengths = [
        math.dist(a[:3, 3], b[:3, 3])
        for (a, b), turned in zip(legs, detoured, strict=True)
        if turned
    ]

    def tool_length(detour: _Detour) -> float:
        shift, _, two = detour
        return sum(
            length + 2.0 * shift if two else 2.0 * math.hypot(length / 2.0, shift)
            for length in lengths
        )

    return sorted(itertools.product(SHIFTS, _SIDES, (False, True)), key=tool_length)


def _beside(leg: np.ndarray, shift: float, side: float, two: bool) -> np.ndarray:
    """The poses (1 or 2, 4, 4) of a detour beside a leg (2, 4, 4)."""
    line = straight_line(leg)
    poses = poses_at(line, np.array([0.0, 1.0] if two else [0.5])).copy()
    along = line.shift[0]
    length = np.linalg.norm(along)
    along = along / length if length > _MIN_LENGTH else np.array([1.0, 0.0, 0.0])
    upright = np.array([0.0, 0.0, 1.0]) if abs(along[2]) < 0.99 else np.array([1.0, 0.0, 0.0])
    up = upright - (upright @ along) * along
    up /= np.linalg.norm(up)
    poses[:, :3, 3] += shift * (np.cos(side) * up + np.sin(side) * np.cross(along, up))
    return poses
