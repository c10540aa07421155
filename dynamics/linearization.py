"""The arm as a linear system about any operating point: x = [q, qd], u = tau, dx/dt = A x + B u.

x, u and y are deviations from the operating point, which need not be an equilibrium. One point is a
local linearisation, the points of a trajectory are a moving one (tu2023 2.3).
"""

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import as_rows
from dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from dynamics.errors import require_known
from dynamics.kinematics import jacobian
from dynamics.newton_euler import inverse_dynamics

OUTPUTS = ("state", "position", "velocity", "tool")


class LinearModel(NamedTuple):
    """A linear system of the arm, or a batch of them."""

    A: np.ndarray  # (..., 2n, 2n) state matrix
    B: np.ndarray  # (..., 2n, n) input matrix
    C: np.ndarray  # (..., p, 2n) output matrix
    D: np.ndarray  # (..., p, n) zero: torque reaches no output at once


def linearize(
    arm: Arm, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, output: str | np.ndarray = "state"
) -> LinearModel:
    """Exact linear model of the forward dynamics.

    Args:
        arm: the arm.
        q: (..., n) joint angles of the operating point [rad].
        qd: (..., n) joint velocities [rad/s].
        tau: (..., n) motor torques [N·m].
        output: what y is: "state" (x), "position" (q), "velocity" (qd), "tool" (displacement of the
            tool point in base axes [m]), or a matrix C (p, 2n).

    Returns:
        A = [0, I; d qdd/d q, d qdd/d qd], B = [0; M^-1], C and D.

    Raises ``BadInput``: wrong shapes, or an output that does not exist.

    Source: tu2023 (48), (49), with 12 states and the partial derivatives that its (55), (56) miss.
    """
    n = joint_count(arm)
    (q, qd, tau), lead = as_rows(n, q=q, qd=qd, tau=tau)
    by_q, by_qd, by_tau = forward_dynamics_derivatives(arm, q, qd, tau)
    a = np.zeros((len(q), 2 * n, 2 * n))
    a[:, :n, n:] = np.eye(n)
    a[:, n:, :n], a[:, n:, n:] = by_q, by_qd
    b = np.zeros((len(q), 2 * n, n))
    b[:, n:] = by_tau
    c = _output_matrix(arm, q, output)
    model = (a, b, c, np.zeros((len(q), c.shape[1], n)))
    return LinearModel(*(part.reshape(*lead, *part.shape[1:]) for part in model))


def moving_linearization(
    arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, output: str | np.ndarray = "state"
) -> LinearModel:
    """Linear models, as of ``linearize``, along a motion, with the torque that it needs.

    The motion is q, qd, qdd (k, n).

    Raises ``BadInput``: as ``linearize``.

    Source: tu2023 3.3, step 4.
    """
    return linearize(arm, q, qd, inverse_dynamics(arm, q, qd, qdd), output)


def closed_loop_matrix(
    arm: Arm,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
    omega: np.ndarray,
    model: Arm | None = None,
) -> np.ndarray:
    """State matrix (..., 2n, 2n) of the error under inverse dynamics, on its reference (..., n).

    It is A + B du/dx for u = M (qdd_ref - omega² q~ - 2 omega q~') + C qd + g, with natural
    frequencies (n,) [rad/s]. The controller's ``model`` is by default the arm itself, for which the
    answer is [0, I; -omega², -2 omega] everywhere.

    Source: ragazzon2012 (4.1), (4.4), (4.6).
    """
    n = joint_count(arm)
    model = arm if model is None else model
    (omega,), _ = as_rows(n, omega=omega)
    open_loop = linearize(arm, q, qd, inverse_dynamics(model, q, qd, qdd))
    slope = inverse_dynamics_derivatives(model, q, qd, qdd)
    feedback = np.concatenate(
        [slope.q - slope.qdd * omega[0] ** 2, slope.qd - slope.qdd * (2 * omega[0])], axis=-1
    )
    return open_loop.A + open_loop.B @ feedback


def _output_matrix(arm: Arm, q: np.ndarray, output: str | np.ndarray) -> np.ndarray:
    """(k, p, 2n)."""
    n = q.shape[1]
    if not isinstance(output, str):
        (c,), _ = as_rows(2 * n, output=output)
    elif output == "tool":
        linear = jacobian(arm, q)[:, :3]
        return np.concatenate([linear, np.zeros_like(linear)], axis=2)
    else:
        require_known(output, OUTPUTS, "unknown output")
        c = np.eye(2 * n)[
            {"state": slice(None), "position": slice(0, n), "velocity": slice(n, 2 * n)}[output]
        ]
    return np.broadcast_to(c, (len(q), *c.shape)).copy()
