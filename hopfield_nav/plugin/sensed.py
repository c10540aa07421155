"""What the control computer knows of the arm, as methods are handed it."""

from typing import NamedTuple

import numpy as np


class Sensed(NamedTuple):
    """What the control computer knows at the start of a control period."""

    time: np.ndarray  # (1,) simulated time [s]
    # q, qd: (n,) measured joint angles [rad] and velocities [rad/s]
    q: np.ndarray
    qd: np.ndarray
    # q_ref, qd_ref, qdd_ref: (n,) reference [rad, rad/s, rad/s²]
    q_ref: np.ndarray
    qd_ref: np.ndarray
    qdd_ref: np.ndarray
    tau: np.ndarray  # (n,) torque commanded over the last period [N·m]
    # (6,) what a sensor at the flange measures, the payload taken off: force [N] and moment about the flange
    # frame's origin [N·m] that the world exerts on the tool, flange axes; zero without one
    wrench: np.ndarray
    # (6,) what the estimator has made of all this, for the control law: the wrench at the tool point, base
    # axes; of the period before when the estimator itself is called
    felt: np.ndarray
    friction: np.ndarray  # (n,) what friction takes from the motors, as the controller's model has it [N·m]
    friction_doubt: np.ndarray  # (n,) by how much it may be wrong while a gear's strain is not known [N·m]


def make_sensed(n: int) -> Sensed:
    """A record of zeros for an arm with ``n`` joints."""
    q, qd, q_ref, qd_ref, qdd_ref, tau = np.zeros((6, n))
    wrench, felt, friction, doubt = np.zeros(6), np.zeros(6), np.zeros(n), np.zeros(n)
    return Sensed(np.zeros(1), q, qd, q_ref, qd_ref, qdd_ref, tau, wrench, felt, friction, doubt)
