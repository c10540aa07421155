"""Chapters 4 and 5: the loop of the inverse dynamics controller, without and with a force, and the estimate from it."""

import numpy as np
from ledger import Rows, judged

from dynamics import (
    closed_loop_matrix,
    forward_dynamics,
    inverse_dynamics,
    jacobian,
    load_arm,
    mass_matrix,
)
from ragazzon2012.equations import states
from ragazzon2012.mass_matrix import ARMS, OMEGA, errors

NAME = "ur5_ragazzon2012"


def accelerations(with_force: bool) -> tuple[np.ndarray, np.ndarray]:
    """(k, n) acceleration of the arm under the torque of (4.1), and what (4.3) or (5.4) says [rad/s²]."""
    arm, rng, (q, qd) = load_arm(NAME), np.random.default_rng(4), states()
    error, rate = rng.normal(0, 0.01, (2, *q.shape))
    wanted = rng.normal(0, 1, q.shape) - OMEGA**2 * error - 2 * OMEGA * rate
    wrench = rng.normal(0, 20, (len(q), 6)) if with_force else np.zeros((len(q), 6))
    found = forward_dynamics(arm, q, qd, inverse_dynamics(arm, q, qd, wanted), wrench)
    felt = np.einsum("kji,kj->ki", jacobian(arm, q), wrench)
    return found, wanted + np.linalg.solve(mass_matrix(arm, q), felt[..., None])[..., 0]


def largest_difference(with_force: bool) -> float:
    """Largest difference of the two, as a share of the largest acceleration."""
    found, said = accelerations(with_force)
    return float(np.abs(found - said).max() / np.abs(said).max())


def coupling() -> float:
    """Largest difference of the loop's state matrix from that of six joints that do not know of each other."""
    q, qd = states()
    found = closed_loop_matrix(load_arm(NAME), q, qd, qd[::-1], OMEGA)
    n = OMEGA.size
    alone = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(OMEGA**2), -np.diag(2 * OMEGA)]])
    return float(np.abs(found - alone).max() / np.abs(alone).max())


def rows() -> Rows:
    free, matrix, forced = largest_difference(False), coupling(), largest_difference(True)
    ours = f"q̈ is a_q to {free:.0e}, the loop's matrix that of six critically damped joints to {matrix:.0e} (relative)"
    yield judged("ragazzon2012.decoupled_loop", ours, max(free, matrix) < 1e-8)
    yield judged(
        "ragazzon2012.loop_with_a_force",
        f"to {forced:.0e} (relative), 50 random states",
        forced < 1e-8,
    )
    settled = errors(NAME)["M(q)"].max()
    ours = f"once settled the force is off by at most {settled:.0e} of it, 1000 contacts"
    yield judged("ragazzon2012.estimate_from_the_error", ours, settled < 1e-6)
    medians = {
        name: {kind: 100 * np.median(shares) for kind, shares in errors(name).items()}
        for name in ARMS
    }
    text = "; ".join(
        f"{words}: {medians[name]['M(q)']:.0f} % with M(q), {medians[name]['constants']:.0f} % with fitted constants"
        for name, words in ARMS.items()
    )
    better = all(found["M(q)"] < found["constants"] for found in medians.values())
    yield judged(
        "ragazzon2012.mass_matrix_beats_constants",
        f"median error of a settled force, {text}",
        better,
    )
