"""Kernels: the graph of joint positions along a straight line, and its shortest path (nowoczyn2023 3.2).

A layer holds the joint positions at one step of the line. Edges go from one layer to the next where no
joint changes by more than its bound; the turn of every joint follows from that, so that a node is a
joint position with its turns. Only nodes that can be reached from the start are made, layer by layer,
each with the shortest way to it: dynamic programming, which is Dijkstra on a graph without ways back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.compiled import inlined, kernel
from dynamics.inverse_kinematics import solve_all_wanting
from dynamics.joint_path import nearest_turn
from hopfield_nav.known_world.collision_check import pose_touches
from hopfield_nav.known_world.straight_line import pose_at

SINGULAR = 1e-6  # |sin θ5| below which θ6 is as good as free
_SAME = 1e-9  # [rad] nodes nearer than this are one
_ROUNDING = 1e-12  # [rad]
_TURNS = 5  # turns -2…2 that a node's key can tell apart
_EMPTY = -1


class Layers(NamedTuple):
    """Joint positions at every step of the line.

    Attributes:
        place: (L,) of the step on the line.
        solutions: (L, 8, 6) without regard to turns [rad].
        solved: (L,) how many.
        free: (L, 8) whether they touch nothing.
        loose: (L,) whether the wrist is singular there: θ6 is then kept as it was in the layer before.
        given: (L,) whether the joints are given, with their turns.
        bound: (L, 6) largest change of a joint from the layer before [rad].
        banned: (L, 8, 8) edges found not to hold, by solution in the layer before and in this one.
    """

    place: np.ndarray
    solutions: np.ndarray
    solved: np.ndarray
    free: np.ndarray
    loose: np.ndarray
    given: np.ndarray
    bound: np.ndarray
    banned: np.ndarray


class Nodes(NamedTuple):
    """Nodes that can be reached, layer after layer.

    Attributes:
        first: (L + 1,) where each layer's nodes begin; layers that were not reached are empty.
        q: (N, 6) [rad].
        solution: (N,) number of the joint position in its layer.
        cost: (N,) shortest length from the start [rad].
        parent: (N,) node before on that way.
    """

    first: np.ndarray
    q: np.ndarray
    solution: np.ndarray
    cost: np.ndarray
    parent: np.ndarray


@kernel
def fill_layers(arm, scene, line, layers, shift, work, axes):
    """Solve and check every layer; where the wrist is singular, ``shift`` further along the line."""
    T, branches = np.empty((4, 4)), np.empty((8, 3), np.int64)
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
        layers.solved[i], layers.loose[i] = count, loose
        for k in range(count):
            layers.free[i, k] = not pose_touches(arm, scene, layers.solutions[i, k], work, axes)


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


@kernel
def search_layers(arm, scene, line, layers, starts, start_solutions, work, axes):
    """Nodes that can be reached from ``starts`` (k, 6) in layer 0, each with its shortest way."""
    count_layers = layers.place.size
    first = np.zeros(count_layers + 1, np.int64)
    capacity = max(1024, 2 * starts.shape[0])
    q, cost = np.empty((capacity, 6)), np.empty(capacity)
    solution, parent = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    total = starts.shape[0]
    q[:total], cost[:total], solution[:total], parent[:total] = starts, 0.0, start_solutions, _EMPTY
    first[1] = total
    slot = np.full(8 * _TURNS**6, _EMPTY, np.int64)
    own, branches, angles, T = np.empty((8, 6)), np.empty((8, 3), np.int64), np.empty(6), np.empty((4, 4))
    for i in range(1, count_layers):
        begin = total
        pose_at(line, layers.place[i], T)
        for a in range(first[i - 1], begin):
            rows, count = layers.solutions[i], layers.solved[i]
            if layers.loose[i] and not layers.given[i]:
                count = solve_all_wanting(arm, T, q[a, 5], own, branches)
                rows = own
            for b in range(count):
                if layers.banned[i, solution[a], b] or not (layers.loose[i] or layers.free[i, b]):
                    continue
                change = _allowed(
                    layers.given[i], rows[b], q[a], layers.bound[i], arm.position_limits, angles
                )
                if change == math.inf:
                    continue
                if layers.loose[i] and pose_touches(arm, scene, angles, work, axes):
                    continue
                key = _EMPTY if layers.loose[i] else _key(b, angles, rows[b])
                node = _find(key, slot, q, solution, begin, total, b, angles)
                if node == _EMPTY:
                    if total == capacity:
                        capacity *= 2
                        q, cost = _longer(q, capacity), _longer(cost, capacity)
                        solution, parent = _longer(solution, capacity), _longer(parent, capacity)
                    node = total
                    total += 1
                    q[node], solution[node], cost[node] = angles, b, math.inf
                    if key != _EMPTY:
                        slot[key] = node
                if cost[a] + change < cost[node]:
                    cost[node], parent[node] = cost[a] + change, a
        first[i + 1] = total
        if total == begin:
            first[i + 1 :] = total
            break
    return Nodes(first, q[:total], solution[:total], cost[:total], parent[:total])


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
def _longer(array, capacity):
    out = np.empty((capacity,) + array.shape[1:], array.dtype)  # noqa: RUF005  (Numba)
    out[: array.shape[0]] = array
    return out
