"""The number of base parameters by a closed formula, from the joint axes.

For revolute joints Gautier and Khalil count 7 a link less
4, and 2 less again where axis 1 is parallel to gravity. That is for an arm whose second axis is not
parallel to the first; with k leading axes that are parallel to each other (a planar arm has nothing
else) each of those k links has only ZZ, MX and MY:

    7 (n - k) + 3 k - 2 c,

where c counts the leading joints on the very line of axis 1, if gravity is parallel to it (their MX
and MY do nothing), else c = 0. Rotor inertias add n - 1, since that of joint 1 joins ZZ1, and one
less where the first axis that leaves the direction of axis 1 is perpendicular to it, since that
rotor joins its link's ZZ.

Source: madsen2020 (9), corrected to hold for parallel leading axes as well; Gautier and Khalil
1990.
"""

import numpy as np

from dynamics import Arm, link_frames

_ANGLE = 1e-9  # sine or cosine below which axes count as parallel or perpendicular


def base_parameter_count(arm: Arm, rotor: bool = False) -> int:
    """Number of base parameters by the closed formula, with rotor inertias or without; gravity matters.

    Source: madsen2020 (9).
    """
    n = len(arm.dh)
    frames = link_frames(arm, np.zeros(len(arm.dh)))[:-1]
    axes, points = frames[:, :3, 2], frames[:, :3, 3]
    k = _leading(np.linalg.norm(np.cross(axes, axes[0]), axis=1) < _ANGLE)
    away = np.linalg.norm(np.cross(points - points[0], axes[0]), axis=1)
    g = np.linalg.norm(arm.gravity)
    upright = g == 0 or np.linalg.norm(np.cross(arm.gravity, axes[0])) < _ANGLE * g
    on_axis = min(_leading(away < _ANGLE), k) if upright else 0
    count = 7 * (n - k) + 3 * k - 2 * on_axis
    if not rotor:
        return count
    perpendicular = k < n and abs(axes[k] @ axes[0]) < _ANGLE
    return count + n - 1 - int(perpendicular)


def _leading(flags: np.ndarray) -> int:
    """How many of the first flags are set without a break."""
    return len(flags) if flags.all() else int(np.argmin(flags))
