"""The arm's surface: coordinates on each capsule, patches of it, what a push there does.

A meridian of a capsule runs from pole to pole: ``u`` [m] is the arc along it, 0 where the first
round end meets the tube and ``length`` where the tube meets the other; ``v`` [rad] is the turn
about the axis. A push along the inward normal has its line of action through the axis, so that on
the tube it acts as the same force at the axis point beside it, on a round end as one at the end of
the axis.
"""

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput
from dynamics.arm import joint_count
from dynamics.batches import as_rows
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import along, dot, matmul, over, put, times, vector
from dynamics.kinematics import add_force_torque, update_frames
from dynamics.work import Work, make_work
from hopfield_nav.geometry import END, LINK, RADIUS, START, place_axis, place_point, to_segment

SIZE = 0.03  # [m] about as long are the edges of a patch
LEAST_RADIUS = 1e-3  # [m] scale of the arc over the end of a rod without thickness
FIRST, SECOND, AXIS, LENGTH, SCALE = 0, 3, 6, 9, 10  # columns of a surface row
BODY, U, V, HALF_U, HALF_V, AREA = 0, 1, 2, 3, 4, 5  # columns of a patch


class ArmSurface(NamedTuple):
    """The moving arm's surface cut into patches."""

    bodies: np.ndarray  # (k, 12) from ``geometry.arm_bodies``
    # (k, 11) across (3), across (3) and along the axis (3), unit vectors in the link's frame,
    # length of the axis and radius that scales the arc [m]
    shapes: np.ndarray
    # (m, 6) row of ``bodies``, middle u [m] and v [rad], half widths in u and v, area [m²]
    patches: np.ndarray


def make_surface(bodies: np.ndarray) -> ArmSurface:
    """Cut the surface of links 1 to n and tool, of an arm's bodies (k, 12), into patches."""
    if not np.any(bodies[:, LINK] > 0):
        raise BadInput("the arm has no outline: its file lists no capsules of moving links")
    shapes = np.array([_shape(row) for row in bodies])
    patches = []
    for b in np.flatnonzero(bodies[:, LINK] > 0):
        patches += _patches(int(b), shapes[b])
    return ArmSurface(bodies, shapes, np.array(patches))


def _shape(row: np.ndarray) -> np.ndarray:
    """A row of ``ArmSurface.shapes`` (11,) for a capsule, a row of ``bodies``."""
    axis = row[END : END + 3] - row[START : START + 3]
    length = float(np.linalg.norm(axis))
    axis = axis / length if length > 0 else np.array([0.0, 0.0, 1.0])
    least_along = np.eye(3)[np.argmin(np.abs(axis))]  # the coordinate axis that is most across
    first = np.cross(axis, least_along)
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    scale = max(row[RADIUS], LEAST_RADIUS)
    return np.array([*first, *second, *axis, length, scale])


def _patches(body: int, shape: np.ndarray) -> list[list[float]]:
    """Patches of one capsule, round end by round end and the tube; fewer around near the poles."""
    length, scale = shape[LENGTH], shape[SCALE]
    quarter = 0.5 * math.pi * scale
    rows = []
    for low, high in ((-quarter, 0.0), (0.0, length), (length, length + quarter)):
        if high <= low:
            continue
        rings = max(3 if high - low == quarter else 1, round((high - low) / SIZE))
        edges = np.linspace(low, high, rings + 1)
        for a, b in pairwise(edges):
            middle = 0.5 * (a + b)
            tilt = (middle - min(max(middle, 0.0), length)) / scale
            sectors = max(8, round(2 * math.pi * scale * math.cos(tilt) / SIZE))
            half = math.pi / sectors
            area = _belt_area(a, b, length, scale) / sectors
            for k in range(sectors):
                turn = (2 * k + 1) * half - math.pi
                rows.append([body, middle, turn, 0.5 * (b - a), half, area])
    return rows


def _belt_area(low: float, high: float, length: float, radius: float) -> float:
    """Area of a capsule between two arcs u that both lie on the tube or on one round end [m²].

    On a round end it is 2 π r times the height of the belt (Archimedes).
    """
    if low >= 0.0 and high <= length:
        return 2 * math.pi * radius * (high - low)
    end = 0.0 if high <= 0.0 else length
    height = math.sin((high - end) / radius) - math.sin((low - end) / radius)  # [radii]
    return 2 * math.pi * radius**2 * height


def push_torque(
    arm: Arm, q: np.ndarray, link: np.ndarray, point: np.ndarray, force: np.ndarray
) -> np.ndarray:
    """Joint torque (k, n) of forces (k, 3) on links (k,), counted from 1 [N; N·m].

    They act at ``point`` (k, 3), both in base axes [m], at joint angles ``q`` (k, n) [rad].

    Raises ``BadInput``: wrong shapes, or a link that is not there.
    """
    n = len(arm.dh)
    (rows,), lead = as_rows(n, q=q)
    (points, forces), _ = as_rows(3, point=np.broadcast_to(point, (*lead, 3)), force=force)
    links = np.broadcast_to(np.asarray(link, dtype=np.int64), lead).reshape(-1)
    if not (len(rows) == len(points) == len(forces)) or np.any((links < 1) | (links > n)):
        allowed = f"links 1 to {n}"
        raise BadInput("pushes do not fit the poses", found=np.shape(link), allowed=allowed)
    links = np.ascontiguousarray(links)
    torques = _push_torques(arm, rows, links, points, forces, make_work(n))
    return torques.reshape(*lead, n)


def surface_places(
    arm: Arm, q: np.ndarray, surface: ArmSurface, patch: np.ndarray, u: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Points and inward normals (k, 3), base axes, on the surface at joint angles ``q`` (n,).

    They lie at ``u`` [m] and ``v`` [rad] of the capsules of patches, (k,) each.
    """
    n = joint_count(arm)
    (poses,), _ = as_rows(n, q=np.broadcast_to(q, (len(patch), n)))
    body = surface.patches[patch, BODY].astype(np.int64)
    places, _ = place_points(arm, poses, surface, body, u, v, make_work(n))
    return places[:, :3], places[:, 3:]


@inlined
def place_surface(work, bodies, shapes, b, u, v, out):
    """Axis point, outward normal, its derivatives and the surface point at (u, v) of capsule ``b``.

    Writes ``out`` (6, 3): axis point, outward normal, ∂normal/∂u, ∂normal/∂v, ∂axis point/∂u,
    surface point; base axes, from the frames in ``work``.

    With e1, e2 across the axis e3, and the tilt t towards e3 on a round end, 0 on the tube, the
    normal is cos t (cos v e1 + sin v e2) + sin t e3.
    """
    link = int(bodies[b, LINK])
    length = shapes[b, LENGTH]
    scale = shapes[b, SCALE]
    s = min(max(u, 0.0), length)  # [m] of the axis point
    tilt = (u - s) / scale
    on_tube = 1.0 if u == s else 0.0
    ct = math.cos(tilt)
    st = math.sin(tilt)
    cv = math.cos(v)
    sv = math.sin(v)
    turn = work.rotation[link - 1]
    first = matmul(turn, vector(shapes, b, FIRST))
    second = matmul(turn, vector(shapes, b, SECOND))
    axis = matmul(turn, vector(shapes, b, AXIS))
    across = along(times(cv, first), sv, second)
    point = place_point(work, link, along(vector(bodies, b, START), s, vector(shapes, b, AXIS)))
    normal = along(times(ct, across), st, axis)
    normal_by_tilt = along(times(ct, axis), -st, across)
    across_by_v = along(times(cv, second), -sv, first)
    put(out, 0, 0, point)
    put(out, 1, 0, normal)
    put(out, 2, 0, over(times(1.0 - on_tube, normal_by_tilt), scale))
    put(out, 3, 0, times(ct, across_by_v))
    put(out, 4, 0, times(on_tube, axis))
    put(out, 5, 0, along(point, bodies[b, RADIUS], normal))


@inlined
def inside_another(work, bodies, own, point):
    """Whether a point (base axes) lies inside another capsule than ``own``, the base's too."""
    for b in range(bodies.shape[0]):
        if b != own:
            a, d = place_axis(work, bodies, b)
            r = to_segment(point, a, d)
            if bodies[b, RADIUS] - math.sqrt(dot(r, r)) > 0.0:
                return True
    return False


@kernel
def place_points(arm, q, surface, body, u, v, work):
    """Surface point and inward normal (k, 6) of (body, u, v) at each pose; whether it is hidden."""
    bodies = surface.bodies
    out = np.empty((q.shape[0], 6))
    hidden = np.empty(q.shape[0], dtype=np.bool_)
    place = np.empty((6, 3))
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        place_surface(work, bodies, surface.shapes, body[row], u[row], v[row], place)
        for k in range(3):
            out[row, k] = place[5, k]
            out[row, 3 + k] = -place[1, k]
        hidden[row] = inside_another(work, bodies, body[row], vector(place, 5, 0))
    return out, hidden


@kernel
def _push_torques(
    arm: Arm, q: np.ndarray, link: np.ndarray, point: np.ndarray, force: np.ndarray, work: Work
) -> np.ndarray:
    out = np.zeros(q.shape)
    for row in range(q.shape[0]):
        update_frames(arm, q[row], work)
        add_force_torque(work, link[row], vector(point, row, 0), vector(force, row, 0), out[row])
    return out
