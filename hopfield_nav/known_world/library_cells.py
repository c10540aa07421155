"""Kernels: checking slices of a grid of joint angles, and looking poses up in its bits."""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.compiled import kernel
from dynamics.work import Work
from hopfield_nav.known_world.body_distance import AXES_WIDTH
from hopfield_nav.known_world.collision_check import pose_touches
from hopfield_nav.known_world.scene import Scene


@kernel
def fill_cells(
    arm: Arm,
    scene: Scene,
    joints: np.ndarray,
    per_turn: int,
    first: int,
    count: int,
    work: Work,
) -> np.ndarray:
    """Whether ``count`` cells from number ``first`` on collide; joints that have no axis are at 0."""
    out, axes = np.empty(count, dtype=np.bool_), np.empty((scene.bodies.shape[0], AXES_WIDTH))
    q = np.zeros(arm.dh.shape[0])
    for cell in range(count):
        rest = first + cell
        for k in range(joints.size - 1, -1, -1):
            q[joints[k]] = (rest % per_turn) * (2.0 * np.pi / per_turn)
            rest //= per_turn
        out[cell] = pose_touches(arm, scene, q, work, axes)
    return out


@kernel
def look_up(bits: np.ndarray, joints: np.ndarray, per_turn: int, q: np.ndarray) -> np.ndarray:
    """The bits of the cells whose middles are nearest to poses (k, n)."""
    out = np.empty(q.shape[0], dtype=np.bool_)
    per_radian = per_turn / (2.0 * np.pi)
    for row in range(q.shape[0]):
        index = 0
        for joint in joints:
            turns = q[row, joint] * per_radian
            turns -= per_turn * np.floor(turns / per_turn)
            index = index * per_turn + int(np.rint(turns)) % per_turn
        out[row] = (bits[index >> 3] >> (index & 7)) & 1
    return out
