"""The motion through joint angles: how long each segment takes, and the spline over all of them.

It knows nothing of the plant, and nothing of touches.
"""

import numpy as np

from dynamics import JointPath
from hopfield_nav.loop import Trajectory, quintic_trajectory
from hopfield_nav.navigation.map import Cell, ToolMap, round_half_away
from hopfield_nav.navigation.motion.means import Means
from hopfield_nav.navigation.motion.planned_motion import PlannedMotion, Reference
from hopfield_nav.navigation.motion.reachability import prepend, split_turn
from hopfield_nav.navigation.motion.tool_path import ToolPath, tool_at
from hopfield_nav.world import World

SECONDS_PER_CELL = 0.5  # of the document's rule for many waypoints, round(n/2)/(n - 1)
MIN_LENGTH = 1e-6  # [cells] shorter than this is no step


def spline_through(
    start: Cell,
    path: ToolPath,
    joints: JointPath,
    begin: Reference,
    map: ToolMap,
    means: Means,
    slower: float = 1.0,
) -> PlannedMotion:
    """The motion through joint angles, after a turn to where they begin if need be.

    The first segment takes ``slower`` times as long as usual.
    """
    least = seconds_per_cell(means.world.trajectory.time_per_cell)
    turn, rows, places = split_turn(
        means.arm, begin.q, joints.q, path.poses, map.grid.spacing, least, begin.time, begin.qd
    )
    after_turn = begin if turn is None else at_rest(float(turn.knots[-1]), rows[0])
    times = seconds_between(places, path.any_angle, map, means.world)
    times[0] *= slower
    onward = trajectory_through(rows[1:], times, after_turn, means, means.paths.rests(places, map))
    if turn is not None:
        places = np.vstack([tool_at(means.arm, begin.q), places])
    return PlannedMotion(start, path.cells, prepend(turn, onward), places=places)


def at_rest(time: float, q: np.ndarray) -> Reference:
    """A reference that stands still at joint angles (n,) [rad] at a time [s]."""
    still = np.zeros(len(q))
    return Reference(time, q, still, still)


def trajectory_through(
    rows: np.ndarray,
    times: np.ndarray,
    begin: Reference,
    means: Means,
    rests: np.ndarray | None = None,
) -> Trajectory:
    """Through joint angles (k, n) [rad] after those of ``begin``.

    ``times`` (k,) are those of the segments [s]. It stops behind the segments that ``rests`` (k,)
    says; None: behind the last.
    """
    return quintic_trajectory(
        np.vstack([begin.q, rows]), times, begin.time, begin.qd, begin.qdd,
        means.arm.speed_limits, means.world.trajectory.sample_time, rests,
    )  # fmt: skip


def seconds_between(places: np.ndarray, any_angle: bool, map: ToolMap, world: World) -> np.ndarray:
    """Seconds (k,) from place to place (k + 1, 3) [m].

    More of them into cells not passed before.
    """
    asked = world.trajectory
    visited = map.beliefs.visited
    speeds = [
        1.0 if map.grid.cell_of(place) in visited else asked.unknown_speed for place in places[1:]
    ]
    return times_between(places, map.grid.spacing, asked.time_per_cell, any_angle) / speeds


def seconds_per_cell(rule: float | str) -> float:
    """Seconds for the length of one cell [s], of the document's rule as for many waypoints."""
    return SECONDS_PER_CELL if isinstance(rule, str) else float(rule)


def times_between(
    places: np.ndarray, spacing: float, rule: float | str, any_angle: bool
) -> np.ndarray:
    """Seconds from place to place (k,), for tool positions (k + 1, 3) [m].

    In proportion to the length; over cells no step takes less than one of a cell, on a path at
    ``any_angle`` the first one does not, back to the path. Over cells the document's rule is
    round(n/2)/(n-1) for all (ragazzon2012 C.2.2).
    """
    steps = len(places) - 1
    if rule == "ragazzon2012" and not any_angle:
        return np.full(steps, float(round_half_away(np.array((steps + 1) / 2))) / steps)
    lengths = np.linalg.norm(np.diff(places, axis=0), axis=1) / spacing
    lengths[0] = max(lengths[0], 1.0)
    return seconds_per_cell(rule) * np.maximum(lengths, MIN_LENGTH if any_angle else 1.0)
