"""Kernels: the graph of configurations along a straight line, its shortest path, and its edges.

A layer holds the configurations at one step of the line. Edges go from one layer to the next where
no joint changes by more than its bound. The turn of every joint follows from that, so a node is a
joint position with its turns. Only nodes that can be reached from the start are made, each with the
shortest path to it: dynamic programming, the same as Dijkstra where all edges lead forward.
``join`` follows one edge between its two steps. Source: nowoczyn2023 3.2.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.inverse import nearest_turn, solve_all_wanting
from dynamics.kernels.decorators import inlined, kernel
from hopfield_nav.extensions.clearance import pose_touches, proven_free
from hopfield_nav.extensions.known_world.line import pose_at

FREE, JUMP, TOUCH, LIMIT = range(4)
SINGULAR = 1e-6  # |sin θ5| below which θ6 is as good as free
_SAME = 1e-9  # [rad] nodes nearer than this are one
_ROUNDING = 1e-12  # [rad]
_TURNS = 5  # turns -2…2 that a node's key can tell apart
_EMPTY = -1
_HALVINGS = 26  # of the stretch between two steps, before a change of the joints counts as a jump
_MOST_ROWS = 2048  # between two steps; joints that need more are not following the line


class Layers(NamedTuple):
    """Configurations at every step of the line."""

    place: np.ndarray  # (L,) of the step on the line
    solutions: np.ndarray  # (L, 8, 6) without regard to turns [rad]
    solved: np.ndarray  # (L,) how many
    free: np.ndarray  # (L, 8) whether they touch nothing
    # (L,) whether the wrist is singular there: θ6 is then kept as in the layer before
    loose: np.ndarray
    given: np.ndarray  # (L,) whether the joints are given, with their turns
    bound: np.ndarray  # (L, 6) largest change of a joint from the layer before [rad]
    # (L, 8, 8) edges found not to hold, by solution in the layer before and in this one
    banned: np.ndarray


class Nodes(NamedTuple):
    """Nodes that can be reached, layer after layer."""

    # (L + 1,) where each layer's nodes begin; layers that were not reached are empty
    first: np.ndarray
    q: np.ndarray  # (N, 6) [rad]
    solution: np.ndarray  # (N,) number of the configuration in its layer
    cost: np.ndarray  # (N,) shortest length from the start [rad]
    parent: np.ndarray  # (N,) node before on that path


@kernel
def fill_layers(arm, scene, line, layers, shift, work, axes):
    """Solve and check every layer.

    Where the wrist is singular, ``shift`` further along the line.
    """
    T = np.empty((4, 4))
    branches = np.empty((8, 3), np.int64)
    for i in range(layers.place.size):
        for attempt in range(2):
            pose_at(line, layers.place[i], T)
            count = solve_all_wanting(arm, T, 0.0, layers.solutions[i], branches)
            loose = False
            for k in range(count):
                loose = loose or abs(math.sin(layers.solutions[i, k, 4] + arm.dh[4, 0])) < SINGULAR
            corner = layers.place[i] == math.floor(layers.place[i])
            if not loose or corner or attempt == 1:
                break
            layers.place[i] += shift
        layers.solved[i] = count
        layers.loose[i] = loose
        for k in range(count):
            layers.free[i, k] = not pose_touches(arm, scene, layers.solutions[i, k], work, axes)


@kernel
def search_layers(arm, scene, line, layers, starts, start_solutions, work, axes):
    """Nodes that can be reached from ``starts`` (k, 6) in layer 0, each with its shortest path."""
    count_layers = layers.place.size
    capacity = max(1024, 2 * starts.shape[0])
    # the nodes so far; ``first``: where each layer's begin
    first = np.zeros(count_layers + 1, np.int64)
    q = np.empty((capacity, 6))
    solution = np.empty(capacity, np.int64)
    cost = np.empty(capacity)
    parent = np.empty(capacity, np.int64)
    # layer 0
    total = starts.shape[0]
    q[:total] = starts
    solution[:total] = start_solutions
    cost[:total] = 0.0
    parent[:total] = _EMPTY
    first[1] = total
    slot = np.full(8 * _TURNS**6, _EMPTY, np.int64)  # the node of a key
    # scratch: joints at a pose, and those of an edge's end
    T = np.empty((4, 4))
    own = np.empty((8, 6))
    branches = np.empty((8, 3), np.int64)
    angles = np.empty(6)
    for i in range(1, count_layers):
        begin = total
        loose, given, bound = layers.loose[i], layers.given[i], layers.bound[i]
        pose_at(line, layers.place[i], T)
        for a in range(first[i - 1], begin):
            rows = layers.solutions[i]
            count = layers.solved[i]
            if loose and not given:  # θ6 is kept as in the layer before
                rows = own
                count = solve_all_wanting(arm, T, q[a, 5], own, branches)
            for b in range(count):
                known_to_touch = not loose and not layers.free[i, b]
                if layers.banned[i, solution[a], b] or known_to_touch:
                    continue
                change = _allowed(given, rows[b], q[a], bound, arm.position_limits, angles)
                if change == math.inf:
                    continue
                if loose and pose_touches(arm, scene, angles, work, axes):
                    continue
                key = _EMPTY if loose else _key(b, angles, rows[b])
                node = _find(key, slot, q, solution, begin, total, b, angles)
                if node == _EMPTY:
                    if total == capacity:  # room for twice as many
                        capacity *= 2
                        q = np.concatenate((q, q))
                        solution = np.concatenate((solution, solution))
                        cost = np.concatenate((cost, cost))
                        parent = np.concatenate((parent, parent))
                    node = total
                    total += 1
                    q[node] = angles
                    solution[node] = b
                    cost[node] = math.inf
                    if key != _EMPTY:
                        slot[key] = node
                if cost[a] + change < cost[node]:  # a shorter path to the node
                    cost[node] = cost[a] + change
                    parent[node] = a
        first[i + 1] = total
        if total == begin:  # the layer is not reached, and none behind it
            first[i + 1 :] = total
            break
    return Nodes(first, q[:total], solution[:total], cost[:total], parent[:total])


@inlined
def _allowed(given, row, last, bound, limits, angles):
    """Write the angles of ``row`` as they follow ``last``; the sum of changes, or infinity."""
    total = 0.0
    for j in range(6):
        angle = row[j] if given else nearest_turn(row[j], last[j], limits[j, 0], limits[j, 1])
        change = abs(angle - last[j])
        if not change <= bound[j] + _ROUNDING:
            return math.inf
        angles[j] = angle
        total += change
    return total


@inlined
def _key(solution, angles, row):
    """Number that tells a solution's turns apart, or -1 beyond what it can tell."""
    key = solution
    for j in range(6):
        turn = int(np.rint((angles[j] - row[j]) / (2.0 * math.pi))) + _TURNS // 2
        if turn < 0 or turn >= _TURNS:
            return _EMPTY
        key = key * _TURNS + turn
    return key


@inlined
def _find(key, slot, q, solution, begin, total, b, angles):
    """The node of this layer, from ``begin`` on, that has these angles; -1 where there is none."""
    if key != _EMPTY:
        return slot[key] if slot[key] >= begin else _EMPTY
    for node in range(begin, total):
        same = solution[node] == b
        for j in range(6):
            same = same and abs(q[node, j] - angles[j]) < _SAME
        if same:
            return node
    return _EMPTY


@kernel
def join(arm, scene, line, begin, end, nearest, shares, work, axes):
    """Rows (k, 6) after ``begin`` up to ``end``, their places (k,), and FREE, JUMP, TOUCH or LIMIT.

    ``begin``, ``end``: a place on the line, and configurations (6,) there. Half-way between two
    places of the line the tool has configurations too. The one nearest to the middle of the joints
    is taken, and so on, until no joint changes by more than ``nearest`` [rad] from row to row, no
    two rows are further apart than the leg's of ``shares`` (m - 1,) of a leg, and all is proven
    free. Where the joints do not come nearer to each other, however near the places, there is no
    continuous path between the two: the wrist would have to swing on the spot.
    """
    from_place, q_from = begin
    to_place, q_to = end
    # rows so far, and the last one
    out = np.empty((64, 6))
    places = np.empty(64)
    total = 0
    last = q_from.copy()
    place = from_place
    # a stack of what is still to be reached, the next on top
    waiting = np.empty((_HALVINGS + 2, 6))
    at = np.empty(_HALVINGS + 2)
    waiting[0] = q_to
    at[0] = to_place
    top = 1
    # scratch
    T = np.empty((4, 4))
    rows = np.empty((8, 6))
    branches = np.empty((8, 3), np.int64)
    q = np.empty(6)
    change = np.empty(6)
    leg = min(int(from_place), line.shift.shape[0] - 1)
    while top > 0:
        near = at[top - 1] - place <= shares[leg] * (1.0 + 1e-9)
        if near and _widest(last, waiting[top - 1]) <= nearest:
            top -= 1
            if proven_free(arm, scene, last, waiting[top], work, axes, q, change) < 1.0:
                return out[:total], places[:total], TOUCH
            if total == len(places):  # room for twice as many
                out = np.concatenate((out, np.empty_like(out)))
                places = np.concatenate((places, np.empty_like(places)))
            out[total] = waiting[top]
            places[total] = at[top]
            total += 1
            last[:] = waiting[top]
            place = at[top]
            continue
        # half-way to the next one
        if top == _HALVINGS + 2 or total == _MOST_ROWS:
            return out[:total], places[:total], JUMP
        at[top] = 0.5 * (place + at[top - 1])
        pose_at(line, at[top], T)
        off = _between(arm, T, last, waiting[top - 1], rows, branches, waiting[top])
        if not off <= max(_widest(last, waiting[top - 1]), 1e-9):
            return out[:total], places[:total], JUMP
        if not _within(waiting[top], arm.position_limits):
            return out[:total], places[:total], LIMIT
        top += 1
    return out[:total], places[:total], FREE


@inlined
def _between(arm, T, a, b, rows, branches, middle):
    """Write the configuration at pose ``T`` nearest to the middle of ``a`` and ``b``; its distance."""
    best = -1
    nearest = math.inf
    count = solve_all_wanting(arm, T, 0.5 * (a[5] + b[5]), rows, branches)
    for k in range(count):
        off = 0.0
        for j in range(6):
            half = 0.5 * (a[j] + b[j])
            off = max(off, abs(nearest_turn(rows[k, j], half, -math.inf, math.inf) - half))
        if off < nearest:
            best = k
            nearest = off
    if best >= 0:
        for j in range(6):
            middle[j] = nearest_turn(rows[best, j], 0.5 * (a[j] + b[j]), -math.inf, math.inf)
    return nearest


@inlined
def _widest(a, b):
    widest = 0.0
    for j in range(6):
        widest = max(widest, abs(b[j] - a[j]))
    return widest


@inlined
def _within(q, limits):
    within = True
    for j in range(q.size):
        within = within and limits[j, 0] <= q[j] <= limits[j, 1]
    return within
