"""One control period: sensed signals and reference in, torque and alarm level out.

The control computer sees what is in ``Sensed`` and its own model of the arm. The plant's true state
is not among its arguments.
"""

from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.newton_euler import newton_euler
from dynamics.work import Work
from hopfield_nav.control.believed_friction import (
    FrictionBelief,
    believed_at,
    make_friction_belief,
    update_believed_friction,
)
from hopfield_nav.control.sensors import Sensors
from hopfield_nav.plugin import DAMPED, Applied


class Controller(NamedTuple):
    """The control computer, its model and its methods."""

    model: Arm  # the arm as the controller believes it to be
    # law, estimator, detector: its methods, with their parameters and memories
    law: Applied
    estimator: Applied
    detector: Applied
    reporter: Applied  # the detector at ``detection.report``; without parameters where that is null
    # (k,) of the threshold in each segment of the trajectory; none: the whole of it in all
    shares: np.ndarray
    torque_limits: np.ndarray  # (n,) saturation [N·m]; infinite where it is off
    feedforward: bool  # whether the believed friction at the reference speed is added to the torque
    sensors: Sensors  # the errors of its measurements
    work: Work  # scratch of its own


@record
class BeliefNow:
    """The numbers of ``ControlBelief``."""

    level: float = 0.0  # alarm level as a share of the threshold
    damped: bool = False  # whether the wrench was damped near a singularity


class ControlBelief(NamedTuple):
    """What the control computer believes of the world."""

    now: BeliefNow  # its numbers
    friction: FrictionBelief  # the path that the joints' friction depends on
    tau_external: np.ndarray  # (n,) torque of contact on the joints [N·m]
    wrench: np.ndarray  # (6,) at the tool [N, N·m]


def make_belief(n: int) -> ControlBelief:
    """A belief of zeros for an arm with ``n`` joints."""
    return ControlBelief(BeliefNow(), make_friction_belief(n), np.zeros(n), np.zeros(6))


@inlined
def update_model_frames(model, sensed, work):
    """Bring the frames that every method may rely on up to date with the measured joint angles."""
    update_frames(model, sensed.q, work)
    update_tool_position(model, work)


@inlined
def follow_arm(sensed):
    """Let the reference be the measured joint angles: a floating arm has no other reference."""
    for i in range(sensed.q.size):
        sensed.q_ref[i], sensed.qd_ref[i], sensed.qdd_ref[i] = sensed.q[i], sensed.qd[i], 0.0


@inlined
def estimate_and_judge(model, estimator, detector, resolution, sensed, work, belief):
    """Update the belief: friction, external torque, wrench, alarm level.

    ``resolution`` (n,) is the step of the encoders [rad]; the frames in ``work`` are up to date.
    """
    tau_external, wrench = belief.tau_external, belief.wrench
    update_believed_friction(model, sensed, resolution, belief.friction)
    status = estimator.kernel(
        model, sensed, estimator.parameters, estimator.memory, work, tau_external, wrench
    )
    for k in range(6):
        sensed.felt[k] = wrench[k]
    belief.now.damped = status == DAMPED
    belief.now.level = detector.kernel(
        model, sensed, detector.parameters, detector.memory, work, tau_external, wrench
    )


@inlined
def command_torque(controller, sensed, floating, tau):
    """Write the law's torque, held to the limits, to ``tau``; returns whether a limit was met.

    Where the arm is ``floating`` it is the torque that bears the arm's weight in the controller's
    model, and no friction: friction that is too large in the model would drive the arm. Reads the
    frames in ``controller.work``.
    """
    law, limits = controller.law, controller.torque_limits
    model, work = controller.model, controller.work
    if floating:
        still = work.still
        for i in range(tau.size):
            still[i] = 0.0
        newton_euler(model, model.gravity, still, still, work, tau)
    else:
        law.kernel(model, sensed, law.parameters, law.memory, work, tau)
        if controller.feedforward:
            for i in range(tau.size):
                tau[i] += believed_at(model, i, sensed.qd_ref[i])
    saturated = False
    for i in range(tau.size):
        if abs(tau[i]) > limits[i]:
            tau[i] = limits[i] if tau[i] > 0.0 else -limits[i]
            saturated = True
    return saturated
