"""Alarm on the power of contact, from the energy of the arm (De Luca et al. 2006).

With E = ½ qd^T M qd + U(q) and dE/dt = qd^T (tau - friction) + qd^T tau_external, the scalar

    sigma = L (E - E(0) - ∫ (qd^T (tau - friction) + sigma) dt)

obeys dsigma/dt = L (qd^T tau_external - sigma): the low-passed power of contact.

One number for the whole arm: it says nothing of where or how, cannot feel a push on an arm at rest,
and gives no torque; so this is a detector, which works beside any estimator and does not read its
answer.

Sampled with period T: a held torque does the work tau^T (q - q_last) exactly, friction's is taken
by the trapezoidal rule, and sigma follows the mean external power with the exact lag. It starts
anew, at 0, at the first call and where ``time`` jumps.
"""

from dynamics.momentum import update_momentum
from hopfield_nav.control.sampling import SAMPLING, elapsed, lag_share
from hopfield_nav.plugin import Method, Parameter, unpacker

# places in the memory
SIGMA = SAMPLING
ENERGY = SAMPLING + 1
LOSS = SAMPLING + 2
ANGLES = SAMPLING + 3
unpack = unpacker(
    Parameter(
        "threshold", 0.5, 1e-12, 1e6, "W", "power of contact at which a collision is detected"
    ),
    Parameter("energy_pole", 100.0, 0.1, 1e5, "1/s", "rate at which the power is followed"),
)


def detect(model, sensed, parameters, memory, work, tau_external, wrench):
    """|sigma| as a share of the threshold."""
    p = unpack(parameters)
    q, qd, tau = sensed.q, sensed.qd, sensed.tau
    gravity = model.gravity
    momentum = work.vector[0]
    update_momentum(model, gravity, qd, work, momentum, work.vector[1])
    moment = work.composite[0]
    energy = -(gravity[0] * moment[1] + gravity[1] * moment[2] + gravity[2] * moment[3])
    loss = 0.0
    done = 0.0
    for i in range(q.size):
        energy += 0.5 * momentum[i] * qd[i]
        loss += sensed.friction[i] * qd[i]
        done += tau[i] * (q[i] - memory[ANGLES + i])
        memory[ANGLES + i] = q[i]
    period = elapsed(sensed, memory)
    if period > 0.0:
        mean = (energy - memory[ENERGY] - done) / period + 0.5 * (loss + memory[LOSS])
        memory[SIGMA] += lag_share(p.energy_pole, period) * (mean - memory[SIGMA])
    else:
        memory[SIGMA] = 0.0
    memory[ENERGY] = energy
    memory[LOSS] = loss
    return abs(memory[SIGMA]) / p.threshold


METHOD = Method(
    "detector", "energy", detect, unpack.declared, lambda n: ANGLES + n,
    description="power of contact from the arm's energy (De Luca et al. 2006)",
)  # fmt: skip
