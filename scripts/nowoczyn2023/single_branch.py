"""The tool on a straight line with the joints on one branch, wherever that leads (nowoczyn2023 2.2).

So the document suspects the robot's own controller to move, and to stop when it is too late: from
one small step to the next each joint goes to the nearest solution, nobody looks ahead, and the
motion ends where the arm touches something, a joint reaches its limit, or a joint would have to
jump.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm, follow_path, forward_kinematics
from hopfield_nav.extensions import known_world
from hopfield_nav.extensions.clearance import Scene, collides, explain
from hopfield_nav.extensions.known_world import TOOL_SPEED, TURN_SPEED, StraightLine, straight_line
from nowoczyn2023.differential import differential_inverse_kinematics

ARRIVED, TOUCHED, LIMIT, JUMP, OUT_OF_REACH = (
    "arrived",
    "collision",
    "limit",
    "jump",
    "out of reach",
)
OFF, OFF_BY = "off the line", 1e-3  # [m] of the tool beside the line, where nothing holds it there
FINER = 25  # steps a row: 40 µm, as in 2.2
_LEVER = 0.1  # [m] for a turn
_ROW_TURN = 0.01  # [rad] of the tool between two rows


class SingleBranch(NamedTuple):
    """How far the arm came."""

    q: np.ndarray  # (k, n) joint angles up to where it stopped, the first being the start [rad]
    places: np.ndarray  # (k,) of the rows on the line
    # "arrived", or why it stopped: "collision", "limit", "jump", "out of reach", "off the line"
    outcome: str
    reason: str  # the same in words, with what touches what; "" where it arrived
    line: StraightLine  # the tool's line


def follow_single_branch(
    arm: Arm,
    scene: Scene,
    start: np.ndarray,
    stations: Sequence[np.ndarray],
    tool_speed: float = TOOL_SPEED,
    turn_speed: float = TURN_SPEED,
) -> SingleBranch:
    """Move an arm of UR type from joint angles (n,) [rad] until something stops it.

    ``stations`` are via points and goal, joint angles or poses; of joint angles only the pose
    counts. With such speeds of the tool [m/s] and of its rotation [rad/s] a joint that would have
    to exceed its speed limit jumps.

    Raises ``BadInput``: a malformed station; ``NoClosedForm``: the arm is not of UR type.
    """
    first = known_world.as_station(arm, start, "start")
    through = [known_world.as_station(arm, s, f"stations[{i}]") for i, s in enumerate(stations)]
    line = straight_line(np.array([known_world.pose_of(arm, s) for s in (first, *through)]))
    places, step = _fine_places(line, tool_speed, turn_speed)
    path = follow_path(
        arm, known_world.poses_at(line, places), first, float(step * arm.speed_limits.min())
    )
    q = np.vstack([first, path.q[1 : path.reached]])
    touched = np.nonzero(collides(arm, scene, q))[0]
    if len(touched):
        end = int(touched[0]) + 1
        return SingleBranch(q[:end], places[:end], TOUCHED, explain(arm, scene, q[end - 1]), line)
    reason, kinds = (
        path.reason.split(" at waypoint")[0],
        {"": ARRIVED, "limits": LIMIT, "out of reach": OUT_OF_REACH},
    )
    return SingleBranch(q, places[: len(q)], kinds.get(reason, JUMP), reason, line)


def follow_numeric_branch(
    arm: Arm,
    scene: Scene,
    start: np.ndarray,
    goal: np.ndarray,
    orientation: str = "rotation_vector",
) -> SingleBranch:
    """The same with the step of (2.3) and the missing J⁻¹: by the Jacobian from pose to pose, 40 µm apart.

    Nothing corrects what a step misses, so the tool may also leave the line: "off the line". From
    joint angles (6,) [rad] to a pose (4, 4); ``orientation`` as of
    ``differential_inverse_kinematics``, "euler" being as printed.
    """
    line = straight_line(np.array([forward_kinematics(arm, start), goal]))
    places, step = _fine_places(line, TOOL_SPEED, TURN_SPEED, FINER)
    with np.errstate(all="ignore"):
        path = differential_inverse_kinematics(
            arm, known_world.poses_at(line, places), start, orientation
        )
        change = np.abs(np.diff(path.q, axis=0, prepend=path.q[:1])).max(axis=1)
        low, high = arm.position_limits.T
        events = {
            JUMP: ~(change <= step * arm.speed_limits.min()),
            LIMIT: ~((path.q >= low) & (path.q <= high)).all(axis=1),
            OFF: (path.position_error > OFF_BY) | (path.turn_error > OFF_BY / _LEVER),
        }
    first = {
        kind: int(np.argmax(rows)) if rows.any() else len(rows) for kind, rows in events.items()
    }
    outcome = min(first, key=lambda kind: first[kind])
    arrived = first[outcome] == len(places)
    rows = np.arange(0, first[outcome], FINER)
    touched = np.nonzero(collides(arm, scene, path.q[rows]))[0]
    if len(touched):
        rows = rows[: touched[0] + 1]
        reason = explain(arm, scene, path.q[rows[-1]])
        return SingleBranch(path.q[rows], places[rows], TOUCHED, reason, line)
    outcome = ARRIVED if arrived else outcome
    return SingleBranch(path.q[rows], places[rows], outcome, "" if arrived else outcome, line)


def _fine_places(
    line: StraightLine, tool_speed: float, turn_speed: float, finer: int = 1
) -> tuple[np.ndarray, float]:
    """Places of the rows, and the time between two of the quickest leg's [s]; ``finer`` as many as usual."""
    parts = finer * np.maximum(line.lengths / known_world.ROW_LENGTH, line.angles / _ROW_TURN)
    counts = np.maximum(np.ceil(parts), 1).astype(int)
    times = np.maximum(line.lengths / tool_speed, line.angles / turn_speed) / counts
    places = [leg + np.arange(1, n + 1) / n for leg, n in enumerate(counts)]
    return np.concatenate([[0.0], *places]), float(max(times.max(), 1e-9))
