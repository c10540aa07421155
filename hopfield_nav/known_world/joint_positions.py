"""The joint positions at which the arm can stand at a place of a plan: free ones, on every turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.inverse_kinematics import inverse_kinematics
from hopfield_nav.known_world.collision_check import collides, explain
from hopfield_nav.known_world.scene import Scene
from hopfield_nav.known_world.stations import as_station, is_pose
from hopfield_nav.known_world.turns import turn_alternatives


class Positions(NamedTuple):
    """Where the joints can be at one place of a plan.

    Attributes:
        q: (k, n) free ones [rad].
        candidates: free or not.
        reason: why there is none, "" otherwise.
    """

    q: np.ndarray
    candidates: int
    reason: str


def plan_places(arm: Arm, start: object, stations: Sequence[object]) -> list[np.ndarray]:
    """Start and stations, each (n,) joint angles or a (4, 4) pose.

    Raises:
        BadInput: one that is neither, or beyond the limits.
    """
    rest = [as_station(arm, s, f"stations[{i}]") for i, s in enumerate(stations)]
    return [as_station(arm, start, "start"), *rest]


def free_positions(arm: Arm, scene: Scene, places: Sequence[np.ndarray], i: int) -> Positions:
    """The free joint positions at the ``i``-th place of a plan, on every turn within the limits.

    Joint angles that are given for the start stay on their turns.

    Args:
        arm: the arm of the scene.
        scene: from ``build_scene``.
        places: from ``plan_places``, the goal last.
        i: which of them.

    Raises:
        NoClosedForm: a pose, and an arm that is not of UR type.

    Source: nowoczyn2023 (3.5), (3.6).
    """
    place = places[i]
    solutions = inverse_kinematics(arm, place) if is_pose(place) else place[None]
    stays = i == 0 and not is_pose(place)
    turned = [q[None] if stays else turn_alternatives(arm, q) for q in solutions]
    free = np.nonzero(~collides(arm, scene, solutions.reshape(-1, len(arm.dh))))[0]
    q = np.concatenate([np.empty((0, len(arm.dh))), *(turned[k] for k in free)])
    name = {0: "the start", len(places) - 1: "the goal"}.get(i, f"via point {i}")
    reason = "" if len(q) else _why_none(arm, scene, solutions, len(free), name)
    return Positions(q, sum(map(len, turned)), reason)


def _why_none(arm: Arm, scene: Scene, solutions: np.ndarray, free: int, name: str) -> str:
    if len(solutions) == 0:
        return f"{name} is out of reach"
    if free:
        return f"{name} is within the joints' limits on no turn"
    return f"{name} is free in no joint position: {explain(arm, scene, solutions[0])}"
