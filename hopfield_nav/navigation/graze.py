"""A graze: a touch whose force does not oppose the motion, which the arm passes by instead of going back.

It owns which touches are grazes, and where the leg ends on which the arm goes on. The alarm guards the
passage (``control.pass_by``): a force that grows by a whole threshold ends it.
"""

from __future__ import annotations

import numpy as np

from dynamics import Arm, jacobian
from hopfield_nav.navigation.legs import LEAST_FORCE, Leg
from hopfield_nav.navigation.motion import PlannedMotion

ALONG = (
    0.5**0.5
)  # cosine between force and motion below which the motion along the surface is the larger part
SLOWER = 2.0  # times as long as usual takes the rest of a leg on which a touch is passed by


def is_graze(
    arm: Arm, motion: PlannedMotion, leg: Leg, force: np.ndarray, q_ref: np.ndarray, qd_ref: np.ndarray
) -> bool:
    """Whether a touch may be passed by.

    Its force opposes neither the touched leg nor the present motion. The first leg of a motion is a retreat,
    or one on which a touch has been passed by already: there none is.

    Args:
        arm: kinematics of the controller.
        motion: that the arm makes.
        leg: that was touched.
        force: (3,) estimated force on the tool [N].
        q_ref: (n,) reference [rad].
        qd_ref: (n,) its velocity [rad/s].
    """
    velocity = (jacobian(arm, q_ref) @ qd_ref)[:3]
    size, speed = float(np.linalg.norm(force)), float(np.linalg.norm(velocity))
    if motion.reaction or leg.number == 0 or size <= LEAST_FORCE or speed == 0.0:
        return False
    return max(-float(force @ leg.direction), -float(force @ velocity) / speed) < ALONG * size


def leg_under_way(motion: PlannedMotion, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Where the leg begins and ends, (3,) each [m], on which the reference is at a time [s]."""
    if motion.trajectory is None or motion.places is None:
        raise RuntimeError("an arm that follows no legs grazes nothing")
    number = int(np.searchsorted(motion.trajectory.knots, time, side="right")) - 1
    number = min(max(number, 0), len(motion.places) - 2)
    return motion.places[number], motion.places[number + 1]
