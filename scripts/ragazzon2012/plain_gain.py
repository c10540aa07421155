"""The constant gains that explain a set of contacts best, for the estimator ``joint_error_plain``."""

import numpy as np

from dynamics import Arm, BadInput, jacobian, mass_matrix
from dynamics.batches import as_rows, rows_like

START_POSE = (2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905)  # [rad] of ragazzon2012 chapter 7
_SMALLEST_DETERMINANT = 5e-3  # [m³] poses nearer to a singularity are left out


def sample_contacts(arm: Arm, count: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Random poses (count, n) [rad], and a random wrench (count, 6) at each, of some 20 N and 2 N·m.

    Each of the six joints is at most ``spread`` from ``START_POSE`` [rad].
    """
    rng = np.random.default_rng(1)
    poses = np.zeros((0, len(arm.dh)))
    while len(poses) < count:
        drawn = np.array(START_POSE) + rng.uniform(-spread, spread, (count, len(arm.dh)))
        regular = np.abs(np.linalg.det(jacobian(arm, drawn))) > _SMALLEST_DETERMINANT
        poses = np.concatenate([poses, drawn[regular]])
    return poses[:count], rng.normal(size=(count, 6)) * np.array([20.0, 20.0, 20.0, 2.0, 2.0, 2.0])


def settled_error(arm: Arm, q: np.ndarray, wrench: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Joint error (..., n) that a constant wrench leaves under inverse dynamics, K0^-1 M^-1 J^T F [rad].

    It is q - q_ref at poses ``q`` (..., n) [rad], with the ``wrench`` (..., 6) on the tool [N, N·m]
    and the controller's natural frequencies ``omega`` (n,) [rad/s], the roots of K0. The arm is its
    controller's model too.

    Source: ragazzon2012 (5.5), (5.7).
    """
    n = len(arm.dh)
    (rows,), lead = as_rows(n, q=q)
    torque = np.einsum("kij,ki->kj", jacobian(arm, rows), rows_like(wrench, 6, "wrench", lead))
    error = (
        np.linalg.solve(mass_matrix(arm, rows), torque[..., None])[..., 0] / np.asarray(omega) ** 2
    )
    return error.reshape(*lead, n)


def fit_gain(arm: Arm, q: np.ndarray, wrench: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Gains K (n,) [N·m/rad] that make J^-T K q~ the best estimate of the wrenches that caused q~.

    The estimate (least squares) is linear in K = diag(gain), so no better constants exist for these
    very contacts and the sum of squared errors; newtons and newton-metres count alike, as in
    ragazzon2012 (5.9). The poses ``q`` (k, n) [rad] are away from singularities; wrenches (k, 6) on
    the tool [N, N·m], natural frequencies ``omega`` (n,) of the controller [rad/s].

    Raises ``BadInput``: wrong shapes, or an arm without six joints.

    Source: Stolt et al. 2012 as told in ragazzon2012 5.2.
    """
    if len(arm.dh) != 6:
        raise BadInput(
            "the gains are fitted for arms with six joints", found=len(arm.dh), allowed="6"
        )
    error = settled_error(arm, q, wrench, omega)
    columns = np.linalg.inv(jacobian(arm, q)).transpose(0, 2, 1) * error[:, None, :]
    gain, *_ = np.linalg.lstsq(columns.reshape(-1, 6), np.reshape(wrench, -1), rcond=None)
    return gain
