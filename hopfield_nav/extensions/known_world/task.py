"""What is asked for and what is found: a task from start to goal, and a planned path of the joints.

A station of a task is joint angles (n,) or a pose of the tool (4, 4), told apart by its shape. A task comes from the
section ``plan`` of a world file, or from random free joint angles.
"""

from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics
from dynamics.inverse import as_poses
from hopfield_nav.clearance import Scene, collides
from hopfield_nav.world import PlaceSection, World

SHORTEST, AROUND, DIRECT, SAMPLING = "shortest", "around", "direct", "sampling"
_MOST_DRAWS = 200


class Task(NamedTuple):
    """From where to where."""

    start: np.ndarray  # (n,) joint angles [rad], or a pose (4, 4)
    stations: list[np.ndarray]  # via points and goal, each of the two


def task_of_world(world: World, arm: Arm) -> Task:
    """The start, the via points and the goal of a world's section ``plan``.

    Without ``plan.start`` the motion begins at ``start.joints``; without ``plan.goal`` it ends with the tool at the
    world's goal, turned as at the start.

    Raises ``BadInput``: the world names no goal at all.
    """
    start = np.array(world.start.joints) if world.plan.start is None else _station(world.plan.start)
    via = [_station(place) for place in world.plan.via]
    if world.plan.goal is not None:
        return Task(start, [*via, _station(world.plan.goal)])
    if world.goal_point is None:
        allowed = "plan.goal or goal in the world file"
        raise BadInput("nothing to plan to", where=f"{world.name}: plan.goal", allowed=allowed)
    goal = forward_kinematics(arm, start).copy() if start.shape != (4, 4) else start.copy()
    goal[:3, 3] = world.goal_point
    return Task(start, [*via, goal])


def _station(place: PlaceSection) -> np.ndarray:
    if place.joints is not None:
        return np.array(place.joints)
    assert place.pose is not None  # the section holds exactly one of them
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = place.pose.rotation, place.pose.position
    return T


def as_station(arm: Arm, value: object, where: str) -> np.ndarray:
    """Joint angles (n,) within the limits, or a rigid pose (4, 4), as float64.

    Raises ``BadInput``: neither, not finite, or a joint beyond its limits.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("no numbers", where=where, found=value) from None
    if array.shape == (4, 4):
        return as_poses(array, where)[0][0]
    if array.shape != (len(arm.dh),) or not np.isfinite(array).all():
        allowed = f"({len(arm.dh)},) joint angles or a (4, 4) pose, finite"
        raise BadInput("neither joints nor a pose", where=where, found=array.shape, allowed=allowed)
    outside = np.nonzero((array < arm.position_limits[:, 0]) | (array > arm.position_limits[:, 1]))[0]
    if len(outside):
        i = int(outside[0])
        low, high = arm.position_limits[i]
        what = f"joint {i + 1} beyond its limits"
        raise BadInput(what, where=where, found=float(array[i]), allowed=f"{low:.6g} to {high:.6g} rad")
    return array


def is_pose(station: np.ndarray) -> bool:
    """Whether a station is a pose of the tool, and leaves the joints open."""
    return station.shape == (4, 4)


def pose_of(arm: Arm, station: np.ndarray) -> np.ndarray:
    """The tool's pose (4, 4) at a station."""
    return station if is_pose(station) else forward_kinematics(arm, station)


def random_free_joints(arm: Arm, scene: Scene, count: int, generator: np.random.Generator) -> np.ndarray:
    """Free joint angles (count, n) [rad], drawn evenly from half a turn to either side, within the limits.

    Raises ``BadInput``: hardly any pose is free.

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


class PlannedPath(NamedTuple):
    """Joint angles from start to goal, proven free between one row and the next."""

    q: np.ndarray  # (k, n) [rad]
    # ``shortest`` or ``around`` (the tool goes straight between corners; rows are at most 1 mm of tool motion
    # apart), ``direct`` or ``sampling`` (the joints go straight between corners)
    kind: str
    corners: np.ndarray  # (c,) rows of ``q`` at which the path may bend sharply: start, via points, goal
    length: float  # sum of all joints' changes [rad]

    @property
    def is_of_tool(self) -> bool:
        """Whether it is the tool that goes straight, and not the joints."""
        return self.kind in (SHORTEST, AROUND)


def path_length(q: np.ndarray) -> float:
    """Sum of all joints' changes along rows of angles (k, n) [rad]; nowoczyn2023 3.2."""
    return float(np.abs(np.diff(q, axis=0)).sum())
