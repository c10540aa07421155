"""Parameter sets beside each other: torques at the same operating points (tu2023, 4.2)."""

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.newton_euler import inverse_dynamics


class OperatingPoints(NamedTuple):
    """States at which torques are compared.

    Angle [rad], velocity [rad/s], acceleration [rad/s²]; (k, n).
    """

    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class TorqueDifference(NamedTuple):
    """How far the torques of one set are from those of a reference."""

    mean_absolute: np.ndarray  # (n,) mean absolute error per joint [N·m], tu2023 (59)
    # (n,) the same as a share of the reference's mean absolute torque; infinite where the reference
    # needs no torque and the other does, 0 where neither does
    relative: np.ndarray


def random_operating_points(
    rng: np.random.Generator,
    count: int,
    joints: int = 6,
    speed: float = np.pi,
    acceleration: float = np.pi,
) -> OperatingPoints:
    """Independent uniform states.

    Angles of a full turn, speeds and accelerations up to a limit [SI].

    Raises ``BadInput``: no points or joints, or a limit that is negative or not finite.
    """
    if count < 1 or joints < 1:
        raise BadInput("at least one point and one joint", found=(count, joints))
    if not all(np.isfinite(limit) and limit >= 0 for limit in (speed, acceleration)):
        raise BadInput("a limit must be finite and not negative", found=(speed, acceleration))
    return OperatingPoints(
        *(rng.uniform(-x, x, (count, joints)) for x in (np.pi, speed, acceleration))
    )


def compare_torques(reference: Arm, other: Arm, points: OperatingPoints) -> TorqueDifference:
    """Mean absolute difference of the joint torques of two sets.

    Raises ``BadInput``: points that do not fit the arms.
    """
    expected, compared = (
        np.atleast_2d(inverse_dynamics(arm, *points)) for arm in (reference, other)
    )
    error, size = np.abs(compared - expected).mean(axis=0), np.abs(expected).mean(axis=0)
    share = np.where(error > 0, np.inf, 0.0)
    np.divide(error, size, out=share, where=size > 0)
    return TorqueDifference(error, share)
