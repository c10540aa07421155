"""Which cells of a joint grid a thing in space blocks: those at whose centres the arm touches it.

Both functions descend the tree of the grid's cells: a body is tested once for all cells that share the joints which
move it, and what the rest of the arm cannot reach is not looked at again.
"""

import numpy as np

from dynamics import Arm, BadInput
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import dot, sub, three, vector
from dynamics.work import Work, make_work
from hopfield_nav import geometry
from hopfield_nav.clearance import AXES_MIDDLE, AXES_WIDTH, Scene, bodies_apart, body_distance, place_body
from hopfield_nav.extensions.whole_arm.descent import Tree, make_tree, next_node, within_reach
from hopfield_nav.extensions.whole_arm.grid import JointGrid

DEPTH, BODY, OTHER, SOLID = range(4)  # columns of a check


def mark_ball(arm: Arm, grid: JointGrid, certainty: np.ndarray, point: np.ndarray, radius: float, level: int) -> None:
    """Raise the certainty of every cell at whose centre the moving arm is near a point (3,) in base axes [m].

    ``certainty`` is uint8 of the grid's shape, contiguous; it is changed in place to ``level``, 0 to 255, and never
    lowered. Cells are marked where the surface of a link from 1 on, or of the tool, is nearer than ``radius`` to the
    point [m]; a negative one asks for the point to lie that deep inside.

    Raises ``BadInput``: a grid for another arm, certainty of another shape or kind, another level, or a point or
    radius that is not finite.
    """
    _require_joints(arm, grid)
    _require_map(grid, certainty)
    if not 0 <= level <= np.iinfo(np.uint8).max:
        raise BadInput("no such level", found=level, allowed="0 to 255")
    place = np.asarray(point, dtype=np.float64)
    if place.shape != (3,) or not np.isfinite([*place, radius]).all():
        raise BadInput("no ball", found=(point, radius), allowed="a point (3,) and a radius, finite [m]")
    bodies = geometry.arm_bodies(arm)
    tree = make_tree(arm, grid, bodies[bodies[:, geometry.LINK] > 0])
    work = make_work(len(arm.dh))
    _mark(arm, tree, work, certainty.reshape(-1), place, float(radius), np.uint8(level))


def block_known(arm: Arm, scene: Scene, grid: JointGrid) -> np.ndarray:
    """Whether the arm touches itself or a known solid at the centre of each cell, bool of the grid's shape.

    It is ``known_world.collides`` of all centres; the scene is from ``known_world.build_scene`` for this arm.

    Raises ``BadInput``: a grid for another arm.
    """
    _require_joints(arm, grid)
    blocked = np.zeros(grid.shape, dtype=np.bool_)
    tree = make_tree(arm, grid, scene.bodies)
    checks, kept = _checks(scene, tree)
    _block(arm, scene.solids, tree, checks, kept, make_work(len(arm.dh)), blocked.reshape(-1))
    return blocked


def _require_map(grid: JointGrid, certainty: np.ndarray) -> None:
    if certainty.dtype != np.uint8 or certainty.shape != grid.shape or not certainty.flags.c_contiguous:
        found = f"{certainty.dtype} {certainty.shape}"
        raise BadInput("no map of this grid", found=found, allowed=f"contiguous uint8 {grid.shape}")


def _require_joints(arm: Arm, grid: JointGrid) -> None:
    if len(grid.shape) != len(arm.dh):
        raise BadInput("the grid is of another arm", found=len(grid.shape), allowed=f"{len(arm.dh)} axes")


def _checks(scene: Scene, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Everything to be tested, by the depth at which it is decided.

    (c, 4) int64: that depth; the body that is known last; the other body, or the solid; whether it is a solid. (c,)
    distance that is kept [m].
    """
    depth = tree.bodies[:, geometry.LINK].astype(np.int64)
    a, b = scene.pairs.T
    last = depth[a] > depth[b]
    far, near = np.where(last, a, b), np.where(last, b, a)
    own = np.column_stack([depth[far], far, near, np.zeros_like(far)])
    body, solid = np.nonzero(scene.checked)
    others = np.column_stack([depth[body], body, solid, np.ones_like(body)])
    rows, kept = np.vstack([own, others]), np.concatenate([scene.apart, scene.kept[body, solid]])
    order = np.argsort(rows[:, DEPTH], kind="stable")
    return np.ascontiguousarray(rows[order]), kept[order]


@kernel
def _mark(
    arm: Arm, tree: Tree, work: Work, certainty: np.ndarray, point: np.ndarray, radius: float, level: int
) -> None:
    cell, first = np.zeros(tree.shape.size, dtype=np.int64), np.zeros(tree.block.size, dtype=np.int64)
    place, depth = three(point, 0), 0
    while depth >= 0:
        touched = _bodies_near(tree, work, depth, place, radius)
        if touched:
            block = certainty[first[depth] : first[depth] + tree.block[depth]]
            for k in range(block.size):
                block[k] = max(block[k], level)
        descend = not touched and within_reach(tree, work, depth, place, radius)
        depth = next_node(arm, tree, work, cell, first, depth, descend)


@inlined
def _bodies_near(tree, work, depth, point, radius):
    """Whether a body that is known from this depth on is nearer than ``radius`` to a point."""
    for k in range(tree.begin[depth], tree.begin[depth + 1]):
        b = tree.order[k]
        limit = tree.bodies[b, geometry.RADIUS] + radius
        if limit <= 0.0:
            continue
        a, d = geometry.place_axis(work, tree.bodies, b)
        r = geometry.to_segment(point, a, d)
        if dot(r, r) < limit * limit:
            return True
    return False


@kernel
def _block(
    arm: Arm, solids: np.ndarray, tree: Tree, checks: np.ndarray, kept: np.ndarray, work: Work, blocked: np.ndarray
) -> None:
    n = tree.shape.size
    cell, first = np.zeros(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    axes = np.empty((tree.bodies.shape[0], AXES_WIDTH))
    left = np.empty((n + 1, checks.shape[0]), dtype=np.int64)  # checks that are not decided at a depth
    count = np.zeros(n + 1, dtype=np.int64)
    depth = 0
    while depth >= 0:
        _place_known(tree, work, depth, axes)
        touched = False
        before = checks.shape[0] if depth == 0 else count[depth - 1]
        count[depth] = 0
        for k in range(before):
            c = k if depth == 0 else left[depth - 1, k]
            if checks[c, DEPTH] == depth:
                if _touches(tree, solids, axes, checks, kept, c):
                    touched = True
                    break
            elif _may_touch(tree, solids, work, axes, checks, kept, c, depth):
                left[depth, count[depth]] = c
                count[depth] += 1
        if touched:
            blocked[first[depth] : first[depth] + tree.block[depth]] = True
        depth = next_node(arm, tree, work, cell, first, depth, not touched and count[depth] > 0)


@inlined
def _place_known(tree, work, depth, axes):
    """Write ``axes`` of the bodies that are known from this depth on, as ``known_world`` has them."""
    for k in range(tree.begin[depth], tree.begin[depth + 1]):
        place_body(tree.bodies, work, tree.order[k], axes)


@inlined
def _touches(tree, solids, axes, checks, kept, c):
    """Whether check ``c``, both of its bodies placed, finds a touch."""
    bodies, b, other = tree.bodies, checks[c, BODY], checks[c, OTHER]
    if checks[c, SOLID] == 0:
        if bodies_apart(bodies, axes, other, b, kept[c]):
            return False
        return body_distance(bodies, axes, other, b) <= kept[c]
    if geometry.surely_apart(solids, other, vector(axes, b, AXES_MIDDLE), bodies[b, geometry.REACH] + kept[c]):
        return False
    return geometry.segment_near(
        solids, other, vector(axes, b, 0), vector(axes, b, 3), bodies[b, geometry.RADIUS] + kept[c]
    )


@inlined
def _may_touch(tree, solids, work, axes, checks, kept, c, depth):
    """Whether check ``c`` can find a touch at a cell beyond a node of this depth."""
    bodies, origin, other = tree.bodies, vector(work.origin, depth, 0), checks[c, OTHER]
    reach = tree.reach[depth, checks[c, BODY]] + kept[c]
    if checks[c, SOLID] == 1:
        return geometry.gap_to_bound(solids, other, origin) <= reach
    if bodies[other, geometry.LINK] > depth:
        return True
    between, limit = sub(origin, vector(axes, other, AXES_MIDDLE)), reach + bodies[other, geometry.REACH]
    return dot(between, between) <= limit * limit
