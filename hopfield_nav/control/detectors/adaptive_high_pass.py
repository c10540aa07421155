"""Alarm on the fast part of the external torque, with thresholds that allow for a wrong model.

``high_pass_joint_torque`` forgets what changes slowly, which is most of the error of gravity;
``adaptive_joint_torque`` allows for the whole error, gravity included, and so feels little. Here
the model's own torques go through the same high pass as the residual: what remains of the error is

    mass_error |H(M qdd_ref + C qd + g)| + friction_error |H(friction)|
        + stiction_share · (1 + friction_error) breakaway · exp(-(qd/stiction_speed)²)

with H = s/(s + corner). Each joint's allowance is held at its peak and forgotten at the rate
``corner``, as the filter forgets what it has seen; an observer's lag is covered by that too. At the
start the model's torques count in full: that is when an observer, which starts from 0, meets the
model's whole error at once.
"""

from dataclasses import replace

from hopfield_nav.control.detectors.high_pass_joint_torque import CORNER, high_pass
from hopfield_nav.control.detectors.joint_torque import THRESHOLD
from hopfield_nav.control.model_error import MODEL_ERROR, hidden_friction, update_model_torques
from hopfield_nav.control.sampling import SAMPLING, elapsed, lag_share
from hopfield_nav.plugin import JOINT_TORQUES, Method, unpacker

NOISE_THRESHOLD = replace(
    THRESHOLD,
    default=(1.8, 2.2, 1.0, 0.2, 0.15, 0.15),
    description=f"{THRESHOLD.description}, where the model has nothing wrong",
    fitted_to="ur5_ragazzon2012",
)
unpack = unpacker(NOISE_THRESHOLD, CORNER, *MODEL_ERROR)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """Largest high-passed |torque| as a share of the joint's threshold at this moment.

    The memory holds slow parts of residual, model torque and friction, and the allowances.
    """
    p = unpack(parameters)
    n = tau_external.size
    update_model_torques(model, sensed, work)
    inertial, weight = work.vector[0], work.vector[1]
    period = elapsed(sensed, memory)
    level = 0.0
    share = lag_share(p.corner, period) if period > 0.0 else 1.0
    known = share if period > 0.0 else 0.0  # at the start the model's torques appear as a step
    for i in range(n):
        if period == 0.0:
            for part in range(1, 4):
                memory[SAMPLING + part * n + i] = 0.0
        fast = high_pass(tau_external[i], share, memory, SAMPLING + i)
        model_torque = high_pass(inertial[i] + weight[i], known, memory, SAMPLING + n + i)
        friction = high_pass(sensed.friction[i], known, memory, SAMPLING + 2 * n + i)
        allowance = p.mass_error * abs(model_torque) + p.friction_error * abs(friction)
        hidden = hidden_friction(model, sensed, i, p.stiction_speed, p.friction_error)
        allowance += p.stiction_share * hidden
        held = SAMPLING + 3 * n + i
        memory[held] = max(allowance, (1.0 - share) * memory[held])
        level = max(level, abs(fast) / (p.threshold[i] + memory[held]))
    return level


METHOD = Method(
    "detector", "adaptive_high_pass", detect, unpack.declared, lambda n: SAMPLING + 4 * n,
    description="fast part of the external torque, thresholds that allow for errors of the model",
    needs=JOINT_TORQUES,
)  # fmt: skip
