"""The flange's position written out: kebria2016 (2), tu2023 (4), with the factor s5 they lack.

Both documents print − d6 c1 c234 and − d6 s1 c234; it is − d6 c1 s5 c234 and − d6 s1 s5 c234. Their p_z
is right. a2 and a3 are negative (kebria2016's Table I prints them positive).
"""

import numpy as np

from dynamics.arm import Arm
from dynamics.batches import as_rows
from dynamics.inverse.ur_type import require_closed_form


def closed_form_position(arm: Arm, q: np.ndarray) -> np.ndarray:
    """Origin of the flange (frame 6) of a UR-type arm, in base axes.

    Args:
        arm: a UR-type arm; its tool frame is not taken into account.
        q: (..., 6) joint angles [rad].

    Returns:
        (..., 3) p_x, p_y, p_z [m].

    Raises:
        BadInput: wrong shape.
        NoClosedForm: the arm is not of UR type.

    Source: kebria2016 (2), tu2023 (4), corrected.
    """
    require_closed_form(arm)
    (rows,), lead = as_rows(6, q=q)
    theta = rows + arm.dh[:, 0]
    (c1, c2), (s1, s2) = np.cos(theta[:, :2]).T, np.sin(theta[:, :2]).T
    t23 = theta[:, 1] + theta[:, 2]
    c23, s23, c234, s234 = np.cos(t23), np.sin(t23), np.cos(t23 + theta[:, 3]), np.sin(t23 + theta[:, 3])
    c5, s5 = np.cos(theta[:, 4]), np.sin(theta[:, 4])
    (d1, _, _, d4, d5, d6), (a2, a3) = arm.dh[:, 1], arm.dh[1:3, 2]
    along = a2 * c2 + a3 * c23 + d5 * s234 - d6 * s5 * c234
    across = d4 + d6 * c5
    height = d1 + a2 * s2 + a3 * s23 - d5 * c234 - d6 * s5 * s234
    return np.stack([c1 * along + s1 * across, s1 * along - c1 * across, height], axis=-1).reshape(*lead, 3)
