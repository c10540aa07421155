"""The cells of a joint grid as a tree: one joint a level, its nodes visited depth first.

A node at depth i fixes joints 1…i, so the frames of links 1…i and every body on them are known, and the cells that go
on from it are one contiguous block of the grid. What touches there touches in the whole block. A body that lies along
the axis of its own joint is known one level earlier: that joint does not move it.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.vectors import UNIT, into_axes, sub, vector
from dynamics.kinematics import write_frame
from dynamics.sincos import cos_sin
from hopfield_nav.clearance import ends_before_joint
from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.geometry import END, LINK, RADIUS, REACH, START

_ON_AXIS = 1e-12  # [m]


class Tree(NamedTuple):
    """What the kernels read of a grid and of the bodies on its arm."""

    shape: np.ndarray  # (n,) int64 cells of each joint
    block: np.ndarray  # (n + 1,) int64 cells beyond a node of each depth; 1 at depth n
    turn: np.ndarray  # (n, s, 2) cosine and sine of the centres' angles, with the offset of the joint
    # (k, 12) as ``geometry.arm_bodies``, but ``LINK`` is the depth at which the body is known, and its points
    # are in that link's frame
    bodies: np.ndarray
    order: np.ndarray  # (k,) int64 bodies by depth
    begin: np.ndarray  # (n + 2,) int64 where those of a depth begin in it
    reach: np.ndarray  # (n + 1, k) bound of a body's distance from the origin of every frame before its own [m]
    # (m, 3) tori about the axis of the next joint, in which all lies that is beyond a node, whatever that
    # joint's angle: radius and height of the circle, and thickness about it [m]
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
    return Tree(shape, block, _turns(arm, angles), known, order, begin, reach, np.concatenate(rings), ring_begin)


def _lowered(arm: Arm, body: np.ndarray) -> np.ndarray:
    """A body in the frame of the last link whose joint moves it."""
    row = body.copy()
    while row[LINK] > 0:
        link = int(row[LINK]) - 1
        points = ends_before_joint(arm, row)
        if np.hypot(points[:, 0], points[:, 1]).max() > _ON_AXIS:
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

    The frames 1…depth of ``work`` are those of the node, at this depth from 0; ``cell`` (n,) int64 are the cells of
    the joints that it fixes, ``first`` (n + 1,) int64 the flat index of the first cell of the nodes on the way to it.
    Returns the depth of the next node, or -1 after the last.
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
    _update_frame(arm, depth - 1, (tree.turn[depth - 1, k, 0], tree.turn[depth - 1, k, 1]), work)
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


@inlined
def _update_frame(arm, i, turn, work):
    """Write frame i + 1 from frame i; ``turn``: cosine and sine of joint i."""
    rows, origin = UNIT, vector(work.origin, i, 0)
    if i > 0:
        before = work.rotation[i - 1]
        rows = vector(before, 0, 0), vector(before, 1, 0), vector(before, 2, 0)
    write_frame(arm, work, i, turn, rows, origin)
