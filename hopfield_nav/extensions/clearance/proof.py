"""Proof that a whole joint motion or a trajectory is free, not only samples of it.

While the joints go straight from q to q + d, a body can move no further than Σ |d_i| ρ_i (``reach``
of the scene), and two bodies of the arm can approach each other no further than the joints between
them make. So a distance proves a stretch of the motion free, and the check goes from stretch to
stretch. A motion that passes something nearer than ``CLOSEST`` beyond its margin counts as not
free, which bounds the number of stretches. Between two samples of a trajectory the joints go almost
straight: that motion is proven free, with room for how far the true one can leave it.
"""

import numpy as np

from dynamics import Arm
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import vector
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work
from hopfield_nav.extensions.clearance.bodies import (
    AXES_MIDDLE,
    AXES_WIDTH,
    bodies_apart,
    body_distance,
    place_bodies,
    surely_apart,
)
from hopfield_nav.extensions.clearance.collisions import finite_rows, pose_touches, solid_distance
from hopfield_nav.extensions.clearance.scene import Scene
from hopfield_nav.geometry import LINK, REACH
from hopfield_nav.loop import Trajectory, sample

CLOSEST = 1e-4  # [m]
_LOOKS = 31  # poses along the motion that are looked at first
_PARTS = 4  # of a piece of the trajectory, to begin with
_FINEST = 256


def motion_is_free(arm: Arm, scene: Scene, q_from: np.ndarray, q_to: np.ndarray) -> np.ndarray:
    """Whether (...) the arm can go straight in joint space from q_from to q_to (..., n) [rad].

    True is proven for every pose between and at the ends.

    Raises ``BadInput``: wrong shapes, or an angle that is not finite.

    Source: nowoczyn2023 (3.5); the proof is ours.
    """
    (start, end), lead = finite_rows(arm, q_from=q_from, q_to=q_to)
    return _free_batch(arm, scene, start, end, make_work(len(arm.dh))).reshape(lead)


def trajectory_is_free(arm: Arm, scene: Scene, trajectory: Trajectory) -> bool:
    """Whether the whole motion is proven free.

    The samples are made finer until, in no part, a body can be further from where the straight
    motion has it than ``CLOSEST``, which the proof of a straight motion keeps free.
    """
    if trajectory.knots[-1] == trajectory.knots[0]:
        rest = trajectory.coefficients[0, 0]
        return bool(motion_is_free(arm, scene, rest, rest))
    parts = _PARTS
    while True:
        times, q, _, qdd = sample(trajectory, parts - 1)
        width = np.diff(times)[:, None]
        # a chord's height [rad]
        bend = np.maximum(np.abs(qdd[:-1]), np.abs(qdd[1:])) * width**2 / 8.0
        leaves = (bend @ scene.reach.T).max(initial=0.0)
        if leaves <= 0.5 * CLOSEST:  # half: the acceleration was only looked at in the samples
            return bool(motion_is_free(arm, scene, q[:-1], q[1:]).all())
        parts *= 2
        if parts > _FINEST:
            return False


@kernel
def _free_batch(
    arm: Arm, scene: Scene, start: np.ndarray, end: np.ndarray, work: Work
) -> np.ndarray:
    out, axes = (
        np.empty(start.shape[0], dtype=np.bool_),
        np.empty((scene.bodies.shape[0], AXES_WIDTH)),
    )
    q, change = np.empty(start.shape[1]), np.empty(start.shape[1])
    for row in range(start.shape[0]):
        out[row] = passes(arm, scene, start[row], end[row], work, axes, q, change)
    return out


@kernel
def passes(arm, scene, start, end, work, axes, q, change):
    """Whether the motion is proven free.

    A few looks, halving the gaps between them, then the proof.
    """
    gap = 2.0
    while gap * (_LOOKS + 1) > 1.99:
        gap *= 0.5
        share = gap
        while share <= 1.0:
            at_share(start, end, share, q)
            if pose_touches(arm, scene, q, work, axes):
                return False
            share += 2.0 * gap
    return proven_free(arm, scene, start, end, work, axes, q, change) >= 1.0


@kernel
def proven_free(arm, scene, start, end, work, axes, q, change):
    """Share proven free of the motion from ``start`` to ``end``.

    ``q`` and ``change`` (n,) are scratch.
    """
    for i in range(q.size):
        change[i] = end[i] - start[i]
    share = 0.0
    while True:
        at_share(start, end, share, q)
        update_frames(arm, q, work)
        place_bodies(scene.bodies, work, axes)
        step = free_stretch(scene, axes, change, 1.0 - share)
        if step < 0.0:
            return share
        share += step
        if share >= 1.0:
            return 2.0


@inlined
def free_stretch(scene, axes, change, left):
    """Share of ``change`` (n,) that is surely free from here on, at most ``left``.

    -1 where touched.
    """
    bodies, pairs, solids, reach = scene.bodies, scene.pairs, scene.solids, scene.reach
    share = left
    for b in range(bodies.shape[0]):
        speed = 0.0
        for i in range(int(bodies[b, LINK])):
            speed += abs(change[i]) * reach[b, i]
        for j in range(solids.shape[0]):
            if not scene.checked[b, j]:
                continue
            needed = share * speed + scene.kept[b, j]
            if surely_apart(solids, j, vector(axes, b, AXES_MIDDLE), bodies[b, REACH] + needed):
                continue
            distance = solid_distance(scene, axes, b, j) - scene.kept[b, j]
            if distance <= CLOSEST:
                return -1.0
            if distance < share * speed:
                share = distance / speed
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        speed = 0.0
        for i in range(int(bodies[a, LINK]), int(bodies[b, LINK])):
            speed += abs(change[i]) * reach[b, i]
        if bodies_apart(bodies, axes, a, b, share * speed + scene.apart[p]):
            continue
        distance = body_distance(bodies, axes, a, b) - scene.apart[p]
        if distance <= CLOSEST:
            return -1.0
        if distance < share * speed:
            share = distance / speed
    return share


@inlined
def at_share(start, end, share, q):
    """Write the joint angles at a share of the straight motion."""
    for i in range(q.size):
        q[i] = start[i] + share * (end[i] - start[i])
