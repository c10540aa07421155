"""Sections 3.1, 3.2 and 4.1: tables, inertia tensors, the workspace cloud and the circle."""

from functools import cache
from typing import NamedTuple

import numpy as np
from ledger import Rows, judged

from dynamics import Arm, forward_kinematics, inverse_kinematics_branches, link_frames, load_arm

NAME = "ur5_tu2023"
POINTS = 20_000  # 4.1
PUBLISHED_DIAMETER, PUBLISHED_HOLE = 1.0, 0.2  # [m] 4.1, after its reference [4]
CENTER, RADIUS, COUNT = np.array([-0.4, -0.3, 0.336]), 0.1, 50  # [m] 4.1
# the tool points at the ground; the document names no orientation
DOWN = np.diag([1.0, -1.0, -1.0])
TABLE_1 = {"d": [89.16, 0, 0, 109.15, 94.65, 82.3], "a": [0, -425, -392.25, 0, 0, 0]}  # [mm]
TWISTS = np.array([1, 0, 0, 1, -1, 0]) * np.pi / 2
MASS = [3.7, 8.393, 2.33, 1.219, 1.219, 0.1879]  # [kg] Table 2
CENTERS = [[0, -0.02561, 0.00193], [0.2125, 0, 0.11336], [0.15, 0, 0.0265], [0, -0.0018, 0.01634],
           [0, 0.0018, 0.01634], [0, 0, -0.001159]]  # fmt: skip


class Extent(NamedTuple):
    """The size of the workspace, measured on a cloud or exact [m]."""

    width: float  # largest extent along x or y
    reach: float  # largest distance of the tool from the shoulder (frame 1's origin)
    hole: float  # smallest distance of the tool from axis 1
    wrist_hole: float  # smallest distance of the wrist centre (frame 5's origin) from axis 1


@cache
def cloud(count: int = POINTS, seed: int = 8) -> np.ndarray:
    """(count, 6) uniform joint angles in ±π."""
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, 6))


def extent(arm: Arm, q: np.ndarray) -> Extent:
    """The size of a cloud."""
    frames = link_frames(arm, q)
    tool, wrist, shoulder = frames[:, 6, :3, 3], frames[:, 5, :3, 3], frames[0, 1, :3, 3]
    width, reach = np.ptp(tool[:, :2], axis=0).max(), np.linalg.norm(tool - shoulder, axis=1).max()
    holes = (np.linalg.norm(points[:, :2], axis=1).min() for points in (tool, wrist))
    return Extent(*map(float, (width, reach, *holes)))


def exact_extent(arm: Arm) -> Extent:
    """What no cloud can exceed, from the lengths of the links.

    Across the arm's plane the tool lies d4 + d6 c5 from axis 1; in the plane the stretched links
    are followed by d5 and, at right angles to it, d6 s5.
    """
    (_, _, _, d4, d5, d6), links = arm.dh[:, 1], np.abs(arm.dh[1:3, 2]).sum()
    c5 = np.linspace(-1, 1, 200_001)
    along, across = links + np.hypot(d5, d6 * np.sqrt(1 - c5**2)), d4 + d6 * c5
    reach = float(np.hypot(along, across).max())
    return Extent(2 * reach, reach, max(0.0, d4 - d6), d4)


def share_outside(arm: Arm, q: np.ndarray) -> float:
    """Share of a cloud outside the published sphere about the shoulder."""
    frames = link_frames(arm, q)
    apart = np.linalg.norm(frames[:, 6, :3, 3] - frames[:, 1, :3, 3], axis=1)
    return float(np.mean(apart > PUBLISHED_DIAMETER / 2))


def circle(count: int = COUNT) -> np.ndarray:
    """(count, 4, 4) poses on the circle of 4.1, evenly spaced, the tool pointing down."""
    angle = 2 * np.pi * np.arange(count) / count
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = DOWN
    poses[:, :3, 3] = CENTER + RADIUS * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    return poses


def follow_circle(
    arm: Arm, branch: tuple[int, int, int] = (1, 1, 1), count: int = COUNT
) -> np.ndarray:
    """(count, 6) joint angles along the circle, all on one branch of the inverse kinematics [rad]."""
    found = []
    for pose in circle(count):
        solutions, branches = inverse_kinematics_branches(arm, pose)
        found.append(solutions[(branches == branch).all(axis=1)][0])
    return np.unwrap(np.array(found), axis=0)


def circle_error(arm: Arm, branch: tuple[int, int, int] = (1, 1, 1)) -> np.ndarray:
    """(3,) mean absolute error in x, y, z by (59) [m]."""
    reached = forward_kinematics(arm, follow_circle(arm, branch))[:, :3, 3]
    return np.abs(reached - circle()[:, :3, 3]).mean(axis=0)


def circle_branches(arm: Arm) -> list[tuple[int, int, int]]:
    """Branches on which the whole circle can be followed."""
    sets = [
        set(map(tuple, inverse_kinematics_branches(arm, pose)[1].tolist())) for pose in circle()
    ]
    return sorted(set.intersection(*sets))


def triangle_excess(arm: Arm) -> np.ndarray:
    """(6,) by how much the two smaller principal moments exceed the largest [kg·m²]; negative: impossible."""
    moments = np.linalg.eigvalsh(arm.inertia)
    return moments[:, 0] + moments[:, 1] - moments[:, 2]


def equal_entries(arm: Arm) -> tuple[int, int]:
    """How many of the 18 entries of Table 1 and the 24 of Table 2 are those of the arm."""
    lengths = np.array([TABLE_1["d"], TABLE_1["a"]]).T / 1000
    first = np.isclose(arm.dh[:, 1:], np.column_stack([lengths, TWISTS]), rtol=0, atol=1e-12)
    second = np.isclose(arm.mass, MASS), np.isclose(arm.center_of_mass, CENTERS, rtol=0, atol=1e-12)
    return int(first.sum()), sum(int(part.sum()) for part in second)


def rows() -> Rows:
    arm = load_arm(NAME)
    (first, second), excess = equal_entries(arm), triangle_excess(arm)
    yield judged(
        "tu2023.dh_parameters", f"{first} of 18 those of the arm that is used", first == 18
    )
    yield judged(
        "tu2023.masses_and_centres", f"{second} of 24 those of the arm that is used", second == 24
    )
    ours = f"{int((excess >= 0).sum())} of 6 satisfy the triangle inequality, the least by {excess.min():.1g} kg·m²"
    yield judged("tu2023.inertia_tensors", ours, bool((excess >= 0).all()))
    found, exact, outside = extent(arm, cloud()), exact_extent(arm), share_outside(arm, cloud())
    ours = (
        f"cloud {found.width:.2f} m wide; reach {found.reach:.3f} m from the shoulder, at most"
        f" {exact.reach:.3f} m; {100 * outside:.0f} % of the cloud outside that sphere"
    )
    yield judged("tu2023.size_of_the_workspace", ours, abs(found.width - PUBLISHED_DIAMETER) < 0.05)
    ours = (
        f"the tool comes within {1e3 * found.hole:.0f} mm of the axis (d4 − d6 ="
        f" {1e3 * exact.hole:.0f} mm), the wrist centre within {1e3 * found.wrist_hole:.0f} mm (d4)"
    )
    yield judged("tu2023.hole_of_the_workspace", ours, abs(2 * found.hole - PUBLISHED_HOLE) < 0.02)
    branches = circle_branches(arm)
    error = max(float(circle_error(arm, branch).max()) for branch in branches)
    ours = f"at most {1e3 * error:.0e} mm on each of {len(branches)} branches"
    yield judged("tu2023.error_on_the_circle", ours, error < 1e-12)
