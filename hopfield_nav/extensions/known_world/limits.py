"""What a motion must keep: speed, acceleration and torque of the joints, speed of the tool."""

import math
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, inverse_dynamics, jacobian, joint_friction_torque
from hopfield_nav.loop import Trajectory, sample

ACCELERATION = 1.4  # [rad/s²] what movej takes when it is told nothing (URScript manual)
TORQUE_SHARE = 0.9  # of the torque limits; the rest is left to the controller
_INSIDE = 8  # samples a piece at which a trajectory is measured


class MotionLimits(NamedTuple):
    """Upper limits of the amounts, infinite where there is none."""

    speed: np.ndarray  # (n,) of the joints [rad/s]
    acceleration: np.ndarray  # (n,) of the joints [rad/s²]
    torque: np.ndarray  # (n,) of the motors at the joints, friction included [N·m]
    tool_speed: float  # of the tool point [m/s]


class Shares(NamedTuple):
    """Largest amounts of a trajectory as shares of its limits; 1 is at the limit, 0 where there is none."""

    speed: float
    acceleration: float
    torque: float
    tool_speed: float


def motion_limits(
    arm: Arm,
    acceleration: float | np.ndarray = ACCELERATION,
    share: float = TORQUE_SHARE,
    tool_speed: float | None = None,
) -> MotionLimits:
    """Limits of an arm's motion: its own of speed, a share of those of torque, and what is given.

    ``acceleration`` [rad/s²] is one number or (n,); with the share ``inf`` torque is not limited, with None the
    tool's speed [m/s].
    """
    n = len(arm.dh)
    try:
        each = np.asarray(acceleration, dtype=np.float64)
        shared, tool = float(share), math.inf if tool_speed is None else float(tool_speed)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("limits are numbers", found=(acceleration, share, tool_speed)) from None
    if each.shape not in {(), (n,)} or not np.all((each > 0) & (each < np.inf)):
        allowed = f"one number, or {n} [rad/s²]"
        raise BadInput("acceleration must be positive", found=acceleration, allowed=allowed)
    for name, value in (("share", shared), ("tool_speed", tool)):
        if not value > 0:
            raise BadInput(f"{name} must be positive", found=value)
    torque = arm.torque_limits * shared if shared < math.inf else np.full(n, np.inf)
    return MotionLimits(arm.speed_limits.copy(), np.zeros(n) + each, torque, tool)


def motor_torque(arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Torque of the motors, (..., n) [N·m], friction of the arm's joints included."""
    return inverse_dynamics(arm, q, qd, qdd) + joint_friction_torque(arm, qd)


def largest_shares(arm: Arm, trajectory: Trajectory, limits: MotionLimits) -> Shares:
    """Largest share of every limit, from samples inside every piece of a trajectory and at its ends."""
    _, q, qd, qdd = sample(trajectory, _INSIDE)
    torque = motor_torque(arm, q, qd, qdd)
    tool = np.linalg.norm(np.einsum("kij,kj->ki", jacobian(arm, q)[:, :3], qd), axis=1)
    amounts = zip((qd, qdd, torque, tool), limits, strict=True)
    return Shares(*(float(np.max(np.abs(amount) / limit)) for amount, limit in amounts))
