"""Whether the arm touches itself or a known solid, how far it is from that, and what touches what."""

import re
from collections.abc import Sequence

import numpy as np

from dynamics import Arm, BadInput
from dynamics.arm import joint_count
from dynamics.batches import as_rows
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import vector
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work
from hopfield_nav.extensions.clearance.bodies import (
    AXES_MIDDLE,
    AXES_WIDTH,
    bodies_apart,
    body_distance,
    pair_batch,
    place_bodies,
    segment_near,
    surely_apart,
)
from hopfield_nav.extensions.clearance.scene import Scene
from hopfield_nav.geometry import RADIUS, REACH, arm_distance, segment_distance


def collides(arm: Arm, scene: Scene, q: np.ndarray) -> np.ndarray:
    """Whether (...) the arm at q (..., n) [rad] touches itself, or comes within the margin of a solid.

    Raises ``BadInput``: wrong shape, or an angle that is not finite.
    """
    (rows,), lead = finite_rows(arm, q=q)
    return _collides_batch(arm, scene, rows, make_work(len(arm.dh))).reshape(lead)


def clearance(arm: Arm, scene: Scene, q: np.ndarray) -> np.ndarray:
    """Exact least distance (...) [m] of the arm at ``q`` (..., n) [rad] from itself and from the solids.

    The margin plays no part. It is negative where something overlaps, infinite where there is
    nothing to touch.

    Raises ``BadInput``: wrong shape, or an angle that is not finite.
    """
    (rows,), lead = finite_rows(arm, q=q)
    solids = np.where(scene.checked, arm_distance(arm, rows, scene.solids), np.inf).min(
        axis=(1, 2), initial=np.inf
    )
    pairs = pair_distances(arm, scene, rows).min(axis=1, initial=np.inf)
    return np.minimum(solids, pairs).reshape(lead)


def pair_distances(arm: Arm, scene: Scene, q: np.ndarray) -> np.ndarray:
    """Exact distances (..., p) [m] of ``scene.pairs`` at ``q`` (..., n) [rad], negative where they overlap.

    Raises ``BadInput``: wrong shape, or an angle that is not finite.
    """
    (rows,), lead = finite_rows(arm, q=q)
    out = pair_batch(arm, scene.bodies, scene.pairs, rows, make_work(len(arm.dh)))
    return out.reshape(*lead, len(scene.pairs))


def explain(arm: Arm, scene: Scene, q: np.ndarray) -> str:
    """What touches what at one pose, deepest first, in words: "link 5 touches link 2", or "free".

    What is only nearer than the scene's margin "comes within 3.0 mm of known[0]".

    Solids are named as in a world file, ``known[1]`` for the second; the tool's rod is the tool.

    Raises ``BadInput``: wrong shape, an angle that is not finite, or more than one pose.
    """
    (rows,), _ = finite_rows(arm, q=np.ravel(q))
    names = [f"link {k:.0f}" if k else "the base" for k in arm.capsules[:, 0]] + ["the tool"] * len(
        scene.bodies
    )
    (pairs,), solids = pair_distances(arm, scene, rows), arm_distance(arm, rows[0], scene.solids)
    inner, outer = scene.pairs[pairs <= scene.apart].T
    touches = zip(pairs[pairs <= scene.apart].tolist(), outer, inner, strict=True)
    found = [(d, f"{names[b]} touches {names[a]}") for d, b, a in touches]
    for b, j in np.argwhere(scene.checked & (solids <= scene.kept)):
        d = float(solids[b, j])
        how = "touches" if d <= 0.0 else f"comes within {1000.0 * d:.1f} mm of"
        found.append((d, f"{names[b]} {how} known[{j}]"))
    return ", ".join(dict.fromkeys(words for _, words in sorted(found))) or "free"


def in_names(words: str, names: Sequence[str | None]) -> str:
    """Words of ``explain`` with the names that a world gives its solids: "link 3 touches the table".

    A solid that has no name keeps its number; what is touched twice under one name is said once.
    """
    numbered = dict(enumerate(names))

    def named(found: re.Match[str]) -> str:
        return numbered.get(int(found[1])) or found[0]

    each_once = r"(\b[^,:;]+)(?:, \1)+(?=[,;]|$)"  # the cylinders of a wall bear one name
    return re.sub(each_once, r"\1", re.sub(r"known\[(\d+)\]", named, words))


def finite_rows(arm: Arm, **named: object) -> tuple[list[np.ndarray], tuple[int, ...]]:
    """As ``dynamics.batches.as_rows``; an angle that is no number would seem to touch nothing."""
    rows, lead = as_rows(joint_count(arm), **named)
    for name, array in zip(named, rows, strict=True):
        bad = array[~np.isfinite(array)]
        if bad.size:
            raise BadInput(f"{name} must be finite", found=float(bad[0]), allowed="angles [rad]")
    return rows, lead


@inlined
def solid_distance(scene, axes, b, j):
    """Signed distance of body ``b`` to solid ``j`` [m]."""
    s, _, _ = segment_distance(scene.solids, j, vector(axes, b, 0), vector(axes, b, 3))
    return s - scene.bodies[b, RADIUS]


@inlined
def pose_touches(arm, scene, q, work, axes):
    """Whether anything is nearer than its margin at joint angles ``q``.

    Writes frames and ``axes``.
    """
    bodies, solids = scene.bodies, scene.solids
    update_frames(arm, q, work)
    place_bodies(bodies, work, axes)
    for b in range(bodies.shape[0] - 1, -1, -1):  # from the hand inwards: it moves furthest
        for j in range(solids.shape[0]):
            if not scene.checked[b, j]:
                continue
            kept = scene.kept[b, j]
            if surely_apart(solids, j, vector(axes, b, AXES_MIDDLE), bodies[b, REACH] + kept):
                continue
            if segment_near(
                solids, j, vector(axes, b, 0), vector(axes, b, 3), bodies[b, RADIUS] + kept
            ):
                return True
    for p in range(scene.pairs.shape[0]):
        inner, outer, apart = scene.pairs[p, 0], scene.pairs[p, 1], scene.apart[p]
        if bodies_apart(bodies, axes, inner, outer, apart):
            continue
        if body_distance(bodies, axes, inner, outer) <= apart:
            return True
    return False


@kernel
def _collides_batch(arm: Arm, scene: Scene, q: np.ndarray, work: Work) -> np.ndarray:
    out, axes = np.empty(q.shape[0], dtype=np.bool_), np.empty((scene.bodies.shape[0], AXES_WIDTH))
    for row in range(q.shape[0]):
        out[row] = pose_touches(arm, scene, q[row], work, axes)
    return out
