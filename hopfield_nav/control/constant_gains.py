"""Constants that stand for M K0 in a force estimate from the joint error.

They are those of the arm and the gains at hand. Under inverse dynamics a lasting force leaves
tau = M K0 q~ on the joints (ragazzon2012 (5.7)). One constant a joint in place of that matrix,
J^-T K q~, is found by experiment there (5.2, after Stolt et al. 2012): here it is the one that
explains the wrenches of sampled contacts best, by least squares. Since K0 q~ does not depend on K0,
the fit is one of an inertia D of each joint, and K = D K0.
"""

from typing import Any

import numpy as np

from dynamics import Arm, BadInput, jacobian, load_arm, mass_matrix
from dynamics.batches import as_rows, rows_like
from hopfield_nav.plugin import Gains

DOCUMENT_ARM = "ur5_ragazzon2012"
DOCUMENT_OMEGA = (22.5, 22.5, 37.5, 60.0, 67.5, 75.0)  # [rad/s]
DOCUMENT_GAIN = (143.2, 148.8, 642.2, 44.9, 3.5, 0.0)  # [N·m/rad] the fit for it and its omega
_CONTACTS = 1000  # poses that are drawn
_SPREAD = 0.5  # [rad] to either side
_SMALLEST_DETERMINANT = 5e-3  # [m³] poses nearer to a singularity are left out
_MOST_DRAWS = 100
_EXPLAINED = 0.5  # least share of the squared wrenches that constants have to explain
_DIGITS = 4
_MATTERS = ("dh", "mass", "center_of_mass", "inertia", "rotor_inertia", "tool")
# inertias, by what matters of an arm and the pose
_FITTED: dict[tuple[bytes, ...], np.ndarray] = {}


def gains_of_arm(model: Arm, pose: np.ndarray, gains: Gains | None) -> tuple[float, ...]:
    """K (n,) [N·m/rad] for the control computer's ``model``, about a ``pose`` (n,) [rad].

    ``gains`` are those of its law. Of ``ur5_ragazzon2012`` K is the fit to a tenth about its own
    start, for the document's omega, whatever the pose; all others have four digits.

    Raises ``BadInput``: the law says no gains, or on this arm no constants explain half of what
    contacts do.
    """
    if gains is None:
        raise BadInput(
            "by default it follows from the gains of the control law, which are not known",
            allowed="numbers of your own, or a control law that declares its gains",
        )
    position = np.zeros(len(model.dh)) + np.asarray(gains.position)
    if _is_of_document(model):
        found = np.array(DOCUMENT_GAIN) * (position / np.array(DOCUMENT_OMEGA) ** 2)
        return tuple(found.tolist())
    of_model = [getattr(model, name).tobytes() for name in _MATTERS]
    key = (*of_model, np.asarray(pose).tobytes())
    if key not in _FITTED:
        _FITTED[key] = _fitted_inertia(model, pose)
    return tuple(float(f"{value:.{_DIGITS}g}") for value in _FITTED[key] * position)


def _is_of_document(model: Arm) -> bool:
    document = load_arm(DOCUMENT_ARM)
    pairs = ((getattr(model, name), getattr(document, name)) for name in _MATTERS)
    return all(np.array_equal(mine, its) for mine, its in pairs)


def _fitted_inertia(model: Arm, pose: np.ndarray) -> np.ndarray:
    """D (n,) [kg·m²]."""
    q, wrench = sample_contacts(model, _CONTACTS, _SPREAD, pose)
    unit = np.ones(len(model.dh))
    inertia = np.maximum(fit_gain(model, q, wrench, unit), 0.0)
    share = explained_share(model, q, wrench, unit, inertia)
    if not share >= _EXPLAINED:
        raise BadInput(
            f"on this arm the best constants explain {share:.0%} of the squared wrenches"
            " of contacts",
            allowed="numbers of your own, or an estimator with the mass matrix,"
            " such as joint_error",
        )
    return inertia


def sample_contacts(
    arm: Arm, count: int, spread: float, about: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Random poses (count, n) [rad], and a random wrench (count, 6) at each.

    Wrenches are of some 20 N and 2 N·m. Each joint is at most ``spread`` from the pose ``about``
    [rad]; poses near a singularity are left out, where an arm has six joints or more.

    Raises ``BadInput``: nearly all are near one.
    """
    rng = np.random.default_rng(1)
    n = len(arm.dh)
    poses = np.zeros((0, n))
    for _ in range(_MOST_DRAWS):
        drawn = np.asarray(about) + rng.uniform(-spread, spread, (count, n))
        poses = np.concatenate([poses, drawn[_regular(arm, drawn)]])
        if len(poses) >= count:
            scale = np.array([20.0, 20.0, 20.0, 2.0, 2.0, 2.0])
            return poses[:count], rng.normal(size=(count, 6)) * scale
    raise BadInput("nearly all poses about the start of this arm are near a singularity")


def _regular(arm: Arm, poses: np.ndarray) -> np.ndarray:
    if len(arm.dh) < 6:
        return np.ones(len(poses), dtype=bool)
    columns = jacobian(arm, poses)
    if len(arm.dh) == 6:
        return np.abs(np.linalg.det(columns)) > _SMALLEST_DETERMINANT
    squares = np.linalg.det(columns @ columns.transpose(0, 2, 1))
    return squares > _SMALLEST_DETERMINANT**2


def settled_error(arm: Arm, q: np.ndarray, wrench: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Joint error (..., n) [rad] that a constant wrench leaves under inverse dynamics.

    It is q - q_ref = K0^-1 M^-1 J^T F at poses ``q`` (..., n) [rad], with the ``wrench`` (..., 6)
    on the tool [N, N·m] and the controller's natural frequencies ``omega`` (n,) [rad/s], the roots
    of K0. The arm is its controller's model too.

    Source: ragazzon2012 (5.5), (5.7).
    """
    n = len(arm.dh)
    (rows,), lead = as_rows(n, q=q)
    felt = rows_like(wrench, 6, "wrench", lead)
    torque = np.einsum("kij,ki->kj", jacobian(arm, rows), felt)
    acceleration = np.linalg.solve(mass_matrix(arm, rows), torque[..., None])[..., 0]
    error = acceleration / np.asarray(omega) ** 2
    return error.reshape(*lead, n)


def fit_gain(arm: Arm, q: np.ndarray, wrench: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Gains K (n,) [N·m/rad] that make J^-T K q~ the best estimate of the wrenches that caused q~.

    The estimate (least squares) is linear in K = diag(gain), so no better constants exist for these
    very contacts and the sum of squared errors; newtons and newton-metres count alike, as in
    ragazzon2012 (5.9). The poses ``q`` (k, n) [rad] are away from singularities; wrenches (k, 6) on
    the tool [N, N·m], natural frequencies ``omega`` (n,) of the controller [rad/s]. Of an arm with
    fewer than six joints it is what these can feel of the wrenches.

    Source: Stolt et al. 2012 as told in ragazzon2012 5.2.
    """
    columns, felt = _estimates(arm, q, wrench, omega)
    gain, *_ = np.linalg.lstsq(columns, felt, rcond=None)
    return gain


def explained_share(
    arm: Arm, q: np.ndarray, wrench: np.ndarray, omega: np.ndarray, gain: np.ndarray
) -> float:
    """Share of the squared wrenches that ``gain`` explains.

    The other arguments are those of ``fit_gain``.
    """
    columns, felt = _estimates(arm, q, wrench, omega)
    left = columns @ gain - felt
    return 1.0 - float((left @ left) / (felt @ felt))


def _estimates(
    arm: Arm, q: np.ndarray, wrench: np.ndarray, omega: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What a gain of 1 of each joint estimates, (6 k, n), and the felt wrenches (6 k,).

    They are felt as far as an arm of so many joints can.
    """
    error = settled_error(arm, q, wrench, omega)
    down = jacobian(arm, q).transpose(0, 2, 1)
    up = np.linalg.pinv(down)
    columns = up * error[:, None, :]
    felt = np.einsum("kij,kjm,km->ki", up, down, wrench)
    return columns.reshape(-1, len(arm.dh)), felt.reshape(-1)
