"""(55), (57) and (58) of tu2023 in the readings that they allow, each named as printed.

(57) and (58) divide a difference of torques by Δt, a number: A and B would be vectors of six, while
(48) wants 12 × 12 and 12 × 6. What the program computed is not said; these are the ways to make
a square matrix of it whose eigenvalues figure 12 could show.
"""

from collections.abc import Callable

import numpy as np

from dynamics import Arm, inverse_dynamics

STEP = 1e-6  # Δt as printed
Motion = tuple[np.ndarray, np.ndarray, np.ndarray]


def spectral_abscissa(a: np.ndarray) -> np.ndarray:
    """Largest real part of the eigenvalues of (..., m, m) matrices [1/s]."""
    return np.linalg.eigvals(a).real.max(-1)


def stable_share(abscissa: np.ndarray) -> float:
    """Share of the points with every eigenvalue in the left half plane [%]."""
    return 100 * float(np.mean(abscissa < 0))


def _difference(
    arm: Arm, motion: Motion, which: int, direction: np.ndarray, step: float = STEP
) -> np.ndarray:
    moved = [part + step * direction if k == which else part for k, part in enumerate(motion)]
    return (inverse_dynamics(arm, *moved) - inverse_dynamics(arm, *motion)) / step


def _columns(arm: Arm, motion: Motion, which: int, step: float = STEP) -> np.ndarray:
    """(k, 6, 6) forward differences with respect to q (0) or q̇ (1), a column a joint."""
    return np.stack([_difference(arm, motion, which, unit, step) for unit in np.eye(6)], axis=-1)


def _diagonal(arm: Arm, motion: Motion, direction: np.ndarray) -> np.ndarray:
    return _difference(arm, motion, 0, direction)[..., None] * np.eye(6)


def _companion(by_q: np.ndarray, by_qd: np.ndarray) -> np.ndarray:
    """(k, 12, 12) [0, I; by_q, by_qd]."""
    above = np.broadcast_to(np.eye(6, 12, 6), (len(by_q), 6, 12))
    return np.concatenate([above, np.concatenate([by_q, by_qd], axis=-1)], axis=1)


def stiffness_error(arm: Arm, motion: Motion, exact: np.ndarray, step: float) -> float:
    """Largest error of the forward difference of ∂τ/∂q with a step, over the largest entry of its point."""
    error = np.abs(_columns(arm, motion, 0, step) - exact).max((1, 2))
    return float((error / np.abs(exact).max((1, 2))).max())


READINGS: dict[str, Callable[[Arm, Motion], np.ndarray]] = {  # (k, 6, 6), or (k, 12, 12) of (55)
    # each angle moved by Δt in turn: ∂τ/∂q
    "(57) joint by joint": lambda arm, m: _columns(arm, m, 0),
    # each velocity moved by Δt in turn: ∂τ/∂q̇
    "(58) joint by joint": lambda arm, m: _columns(arm, m, 1),
    # to the letter with every angle moved by Δt, or with q2 = q1 + q̇1 Δt by (50): six numbers, put
    # on a diagonal
    "(57) all joints, on a diagonal": lambda arm, m: _diagonal(arm, m, np.ones_like(m[0])),
    "(57) next point, on a diagonal": lambda arm, m: _diagonal(arm, m, m[1]),
    # (55) with the differences (57), (58) for its blocks: [0, I; −∂τ/∂q, −∂τ/∂q̇]
    "(55) without M⁻¹": lambda arm, m: _companion(-_columns(arm, m, 0), -_columns(arm, m, 1)),
    "(55) without M⁻¹ and sign": lambda arm, m: _companion(
        _columns(arm, m, 0), _columns(arm, m, 1)
    ),
}
