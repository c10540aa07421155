"""Section 3.2, (3.4): the orientation between two others, and which way round it goes."""

from typing import NamedTuple

import numpy as np
from ledger import Rows, judged
from scipy.spatial.transform import Rotation, Slerp

from hopfield_nav.extensions.known_world import poses_at, straight_line


class Turned(NamedTuple):
    """(3.4) for random pairs of orientations."""

    longer: float  # share that (3.4) as printed takes the longer way round
    most: float  # largest angle it turns by [rad]
    ours: float  # largest angle that our line turns by [rad]
    apart: float  # largest difference of our line from scipy's slerp


def power(quaternions: np.ndarray, t: float) -> np.ndarray:
    """(k, 4) Q^t with the angle of each as it stands, 2 acos w in [0, 2π]; scalar last."""
    w = np.clip(quaternions[:, 3], -1.0, 1.0)
    half = np.arccos(w)
    axis = quaternions[:, :3] / np.sin(half)[:, None]
    return np.column_stack([axis * np.sin(t * half)[:, None], np.cos(t * half)])


def printed_turns(Q1: np.ndarray, Q2: np.ndarray, t: float = 1e-3) -> np.ndarray:
    """(k,) angle [rad] by which (3.4) turns from Q1 to Q2 in all, from its first ``t``."""
    step = power(product(Q1 * [-1, -1, -1, 1], Q2), t)
    return 2 * np.arctan2(np.linalg.norm(step[:, :3], axis=1), np.abs(step[:, 3])) / t


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(k, 4) p q of quaternions, scalar last."""
    v = p[:, 3:] * q[:, :3] + q[:, 3:] * p[:, :3] + np.cross(p[:, :3], q[:, :3])
    return np.column_stack([v, p[:, 3] * q[:, 3] - (p[:, :3] * q[:, :3]).sum(axis=1)])


def turned(count: int = 5000, seed: int = 34) -> Turned:
    """Quaternions from matrices with w ≥ 0, as a library hands them out."""
    both = Rotation.random(2 * count, random_state=np.random.default_rng(seed)).as_matrix()
    first, second = both.reshape(2, count, 3, 3)
    Q1, Q2 = (Rotation.from_matrix(R).as_quat(canonical=True) for R in (first, second))
    angles = printed_turns(Q1, Q2)
    ours, apart = 0.0, 0.0
    for k in range(count // 10):
        T = np.tile(np.eye(4), (2, 1, 1))
        T[:, :3, :3] = first[k], second[k]
        line = straight_line(T)
        ours = max(ours, float(line.angles[0]))
        exact = Slerp([0, 1], Rotation.from_matrix(T[:, :3, :3]))([0.3, 0.8]).as_matrix()
        found = poses_at(line, np.array([0.3, 0.8]))[:, :3, :3]
        apart = max(apart, float(np.abs(found - exact).max()))
    return Turned(float((angles > np.pi).mean()), float(angles.max()), ours, apart)


def rows() -> Rows:
    found = turned()
    ours = (
        f"as printed {100 * found.longer:.0f} % of random pairs turn the longer way, by up to"
        f" {np.degrees(found.most):.0f}°; ours by at most {np.degrees(found.ours):.0f}°, equal to scipy's"
        f" slerp to {found.apart:.0e}"
    )
    yield judged("nowoczyn2023.slerp", ours, found.longer == 0.0)
