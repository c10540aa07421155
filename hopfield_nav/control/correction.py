"""Arrival with a model that is not exact, by a reference that is moved.

It is moved until the arm is where it should be. A control law without an integral stops where its
error balances what the model gets wrong. At the end of a trajectory, where the reference rests, the
measured joint error is therefore integrated into a correction of the reference, for any law:

    d(correction)/dt = rate (q_wanted - q),    q_ref = q_wanted + correction.

With a law of gains K0 and K1 the loop is stable where K1 is above the rate. In motion the
correction decays with the same rate. What a law, an estimator or a detector sees is the moved
reference, so the error that shows a contact is not integrated away; and the correction is at most
``MAX_CORRECTION``, so that nothing winds up.
"""

from dynamics.kernels.decorators import inlined

MAX_CORRECTION = 0.05  # [rad] of a joint


@inlined
def update_correction(correction, sensed, share, resting):
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
