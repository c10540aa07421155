"""Bodies of the arm: how far they move, how near they are to each other, and which pairs can touch.

``joint_reach`` bounds how far turning a joint moves a body; the bound holds in every pose. The
kernels place the bodies in base axes and compute distances between two of them. In these ``axes``
(k, 9) holds a body a row: start of its axis, vector to the end, middle, all in base axes [m].
``touching_pairs`` finds the pairs of bodies that have to be checked.
"""

import numpy as np

from dynamics import Arm
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import along, dot, length, put, sub, vector
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work
from hopfield_nav.geometry import (
    AXES,
    BOUND,
    END,
    HALF_SPACE,
    KIND,
    LINK,
    RADIUS,
    REACH,
    START,
    SURFACE,
    UPRIGHT,
    arm_bodies,
    from_centre,
    nearest_shares,
    place_axis,
    segment_distance,
)

AXES_WIDTH, AXES_MIDDLE = 9, 6
_ON_AXIS = 1e-12  # [m]
_POSES = 4096  # random ones, to find most of the pairs that touch
_MOSTLY = 0.9  # share of the poses in which two outlines touch that are too wide for the arm
_MOST_PARTS = 2_000_000  # a proof that would need more is given up, and the pair is checked
_DEPTH = 400
_ROUNDING = 1e-12  # [m] bodies that only just touch in every pose overlap


def joint_reach(arm: Arm, bodies: np.ndarray) -> np.ndarray:
    """Bound (k, n) [m] of every body's distance from every joint axis, in every pose.

    Turning a joint by x moves no point of a body further than x times this bound. It is 0 for a
    joint that does not move the body: one beyond it, or one whose axis is the body's own.
    """
    reach = np.zeros((len(bodies), len(arm.dh)))
    for b, body in enumerate(bodies):
        link = int(body[LINK])
        for joint in range(link - 1):
            reach[b, joint] = _axis_before(arm, body, joint)
        if link > 0:  # from the axis of the joint that carries the body's link
            from_axis = float(np.hypot(*ends_before_joint(arm, body)[:, :2].T).max())
            reach[b, link - 1] = from_axis + body[RADIUS] if from_axis > _ON_AXIS else 0.0
    return reach


def _axis_before(arm: Arm, body: np.ndarray, joint: int) -> float:
    """From the axis of an earlier joint: along the chain of link offsets.

    An offset along an axis that is parallel to that of the joint leads no further away from it.
    """
    last = int(body[LINK]) - 1
    chain, parallel = abs(float(arm.dh[joint, 2])), True
    for row in range(joint + 1, last + 1):
        parallel = parallel and arm.twist[row - 1, 1] == 0.0
        if row < last:
            _, d, a, _ = arm.dh[row]
            chain += abs(float(a)) if parallel else float(np.hypot(d, a))
    ends = ends_before_joint(arm, body)
    return (
        chain
        + float(np.linalg.norm(ends[:, :2] if parallel else ends, axis=1).max())
        + body[RADIUS]
    )


def ends_before_joint(arm: Arm, body: np.ndarray) -> np.ndarray:
    """The ends of a body's axis (2, 3) in the frame of the joint that carries it, its angle at zero."""
    link = int(body[LINK])
    _, d, a, _ = arm.dh[link - 1]
    cosine, sine = arm.twist[link - 1]
    x, y, z = np.array([body[START : START + 3], body[END : END + 3]]).T
    return np.column_stack([a + x, cosine * y - sine * z, d + sine * y + cosine * z])


@inlined
def place_bodies(bodies, work, axes):
    """Write ``axes`` of every body from the frames in ``work``."""
    for b in range(bodies.shape[0]):
        place_body(bodies, work, b, axes)


@inlined
def place_body(bodies, work, b, axes):
    """Write start, direction and middle of the axis of body ``b``, from the frames in ``work``."""
    a, d = place_axis(work, bodies, b)
    put(axes, b, 0, a)
    put(axes, b, 3, d)
    put(axes, b, AXES_MIDDLE, along(a, 0.5, d))


@inlined
def bodies_apart(bodies, axes, a, b, reach):
    """Whether the spheres about two bodies are further apart than ``reach`` [m]."""
    between = sub(vector(axes, a, AXES_MIDDLE), vector(axes, b, AXES_MIDDLE))
    limit = bodies[a, REACH] + bodies[b, REACH] + reach
    return dot(between, between) > limit * limit


@inlined
def body_distance(bodies, axes, a, b):
    """Signed distance of two bodies [m]: of their axes, less both radii."""
    first, d, second, e = (
        vector(axes, a, 0),
        vector(axes, a, 3),
        vector(axes, b, 0),
        vector(axes, b, 3),
    )
    t, u = nearest_shares(first, d, second, e)
    apart = along(sub(along(first, t, d), second), -u, e)
    return length(apart) - bodies[a, RADIUS] - bodies[b, RADIUS]


@inlined
def segment_near(solids, j, a, d, reach):
    """Whether a segment comes as near to solid ``j`` as ``reach`` [m], to rounding."""
    return segment_distance(solids, j, a, d)[0] <= reach + SURFACE


@inlined
def surely_apart(solids, j, p, reach):
    """Whether solid ``j`` is beyond a sphere of radius ``reach`` about a point, as its bound shows."""
    kind, limit = solids[j, KIND], solids[j, BOUND] + reach
    w = from_centre(solids, j, p)
    if kind == UPRIGHT:
        return w[0] * w[0] + w[1] * w[1] > limit * limit
    if kind == HALF_SPACE:
        return dot(vector(solids, j, AXES), w) > reach
    return dot(w, w) > limit * limit


def touching_pairs(arm: Arm, bodies: np.ndarray) -> np.ndarray:
    """Pairs (p, 2) int64 of bodies, the inner one first, that touch in some poses and not in others.

    A pair is not among them when

    * both bodies belong to the same link, or to links next to each other (they share a joint; the
      tool's rod counts as a link of its own behind the last), or
    * they touch in nine of ten poses, which tells of their outlines and not of the arm: those of a
      maker's URDF are one width, also where a short link parts two others, or
    * they overlap in every pose, as housings do that turn about the same axis, or
    * they touch in no pose.

    The last two are proven, by halving the joint space until the distance (or the overlap) in the
    middle of a part is more than the arm can make up for within the part. Pairs for which neither
    was seen nor proven are kept.
    """
    n, reach, work = len(arm.dh), joint_reach(arm, bodies), make_work(len(arm.dh))
    pairs = _further_apart(bodies)
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (_POSES, n))
    share = (pair_batch(arm, bodies, pairs, q, work) <= 0.0).mean(axis=0)
    kept = [
        pair
        for pair, s in zip(pairs, share, strict=True)
        if 0.0 < s < _MOSTLY
        or not (_MOSTLY <= s < 1.0 or _always(arm, bodies, pair, s == 1.0, reach, work))
    ]
    return np.array(kept, dtype=np.int64).reshape(-1, 2)


def _further_apart(bodies: np.ndarray) -> np.ndarray:
    """Pairs of bodies on links that are not next to each other, the one nearer to the base first.

    The tool's rod, a body without thickness behind the arm's own, counts as one link further out
    than its link: a long tool can reach back to the link before.
    """
    link = bodies[:, LINK] + (bodies[:, RADIUS] == 0.0)
    outwards = np.argsort(link, kind="stable")
    first, second = (outwards[k] for k in np.triu_indices(len(bodies), 1))
    far = np.abs(link[first] - link[second]) >= 2
    return np.column_stack([first[far], second[far]]).astype(np.int64)


def tool_inside(arm: Arm) -> str:
    """A sentence where the tool's rod lies inside a link in every pose.

    It points the wrong way, most likely. "" otherwise; a tool point that lies so on purpose, such
    as the wrist's centre, is no fault.
    """
    bodies, n = arm_bodies(arm), len(arm.dh)
    rod = len(bodies) - 1
    if rod < len(arm.capsules) or bodies[rod, RADIUS] > 0.0:
        return ""
    reach, work = joint_reach(arm, bodies), make_work(n)
    for body in range(rod):
        pair = np.array([body, rod])
        if bodies[body, LINK] == n - 1 and _always(arm, bodies, pair, True, reach, work):
            return f"the tool lies inside link {n - 1} in every pose: nothing in front of the flange is checked"
    return ""


def _always(
    arm: Arm, bodies: np.ndarray, pair: np.ndarray, overlap: bool, reach: np.ndarray, work: Work
) -> bool:
    """Whether a pair is proven to overlap in every pose, or else to be apart in every pose."""
    inner, outer = pair
    between = range(int(bodies[inner, LINK]), int(bodies[outer, LINK]))
    joints = np.array([j for j in between if reach[outer, j] > 0.0], dtype=np.int64)
    return bool(_proven(arm, bodies, pair, overlap, joints, reach[outer], work))


@kernel
def pair_batch(arm, bodies, pairs, q, work):
    """Distances (k, p) of pairs of bodies at ``q`` (k, n) [m]."""
    out, axes = np.empty((q.shape[0], pairs.shape[0])), np.empty((bodies.shape[0], AXES_WIDTH))
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        place_bodies(bodies, work, axes)
        for p in range(pairs.shape[0]):
            out[row, p] = body_distance(bodies, axes, pairs[p, 0], pairs[p, 1])
    return out


@kernel
def _proven(arm, bodies, pair, overlap, joints, reach, work):
    """Whether a pair overlaps (is apart) for all angles of ``joints`` between the two.

    Others rest at 0.
    """
    axes, q = np.empty((bodies.shape[0], AXES_WIDTH)), np.zeros(arm.dh.shape[0])
    middle, half = np.zeros((_DEPTH, q.size)), np.full((_DEPTH, q.size), np.pi)
    top, parts = 1, 0
    while top > 0:
        top -= 1
        parts += 1
        q[:] = middle[top]
        update_frames(arm, q, work)
        place_bodies(bodies, work, axes)
        gap = body_distance(bodies, axes, pair[0], pair[1])
        if overlap:
            gap = _ROUNDING - gap
        closing, widest = 0.0, -1
        for j in joints:
            closing += reach[j] * half[top, j]
            if widest < 0 or reach[j] * half[top, j] > reach[widest] * half[top, widest]:
                widest = j
        if gap <= 0.0 or parts > _MOST_PARTS or top + 2 > _DEPTH:
            return False
        if gap > closing:
            continue
        half[top, widest] *= 0.5
        middle[top + 1], half[top + 1] = middle[top], half[top]
        middle[top, widest] -= half[top, widest]
        middle[top + 1, widest] += half[top + 1, widest]
        top += 2
    return True
