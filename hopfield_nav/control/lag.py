"""How far the arm lags behind its reference, which shows a contact that is not felt in the torques."""

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import column, length, vector
from dynamics.kinematics import velocity_of_point


@inlined
def lag_behind(sensed, correction, work):
    """Farthest that the origin of a joint's frame, or the tool, is from where the reference wants it [m].

    To first order in the joint error, from the frames in ``work``. What ``update_correction`` has
    added to the reference, ``correction`` (n,), is no error.
    """
    n = sensed.q.size
    error = work.vector[0]
    for i in range(n):
        error[i] = sensed.q_ref[i] - correction[i] - sensed.q[i]
    largest = length(velocity_of_point(work, error, n, column(work.tool, 3)))
    for link in range(1, n + 1):  # the origin of a link's own frame, which it carries
        largest = max(
            largest, length(velocity_of_point(work, error, link, vector(work.origin, link, 0)))
        )
    return largest
