"""Scratch arrays of the kernels, allocated once and handed from kernel to kernel."""

from typing import NamedTuple

import numpy as np


class Work(NamedTuple):
    """Scratch arrays for an arm with ``n`` joints; each kernel says which it reads and writes.

    Attributes:
        turn: (n, 2) cosine and sine of the joint angles.
        rotation: (n, 3, 3) R_base_i, axes of frame i in base.
        origin: (n + 1, 3) origin of frames 0…n in base [m].
        tool: (4, 4) T_base_tool.
        motion: (n, 6) axis of joint i and its moment about the base origin [angular, linear].
        composite: (n, 10) mass, first moment (3), and second moment (6: xx, xy, xz, yy, yz, zz) of
            links i…n about the base origin, base axes.
        force: (n, 6) moment about the base origin and force that joint i transmits.
        mass_matrix: (n, n).
        bias: (n,) C qd + g.
        jacobian: (6, n).
        link: (n, 6) per-link values of the recursive Newton-Euler passes.
        square: (6, 6) for small linear systems; vector: (2, max(n, 6)) for methods to use.
    """

    turn: np.ndarray
    rotation: np.ndarray
    origin: np.ndarray
    tool: np.ndarray
    motion: np.ndarray
    composite: np.ndarray
    force: np.ndarray
    mass_matrix: np.ndarray
    bias: np.ndarray
    jacobian: np.ndarray
    link: np.ndarray
    square: np.ndarray
    vector: np.ndarray


def make_work(n: int) -> Work:
    """Scratch arrays for an arm with ``n`` joints."""
    return Work(
        turn=np.zeros((n, 2)),
        rotation=np.zeros((n, 3, 3)),
        origin=np.zeros((n + 1, 3)),
        tool=np.eye(4),
        motion=np.zeros((n, 6)),
        composite=np.zeros((n, 10)),
        force=np.zeros((n, 6)),
        mass_matrix=np.zeros((n, n)),
        bias=np.zeros(n),
        jacobian=np.zeros((6, n)),
        link=np.zeros((n, 6)),
        square=np.zeros((6, 6)),
        vector=np.zeros((2, max(n, 6))),
    )
