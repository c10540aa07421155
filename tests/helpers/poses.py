"""Joint positions and poses of a tool that several tests use."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

HOME = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])  # q0 of ragazzon2012 7.1


def frame_of(x: float, y: float, z: float, rotation_vector=(0, 0, 0)) -> np.ndarray:
    """A pose (4, 4) at a place, turned by a rotation vector."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_rotvec(rotation_vector).as_matrix(), (x, y, z)
    return T
