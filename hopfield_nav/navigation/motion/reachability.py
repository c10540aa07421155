"""What the arm cannot reach of the map, and the turn to a far first waypoint.

A cell is out of reach where there is no solution, one beyond the limits, a singular one, or one in
which a link touches a known obstacle. Link 1 may touch what the arm is mounted on, that is what
link 1 touches whatever the angle of joint 1.

From one waypoint to the next no joint may go further than ``JUMP``: the arm would leave its path.
At the start it is at rest and on no path yet, so it may take as long as it needs to turn its joints
to where the path begins, with another rotation of the tool, say. It turns them along a straight
line of joint angles, from rest to rest, and its tool is no faster than on the path. What is known
may not be in the way; what is not known is felt as always. After a collision there is such a turn
only where the arm was brought to rest first: what it touched may have turned its wrist far while it
floated.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dynamics import Arm, JointPath, follow_path, forward_kinematics, manipulability
from dynamics.inverse import follow_positions
from dynamics.inverse.joint_path import JUMP
from hopfield_nav.geometry import LINK, arm_bodies, arm_distance, capsule_distance
from hopfield_nav.loop import Trajectory, quintic_trajectory
from hopfield_nav.navigation.map import touches

SINGULAR = 1e-3  # ``manipulability``, m³ for six joints: joints run away below it
ANY_JUMP = 1e6  # [rad] a solution at any distance from the start is a solution
_TURN = np.linspace(-np.pi, np.pi, 73)  # [rad] of joint 1, whose link is a few cm thick
_RATE = 1.0  # [rad/s] of the joint that turns most, on average, in the turn to the first waypoint
_SAMPLES = 200  # places at which that turn is looked at


class KnownSolids(NamedTuple):
    """Known obstacles that no link may touch."""

    solids: np.ndarray  # (m, 17) from ``geometry.pack_primitives``
    mount: np.ndarray  # (m,) bool, those that link 1 always touches


def known_solids(arm: Arm, solids: np.ndarray) -> KnownSolids:
    """Find out which of the solids (m, 17) the arm is mounted on."""
    q = np.zeros((len(_TURN), len(arm.dh)))
    q[:, 0] = _TURN
    first = arm_bodies(arm)[:, LINK] == 1
    touching = (arm_distance(arm, q, solids)[:, first] <= 0.0).any(axis=1)
    return KnownSolids(solids, np.asarray(touching.all(axis=0)))


def link_distances(arm: Arm, q: np.ndarray, known: KnownSolids) -> tuple[np.ndarray, np.ndarray]:
    """(b,) link of each body, and (k, b, m) signed distances to what is known [m].

    The tool is with the last link. Distances are infinite for link 0, and for link 1 to what the
    arm is mounted on: what may not touch counts alone.
    """
    link = arm_bodies(arm)[:, LINK].astype(int)
    distance = arm_distance(arm, q, known.solids)
    distance[:, link == 0] = np.inf
    distance[:, link == 1] = np.where(known.mount, np.inf, distance[:, link == 1])
    return link, distance


def touching_links(arm: Arm, q: np.ndarray, known: KnownSolids) -> np.ndarray:
    """(k, 2): the link and the known obstacle that overlap most; or -1.

    Links count from 1, the tool is with the last; obstacles count from 0.
    """
    link, distance = link_distances(arm, q, known)
    flat = distance.reshape(len(distance), len(link) * len(known.solids))
    if flat.size == 0:
        return np.full((len(distance), 2), -1)
    body, solid = np.divmod(flat.argmin(axis=1), len(known.solids))
    overlaps = flat.min(axis=1) <= 0.0
    pair = np.column_stack([link[body], solid])
    return np.where(overlaps[:, None], pair, -1)


def depths_at_start(
    arm: Arm, q: np.ndarray, solids: np.ndarray, whole_arm: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(m,) how deep the arm is in each solid [m], and (m,) its link there.

    The depth is negative where nothing touches. With ``whole_arm`` every link counts, but for the
    base, and for link 1 in what it touches at every angle of joint 1. Else the tool point alone
    counts.
    """
    if not whole_arm or len(solids) == 0:
        tool = forward_kinematics(arm, q)[:3, 3]
        depth = -capsule_distance(np.concatenate([tool, tool, [0.0]])[None], solids)[0]
        return depth, np.full(len(solids), len(arm.dh))
    link, distance = link_distances(arm, q[None], known_solids(arm, solids))
    if len(link) == 0:
        return np.full(len(solids), -np.inf), np.zeros(len(solids), dtype=int)
    return -distance[0].min(axis=0), link[distance[0].argmin(axis=0)]


def truncate_at_collision(arm: Arm, path: JointPath, known: KnownSolids) -> JointPath:
    """The path up to where "link l touches known obstacle j at waypoint i", which is its reason."""
    touching = touching_links(arm, path.q[: path.reached], known)
    return _cut(
        path,
        touching[:, 0] >= 0,
        lambda first: "link {} touches known obstacle {}".format(*touching[first]),
    )


def follow_regular_path(arm: Arm, poses: np.ndarray, q: np.ndarray) -> JointPath:
    """As ``follow_path``, but the path also ends where the arm is singular.

    Then the reason is "singular at waypoint i".
    """
    path = follow_path(arm, poses, q)
    return _cut(
        path, manipulability(arm, path.q[: path.reached]) < SINGULAR, lambda first: "singular"
    )


def _cut(path: JointPath, bad: np.ndarray, why: Callable[[int], str]) -> JointPath:
    """The path up to the first bad waypoint."""
    if not bad.any():
        return path
    first = int(bad.argmax())
    angles = path.q.copy()
    angles[first:] = np.nan
    return JointPath(angles, first, f"{why(first)} at waypoint {first}")


def turned(arm: Arm, pose: np.ndarray, q: np.ndarray, any_rotation: bool) -> np.ndarray:
    """The joint angles (n,) [rad] from which a path whose first waypoint is ``pose`` is followed.

    They are those at the first waypoint that are nearest to q, if a joint has to turn by more than
    ``JUMP`` to them; else q itself. With ``any_rotation`` the tool's position alone counts.
    """
    if any_rotation:
        path = follow_positions(arm, pose[None, :3, 3], q, ANY_JUMP)
    else:
        path = follow_path(arm, pose[None], q, ANY_JUMP)
    return path.q[0] if not path.reason and _is_turn(q, path.q[0]) else q


def end_at_turn(
    arm: Arm, q: np.ndarray, path: JointPath, solids: np.ndarray, links: KnownSolids | None
) -> JointPath:
    """The path, or none of it where the turn from q to its first waypoint touches what is known.

    ``solids`` (m, 17) the tool may not touch, ``links`` no link; None: only the tool can touch. The
    reason is then "the turn to waypoint 0 leads … known obstacle j".
    """
    if path.reached == 0:
        return path
    way = _way(q, path.q[0])
    places = forward_kinematics(arm, way)[:, :3, 3]
    hit = [
        j for j in range(len(solids)) if touches(solids[j : j + 1], places[:-1], places[1:]).any()
    ]
    what = f"the tool through known obstacle {hit[0]}" if hit else ""
    if links is not None and not hit:
        touching = touching_links(arm, way, links)
        bad = touching[touching[:, 0] >= 0]
        what = f"link {bad[0, 0]} through known obstacle {bad[0, 1]}" if len(bad) else ""
    if not what:
        return path
    return JointPath(np.full_like(path.q, np.nan), 0, f"the turn to waypoint 0 leads {what}")


def split_turn(
    arm: Arm, q: np.ndarray, path: np.ndarray, poses: np.ndarray, spacing: float, cell_time: float,
    time: float = 0.0, qd: np.ndarray | None = None,
) -> tuple[Trajectory | None, np.ndarray, np.ndarray]:  # fmt: skip
    """The turn, if the path (k, n) [rad] begins with one, and what is left to follow.

    The turn goes from q and qd (default rest) at ``time``, within the speed limits of the joints;
    None: there is no turn. Nor does the tool pass a cell, ``spacing`` long [m], in less than
    ``cell_time`` [s]. The rest, from its end or from q on, are joint angles (j, n) [rad] and tool
    positions (j, 3) [m]; j is 2 at least.
    """
    rows = np.vstack([q, path])
    places = np.vstack([forward_kinematics(arm, q)[:3, 3], poses[:, :3, 3]])
    if not _is_turn(q, path[0]):
        return None, rows, places
    steps = np.diff(forward_kinematics(arm, _way(q, path[0]))[:, :3, 3], axis=0)
    swing = (_SAMPLES - 1) * float(np.linalg.norm(steps, axis=1).max()) / spacing
    seconds = max(float(np.abs(path[0] - q).max()) / _RATE, swing * cell_time)
    turn = quintic_trajectory(rows[:2], seconds, time, qd, speed_limits=arm.speed_limits)
    rest = slice(1, None) if len(path) > 1 else [1, 1]
    return turn, rows[rest], places[rest]


def prepend(turn: Trajectory | None, path: Trajectory) -> Trajectory:
    """The path's trajectory after the turn's, at whose end it begins.

    The path's alone without a turn.
    """
    if turn is None:
        return path
    knots = np.concatenate([turn.knots, path.knots[1:]])
    return Trajectory(
        knots, np.concatenate([turn.coefficients, path.coefficients]), path.sample_time
    )


def _is_turn(q: np.ndarray, to: np.ndarray) -> bool:
    return bool(np.abs(to - q).max() > JUMP)


def _way(q: np.ndarray, to: np.ndarray) -> np.ndarray:
    return q + np.linspace(0.0, 1.0, _SAMPLES)[:, None] * (to - q)
