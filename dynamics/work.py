"""Scratch arrays of the kernels, allocated once and handed from kernel to kernel."""

from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined
from dynamics.kernels.views import view


class Work(NamedTuple):
    """Scratch arrays for an arm with ``n`` joints; each kernel says which it reads and writes."""

    turn: np.ndarray  # (n, 2) cosine and sine of the joint angles
    rotation: np.ndarray  # (n, 3, 3) R_base_i, axes of frame i in base
    origin: np.ndarray  # (n + 1, 3) origin of frames 0…n in base [m]
    tool: np.ndarray  # (4, 4) T_base_tool
    # (n, 6) axis of joint i and its moment about the base origin [angular, linear]
    motion: np.ndarray
    # (n, 10) mass, first moment (3), and second moment (6: xx, xy, xz, yy, yz, zz) of links i…n
    # about the base origin, base axes
    composite: np.ndarray
    force: np.ndarray  # (n, 6) moment about the base origin and force that joint i transmits
    mass_matrix: np.ndarray  # (n, n)
    bias: np.ndarray  # (n,) C qd + g
    jacobian: np.ndarray  # (6, n)
    link: np.ndarray  # (n, 6) per-link values of the recursive Newton-Euler passes
    square: np.ndarray  # (6, 6) for small linear systems
    vector: np.ndarray  # (2, max(n, 6)) for methods to use
    still: np.ndarray  # (n,) no speed, once its user has written that
    weightless: np.ndarray  # (3,) no gravity, once its user has written that


def make_work(n: int) -> Work:
    """Scratch arrays for an arm with ``n`` joints."""
    return work_in.__wrapped__(np.zeros(room_for(n)), n)


def room_for(n: int) -> int:
    """How many numbers the scratch arrays of an arm with ``n`` joints take.

    What they hold is arbitrary.
    """
    return 58 + n * (50 + n) + 2 * max(n, 6)


@inlined
def work_in(scratch, n):
    """Scratch arrays for an arm with ``n`` joints, as views of one with ``room_for(n)`` numbers."""
    last = 55 + n * (43 + n)
    behind = last + 6 * n + 2 * max(n, 6)
    work = Work(
        turn=view(scratch, 0, (n, 2)),
        rotation=view(scratch, 2 * n, (n, 3, 3)),
        origin=view(scratch, 11 * n, (n + 1, 3)),
        tool=view(scratch, 14 * n + 3, (4, 4)),
        motion=view(scratch, 14 * n + 19, (n, 6)),
        composite=view(scratch, 20 * n + 19, (n, 10)),
        force=view(scratch, 30 * n + 19, (n, 6)),
        link=view(scratch, 36 * n + 19, (n, 6)),
        bias=view(scratch, 42 * n + 19, (n,)),
        mass_matrix=view(scratch, 43 * n + 19, (n, n)),
        square=view(scratch, last - 36, (6, 6)),
        jacobian=view(scratch, last, (6, n)),
        vector=view(scratch, last + 6 * n, (2, max(n, 6))),
        still=view(scratch, behind, (n,)),
        weightless=view(scratch, behind + n, (3,)),
    )
    work.tool[3, 0] = work.tool[3, 1] = work.tool[3, 2] = 0.0
    work.tool[3, 3] = 1.0
    return work
