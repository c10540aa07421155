"""Which arms have the closed form: those of UR type, with parallel axes 2, 3 and 4."""

from dynamics.arm import Arm, joint_count
from dynamics.errors import NoClosedForm
from dynamics.inverse.poses import as_poses
from dynamics.kernels.decorators import inlined

_EXACT = 1e-12  # [m, 1] what may be neglected in lengths, sines and cosines


def has_closed_form(arm: Arm) -> bool:
    """Whether the arm is of UR type: six joints, its twists, lengths only in a2, a3, d1, d4, d5, d6.

    Raises ``BadInput``: its arrays do not fit each other.
    """
    joint_count(arm)
    in_python = is_of_ur_type.__wrapped__  # a world is checked without Numba
    return bool(in_python(arm.dh, arm.twist))


def require_closed_form(arm: Arm) -> None:
    """Raise ``NoClosedForm`` for an arm that is not of UR type, ``BadInput`` for its tool frame."""
    if not has_closed_form(arm):
        raise NoClosedForm(
            "closed-form inverse kinematics needs an arm of UR type (6 joints, axes 2, 3, 4 "
            "parallel); use numeric_inverse_kinematics"
        )
    as_poses(arm.tool, "the arm's tool frame")


@inlined
def is_of_ur_type(dh, twist):
    """Whether these Denavit-Hartenberg rows (n, 4) and twists (n, 2) are those of such an arm."""
    if dh.shape[0] != 6:
        return False
    cosine, sine = (0.0, 1.0, 1.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 1.0, -1.0, 0.0)
    for i in range(6):
        if not (abs(twist[i, 0] - cosine[i]) <= _EXACT and abs(twist[i, 1] - sine[i]) <= _EXACT):
            return False
        link = i in (1, 2)
        if (abs(dh[i, 2]) <= _EXACT) == link or (link and not abs(dh[i, 1]) <= _EXACT):
            return False
    return True
