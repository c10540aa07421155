"""What a world file asks to be planned: its section ``plan``, as joint angles and poses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.kinematics import forward_kinematics
from hopfield_nav.world import World
from hopfield_nav.world_plan import Place


class Task(NamedTuple):
    """From where to where.

    Attributes:
        start: (n,) joint angles [rad], or a pose (4, 4).
        stations: via points and goal, each of the two.
    """

    start: np.ndarray
    stations: list[np.ndarray]


def task_of_world(world: World, arm: Arm) -> Task:
    """The start, the via points and the goal of a world's section ``plan``.

    Args:
        world: from ``load_world``. Without ``plan.start`` the motion begins at ``start.joints``; without
            ``plan.goal`` it ends with the tool at the world's goal, turned as at the start.
        arm: of the world, with its tool.

    Raises:
        BadInput: the world names no goal at all.
    """
    start = np.array(world.start.joints) if world.plan.start is None else _station(world.plan.start)
    via = [_station(place) for place in world.plan.via]
    if world.plan.goal is not None:
        return Task(start, [*via, _station(world.plan.goal)])
    if world.goal_point is None:
        raise BadInput(
            "nothing to plan to",
            where=f"{world.name}: plan.goal",
            allowed="plan.goal or goal in the world file",
        )
    goal = forward_kinematics(arm, start).copy() if start.shape != (4, 4) else start.copy()
    goal[:3, 3] = world.goal_point
    return Task(start, [*via, goal])


def _station(place: Place) -> np.ndarray:
    if place.joints is not None:
        return np.array(place.joints)
    assert place.pose is not None  # the section holds exactly one of them
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = place.pose.rotation, place.pose.position
    return T
