"""Kernels: checking slices of a grid of joint angles, and looking poses up in its bits."""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.compiled import inlined, kernel
from dynamics.kinematics import update_frames
from dynamics.work import Work
from hopfield_nav.arm_capsules import RADIUS, REACH
from hopfield_nav.geometry_distance import segment_near, surely_apart
from hopfield_nav.known_world.body_distance import AXES_WIDTH, bodies_apart, body_distance, place_bodies
from hopfield_nav.known_world.scene import Scene


@inlined
def _anything_nearer(scene, between, within, axes):
    """Whether a body is nearer to a solid than ``within`` (k, m), or two bodies than ``between`` (p,)."""
    bodies, pairs, solids = scene.bodies, scene.pairs, scene.solids
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if (
            not bodies_apart(bodies, axes, a, b, between[p])
            and body_distance(bodies, axes, a, b) <= between[p]
        ):
            return True
    for b in range(bodies.shape[0]):
        for j in range(solids.shape[0]):
            reach = within[b, j]
            if not scene.checked[b, j] or surely_apart(
                solids, j, axes[b, 6], axes[b, 7], axes[b, 8], bodies[b, REACH] + reach
            ):
                continue
            if segment_near(
                solids, j, axes[b, 0], axes[b, 1], axes[b, 2], axes[b, 3], axes[b, 4], axes[b, 5],
                bodies[b, RADIUS] + reach,
            ):  # fmt: skip
                return True
    return False


@kernel
def fill_cells(
    arm: Arm,
    scene: Scene,
    between: np.ndarray,
    within: np.ndarray,
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
        update_frames(arm, q, work)
        place_bodies(scene.bodies, work, axes)
        out[cell] = _anything_nearer(scene, between, within, axes)
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
