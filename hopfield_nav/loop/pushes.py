"""Pushes on the arm: forces on points of its links that a world gives over time.

They are as true as the forces of obstacles, and are told with them; a force is the same in all
stages of a step, that of its beginning.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import add, dot, matmul, vector
from dynamics.kinematics import add_force_torque
from hopfield_nav.loop.contact import add_touch


class Pushes(NamedTuple):
    """Where the arm is pushed, and with which force over time."""

    place: np.ndarray  # (m, 4) link, counted from 1, and the point in the axes of its frame [m]
    # (k, 4) of one push after another: time [s], rising, and force in base axes [N]; linear between
    # two rows, none before the first and after the last
    rows: np.ndarray
    first: np.ndarray  # (m + 1,) int, the first row of each push, and behind the last one k
    force: np.ndarray  # (m, 3) scratch: that of the present step [N]


def make_pushes(places: Sequence[Sequence[float]], tables: Sequence[np.ndarray]) -> Pushes:
    """Pushes with scratch of their own.

    There are m places, as in ``Pushes.place``, and for each its rows (k, 4).
    """
    lengths = [len(table) for table in tables]
    first = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
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
        i = first[j]
        last = first[j + 1] - 1
        inside = rows[i, 0] <= time <= rows[last, 0]
        while i + 1 < last and rows[i + 1, 0] <= time:
            i += 1
        # linear between two rows
        share = (time - rows[i, 0]) / (rows[i + 1, 0] - rows[i, 0])
        for k in range(3):
            value = rows[i, k + 1] + share * (rows[i + 1, k + 1] - rows[i, k + 1])
            force[j, k] = value if inside else 0.0


@inlined
def add_pushes(pushes, work, torque, touch):
    """Add the torque of all pushes to ``torque`` (n,) [N·m], and their forces to ``touch``.

    The frames in ``work`` are up to date. On the last link a push in front of the flange, z >= 0 in
    its frame, acts on what is beyond it.
    """
    place = pushes.place
    n = work.rotation.shape[0]
    for j in range(place.shape[0]):
        force = vector(pushes.force, j, 0)
        at = vector(place, j, 1)
        link = int(place[j, 0])
        if dot(force, force) == 0.0:
            continue
        point = add(vector(work.origin, link, 0), matmul(work.rotation[link - 1], at))
        add_force_torque(work, link, point, force, torque)
        add_touch(touch, link, point, force, link == n and at[2] >= 0.0)
