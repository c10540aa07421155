"""Which cells of a joint grid a thing in space blocks: those at whose centres the arm touches it.

The cells are a tree, one joint a level, whose nodes are visited depth first. A node at depth i
fixes joints 1…i, so the frames of links 1…i and every body on them are known, and the cells that go
on from it are one contiguous block of the grid: what touches there touches in the whole block, and
what the rest of the arm cannot reach is not looked at again. A body that lies along the axis of its
own joint is known one level earlier: that joint does not move it.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import UNIT, dot, into_axes, sub, three, vector
from dynamics.kinematics import write_frame
from dynamics.sincos import cos_sin
from dynamics.work import Work, make_work
from hopfield_nav import geometry
from hopfield_nav.extensions.clearance import (
    AXES_MIDDLE,
    AXES_WIDTH,
    Scene,
    bodies_apart,
    body_distance,
    ends_before_joint,
    place_body,
    segment_near,
    surely_apart,
)
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.geometry import END, LINK, RADIUS, REACH, START

DEPTH, BODY, OTHER, SOLID = range(4)  # columns of a check


class Tree(NamedTuple):
    """What the kernels read of a grid and of the bodies on its arm."""

    shape: np.ndarray  # (n,) int64 cells of each joint
    block: np.ndarray  # (n + 1,) int64 cells beyond a node of each depth; 1 at depth n
    # (n, s, 2) cosine and sine of the centres' angles, with the offset of the joint
    turn: np.ndarray
    # (k, 12) as ``geometry.arm_bodies``, but ``LINK`` is the depth at which the body is known, and
    # its points are in that link's frame
    bodies: np.ndarray
    order: np.ndarray  # (k,) int64 bodies by depth
    begin: np.ndarray  # (n + 2,) int64 where those of a depth begin in it
    # (n + 1, k) bound of a body's distance from the origin of every frame before its own [m]
    reach: np.ndarray
    # (m, 3) tori about the axis of the next joint, in which all lies that is beyond a node,
    # whatever that joint's angle: radius and height of the circle, and thickness about it [m]
    ring: np.ndarray
    ring_begin: np.ndarray  # (n + 2,) int64 where those of nodes of a depth begin in it


def make_tree(arm: Arm, grid: JointGrid, bodies: np.ndarray) -> Tree:
    """The tree of a grid for bodies (k, 12) of ``geometry.arm_bodies``."""
    n = len(arm.dh)
    shape = np.array(grid.shape, dtype=np.int64)
    block = np.append(np.cumprod(shape[::-1])[::-1], 1).astype(np.int64)
    angles = np.zeros((n, int(shape.max())))
    for row, values in zip(angles, grid.axis_values(), strict=True):
        row[: len(values)] = values
    known = np.array([_lowered(arm, body) for body in bodies]).reshape(bodies.shape)
    depth = known[:, LINK].astype(np.int64)
    begin = np.searchsorted(np.sort(depth), np.arange(n + 2)).astype(np.int64)
    order = np.argsort(depth, kind="stable").astype(np.int64)
    reach = _reach(arm, known)
    rings = [_rings(arm, known, reach, i) for i in range(n)]
    ring_begin = np.cumsum([0, *(len(rows) for rows in rings), 0]).astype(np.int64)
    return Tree(
        shape,
        block,
        _turns(arm, angles),
        known,
        order,
        begin,
        reach,
        np.concatenate(rings),
        ring_begin,
    )


def _lowered(arm: Arm, body: np.ndarray) -> np.ndarray:
    """A body in the frame of the last link whose joint moves it."""
    row = body.copy()
    while row[LINK] > 0:
        link = int(row[LINK]) - 1
        points = ends_before_joint(arm, row)
        if np.hypot(points[:, 0], points[:, 1]).max() > numbers.ON_AXIS:
            break
        row[LINK], row[START : START + 3], row[END : END + 3] = link, points[0], points[1]
        row[RADIUS + 1 : RADIUS + 4] = points.mean(axis=0)
    return row


def _reach(arm: Arm, bodies: np.ndarray) -> np.ndarray:
    """``Tree.reach``: along the chain of offsets, the last of them and the body taken together."""
    n, step = len(arm.dh), np.linalg.norm(arm.offset, axis=1)
    reach = np.zeros((n + 1, len(bodies)))
    for b, body in enumerate(bodies):
        link = int(body[LINK])
        if link:
            ends = ends_before_joint(arm, body)
            reach[link - 1, b] = np.linalg.norm(ends, axis=1).max() + body[RADIUS]
        for i in range(link - 2, -1, -1):
            reach[i, b] = reach[i + 1, b] + step[i]
    return reach


def _rings(arm: Arm, bodies: np.ndarray, reach: np.ndarray, i: int) -> np.ndarray:
    """``Tree.ring`` of depth i: one for each body of the next link, one for all that is beyond it."""
    depth, rows = bodies[:, LINK], []
    for body in bodies[depth == i + 1]:
        x, y, z = ends_before_joint(arm, body).mean(axis=0)
        rows.append([np.hypot(x, y), z, body[REACH]])
    if np.any(depth > i + 1):
        _, d, a, _ = arm.dh[i]
        rows.append([abs(a), d, reach[i + 1, depth > i + 1].max()])
    return np.array(rows).reshape(-1, 3)


@kernel
def _turns(arm, angles):
    turn = np.empty((angles.shape[0], angles.shape[1], 2))
    for i in range(angles.shape[0]):
        for k in range(angles.shape[1]):
            turn[i, k, 0], turn[i, k, 1] = cos_sin(angles[i, k] + arm.dh[i, 0])
    return turn


@inlined
def next_node(arm, tree, work, cell, first, depth, descend):
    """Go on to the next node, its first child where ``descend`` says so, and update its frame.

    The frames 1…depth of ``work`` are those of the node, at this depth from 0; ``cell`` (n,) int64
    are the cells of the joints that it fixes, ``first`` (n + 1,) int64 the flat index of the first
    cell of the nodes on the way to it. Returns the depth of the next node, or -1 after the last.
    """
    if descend:
        cell[depth] = 0
        depth += 1
    else:
        while depth > 0 and cell[depth - 1] + 1 == tree.shape[depth - 1]:
            depth -= 1
        if depth == 0:
            return -1
        cell[depth - 1] += 1
    k = cell[depth - 1]
    first[depth] = first[depth - 1] + k * tree.block[depth]
    rows, turn = UNIT, (tree.turn[depth - 1, k, 0], tree.turn[depth - 1, k, 1])
    if depth > 1:
        before = work.rotation[depth - 2]
        rows = vector(before, 0, 0), vector(before, 1, 0), vector(before, 2, 0)
    write_frame(arm, work, depth - 1, turn, rows, vector(work.origin, depth - 1, 0))
    return depth


@inlined
def within_reach(tree, work, depth, point, radius):
    """Whether anything beyond a node may come as near to a point as ``radius`` [m]."""
    begin, end = tree.ring_begin[depth], tree.ring_begin[depth + 1]
    if begin == end:
        return False
    seen = sub(point, vector(work.origin, depth, 0))
    if depth > 0:
        seen = into_axes(work.rotation[depth - 1], seen)
    from_axis = math.sqrt(seen[0] * seen[0] + seen[1] * seen[1])
    for k in range(begin, end):
        across, along = from_axis - tree.ring[k, 0], seen[2] - tree.ring[k, 1]
        limit = tree.ring[k, 2] + radius
        if limit > 0.0 and across * across + along * along < limit * limit:
            return True
    return False


def mark_ball(
    arm: Arm, grid: JointGrid, certainty: np.ndarray, point: np.ndarray, radius: float, level: int
) -> None:
    """Raise the certainty of every cell at whose centre the moving arm is near a point (3,) in base axes [m].

    ``certainty`` is uint8 of the grid's shape, contiguous; it is changed in place to ``level``, 0
    to 255, and never lowered. Cells are marked where the surface of a link from 1 on, or of the
    tool, is nearer than ``radius`` to the point [m]; a negative one asks for the point to lie that
    deep inside.
    """
    bodies, place = geometry.arm_bodies(arm), np.asarray(point, dtype=np.float64)
    tree = make_tree(arm, grid, bodies[bodies[:, LINK] > 0])
    _mark(
        arm,
        tree,
        make_work(len(arm.dh)),
        certainty.reshape(-1),
        place,
        float(radius),
        np.uint8(level),
    )


def cells_near(arm: Arm, grid: JointGrid, point: np.ndarray, distance: float) -> np.ndarray:
    """Bool grid of the cells at whose centres the arm is nearer to a point (3,) than a distance [m], as `mark_ball`."""
    marks = np.zeros(grid.shape, dtype=np.uint8)
    mark_ball(arm, grid, marks, point, distance, 1)
    return marks.astype(bool)


def block_known(arm: Arm, scene: Scene, grid: JointGrid) -> np.ndarray:
    """Whether the arm touches itself or a known solid at the centre of each cell, bool of the grid's shape.

    It is ``clearance.collides`` of all centres; the scene is from ``clearance.build_scene`` for
    this arm.
    """
    blocked = np.zeros(grid.shape, dtype=np.bool_)
    tree = make_tree(arm, grid, scene.bodies)
    checks, kept = _checks(scene, tree)
    _block(arm, scene.solids, tree, checks, kept, make_work(len(arm.dh)), blocked.reshape(-1))
    return blocked


def _checks(scene: Scene, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Everything to be tested, by the depth at which it is decided.

    (c, 4) int64: that depth; the body that is known last; the other body, or the solid; whether it
    is a solid. (c,) distance that is kept [m].
    """
    depth = tree.bodies[:, LINK].astype(np.int64)
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
    arm: Arm,
    tree: Tree,
    work: Work,
    certainty: np.ndarray,
    point: np.ndarray,
    radius: float,
    level: int,
) -> None:
    cell, first = (
        np.zeros(tree.shape.size, dtype=np.int64),
        np.zeros(tree.block.size, dtype=np.int64),
    )
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
        limit = tree.bodies[b, RADIUS] + radius
        if limit <= 0.0:
            continue
        a, d = geometry.place_axis(work, tree.bodies, b)
        r = geometry.to_segment(point, a, d)
        if dot(r, r) < limit * limit:
            return True
    return False


@kernel
def _block(
    arm: Arm,
    solids: np.ndarray,
    tree: Tree,
    checks: np.ndarray,
    kept: np.ndarray,
    work: Work,
    blocked: np.ndarray,
) -> None:
    n = tree.shape.size
    cell, first = np.zeros(n, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    axes = np.empty((tree.bodies.shape[0], AXES_WIDTH))
    # checks that are not decided at a depth
    left = np.empty((n + 1, checks.shape[0]), dtype=np.int64)
    count = np.zeros(n + 1, dtype=np.int64)
    depth = 0
    while depth >= 0:
        for k in range(tree.begin[depth], tree.begin[depth + 1]):
            place_body(tree.bodies, work, tree.order[k], axes)
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
def _touches(tree, solids, axes, checks, kept, c):
    """Whether check ``c``, both of its bodies placed, finds a touch."""
    bodies, b, other = tree.bodies, checks[c, BODY], checks[c, OTHER]
    if checks[c, SOLID] == 0:
        if bodies_apart(bodies, axes, other, b, kept[c]):
            return False
        return body_distance(bodies, axes, other, b) <= kept[c]
    if surely_apart(solids, other, vector(axes, b, AXES_MIDDLE), bodies[b, REACH] + kept[c]):
        return False
    return segment_near(
        solids, other, vector(axes, b, 0), vector(axes, b, 3), bodies[b, RADIUS] + kept[c]
    )


@inlined
def _may_touch(tree, solids, work, axes, checks, kept, c, depth):
    """Whether check ``c`` can find a touch at a cell beyond a node of this depth."""
    bodies, origin, other = tree.bodies, vector(work.origin, depth, 0), checks[c, OTHER]
    reach = tree.reach[depth, checks[c, BODY]] + kept[c]
    if checks[c, SOLID] == 1:
        return geometry.gap_to_bound(solids, other, origin) <= reach
    if bodies[other, LINK] > depth:
        return True
    between, limit = sub(origin, vector(axes, other, AXES_MIDDLE)), reach + bodies[other, REACH]
    return dot(between, between) <= limit * limit
