"""How far the arm is behind its reference: what is not felt in the torques may be seen in the angles."""

from __future__ import annotations

import math

from dynamics.kernels.decorators import inlined
from dynamics.kinematics import velocity_of_point


@inlined
def lag_behind(sensed, correction, work):
    """Farthest that the origin of a joint's frame, or the tool, is from where the reference wants it [m].

    To first order in the joint error, from the frames in ``work``. What ``settle`` has added to the
    reference, ``correction`` (n,), is no error.
    """
    n = sensed.q.size
    error = work.vector[0]
    for i in range(n):
        error[i] = sensed.q_ref[i] - correction[i] - sensed.q[i]
    tool = work.tool
    x, y, z = velocity_of_point(work, error, n, tool[0, 3], tool[1, 3], tool[2, 3])
    largest = x * x + y * y + z * z
    for link in range(1, n + 1):
        origin = work.origin[link]  # of its own frame, which it carries
        x, y, z = velocity_of_point(work, error, link, origin[0], origin[1], origin[2])
        largest = max(largest, x * x + y * y + z * z)
    return math.sqrt(largest)
