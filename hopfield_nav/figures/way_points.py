"""A planned way as a picture needs it: evenly fine poses of the joints, where the tool is, how far along."""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.kinematics import forward_kinematics
from hopfield_nav.known_world.way import SHORTEST, JointWay

_TURN = 0.02  # [rad] of a joint between two of the fine poses, at most
_MOST = 4000
_SAME = 1e-3  # [m] a leg of the tool that is shorter counts as a turn on the spot


def fine_way(q: np.ndarray, step: float = _TURN) -> np.ndarray:
    """Rows on the straight joint motions between the rows of a way, those rows among them.

    Args:
        q: (k, n) joint angles [rad].
        step: largest change of a joint from row to row [rad]; larger where the way is very long.

    Returns:
        (m, n) [rad], m ≥ k.
    """
    change = np.abs(np.diff(q, axis=0)).max(axis=1, initial=0.0)
    pieces = np.maximum(1, np.ceil(change / max(step, change.sum() / _MOST))).astype(int)
    places = [k + np.arange(count) / count for k, count in enumerate(pieces)]
    return _at_places(q, np.concatenate([*places, [len(q) - 1.0]]))


def joint_travel(q: np.ndarray) -> np.ndarray:
    """(k,) sum of all joints' changes from the first row of q (k, n) on [rad]."""
    return np.concatenate([[0.0], np.cumsum(np.abs(np.diff(q, axis=0)).sum(axis=1))])


def tool_points(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(..., 3) of the tool at joint angles (..., n) [m]."""
    return forward_kinematics(arm, q)[..., :3, 3]


def tool_travel(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(k,) way of the tool from the first row of q (k, n) on [m]."""
    steps = np.linalg.norm(np.diff(tool_points(arm, q), axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def corner_poses(way: JointWay) -> np.ndarray:
    """(c, n) joint angles at start, via points and goal, and a sampled way's milestones [rad]."""
    return way.q[way.corners]


def travel_of(arm: Arm, way: JointWay, q: np.ndarray) -> tuple[np.ndarray, str]:
    """What is plotted against: the tool's way where the tool goes straight, else that of the joints.

    Args:
        arm: the arm.
        way: the way.
        q: (m, n) rows along it [rad].

    Returns:
        (m,) and the label of the axis with its unit.
    """
    legs = np.linalg.norm(np.diff(tool_points(arm, corner_poses(way)), axis=0), axis=1)
    if way.kind == SHORTEST and len(legs) and legs.min() > _SAME:
        return tool_travel(arm, q), "way of the tool (m)"
    return joint_travel(q), "way of the joints, summed (rad)"


def poses_between(arm: Arm, way: JointWay, count: int) -> np.ndarray:
    """Poses that are evenly spaced along a way, without its ends.

    Args:
        arm: the arm.
        way: the way.
        count: how many.

    Returns:
        (count, n) [rad]; none where nothing moves.
    """
    q = fine_way(way.q)
    travel, _ = travel_of(arm, way, q)
    if travel[-1] <= 0.0:
        return np.empty((0, q.shape[1]))
    wanted = travel[-1] * np.arange(1, count + 1) / (count + 1)
    return _at_places(q, np.interp(wanted, travel, np.arange(len(q))))


def fitting_count(arm: Arm, way: JointWay, most: int, spacing: float) -> int:
    """How many poses between the ends, at least ``spacing`` [m] of the tool's way apart, up to ``most``."""
    return int(np.clip(tool_travel(arm, fine_way(way.q))[-1] / spacing - 1.0, 1, most))


def _at_places(q: np.ndarray, places: np.ndarray) -> np.ndarray:
    rows = np.arange(len(q))
    return np.column_stack([np.interp(places, rows, column) for column in q.T])
