"""Solids of the surroundings as rows of numbers that kernels read.

A row holds one convex solid: its kind, a centre, axes, sizes, and the radius of a sphere about the
centre that holds all of it. ``pack_primitives`` stacks rows to the array that every kernel takes.
The row of a mesh goes on with its planes and edges (``flat_distance``), and all rows beside it are
as long.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from dynamics import BadInput
from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import along, sub, times, vector

SPHERE, BOX, UPRIGHT, CYLINDER, HALF_SPACE, CAPSULE, MESH = range(7)  # kinds; UPRIGHT has no end
# first column of each part, and the width
KIND, CENTRE, AXES, SIZE, BOUND, WIDTH = (0, 1, 4, 13, 16, 17)
PLANES, EDGES = 14, 15  # how many a mesh has; its ``SIZE`` is the radius of the largest ball in it
SURFACE = 1e-13  # [m] a point nearer than this counts as being on the surface
MOST_PLANES = 400  # of a mesh
_ANYWHERE = [(None, None)] * 4
_FLAT = 1e-7  # two facets whose normals differ by less, and whose offsets by less [m], are one

Vector = Sequence[float] | np.ndarray


def thickness(primitives: np.ndarray) -> np.ndarray:
    """Smallest width (m,) of solids (m, 17) [m].

    Of a mesh it is no more than that; it is infinite for a half space.
    """
    rows = as_primitives(primitives)
    width = 2.0 * rows[:, SIZE]
    boxes = rows[:, KIND] == BOX
    width[boxes] = 2.0 * rows[boxes, SIZE : SIZE + 3].min(axis=1)
    flat = rows[:, KIND] == CYLINDER
    width[flat] = 2.0 * rows[flat, SIZE : SIZE + 2].min(axis=1)
    width[rows[:, KIND] == HALF_SPACE] = np.inf
    return width


def sphere(center: Vector, radius: float) -> np.ndarray:
    """A sphere about (3,) [m], as a row (17,).

    Raises ``BadInput``: wrong shape, or a radius that is not positive.
    """
    r = _positive(radius, "radius")
    return _row(SPHERE, _vector(center, 3, "center"), [], [r], r)


def box(center: Vector, size: Vector, rotation: np.ndarray | None = None) -> np.ndarray:
    """A box about (3,), with edges (3,) [m], as a row (17,).

    ``rotation`` is R_base_box, by default the identity.

    Raises ``BadInput``: wrong shape, a length that is not positive, or no rotation.
    """
    half = [0.5 * _positive(v, "size") for v in _vector(size, 3, "size")]
    axes = _rotation(np.eye(3) if rotation is None else rotation)
    return _row(BOX, _vector(center, 3, "center"), axes.ravel(), half, math.hypot(*half))


def upright_cylinder(center: Vector, radius: float) -> np.ndarray:
    """A cylinder without end along z, whose axis is at x and y (2,) [m], as a row (17,).

    Raises ``BadInput``: wrong shape, or a radius that is not positive.
    """
    r = _positive(radius, "radius")
    return _row(UPRIGHT, [*_vector(center, 2, "center"), 0.0], [0.0, 0.0, 1.0], [r], r)


def finite_cylinder(
    center: Vector, radius: float, height: float, axis: Vector = (0.0, 0.0, 1.0)
) -> np.ndarray:
    """A cylinder with flat ends about its middle (3,) [m], as a row (17,).

    ``axis`` (3,) has any length but zero.

    Raises ``BadInput``: wrong shape, a size that is not positive, or an axis of zero length.
    """
    r = _positive(radius, "radius")
    half = 0.5 * _positive(height, "height")
    return _row(
        CYLINDER, _vector(center, 3, "center"), _unit(axis, "axis"), [r, half], math.hypot(r, half)
    )


def half_space(point: Vector, normal: Vector = (0.0, 0.0, 1.0)) -> np.ndarray:
    """Everything on one side of a plane through (3,) [m], such as the floor, as a row (17,).

    The ``normal`` (3,) leads out of the solid and has any length but zero.

    Raises ``BadInput``: wrong shape, or a normal of zero length.
    """
    return _row(HALF_SPACE, _vector(point, 3, "point"), _unit(normal, "normal"), [], math.inf)


def capsule(start: Vector, end: Vector, radius: float) -> np.ndarray:
    """A cylinder with round ends about an axis whose ends (3,) may coincide [m], as a row (17,).

    Raises ``BadInput``: wrong shape, or a radius that is not positive.
    """
    a = _vector(start, 3, "start")
    b = _vector(end, 3, "end")
    r = _positive(radius, "radius")
    half = 0.5 * (b - a)
    return _row(CAPSULE, 0.5 * (a + b), half, [r], r + float(np.linalg.norm(half)))


def convex_mesh(vertices: np.ndarray) -> np.ndarray:
    """The convex hull of points (k, 3) [m], as a row (17 + 4 planes + 6 edges,).

    Raises ``BadInput``: wrong shape, points in a plane, or more than ``MOST_PLANES`` faces.
    """
    from scipy.optimize import linprog
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(np.asarray(vertices, dtype=np.float64))
    except (QhullError, ValueError) as error:
        raise BadInput(
            "no solid", found=np.shape(vertices), allowed="points (k, 3) around a volume"
        ) from error
    planes, owner = _planes_of(hull.equations * [1.0, 1.0, 1.0, -1.0])
    if len(planes) > MOST_PLANES:
        raise BadInput(
            "too many faces", found=len(planes), allowed=f"{MOST_PLANES}, of a simplified mesh"
        )
    pairs = [(k, other) for k, row in enumerate(hull.neighbors) for other in row if k < other]
    ends = [
        sorted(set(hull.simplices[k]) & set(hull.simplices[o]))
        for k, o in pairs
        if owner[k] != owner[o]
    ]
    corners = hull.points[hull.vertices]
    start, end = hull.points[np.array(ends).T]
    ball = linprog(
        [0, 0, 0, -1], np.insert(planes[:, :3], 3, 1.0, axis=1), planes[:, 3], bounds=_ANYWHERE
    )
    centre = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    bound = float(np.linalg.norm(corners - centre, axis=1).max())
    row = _row(MESH, centre, [1.0, 0.0, 0.0], [-ball.fun, len(planes), len(ends)], bound)
    return np.concatenate([row, planes.ravel(), np.hstack([start, end - start]).ravel()])


def _planes_of(equations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Planes (p, 4), normal and offset, of facets (k, 4), and the plane (k,) of each facet."""
    planes: list[np.ndarray] = []
    owner = np.empty(len(equations), dtype=int)
    for k, facet in enumerate(equations):
        same = [i for i, plane in enumerate(planes) if np.abs(plane - facet).max() <= _FLAT]
        owner[k] = same[0] if same else len(planes)
        planes += [] if same else [facet]
    return np.array(planes), owner


def pack_primitives(rows: Iterable[np.ndarray]) -> np.ndarray:
    """The rows (17,) of several solids, or none, as one array (m, 17).

    It is wider with a mesh among them.

    Raises ``BadInput``: a row of another shape or kind.
    """
    packed = list(rows)
    for i, row in enumerate(packed):
        fits = np.ndim(row) == 1 and len(row) >= WIDTH and row[KIND] in range(7)
        if not fits or (len(row) != WIDTH and row[KIND] != MESH):
            raise BadInput(
                "no packed solid", where=f"rows[{i}]", found=np.shape(row), allowed=f"({WIDTH},)"
            )
    out = np.zeros((len(packed), max((len(row) for row in packed), default=WIDTH)))
    for row, values in zip(out, packed, strict=True):
        row[: len(values)] = values
    return out


def as_primitives(value: object) -> np.ndarray:
    """``value`` as packed solids, (m, 17) contiguous float64.

    Raises ``BadInput``: another shape.
    """
    array = np.ascontiguousarray(value, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] < WIDTH:
        message = "primitives have the wrong shape"
        raise BadInput(message, found=array.shape, allowed=f"(m, {WIDTH}) of pack_primitives")
    return array


@inlined
def from_centre(solids, j, p):
    """From the centre of solid ``j`` to a point."""
    return sub(p, vector(solids, j, CENTRE))


@inlined
def into_solid(solids, j, a):
    """A vector of base axes written in the axes of solid ``j``."""
    x, y, z = vector(solids, j, AXES), vector(solids, j, AXES + 3), vector(solids, j, AXES + 6)
    return along(along(times(a[0], x), a[1], y), a[2], z)


def _row(
    kind: int, centre: Vector, axes: Vector, size: Sequence[float], bound: float
) -> np.ndarray:
    row = np.zeros(WIDTH)
    row[KIND] = kind
    row[BOUND] = bound
    row[CENTRE : CENTRE + 3] = centre
    row[AXES : AXES + len(axes)] = axes
    row[SIZE : SIZE + len(size)] = size
    return row


def _vector(value: Vector, length: int, name: str) -> np.ndarray:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name} must hold numbers", found=value) from None
    if array.shape != (length,) or not np.isfinite(array).all():
        raise BadInput(f"wrong {name}", found=value, allowed=f"{length} finite numbers")
    return array


def _positive(value: float, name: str) -> float:
    if not 0.0 < value < math.inf:
        raise BadInput(f"wrong {name}", found=value, allowed="a finite number above 0 [m]")
    return float(value)


def _unit(value: Vector, name: str) -> np.ndarray:
    array = _vector(value, 3, name)
    length = float(np.linalg.norm(array))
    if length == 0.0:
        raise BadInput(f"{name} has no length", found=array.tolist(), allowed="a direction")
    return array / length


def _rotation(value: np.ndarray) -> np.ndarray:
    array = np.asarray(value, dtype=np.float64)
    if array.shape != (3, 3) or not np.isfinite(array).all():
        raise BadInput("wrong rotation", found=array.shape, allowed="a (3, 3) rotation")
    if np.abs(array @ array.T - np.eye(3)).max() > 1e-6 or np.linalg.det(array) < 0:
        raise BadInput(
            "wrong rotation", found=array.tolist(), allowed="orthonormal and right-handed to 1e-6"
        )
    u, _, v = np.linalg.svd(array)  # the nearest rotation: kernels rely on exact lengths
    return u @ v
