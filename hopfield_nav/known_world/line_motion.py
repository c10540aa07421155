"""Kernels: the joints between two steps of a straight line, tied to the line and proven free.

Half-way between two places of the line the tool has joint positions too; the one nearest to the middle
of the joints is taken, and so on, until rows are as near to each other as ``Fineness`` asks. Where the
joints do not come nearer to each other, however near the places, there is no continuous way between
the two: the wrist would have to swing on the spot.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.compiled import inlined, kernel
from dynamics.inverse_kinematics import solve_all_wanting
from dynamics.joint_path import nearest_turn
from hopfield_nav.known_world.motion_check import proven_free
from hopfield_nav.known_world.straight_line import pose_at

FREE, JUMP, TOUCH, LIMIT = range(4)
_HALVINGS = 26  # of the way between two steps, before a change of the joints counts as a jump
_MOST_ROWS = 2048  # between two steps; joints that need more are not following the line


class Fineness(NamedTuple):
    """How near two rows must be: (1,) arrays, change of a joint [rad] and share of a leg (m - 1,)."""

    change: np.ndarray
    share: np.ndarray


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


@inlined
def _between(arm, T, a, b, rows, branches, middle):
    """Write the joint position at pose ``T`` nearest to the middle of ``a`` and ``b``; its distance."""
    best, nearest = -1, math.inf
    count = solve_all_wanting(arm, T, 0.5 * (a[5] + b[5]), rows, branches)
    for k in range(count):
        off = 0.0
        for j in range(6):
            half = 0.5 * (a[j] + b[j])
            off = max(off, abs(nearest_turn(rows[k, j], half, -math.inf, math.inf) - half))
        if off < nearest:
            best, nearest = k, off
    if best >= 0:
        for j in range(6):
            middle[j] = nearest_turn(rows[best, j], 0.5 * (a[j] + b[j]), -math.inf, math.inf)
    return nearest


@kernel
def join(arm, scene, line, from_place, to_place, q_from, q_to, fineness, work, axes):
    """Rows (k, 6) after ``q_from`` up to ``q_to``, their places (k,), and FREE, JUMP, TOUCH or LIMIT."""
    waiting, at = np.empty((_HALVINGS + 2, 6)), np.empty(_HALVINGS + 2)
    rows, branches, T = np.empty((8, 6)), np.empty((8, 3), np.int64), np.empty((4, 4))
    out, places, total = np.empty((64, 6)), np.empty(64), 0
    q, change, last, place = np.empty(6), np.empty(6), q_from.copy(), from_place
    waiting[0], at[0], top = q_to, to_place, 1
    leg = min(int(from_place), line.shift.shape[0] - 1)
    while top > 0:
        near = at[top - 1] - place <= fineness.share[leg] * (1.0 + 1e-9)
        if near and _widest(last, waiting[top - 1]) <= fineness.change[0]:
            top -= 1
            if proven_free(arm, scene, last, waiting[top], work, axes, q, change) < 1.0:
                return out[:total], places[:total], TOUCH
            if total == len(places):
                out = np.concatenate((out, np.empty_like(out)))
                places = np.concatenate((places, np.empty_like(places)))
            out[total], places[total] = waiting[top], at[top]
            last[:], place = waiting[top], at[top]
            total += 1
            continue
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
