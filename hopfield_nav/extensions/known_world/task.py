"""What is asked for and what is found: a task from start to goal, and a planned path of the joints.

A station of a task is joint angles (n,) or a pose of the tool (4, 4), told apart by its shape. A
task comes from the section ``plan`` of a world file, or from random free joint angles. At a station
the arm can stand in several configurations, each on several whole turns (nowoczyn2023 (3.5),
(3.6)).
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics, inverse_kinematics
from dynamics.batches import as_rows
from dynamics.inverse import as_poses
from hopfield_nav.extensions.clearance import CLOSEST, Scene, collides, explain, motion_is_free
from hopfield_nav.record import as_text
from hopfield_nav.world import PlaceSection, World

SHORTEST, AROUND, DIRECT, SAMPLING = "shortest", "around", "direct", "sampling"
_MOST_DRAWS = 200
_ROUNDING = 1e-12  # of a turn; an angle that rounding puts beyond a limit is put on it


class Task(NamedTuple):
    """From where to where."""

    start: np.ndarray  # (n,) joint angles [rad], or a pose (4, 4)
    stations: list[np.ndarray]  # via points and goal, each of the two


def task_of_world(world: World, arm: Arm) -> Task:
    """The start, the via points and the goal of a world's section ``plan``.

    Without ``plan.start`` the motion begins at ``start.joints``; without ``plan.goal`` it ends with
    the tool at the world's goal, turned as at the start.

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
    outside = np.nonzero((array < arm.position_limits[:, 0]) | (array > arm.position_limits[:, 1]))[
        0
    ]
    if len(outside):
        i = int(outside[0])
        low, high = arm.position_limits[i]
        what = f"joint {i + 1} beyond its limits"
        raise BadInput(
            what, where=where, found=float(array[i]), allowed=f"{low:.6g} to {high:.6g} rad"
        )
    return array


def is_pose(station: np.ndarray) -> bool:
    """Whether a station is a pose of the tool, and leaves the joints open."""
    return station.shape == (4, 4)


def pose_of(arm: Arm, station: np.ndarray) -> np.ndarray:
    """The tool's pose (4, 4) at a station."""
    return station if is_pose(station) else forward_kinematics(arm, station)


def random_free_joints(
    arm: Arm, scene: Scene, count: int, generator: np.random.Generator
) -> np.ndarray:
    """Free joint angles (count, n) [rad], drawn evenly from half a turn to either side, within the limits.

    Raises ``BadInput``: hardly any pose is free.

    Source: nowoczyn2023 3.4, the demonstration's random configurations.
    """
    low, high = (
        np.maximum(arm.position_limits[:, 0], -np.pi),
        np.minimum(arm.position_limits[:, 1], np.pi),
    )
    rows = np.empty((0, len(arm.dh)))
    for _ in range(_MOST_DRAWS):
        q = generator.uniform(low, high, (max(4 * count, 64), len(arm.dh)))
        rows = np.concatenate([rows, q[~collides(arm, scene, q)]])
        if len(rows) >= count:
            return rows[:count]
    raise BadInput(
        "no room for the arm", found=f"{len(rows)} free poses", allowed=f"{count} are needed"
    )


class PlannedPath(NamedTuple):
    """Joint angles from start to goal, proven free between one row and the next."""

    q: np.ndarray  # (k, n) [rad]
    # ``shortest`` or ``around`` (the tool goes straight between corners; rows are at most 1 mm of
    # tool motion apart), ``direct`` or ``sampling`` (the joints go straight between corners)
    kind: str
    # (c,) rows of ``q`` at which the path may bend sharply: start, via points, goal
    corners: np.ndarray
    length: float  # sum of all joints' changes [rad]

    @property
    def is_of_tool(self) -> bool:
        """Whether it is the tool that goes straight, and not the joints."""
        return self.kind in (SHORTEST, AROUND)


def path_length(q: np.ndarray) -> float:
    """Sum of all joints' changes along rows of angles (k, n) [rad]; nowoczyn2023 3.2."""
    return float(np.abs(np.diff(q, axis=0)).sum())


def plan_places(arm: Arm, start: object, stations: Sequence[object]) -> list[np.ndarray]:
    """Start and stations, each (n,) joint angles or a (4, 4) pose."""
    return [
        as_station(arm, start, "start"),
        *(as_station(arm, s, f"stations[{i}]") for i, s in enumerate(stations)),
    ]


def free_positions(
    arm: Arm, scene: Scene, places: Sequence[np.ndarray], i: int
) -> tuple[np.ndarray, int, str]:
    """The configurations (k, n) at the ``i``-th place of a plan that are proven free, on every turn in the limits.

    And how many there are, free or not; and why none is free, "" otherwise. Joint angles that are
    given for the start stay on their turns.

    Raises ``NoClosedForm``: a pose, and an arm that is not of UR type.

    Source: nowoczyn2023 (3.5), (3.6).
    """
    place = places[i]
    solutions = inverse_kinematics(arm, place) if is_pose(place) else place[None]
    turned = [
        q[None] if i == 0 and not is_pose(place) else turn_alternatives(arm, q) for q in solutions
    ]
    rows = solutions.reshape(-1, len(arm.dh))
    free = np.nonzero(motion_is_free(arm, scene, rows, rows))[0]
    q = np.concatenate([np.empty((0, len(arm.dh))), *(turned[k] for k in free)])
    name = {0: "the start", len(places) - 1: "the goal"}.get(i, f"via point {i}")
    reason = ""
    if not len(solutions):
        reason = f"{name} is out of reach"
    elif not len(free):
        words = explain(arm, scene, solutions[0])
        why = (
            f"it is nearer than {1000.0 * CLOSEST:g} mm to something" if words == "free" else words
        )
        reason = f"{name} is free in no joint position: {why}"
    elif not len(q):
        reason = f"{name} is within the joints' limits on no turn"
    return q, sum(map(len, turned)), reason


def turn_alternatives(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Every q + 2π k (c, n) of joint angles (n,) [rad] within the limits, the first joint changing slowest.

    With limits of ±360° every joint has two of them, an angle of exactly 0 three: 2⁶ = 64 in
    general. A joint without limits stays on its turn; c = 0 where a joint's limits hold no turn.

    Raises ``BadInput``: wrong shape.

    Source: nowoczyn2023 (3.6).
    """
    (rows,), _ = as_rows(len(arm.dh), q=np.ravel(q))
    choices = [
        _turns(angle, *limits) for angle, limits in zip(rows[0], arm.position_limits, strict=True)
    ]
    return np.array(list(itertools.product(*choices))).reshape(-1, len(arm.dh))


def _turns(angle: float, low: float, high: float) -> list[float]:
    if not (math.isfinite(low) and math.isfinite(high)):
        return [angle] if low <= angle <= high else []
    turn = 2.0 * math.pi
    least, most = (
        math.ceil((low - angle) / turn - _ROUNDING),
        math.floor((high - angle) / turn + _ROUNDING),
    )
    return [min(max(angle + turn * k, low), high) for k in range(least, most + 1)]


def plan_rows(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The facts of a plan as a table of two columns."""
    numbers = {
        "duration": ("duration_s", "s", 1.0), "joints turn": ("joint_length_rad", "rad", 1.0),
        "tool moves": ("tool_length_m", "m", 1.0), "tool, start to end": ("tool_distance_m", "m", 1.0),
        "nearest to obstacles": ("clearance_obstacles_m", "mm", 1e3),
        "nearest to itself": ("clearance_itself_m", "mm", 1e3), "planned in": ("planning_time_s", "ms", 1e3),
    }  # fmt: skip
    return [
        ("path", f"{found['method']}, free for the whole motion"),
        *((f"{name} not possible", why) for name, why in found["not_possible"].items()),
        *(
            (label, as_text(found[key], unit, scale))
            for label, (key, unit, scale) in numbers.items()
        ),
    ]
