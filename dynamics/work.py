"""Scratch arrays of the kernels, allocated once and handed from kernel to kernel."""

from typing import NamedTuple

import numpy as np


class Work(NamedTuple):
    """Scratch arrays for an arm with ``n`` joints; each kernel says which it reads and writes."""

    turn: np.ndarray  # (n, 2) cosine and sine of the joint angles
    rotation: np.ndarray  # (n, 3, 3) R_base_i, axes of frame i in base
    origin: np.ndarray  # (n + 1, 3) origin of frames 0…n in base [m]
    tool: np.ndarray  # (4, 4) T_base_tool
    motion: np.ndarray  # (n, 6) axis of joint i and its moment about the base origin [angular, linear]
    # (n, 10) mass, first moment (3), and second moment (6: xx, xy, xz, yy, yz, zz) of links i…n about the
    # base origin, base axes
    composite: np.ndarray
    force: np.ndarray  # (n, 6) moment about the base origin and force that joint i transmits
    mass_matrix: np.ndarray  # (n, n)
    bias: np.ndarray  # (n,) C qd + g
    jacobian: np.ndarray  # (6, n)
    link: np.ndarray  # (n, 6) per-link values of the recursive Newton-Euler passes
    square: np.ndarray  # (6, 6) for small linear systems
    vector: np.ndarray  # (2, max(n, 6)) for methods to use


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
