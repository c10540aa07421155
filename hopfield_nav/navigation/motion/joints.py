"""The joints over a path of the tool, as far as the arm reaches it."""

import numpy as np

from dynamics import JointPath, follow_path
from dynamics.inverse import follow_positions
from hopfield_nav.navigation.map import ToolMap
from hopfield_nav.navigation.motion.means import Means
from hopfield_nav.navigation.motion.planned_motion import PlannedMotion
from hopfield_nav.navigation.motion.reachability import (
    end_at_turn,
    follow_regular_path,
    truncate_at_collision,
    turned,
)


def joints_over(
    poses: np.ndarray, q: np.ndarray, before: PlannedMotion, map: ToolMap, means: Means
) -> JointPath:
    """The joints through tool poses (k, 4, 4) from joint angles (n,) [rad], as far as they go.

    At the start, and where an arm is brought to rest after the motion ``before``, it may first turn
    to where the path begins.
    """
    world = means.world
    any_rotation = world.trajectory.any_rotation
    may_turn = before.trajectory is None or world.detection.reaction != "retreat"
    near = turned(means.arm, poses[0], q, any_rotation) if may_turn else q
    if any_rotation:
        path = follow_positions(means.arm, poses[:, :3, 3], near)
    elif means.explores_reach:
        path = follow_regular_path(means.arm, poses, near)
    else:
        path = follow_path(means.arm, poses, near)
    if means.links is not None:
        path = truncate_at_collision(means.arm, path, means.links)
    if near is q:
        return path
    return end_at_turn(means.arm, q, path, map.known.solids, means.links)
