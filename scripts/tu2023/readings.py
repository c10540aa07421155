"""(55), (57) and (58) of tu2023 in the readings that they allow, each named as printed.

(57) and (58) divide a difference of torques by Δt, a number: A and B would be vectors of six, while
(48) wants 12 × 12 and 12 × 6. What the program computed is not said; these are the ways to make
a square matrix of it whose eigenvalues figure 12 could show.
"""

from collections.abc import Callable

import numpy as np

from dynamics import Arm, inverse_dynamics
from dynamics.linear import companion_matrix

STEP = 1e-6  # Δt as printed
Motion = tuple[np.ndarray, np.ndarray, np.ndarray]


def a_57_joint_by_joint(arm: Arm, motion: Motion) -> np.ndarray:
    """(57), each joint angle moved by Δt in turn: (k, 6, 6), the stiffness ∂τ/∂q."""
    return _columns(arm, motion, 0)


def b_58_joint_by_joint(arm: Arm, motion: Motion) -> np.ndarray:
    """(58), each joint velocity moved by Δt in turn: (k, 6, 6), ∂τ/∂q̇."""
    return _columns(arm, motion, 1)


def a_57_all_joints(arm: Arm, motion: Motion) -> np.ndarray:
    """(57) to the letter with every angle moved by Δt: six numbers, put on a diagonal."""
    return _diagonal(arm, motion, np.ones_like(motion[0]))


def a_57_next_point(arm: Arm, motion: Motion) -> np.ndarray:
    """(57) with q2 = q1 + q̇1 Δt by (50): six numbers, put on a diagonal."""
    return _diagonal(arm, motion, motion[1])


def a_55_without_inverse(arm: Arm, motion: Motion) -> np.ndarray:
    """(55) with the differences (57), (58) for its blocks: [0, I; −∂τ/∂q, −∂τ/∂q̇], no M⁻¹."""
    return companion_matrix(-_columns(arm, motion, 0), -_columns(arm, motion, 1))


def a_55_without_sign(arm: Arm, motion: Motion) -> np.ndarray:
    """The same without the minus signs of (55)."""
    return companion_matrix(_columns(arm, motion, 0), _columns(arm, motion, 1))


READINGS: dict[str, Callable[[Arm, Motion], np.ndarray]] = {
    "(57) joint by joint": a_57_joint_by_joint,
    "(58) joint by joint": b_58_joint_by_joint,
    "(57) all joints, on a diagonal": a_57_all_joints,
    "(57) next point, on a diagonal": a_57_next_point,
    "(55) without M⁻¹": a_55_without_inverse,
    "(55) without M⁻¹ and sign": a_55_without_sign,
}


def stable_share(abscissa: np.ndarray) -> float:
    """Share of the points with every eigenvalue in the left half plane [%]."""
    return 100 * float(np.mean(abscissa < 0))


def _difference(arm: Arm, motion: Motion, which: int, direction: np.ndarray, step: float = STEP) -> np.ndarray:
    moved = [part + step * direction if k == which else part for k, part in enumerate(motion)]
    return (inverse_dynamics(arm, *moved) - inverse_dynamics(arm, *motion)) / step


def _columns(arm: Arm, motion: Motion, which: int, step: float = STEP) -> np.ndarray:
    """(k, 6, 6) forward differences with respect to q (0) or q̇ (1), a column a joint."""
    return np.stack([_difference(arm, motion, which, unit, step) for unit in np.eye(6)], axis=-1)


def _diagonal(arm: Arm, motion: Motion, direction: np.ndarray) -> np.ndarray:
    return _difference(arm, motion, 0, direction)[..., None] * np.eye(6)


def stiffness_error(arm: Arm, motion: Motion, exact: np.ndarray, step: float) -> float:
    """Largest error of the forward difference of ∂τ/∂q with a step, over the largest entry of its point."""
    error = np.abs(_columns(arm, motion, 0, step) - exact).max((1, 2))
    return float((error / np.abs(exact).max((1, 2))).max())
