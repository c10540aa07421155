"""What a plan goes through: joint angles (n,) or poses of the tool (4, 4), told apart by their shape."""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.kinematics import forward_kinematics
from dynamics.poses import as_poses


def as_station(arm: Arm, value: object, where: str) -> np.ndarray:
    """Joint angles (n,) within the limits, or a rigid pose (4, 4), as float64.

    Raises:
        BadInput: neither, not finite, or a joint beyond its limits.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput("no numbers", where=where, found=value) from None
    if array.shape == (4, 4):
        return as_poses(array, where)[0][0]
    if array.shape != (len(arm.dh),) or not np.isfinite(array).all():
        allowed = f"({len(arm.dh)},) joint angles or a (4, 4) pose, finite"
        raise BadInput("neither joints nor a pose", where=where, found=array.shape, allowed=allowed)
    outside = np.nonzero((array < arm.position_limits[:, 0]) | (array > arm.position_limits[:, 1]))[0]
    if len(outside):
        i = int(outside[0])
        low, high = arm.position_limits[i]
        raise BadInput(
            f"joint {i + 1} beyond its limits",
            where=where,
            found=float(array[i]),
            allowed=f"{low:.6g} to {high:.6g} rad",
        )
    return array


def is_pose(station: np.ndarray) -> bool:
    """Whether a station is a pose of the tool, and leaves the joints open."""
    return station.shape == (4, 4)


def pose_of(arm: Arm, station: np.ndarray) -> np.ndarray:
    """The tool's pose (4, 4) at a station."""
    return station if is_pose(station) else forward_kinematics(arm, station)
