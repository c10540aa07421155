"""Pushes on the arm: forces on points of its links that a world gives over time.

They are as true as the forces of obstacles, and are told with them; a force is the same in all stages of a
step, that of its beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined
from dynamics.kinematics import add_force_torque
from hopfield_nav.loop.contact import add_beyond


class Pushes(NamedTuple):
    """Where the arm is pushed, and with which force over time.

    Attributes:
        place: (m, 4) link, counted from 1, and the point in the axes of its frame [m].
        rows: (k, 4) of one push after another: time [s], rising, and force in base axes [N]; linear between
            two rows, none before the first and after the last.
        first: (m + 1,) int, the first row of each push, and behind the last one k.
        force: (m, 3) scratch: that of the present step [N].
    """

    place: np.ndarray
    rows: np.ndarray
    first: np.ndarray
    force: np.ndarray


def make_pushes(places: Sequence[Sequence[float]], tables: Sequence[np.ndarray]) -> Pushes:
    """Pushes with scratch of their own.

    Args:
        places: for each of the m pushes its link and the point on it, as in ``Pushes.place``.
        tables: for each push its rows (k, 4).
    """
    first = np.concatenate([[0], np.cumsum([len(table) for table in tables], dtype=np.int64)])
    return Pushes(
        place=np.array(places, dtype=np.float64).reshape(-1, 4),
        rows=np.concatenate([*tables, np.zeros((0, 4))]),
        first=first.astype(np.int64),
        force=np.zeros((len(tables), 3)),
    )


@inlined
def update_pushes(pushes, time):
    """Write the forces at a time [s] to ``pushes.force``."""
    rows, first, force = pushes.rows, pushes.first, pushes.force
    for j in range(force.shape[0]):
        i, last = first[j], first[j + 1] - 1
        inside = rows[i, 0] <= time <= rows[last, 0]
        while i + 1 < last and rows[i + 1, 0] <= time:
            i += 1
        share = (time - rows[i, 0]) / (rows[i + 1, 0] - rows[i, 0])
        for k in range(3):
            value = rows[i, k + 1] + share * (rows[i + 1, k + 1] - rows[i, k + 1])
            force[j, k] = value if inside else 0.0


@inlined
def add_pushes(pushes, work, torque, touch):
    """Add the torque of all pushes to ``torque`` (n,) [N·m], and their forces to ``touch``.

    The frames in ``work`` are up to date. On the last link a push in front of the flange, z >= 0 in its
    frame, acts on what is beyond it.
    """
    place, force, rotation, origin = pushes.place, pushes.force, work.rotation, work.origin
    for j in range(place.shape[0]):
        fx, fy, fz = force[j, 0], force[j, 1], force[j, 2]
        square = fx * fx + fy * fy + fz * fz
        if square == 0.0:
            continue
        link = int(place[j, 0])
        turn = rotation[link - 1]
        ax, ay, az = place[j, 1], place[j, 2], place[j, 3]
        px = origin[link, 0] + turn[0, 0] * ax + turn[0, 1] * ay + turn[0, 2] * az
        py = origin[link, 1] + turn[1, 0] * ax + turn[1, 1] * ay + turn[1, 2] * az
        pz = origin[link, 2] + turn[2, 0] * ax + turn[2, 1] * ay + turn[2, 2] * az
        add_force_torque(work, link, px, py, pz, fx, fy, fz, torque)
        touch.force[0] += fx
        touch.force[1] += fy
        touch.force[2] += fz
        if link == rotation.shape[0] and az >= 0.0:
            add_beyond(touch, px, py, pz, fx, fy, fz)
        largest = touch.largest
        if square > largest[0] * largest[0] + largest[1] * largest[1] + largest[2] * largest[2]:
            touch.now.link = link
            touch.point[0], touch.point[1], touch.point[2] = px, py, pz
            largest[0], largest[1], largest[2] = fx, fy, fz
