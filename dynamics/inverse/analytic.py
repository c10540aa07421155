"""Every configuration that puts the tool of a UR-type arm at a pose, checked by forward kinematics.

``closed_form`` has the algebra and says what counts as one solution at a singularity.
"""

import numpy as np

from dynamics.arm import Arm, joint_count
from dynamics.batches import rows_like
from dynamics.errors import BadInput
from dynamics.inverse.closed_form import is_of_ur_type, require_closed_form, solve_all_wanting
from dynamics.inverse.poses import as_poses, copied_poses, is_rigid, make_rigid
from dynamics.kernels.decorators import Room, inlined, packed
from dynamics.kernels.views import view
from dynamics.kinematics import update_frames, update_tool
from dynamics.packed import arm_in
from dynamics.work import room_for, work_in

CHECKED = 1e-9  # largest entry of T(q) − T of a solution that is given out


def inverse_kinematics(arm: Arm, T_base_tool: np.ndarray, theta6: object = None) -> np.ndarray:
    """Every configuration that puts the tool at a pose, without regard to joint limits.

    Args:
        arm: a UR-type arm; its joint offsets and tool frame are taken into account.
        T_base_tool: (4, 4) or a batch (..., 4, 4), lengths in metres.
        theta6: wanted angle of joint 6 [rad], a number or (...); used only where s5 = 0 leaves it
            free, default 0. Where the pose cannot be reached with this angle but can with others,
            the nearest of those is taken.

    Returns:
        (k, 6) for one pose, k from 0 (out of reach) to 8; (..., 8, 6) for a batch, unused rows NaN.
        Angles in (−π, π], in the order of ``inverse_kinematics_branches``. Every solution has been
        checked: forward kinematics meets all entries of the pose to 1e-9 (m, 1).

    Raises ``BadInput``: the pose or the arm's tool frame is malformed, or theta6 does not fit.
    ``NoClosedForm``: the arm is not of UR type.

    Source: kebria2016 II.D, nowoczyn2023 2.3, tu2023 (5) to (25), corrected (see ``closed_form``).
    """
    solutions, _, counts, lead = _solve(arm, T_base_tool, theta6)
    return solutions.reshape(*lead, 8, 6) if lead else solutions[0, : int(counts[0])]


def inverse_kinematics_branches(
    arm: Arm, T_base_tool: np.ndarray, theta6: object = None
) -> tuple[np.ndarray, np.ndarray]:
    """Every configuration for one pose, and the branch that each lies on.

    Args:
        arm: a UR-type arm.
        T_base_tool: (4, 4), lengths in metres.
        theta6: as in ``inverse_kinematics``.

    Returns:
        Solutions (k, 6) [rad], only those that pass the check of ``inverse_kinematics``, and
        branches (k, 3) of +1 and −1, in columns

        * shoulder: sign of the wrist centre's coordinate along frame 1's x axis,
        * wrist: sign of sin θ5,
        * elbow: sign of sin θ3,

        with +1 where that number is zero; θ is q plus the joint's offset. Rows run from [1, 1, 1]
        to [−1, −1, −1], the elbow changing fastest.

    Raises ``BadInput``: as ``inverse_kinematics``, or more than one pose. ``NoClosedForm``: the arm
    is not of UR type.
    """
    solutions, branches, counts, lead = _solve(arm, T_base_tool, theta6)
    if lead:
        raise BadInput("one pose is needed", found=np.shape(T_base_tool), allowed="(4, 4)")
    return solutions[0, : int(counts[0])], branches[0, : int(counts[0])].astype(np.int64)


def _solve(arm: Arm, T_base_tool: object, theta6: object) -> tuple:
    """Solutions (k, 8, 6), branches (k, 8, 3) and counts of k poses, all as floats.

    And the leading shape of the poses.
    """
    n, numbers = joint_count(arm), arm.dh.base
    poses = copied_poses(T_base_tool)
    lead = poses.shape[:-2]
    size = poses.size // 16
    wanted = (
        np.zeros(size)
        if theta6 is None
        else rows_like(np.asarray(theta6)[..., None], 1, "theta6", lead).ravel()
    )
    if not np.isfinite(wanted).all():
        raise BadInput("theta6 must be finite", found=theta6)
    solutions, branches, counts = np.empty((size, 8, 6)), np.empty((size, 8, 3)), np.empty(size + 1)
    room = np.empty(room_for(n))
    _solve_rows.entry(
        numbers,
        n,
        poses.reshape(-1),
        wanted,
        solutions.reshape(-1),
        branches.reshape(-1),
        counts,
        room,
    )
    if counts[size] != size:  # the arm or a pose is unfit, and one of these says why
        require_closed_form(arm)
        as_poses(T_base_tool)
    return solutions, branches, counts, lead


@packed
def _solve_rows(
    numbers: np.ndarray, n: int, poses: np.ndarray, theta6: np.ndarray, solutions: np.ndarray, branches: np.ndarray,
    counts: np.ndarray, room: Room,
) -> None:  # fmt: skip
    """Write the checked solutions of every pose and their number.

    Last stands how many poses were solved: fewer than all where the arm is not of UR type, its tool
    frame or a pose is not rigid.
    """
    size = theta6.size
    arm, work = arm_in(numbers, n), work_in(room, n)
    poses = view(poses, 0, (size, 4, 4))
    solutions, branches = view(solutions, 0, (size, 8, 6)), view(branches, 0, (size, 8, 3))
    counts[size] = 0 if is_of_ur_type(arm.dh, arm.twist) and is_rigid(arm.tool) else -1
    for row in range(size):
        if counts[size] < 0 or not make_rigid(poses[row]):
            break
        count = solve_all_wanting(arm, poses[row], theta6[row], solutions[row], branches[row])
        counts[row] = _keep_checked(arm, poses[row], solutions[row], branches[row], count, work)
        counts[size] += 1


@inlined
def _keep_checked(arm, T, solutions, branches, count, work):
    """Keep the solutions whose forward kinematics meets ``T``; NaN behind them; their number."""
    kept = 0
    for row in range(count):
        update_frames(arm, solutions[row], work)
        update_tool(arm, work)
        worst = 0.0
        for i in range(3):
            for j in range(4):
                worst = max(worst, abs(work.tool[i, j] - T[i, j]))
        if worst <= CHECKED:
            for joint in range(6):
                solutions[kept, joint] = solutions[row, joint]
            for sign in range(3):
                branches[kept, sign] = branches[row, sign]
            kept += 1
    for row in range(kept, 8):
        for joint in range(6):
            solutions[row, joint] = np.nan
        for sign in range(3):
            branches[row, sign] = 0.0
    return kept
