"""Sections 3.1 and 3.2: the formulas of both methods as they are printed, beside the arm's own dynamics."""

from collections.abc import Callable

import numpy as np
from ledger import Rows, judged
from verdicts import PARTLY

from dynamics import (
    Arm,
    coriolis_matrix,
    gravity_torque,
    inverse_dynamics,
    link_frames,
    load_arm,
    mass_matrix,
)
from ragazzon2012.equations import skew_error, states
from ragazzon2012.tables import OFFSET

NAME = "ur5_ragazzon2012"
STEP = 1e-6  # [rad] of differences
TWISTS = np.pi / 2 * np.array([1, 0, 0, 1, -1, 0])  # α of Table 3.1


def gradient(value: Callable[[np.ndarray], np.ndarray], q: np.ndarray) -> np.ndarray:
    """(k, n, …) central differences of a value by the joint angles (k, n)."""
    unit = STEP * np.eye(q.shape[1])
    return np.stack([(value(q + e) - value(q - e)) / (2 * STEP) for e in unit], axis=1)


def printed_potential(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(k,) the potential energy of (3.4), with the gravity vector of (3.14) [J]."""
    frames = link_frames(arm, q)[:, 1:]
    centres = frames[..., :3, 3] + np.einsum(
        "klij,lj->kli", frames[..., :3, :3], arm.center_of_mass
    )
    return np.einsum("l,klj,j->k", arm.mass, centres, arm.gravity)


def christoffel(arm: Arm, q: np.ndarray, qd: np.ndarray, last: float) -> np.ndarray:
    """(k, n, n) C of (3.6) and (3.7); ``last`` is the sign of the third term, printed as +1."""
    slope = gradient(lambda angles: mass_matrix(arm, angles), q)  # (k, i, row, column)
    symbols = 0.5 * (
        slope.transpose(0, 1, 3, 2)
        + slope.transpose(0, 3, 1, 2)
        + last * slope.transpose(0, 2, 3, 1)
    )
    return np.einsum("kijm,ki->kmj", symbols, qd)


def recursion(
    arm: Arm, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, as_printed: bool
) -> np.ndarray:
    """(n,) torques by (3.9) to (3.15), with the R of 3.2.2 as printed or its transpose; ω̇ of (3.12) has its index."""
    n = len(q)
    turn = [_turn_z(angle + row[0]) @ _turn_x(row[3]) for angle, row in zip(q, arm.dh, strict=True)]
    down = turn if as_printed else [r.T for r in turn]  # R_{i-1}^i
    w = alpha = a_e = np.zeros(3)
    g, kept = arm.gravity, []
    for i in range(n):
        r, to_centre = arm.offset[i], arm.offset[i] + arm.center_of_mass[i]
        b = down[i] @ [0.0, 0.0, 1.0]
        w = down[i] @ w + b * qd[i]
        alpha = down[i] @ alpha + b * qdd[i] + np.cross(w, b * qd[i])
        a_c = down[i] @ a_e + np.cross(alpha, to_centre) + np.cross(w, np.cross(w, to_centre))
        a_e = down[i] @ a_e + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        g = down[i] @ g
        kept.append((w, alpha, a_c, g, to_centre, b))
    f, tau, torques = np.zeros(3), np.zeros(3), np.zeros(n)
    for i in reversed(range(n)):
        w, alpha, a_c, g, to_centre, b = kept[i]
        f_next, tau_next = (down[i + 1].T @ f, down[i + 1].T @ tau) if i + 1 < n else (f, tau)
        f = f_next + arm.mass[i] * (a_c - g)
        turned = np.cross(f_next, arm.center_of_mass[i]) - np.cross(f, to_centre)
        tau = tau_next + turned + arm.inertia[i] @ alpha + np.cross(w, arm.inertia[i] @ w)
        torques[i] = b @ tau
    return torques


def largest_recursion_error(as_printed: bool) -> float:
    """Largest difference of the recursions from the arm's own torques [N·m]."""
    arm, (q, qd) = load_arm(NAME), states()
    found = [recursion(arm, *row, as_printed) for row in zip(q, qd, qd[::-1], strict=True)]
    return float(np.abs(np.array(found) - inverse_dynamics(arm, q, qd, qd[::-1])).max())


def rows() -> Rows:
    arm, (q, qd) = load_arm(NAME), states()
    slope, weight = (
        gradient(lambda angles: printed_potential(arm, angles), q),
        gravity_torque(arm, q),
    )
    minus, plus = np.abs(slope + weight).max(), np.abs(slope - weight).max()
    ours = f"∂P/∂q with the g of (3.14) is the gravity torque times −1, to {minus:.0e} N·m; as it is {plus:.0f} N·m off"
    yield judged("ragazzon2012.potential_energy", ours, PARTLY)
    printed, right = (christoffel(arm, q, qd, last) for last in (1.0, -1.0))
    off, skew = (
        np.abs(np.einsum("kij,kj->ki", printed - coriolis_matrix(arm, q, qd), qd)).max(),
        [skew_error(arm, q, qd, found) for found in (printed, right)],
    )
    ours = (
        f"as printed the symmetric part of Ṁ − 2C is {100 * skew[0]:.0f} % of Ṁ, and C q̇ up to {off:.1f} N·m off;"
        f" with − in the third term {skew[1]:.0e}"
    )
    yield judged("ragazzon2012.christoffel_symbols", ours, skew[0] < 1e-6)
    right_error, printed_error = largest_recursion_error(False), largest_recursion_error(True)
    ours = (
        f"with the transposed R the torques of an independent recursion, to {right_error:.0e} N·m"
    )
    yield judged("ragazzon2012.recursions", ours, right_error < 1e-9)
    ours = f"as printed torques are up to {printed_error:.0f} N·m off; the transpose turns frame i − 1 into frame i"
    yield judged("ragazzon2012.rotation_matrices", ours, printed_error < 1e-9)
    table = np.column_stack([[0, *np.array(OFFSET)[1:3, 0], 0, 0, 0], TWISTS])
    entries = np.isclose(arm.dh[:, 2:], table, rtol=0, atol=1e-12)
    same = np.isclose(arm.offset, OFFSET, rtol=0, atol=1e-12).all(axis=1)
    ours = f"{int(entries.sum())} of 12 entries a and α, {int(same.sum())} of 6 vectors those of the arm that is used"
    yield judged("ragazzon2012.dh_parameters", ours, bool(entries.all() and same.all()))


def _turn_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _turn_x(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
