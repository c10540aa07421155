"""How close a configuration is to a singularity, and to which.

For an arm of UR type the determinant of the Jacobian factors exactly,

    det J = ± a2 a3 sin(theta3) sin(theta5) · along,

so it has three singularities and no others: **wrist**, sin theta5 = 0, axes 4 and 6 parallel
(theta6 free, tu2023 (28) with s5); **elbow**, sin theta3 = 0, arm stretched or folded (tu2023 (27)
has the outer end alone); **shoulder**, the wrist centre (origin of frame 5) on the cylinder of
radius d4 about axis 1, where ``along``, its coordinate along the arm, changes sign (kebria2016
before (3): R = d4; tu2023 (26), of frame 5's origin and not of the tool). nowoczyn2023 2.4 counts
the wrist alone. Measures for any arm: manipulability and the smallest singular value of the
Jacobian.
"""

from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.batches import as_rows
from dynamics.errors import BadInput
from dynamics.inverse import require_closed_form
from dynamics.kinematics import jacobian

NEAR_ANGLE = 0.02  # [1] |sin| of theta3 or theta5 that counts as near, about 1.1°
NEAR_LENGTH = 0.005  # [m] |along| that counts as near


class SingularityMeasures(NamedTuple):
    """Three signed measures, each (...), zero at its singularity; their signs name the branch."""

    wrist: np.ndarray  # sin theta5 [1]
    elbow: np.ndarray  # sin theta3 [1]
    shoulder: np.ndarray  # coordinate of the wrist centre along frame 1's x axis [m]


def singularity_measures(arm: Arm, q: np.ndarray) -> SingularityMeasures:
    """How far a UR-type arm is from each of its three singularities at q (..., 6) [rad].

    Raises ``BadInput``: wrong shape. ``NoClosedForm``: the arm is not of UR type.

    Source: tu2023 (26)-(28), corrected; the signs are those of ``inverse_kinematics_branches``.
    """
    require_closed_form(arm)
    (rows,), lead = as_rows(6, q=q)
    finite = np.isfinite(rows).all(axis=1, keepdims=True)
    theta = np.where(finite, rows, np.nan) + arm.dh[:, 0]  # no row is known in part
    a2 = arm.dh[1, 2]
    a3 = arm.dh[2, 2]
    d5 = arm.dh[4, 1]
    theta2, theta23, theta234 = np.cumsum(theta[:, 1:4], axis=1).T
    along = a2 * np.cos(theta2) + a3 * np.cos(theta23) + d5 * np.sin(theta234)
    return SingularityMeasures(
        wrist=np.sin(theta[:, 4]).reshape(lead)[()],
        elbow=np.sin(theta[:, 2]).reshape(lead)[()],
        shoulder=along.reshape(lead)[()],
    )


def near_singularities(
    arm: Arm, q: np.ndarray, angle: float = NEAR_ANGLE, length: float = NEAR_LENGTH
) -> SingularityMeasures:
    """Which singularities (...) a UR-type arm is close to at q (..., 6) [rad].

    More than one at a time is possible. ``angle`` bounds |sin theta5| and |sin theta3|, ``length``
    the wrist centre's |along| [m].

    Raises ``BadInput``: wrong shape, a bound that is negative or NaN, or an angle that is.
    ``NoClosedForm``: the arm is not of UR type.
    """
    if not (angle >= 0 and length >= 0):
        raise BadInput("a bound cannot be negative", found=(angle, length))
    measures = singularity_measures(arm, q)
    if np.isnan(measures.wrist).any():
        raise BadInput("a joint angle is no finite number", found=np.asarray(q).tolist())
    return SingularityMeasures(
        wrist=np.abs(measures.wrist) <= angle,
        elbow=np.abs(measures.elbow) <= angle,
        shoulder=np.abs(measures.shoulder) <= length,
    )


def jacobian_determinant(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Determinant (...) [m³] of the Jacobian of a UR-type arm at q (..., 6) [rad].

    It is right up to a sign, which is the arm's own.

    Raises ``BadInput``: wrong shape. ``NoClosedForm``: the arm is not of UR type.
    """
    wrist, elbow, shoulder = singularity_measures(arm, q)
    return arm.dh[1, 2] * arm.dh[2, 2] * wrist * elbow * shoulder


def manipulability(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Yoshikawa's measure (...) √det(J J^T) at q (..., n) [rad]: the product of singular values.

    It is zero at a singularity; in the mixed units of J (m³ for six joints). With fewer than six
    joints it is √det(J^T J).
    """
    return singular_values(arm, q).prod(axis=-1)[()]


def singular_values(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Singular values (..., min(6, n)) of the Jacobian at q (..., n) [rad], the largest first.

    Metres and ones are mixed: they depend on the unit of length.
    """
    J = jacobian(arm, q)
    finite = np.isfinite(J).all(axis=(-2, -1))
    values = np.linalg.svd(np.where(finite[..., None, None], J, 0.0), compute_uv=False)
    return np.where(finite[..., None], values, np.nan)
