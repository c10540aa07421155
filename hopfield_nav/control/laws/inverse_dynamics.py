"""Inverse dynamics: each joint becomes a damped linear oscillator (ragazzon2012 chapter 4)."""

import numpy as np

from dynamics.newton_euler import newton_euler
from hopfield_nav.plugin import Gains, Method, Parameter, unpacker

_OMEGA = (22.5, 22.5, 37.5, 60.0, 67.5, 75.0)
OMEGA = Parameter(
    "omega", _OMEGA, 1e-3, 1e4, "rad/s", "natural frequency of each joint", per_joint=True
)
DAMPING_RATIO = Parameter(
    "damping_ratio", 1.0, 0.01, 100.0, "1", "of each joint; 1: critically damped", per_joint=True
)
unpack = unpacker(OMEGA, DAMPING_RATIO)


def control(model, sensed, parameters, memory, work, tau):
    """Write tau = M a_q + C qd + g with a_q = qdd_ref - K0 q~ - K1 q~' (4.1), (4.4).

    The document's (4.6) has zeta = 1.
    """
    q, qd, q_ref, qd_ref, qdd_ref = sensed.q, sensed.qd, sensed.q_ref, sensed.qd_ref, sensed.qdd_ref
    p = unpack(parameters)
    acceleration = work.vector[0]
    for i in range(q.size):
        omega, zeta = p.omega[i], p.damping_ratio[i]
        acceleration[i] = (
            qdd_ref[i]
            - omega * omega * (q[i] - q_ref[i])
            - 2.0 * zeta * omega * (qd[i] - qd_ref[i])
        )
    newton_euler(model, model.gravity, qd, acceleration, work, tau)
    return 0


def gains_of(values):
    """K0 = omega² and K1 = 2 zeta omega (4.6)."""
    omega = np.asarray(values["omega"])
    return Gains(omega * omega, 2.0 * np.asarray(values["damping_ratio"]) * omega)


METHOD = Method(
    "controller", "inverse_dynamics", control, unpack.declared,
    description="inverse dynamics, each joint with a natural frequency and a damping ratio"
    " (ragazzon2012 chapter 4)",
    gains=gains_of,
)  # fmt: skip
