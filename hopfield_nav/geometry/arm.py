"""The arm's capsules in base axes, and their distances to the surroundings.

An arm is its outline from the arm file and, where its tool point lies away from the flange, a rod
without thickness from the flange to the tool point.
"""

import numpy as np

from dynamics import Arm
from dynamics.arm import joint_count
from dynamics.batches import as_rows
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import ZERO, add, matmul, put, sub, vector
from dynamics.kinematics import update_frames
from dynamics.work import Work, make_work
from hopfield_nav.geometry.distance import ClosestPoints, closest_points, segment_distance
from hopfield_nav.geometry.solids import as_primitives

# first columns of the parts of a body
LINK = 0
START = 1
END = 4
RADIUS = 7
REACH = 11


def arm_bodies(arm: Arm) -> np.ndarray:
    """The arm's capsules, then the tool's rod where there is one, as rows (k, 12) for kernels.

    A row is link (0 is the base), start (3) and end (3) of the axis in the link's frame [m],
    radius [m], middle of the axis (3) and distance from there to the farthest point [m].
    """
    rows = arm.capsules
    if np.any(arm.tool[:3, 3]):
        rod = np.concatenate([[len(arm.dh)], np.zeros(3), arm.tool[:3, 3], [0.0]])
        rows = np.vstack([rows, rod])
    return _with_reach(rows)


def tool_body(arm: Arm) -> np.ndarray:
    """The tool point alone as a body, without length and radius; (1, 12) as ``arm_bodies``."""
    point = arm.tool[:3, 3]
    return _with_reach(np.concatenate([[len(arm.dh)], point, point, [0.0]])[None])


def _with_reach(rows: np.ndarray) -> np.ndarray:
    start, end, radius = rows[:, START : START + 3], rows[:, END : END + 3], rows[:, RADIUS]
    reach = 0.5 * np.linalg.norm(end - start, axis=1) + radius
    return np.ascontiguousarray(np.column_stack([rows, 0.5 * (start + end), reach]))


def capsules_in_base(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Capsules of ``arm_bodies`` at q (..., n) [rad] in base axes.

    They are (..., k, 7): start, end and radius [m].
    """
    (rows,), lead = as_rows(joint_count(arm), q=q)
    bodies = arm_bodies(arm)
    out = _capsules_batch(arm, bodies, rows, make_work(len(arm.dh)))
    return out.reshape(*lead, len(bodies), 7)


def arm_distance(arm: Arm, q: np.ndarray, primitives: np.ndarray) -> np.ndarray:
    """Signed distance (..., k, m) [m] of every body of the arm to every packed solid (m, 17).

    Bodies are those of ``arm_bodies``. It is that at joint angles (..., n) [rad], negative where
    they overlap.
    """
    (rows,), lead = as_rows(joint_count(arm), q=q)
    bodies = arm_bodies(arm)
    solids = as_primitives(primitives)
    out = _distance_batch(arm, bodies, solids, rows, make_work(len(arm.dh)))
    return out.reshape(*lead, len(bodies), len(solids))


def arm_closest_points(arm: Arm, q: np.ndarray, primitives: np.ndarray) -> ClosestPoints:
    """As ``arm_distance``, and where each capsule and solid are nearest.

    Distances are (..., k, m), points (..., k, m, 3).
    """
    return closest_points(capsules_in_base(arm, q), primitives)


def arm_clearance(arm: Arm, q: np.ndarray, primitives: np.ndarray) -> np.ndarray:
    """Least signed distance (...) [m] of the moving arm to packed solids (m, 17).

    Links 1 to n and the tool move. It is that at joint angles (..., n) [rad]; infinite without
    solids.
    """
    moving = arm_bodies(arm)[:, LINK] > 0
    distance = arm_distance(arm, q, primitives)[..., moving, :]
    return np.asarray(distance.min(axis=(-2, -1), initial=np.inf))


@inlined
def place_point(work, link, p):
    """A point of a link's frame in base axes, from the frames in ``work``."""
    if link == 0:
        return p
    return add(vector(work.origin, link, 0), matmul(work.rotation[link - 1], p))


@inlined
def place_axis(work, bodies, b):
    """Start and direction of the axis of body ``b`` in base axes.

    The frames in ``work`` are up to date.
    """
    link = int(bodies[b, LINK])
    start = place_point(work, link, vector(bodies, b, START))
    if bodies[b, REACH] == bodies[b, RADIUS]:  # a point or a ball
        return start, ZERO
    return start, sub(place_point(work, link, vector(bodies, b, END)), start)


@kernel
def _capsules_batch(arm: Arm, bodies: np.ndarray, q: np.ndarray, work: Work) -> np.ndarray:
    out = np.empty((q.shape[0], bodies.shape[0], 7))
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        for b in range(bodies.shape[0]):
            a, d = place_axis(work, bodies, b)
            put(out[row], b, 0, a)
            put(out[row], b, 3, add(a, d))
            out[row, b, 6] = bodies[b, RADIUS]
    return out


@kernel
def _distance_batch(
    arm: Arm, bodies: np.ndarray, solids: np.ndarray, q: np.ndarray, work: Work
) -> np.ndarray:
    out = np.empty((q.shape[0], bodies.shape[0], solids.shape[0]))
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        for b in range(bodies.shape[0]):
            a, d = place_axis(work, bodies, b)
            for j in range(solids.shape[0]):
                s = segment_distance(solids, j, a, d)[0]
                out[row, b, j] = s - bodies[b, RADIUS]
    return out
