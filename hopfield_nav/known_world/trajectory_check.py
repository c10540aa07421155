"""Proof that a trajectory is free, as it will be run: the last look before an arm moves.

Between two samples the joints go almost straight; the straight motion is proven free
(``motion_check``) with room for how far the true motion can leave it.
"""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from hopfield_nav.known_world.motion_check import CLOSEST, motion_is_free
from hopfield_nav.known_world.pieces import sample
from hopfield_nav.known_world.scene import Scene
from hopfield_nav.trajectory import Trajectory

_PARTS = 4  # of a piece of the trajectory, to begin with
_FINEST = 256


def trajectory_is_free(arm: Arm, scene: Scene, trajectory: Trajectory) -> bool:
    """Whether the whole motion is proven free.

    The samples are made finer until, in no part, a body can be further from where the straight motion
    has it than ``motion_check.CLOSEST``, which that proof keeps free.

    Args:
        arm: the arm of the scene.
        scene: from ``build_scene``.
        trajectory: of its joints.

    Raises:
        BadInput: the trajectory is of another arm.
    """
    if trajectory.knots[-1] == trajectory.knots[0]:
        rest = trajectory.coefficients[0, 0]
        return bool(motion_is_free(arm, scene, rest, rest))
    parts = _PARTS
    while True:
        times, q, _, qdd = sample(trajectory, parts - 1)
        width = np.diff(times)[:, None]
        bend = np.maximum(np.abs(qdd[:-1]), np.abs(qdd[1:])) * width**2 / 8.0  # a chord's height [rad]
        leaves = (bend @ scene.reach.T).max(initial=0.0)
        if leaves <= 0.5 * CLOSEST:  # half: the acceleration was only looked at in the samples
            return bool(motion_is_free(arm, scene, q[:-1], q[1:]).all())
        parts *= 2
        if parts > _FINEST:
            return False
