"""How far the arm lags behind its reference.

That shows a contact which is not felt in the torques.
"""

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import column, length, vector
from dynamics.kinematics import velocity_of_point


@inlined
def lag_behind(sensed, correction, work):
    """Farthest that the arm is from where its reference wants it [m].

    The origins of the joints' frames and the tool are looked at.     It is to first order in the
    joint error, from the frames in ``work``. What ``update_correction`` has added to the reference,
    ``correction`` (n,), is no error.
    """
    n = sensed.q.size
    error = work.vector[0]
    for i in range(n):
        error[i] = sensed.q_ref[i] - correction[i] - sensed.q[i]
    largest = length(velocity_of_point(work, error, n, column(work.tool, 3)))
    for link in range(1, n + 1):  # the origin of a link's own frame, which it carries
        origin = vector(work.origin, link, 0)
        largest = max(largest, length(velocity_of_point(work, error, link, origin)))
    return largest
