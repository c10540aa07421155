"""Arrival with a model that is not exact: the reference is moved until the arm is where it should be.

A control law without an integral stops where its error balances what the model gets wrong. At the end of a
trajectory, where the reference rests, the measured joint error is therefore integrated into a correction of the
reference, for any law:

    d(correction)/dt = rate (q_wanted - q),    q_ref = q_wanted + correction.

With a law of gains K0 and K1 the loop is stable where K1 is above the rate. In motion the correction decays with the
same rate. What a law, an estimator or a detector sees is the moved reference, so the error that shows a contact is not
integrated away; and the correction is at most ``MAX_CORRECTION``, so that nothing winds up. How far the arm lags behind
its reference shows a contact that is not felt in the torques.
"""

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import column, length, vector
from dynamics.kinematics import velocity_of_point

MAX_CORRECTION = 0.05  # [rad] of a joint


@inlined
def settle(correction, sensed, share, resting):
    """Bring the ``correction`` (n,) [rad] up to date; ``sensed.q_ref`` is where the arm should be.

    ``share``: rate times the time since the last call, at most 1.
    """
    for i in range(correction.size):
        if resting:
            correction[i] += share * (sensed.q_ref[i] - sensed.q[i])
        else:
            correction[i] -= share * correction[i]
        correction[i] = min(max(correction[i], -MAX_CORRECTION), MAX_CORRECTION)


@inlined
def move_reference(correction, sensed):
    """Add the correction to the reference."""
    for i in range(correction.size):
        sensed.q_ref[i] += correction[i]


@inlined
def lag_behind(sensed, correction, work):
    """Farthest that the origin of a joint's frame, or the tool, is from where the reference wants it [m].

    To first order in the joint error, from the frames in ``work``. What ``settle`` has added to the reference,
    ``correction`` (n,), is no error.
    """
    n = sensed.q.size
    error = work.vector[0]
    for i in range(n):
        error[i] = sensed.q_ref[i] - correction[i] - sensed.q[i]
    largest = length(velocity_of_point(work, error, n, column(work.tool, 3)))
    for link in range(1, n + 1):  # the origin of a link's own frame, which it carries
        largest = max(largest, length(velocity_of_point(work, error, link, vector(work.origin, link, 0))))
    return largest
