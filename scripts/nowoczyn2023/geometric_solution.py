"""Section 2.3: equations (2.5) to (2.24) as printed and with the sign of (2.13) put right."""

from functools import cache
from typing import NamedTuple

import numpy as np
from ledger import Rows, judged

from dynamics import Arm, forward_kinematics, inverse_kinematics, load_arm
from dynamics.inverse import CHECKED
from nowoczyn2023.direct_kinematics import NAME, arm_of_table, positions
from nowoczyn2023.modified_dh import modified_link_frames

POSES = 2000
SAME = 1e-6  # [rad] between two joint positions that count as one
UR10 = {  # Universal Robots' Denavit-Hartenberg parameters [m]
    "d": [0.1273, 0, 0, 0.163941, 0.1157, 0.0922],
    "a": [0, -0.612, -0.5723, 0, 0, 0],
    "alpha": ["pi/2", 0, 0, "pi/2", "-pi/2", 0],
}


def printed_solutions(arm: Arm, T: np.ndarray, sign: float) -> np.ndarray:
    """(k, 8, 6) joint angles by (2.19) to (2.24) of poses (k, 4, 4), NaN where an arcus has no value.

    The arm is of UR type, without tool; ``sign`` of the numerator of (2.13), (2.22): +1 as printed,
    −1 as it should be.
    """
    out = np.empty((len(T), 8, 6))
    with np.errstate(invalid="ignore"):
        for k in range(8):
            shoulder, wrist, elbow = (1 - 2 * (k >> bit & 1) for bit in (2, 1, 0))
            out[:, k] = _printed_branch(arm, T, sign, shoulder, wrist, elbow)
    return out


def _printed_branch(
    arm: Arm, T: np.ndarray, sign: float, shoulder: int, wrist: int, elbow: int
) -> np.ndarray:
    d4, d6 = arm.dh[3, 1], arm.dh[5, 1]
    a2, a3 = arm.dh[1:3, 2]
    P, P5 = T[:, :3, 3], T[:, :3, 3] - d6 * T[:, :3, 2]  # (2.5)
    q = np.zeros((len(T), 6))
    x, y = P5[:, :2].T
    q[:, 0] = np.arctan2(y, x) + shoulder * np.arccos(d4 / np.hypot(x, y)) + np.pi / 2  # (2.19)
    s1, c1 = np.sin(q[:, 0]), np.cos(q[:, 0])
    q[:, 4] = wrist * np.arccos((P[:, 0] * s1 - P[:, 1] * c1 - d4) / d6)  # (2.20)
    s5 = np.sin(q[:, 4])
    inverse = np.linalg.inv(T)
    X, Y = inverse[:, :3, 0], inverse[:, :3, 1]  # X_6,0 and Y_6,0
    # (2.21)
    q[:, 5] = np.arctan2((-X[:, 1] * s1 + Y[:, 1] * c1) / s5, (X[:, 0] * s1 - Y[:, 0] * c1) / s5)
    P14, flat = _fourth_joint(arm, T, q)
    q[:, 2] = elbow * np.arccos(sign * (a2**2 + a3**2 - flat**2) / (2 * a2 * a3))  # (2.22)
    q[:, 1] = np.arctan2(-P14[:, 2], -P14[:, 0]) - np.arcsin(-a3 * np.sin(q[:, 2]) / flat)  # (2.23)
    T34 = _fourth_from(arm, T, q, 3)
    q[:, 3] = np.arctan2(T34[:, 1, 0], T34[:, 0, 0])  # (2.24)
    return q


def _fourth_from(arm: Arm, T: np.ndarray, q: np.ndarray, first: int) -> np.ndarray:
    """(k, 4, 4) frame 4 in frame ``first``, from the pose, the angles up to that frame and of joints 5 and 6."""
    frames = modified_link_frames(arm, np.nan_to_num(q))
    found = (
        np.linalg.inv(frames[:, first])
        @ T
        @ np.linalg.inv(np.linalg.inv(frames[:, 4]) @ frames[:, 6])
    )
    found[np.isnan(q).any(axis=1)] = np.nan
    return found


def _fourth_joint(arm: Arm, T: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P_1,4 and |P_1,4xz|."""
    place = _fourth_from(arm, T, q, 1)[:, :3, 3]
    return place, np.hypot(place[:, 0], place[:, 2])


def shares_found(arm: Arm, sign: float, count: int = POSES) -> tuple[float, float]:
    """How many of all solutions the equations give, and how many that they give reach the pose."""
    T = forward_kinematics(arm, positions(count))
    all_solutions, printed = inverse_kinematics(arm, T), printed_solutions(arm, T, sign)
    given = np.isfinite(printed).all(axis=2)
    reached = forward_kinematics(arm, np.nan_to_num(printed))
    right = given & (np.abs(reached - T[:, None]).max(axis=(2, 3)) < SAME)
    apart = np.angle(np.exp(1j * (all_solutions[:, :, None] - printed[:, None])))
    apart = np.where(right[:, None], np.nan_to_num(np.abs(apart).max(axis=3), nan=np.inf), np.inf)
    known = np.isfinite(all_solutions[..., 0])
    found = apart.min(axis=2)[known] < SAME
    return float(found.mean()), float(right.sum() / given.sum())


def other_arm(name: str) -> Arm:
    """The UR5e, or the UR10 from its maker's lengths."""
    if name == "UR5e":
        return load_arm("ur5e")
    return arm_of_table(zip(UR10["d"], UR10["a"], UR10["alpha"], strict=True))


def theta3_error(count: int = POSES) -> float:
    """Largest error of cos θ3 by (2.13) as printed."""
    arm, q = load_arm(NAME), positions(count)
    a2, a3 = arm.dh[1:3, 2]
    _, flat = _fourth_joint(arm, forward_kinematics(arm, q), q)
    return float(np.abs((a2**2 + a3**2 - flat**2) / (2 * a2 * a3) - np.cos(q[:, 2])).max())


class Ring(NamedTuple):
    """|P_1,4xz| over all angles of joint 3 [m], and the angle φ2 of (2.16) at the shoulder [rad]."""

    low: float
    high: float
    widest: float
    widest_swapped: float


def ring(count: int = 200_001) -> Ring:
    """With the UR5's links, and with upper arm and forearm in each other's place."""
    arm = load_arm(NAME)
    a2, a3 = np.abs(arm.dh[1:3, 2])
    bend = np.linspace(-np.pi, np.pi, count)
    x, y = a2 + a3 * np.cos(bend), a3 * np.sin(bend)
    other = np.arctan2(a2 * np.sin(bend), a3 + a2 * np.cos(bend))
    length = np.hypot(x, y)
    return Ring(length.min(), length.max(), np.abs(np.arctan2(y, x)).max(), np.abs(other).max())


@cache
def numbers(count: int = 5000) -> tuple[float, int, int, int]:
    """Share of poses with eight solutions; most θ6 to one θ1, θ5; least and most solutions."""
    arm = load_arm(NAME)
    solutions = inverse_kinematics(arm, forward_kinematics(arm, positions(count)))
    counts = np.isfinite(solutions[..., 0]).sum(axis=1)
    most = max(_theta6_to_one_pair(rows[: counts[i]]) for i, rows in enumerate(solutions))
    return float((counts == 8).mean()), most, int(counts.min()), int(counts.max())


def _theta6_to_one_pair(rows: np.ndarray) -> int:
    different = np.unique(np.round(rows[:, [0, 4, 5]], 6) + 0.0, axis=0)
    return int(np.unique(different[:, :2], axis=0, return_counts=True)[1].max())


def rows() -> Rows:
    arm = load_arm(NAME)
    found, correct = shares_found(arm, -1.0)
    printed, reached = shares_found(arm, 1.0)
    bounds, (a2, a3) = ring(), np.abs(arm.dh[1:3, 2])
    ours = (
        f"with the sign of (2.13) put right they give {100 * found:.2f} % of all solutions of {POSES}"
        f" random poses, and {100 * correct:.2f} % of what they give reaches the pose"
    )
    yield judged("nowoczyn2023.angles_by_geometry", ours, found == 1.0 and correct > 0.999)
    ours = (
        f"cos θ3 off by up to {theta3_error():.2f}; {100 * reached:.1f} % of what it gives reaches the"
        f" pose, {100 * printed:.1f} % of all solutions are found"
    )
    yield judged("nowoczyn2023.theta3", ours, printed > 0.99)
    ours = f"{bounds.low:.5f} to {bounds.high:.5f} m"
    same = abs(bounds.low - (a2 - a3)) < 1e-9 and abs(bounds.high - (a2 + a3)) < 1e-9
    yield judged("nowoczyn2023.range_of_the_ring", ours, same)
    ours = f"φ2 stays within ±{np.degrees(bounds.widest):.1f}° for every θ3, so the arcsin is the right one"
    swapped = np.degrees(bounds.widest_swapped)
    yield judged("nowoczyn2023.phi2_by_arcsin", ours, bounds.widest < np.pi / 2, swapped=swapped)
    eight, theta6, least, most = numbers()
    ours = f"{100 * eight:.0f} % of 5000 reachable poses have eight, all between {least} and {most}"
    yield judged("nowoczyn2023.solutions_of_a_pose", ours, eight > 0.5 and most == 8)
    yield judged(
        "nowoczyn2023.theta6_of_a_branch", f"at most {theta6} at 5000 random poses", theta6 == 1
    )
    ours = f"solved: up to {most} solutions, each checked to {CHECKED:.0e} by forward kinematics"
    yield judged("nowoczyn2023.solving_algebraically", ours, most == 0)
    found = {name: shares_found(other_arm(name), -1.0) for name in ("UR5e", "UR10")}
    ours = ", ".join(
        f"{name}: {100 * share:.2f} % of all solutions" for name, (share, _) in found.items()
    )
    yield judged(
        "nowoczyn2023.other_lengths",
        ours,
        all(share > 0.999 for share, _ in found.values()),
        poses=POSES,
    )
