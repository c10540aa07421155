"""How far a body of the arm can move when the joints turn: bounds that hold in every pose.

``joint_reach[b, i]`` is the largest distance of a point of body b from the axis of joint i + 1, so that
turning this joint by x moves no point of the body further than x times that.
"""

from __future__ import annotations

import numpy as np

from dynamics.arm import Arm
from hopfield_nav.arm_capsules import END, LINK, RADIUS, START

_ON_AXIS = 1e-12  # [m]


def joint_reach(arm: Arm, bodies: np.ndarray) -> np.ndarray:
    """Bound of every body's distance from every joint axis.

    Args:
        arm: the arm.
        bodies: (k, 12) from ``arm_capsules.arm_bodies``.

    Returns:
        (k, n) [m]; 0 for a joint that does not move the body: one beyond it, or one whose axis is the
        body's own.
    """
    reach = np.zeros((len(bodies), len(arm.dh)))
    for b, body in enumerate(bodies):
        link = int(body[LINK])
        for joint in range(link):
            reach[b, joint] = _own_axis(arm, body) if joint == link - 1 else _axis_before(arm, body, joint)
    return reach


def _ends_before_joint(arm: Arm, body: np.ndarray) -> np.ndarray:
    """The ends of a body's axis (2, 3) in the frame of the joint that carries it, its angle at zero."""
    link = int(body[LINK])
    _, d, a, _ = arm.dh[link - 1]
    cosine, sine = arm.twist[link - 1]
    x, y, z = np.array([body[START : START + 3], body[END : END + 3]]).T
    return np.column_stack([a + x, cosine * y - sine * z, d + sine * y + cosine * z])


def _own_axis(arm: Arm, body: np.ndarray) -> float:
    """From the axis of the joint that carries the body's link."""
    from_axis = float(np.hypot(*_ends_before_joint(arm, body)[:, :2].T).max())
    return from_axis + body[RADIUS] if from_axis > _ON_AXIS else 0.0


def _axis_before(arm: Arm, body: np.ndarray, joint: int) -> float:
    """From the axis of an earlier joint: along the chain of link offsets.

    An offset along an axis that is parallel to that of the joint leads no further away from it.
    """
    last = int(body[LINK]) - 1
    chain, parallel = abs(float(arm.dh[joint, 2])), True
    for row in range(joint + 1, last + 1):
        parallel = parallel and arm.twist[row - 1, 1] == 0.0
        if row < last:
            _, d, a, _ = arm.dh[row]
            chain += abs(float(a)) if parallel else float(np.hypot(d, a))
    ends = _ends_before_joint(arm, body)
    return chain + float(np.linalg.norm(ends[:, :2] if parallel else ends, axis=1).max()) + body[RADIUS]
