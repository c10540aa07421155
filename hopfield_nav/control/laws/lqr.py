"""A linear-quadratic regulator whose gains follow the linear model along the reference.

Every ``gain_period`` the law linearises its own model of the arm on the reference (tu2023 3.3:
moving linearisation, with exact derivatives) and solves the Riccati equation there; in between the
gain is kept. The torque is that of the reference, and the gain times the error:

    tau = M(q_ref) qdd_ref + C qd_ref + g - K [q - q_ref; qd - qd_ref],

where K minimises the integral of sum(position_weight q~² + velocity_weight q~'² + torque_weight
tau~²) for the linear model. A single joint of inertia m then has the frequency
(position_weight / torque_weight)^(1/4) / sqrt(m) and a damping ratio of at least 0.71.

``memory`` holds the time of the next gain, the gain, the derivatives and the scratch of the Riccati
equation. Both the frames in ``work`` and ``work.mass_matrix`` are those of the reference
afterwards.
"""

import math

from dynamics.derivative_passes import Slopes
from dynamics.derivatives import update_acceleration_slopes
from dynamics.kernels.decorators import inlined, kernel
from dynamics.kernels.views import view
from dynamics.kinematics import update_frames
from dynamics.newton_euler import newton_euler
from dynamics.riccati_equation import SCRATCH, riccati
from hopfield_nav.plugin import Method, Parameter, unpacker

FAILED = 2  # status: no new gain was found, the one before is kept
unpack = unpacker(
    Parameter(
        "position_weight", 1.0, 1e-9, 1e9, "1/rad²",
        "cost of a joint's error of position", per_joint=True,
    ),
    Parameter(
        "velocity_weight", 0.0, 0.0, 1e9, "s²/rad²",
        "cost of a joint's error of velocity", per_joint=True,
    ),
    Parameter(
        "torque_weight", (1.6e-5, 4.9e-6, 1.6e-6, 4e-4, 1e-2, 2.0), 1e-12, 1e9, "1/(N·m)²",
        "cost of a joint's torque beside that of the reference", per_joint=True,
        fitted_to="ur5_ragazzon2012",
    ),
    Parameter(
        "gain_period", 0.01, 0.0, 1e6, "s",
        "time between two gains; 0: one every control period",
    ),
)  # fmt: skip


def memory_size(n: int) -> int:
    """Floats of memory for an arm with ``n`` joints."""
    return 1 + 2 * n * n + 5 * n * n + 31 * n + (SCRATCH + 4) * 4 * n * n


def control(model, sensed, parameters, memory, work, tau):
    """Write tau = tau_ref - K x~, with a new gain K when one is due."""
    p = unpack(parameters)
    n = tau.size
    q, qd, q_ref, qd_ref = sensed.q, sensed.qd, sensed.q_ref, sensed.qd_ref
    gain = memory[1 : 1 + 2 * n * n].reshape(n, 2 * n)
    status = 0
    update_frames(model, q_ref, work)
    newton_euler(model, model.gravity, qd_ref, sensed.qdd_ref, work, tau)
    if sensed.time[0] >= memory[0] - 1e-9:
        memory[0] = sensed.time[0] + p.gain_period
        status = _update_gain(model, qd_ref, tau, p, memory[1 + 2 * n * n :], work, gain)
    for i in range(n):
        for j in range(n):
            tau[i] -= gain[i, j] * (q[j] - q_ref[j]) + gain[i, n + j] * (qd[j] - qd_ref[j])
    return status


@kernel
def _update_gain(model, qd, tau, p, scratch, work, gain):
    """Linearise on the reference, whose frames are in ``work``, and write K = R^-1 B^T X."""
    n = tau.size
    slopes, matrices = _arrays(scratch, n)
    update_acceleration_slopes(model, qd, tau, work, slopes)
    a, g, h, x = matrices[0], matrices[1], matrices[2], matrices[3]
    a[:] = 0.0
    g[:] = 0.0
    h[:] = 0.0
    inverse = slopes.qdd_tau
    size = 0.0  # mean fourth power of the closed-loop frequencies, as logarithm
    for i in range(n):
        a[i, n + i] = 1.0
        h[i, i] = p.position_weight[i]
        h[n + i, n + i] = p.velocity_weight[i]
        for j in range(n):
            a[n + i, j] = slopes.qdd_q[i, j]
            a[n + i, n + j] = slopes.qdd_qd[i, j]
            for k in range(n):
                g[n + i, n + j] += inverse[i, k] * inverse[j, k] / p.torque_weight[k]
        size += math.log(p.position_weight[i] * g[n + i, n + i]) / n
    if not riccati(a, g, h, math.exp(0.25 * size), matrices[4:], x):
        return FAILED
    for i in range(n):
        for j in range(2 * n):
            value = 0.0
            for k in range(n):
                value += inverse[i, k] * x[n + k, j]
            gain[i, j] = value / p.torque_weight[i]
    return 0


@inlined
def _arrays(scratch, n):
    """The derivatives' arrays and the (SCRATCH + 4, 2n, 2n) matrices.

    They are views of one flat array.
    """
    square = n * n
    at = 5 * n * n
    slopes = Slopes(
        qdd=view(scratch, at, (n,)),
        tau_q=view(scratch, 0, (n, n)),
        tau_qd=view(scratch, square, (n, n)),
        qdd_q=view(scratch, 2 * square, (n, n)),
        qdd_qd=view(scratch, 3 * square, (n, n)),
        qdd_tau=view(scratch, 4 * square, (n, n)),
        rate=view(scratch, at + n, (n, 6)),
        second=view(scratch, at + 7 * n, (n, 6)),
        flow=view(scratch, at + 13 * n, (n, 12)),
        force=view(scratch, at + 25 * n, (n, 6)),
    )
    return slopes, view(scratch, at + 31 * n, (SCRATCH + 4, 2 * n, 2 * n))


METHOD = Method(
    "controller", "lqr", control, unpack.declared, memory_size,
    description="linear-quadratic regulator on the moving linearisation (tu2023 3.3)",
)  # fmt: skip
