"""Section 1.3: whose arm Tables 1.1 and 1.2 have, how far it reaches, how fast it turns."""

from functools import reduce
from typing import NamedTuple

import numpy as np
from ledger import Rows, judged
from scipy.spatial.transform import Rotation
from tu2023.kinematics import CENTERS, MASS, exact_extent

from dynamics import forward_kinematics, inverse_kinematics, link_frames, load_arm
from nowoczyn2023.direct_kinematics import NAME, positions
from nowoczyn2023.modified_dh import standard_transform

NAMED = "ur5e"  # what the tables are labelled as
LENGTHS = {  # Table 1.1, [m]
    "d": [0.089159, 0, 0, 0.10915, 0.09465, 0.0823],
    "a": [0, -0.425, -0.3922, 0, 0, 0],
    "alpha": [np.pi / 2, 0, 0, np.pi / 2, -np.pi / 2, 0],
}
NEAR = 1e-4  # [m] within which lengths are the same
REACH, SPEED, RANGE = 0.85, 180.0, 360.0  # 1.3, 3.1: [m], [°/s], [°]


def length_differences(name: str) -> np.ndarray:
    """(6,) how far d1, a2, a3, d4, d5, d6 of Table 1.1 are from an arm's [m]."""
    _, d, a, _ = load_arm(name).dh.T
    apart = np.abs([d - LENGTHS["d"], a - LENGTHS["a"]])
    return np.array([apart[0, 0], *apart[1, 1:3], *apart[0, 3:]])


def body_differences(name: str) -> tuple[int, int]:
    """How many of the 6 masses and of the 18 coordinates of Table 1.2 an arm has: those of tu2023's Table 2."""
    arm = load_arm(name)
    pairs = (arm.mass, MASS), (arm.center_of_mass, CENTERS)
    masses, centres = (int((np.abs(ours - printed) < 1e-12).sum()) for ours, printed in pairs)
    return masses, centres


def printed_product(q: np.ndarray) -> np.ndarray:
    """(k, 4, 4) product of (1.8) over the rows of Table 1.1."""
    rows = zip(q.T, LENGTHS["d"], LENGTHS["a"], LENGTHS["alpha"], strict=True)
    return reduce(
        np.matmul,
        (standard_transform(theta, *(np.full(len(q), x) for x in row)) for theta, *row in rows),
    )


def tool_differences() -> tuple[float, float]:
    """Largest distance between the tool by (1.8) with Table 1.1, and the UR5's and the UR5e's [m]."""
    q = positions()
    printed = printed_product(q)[:, :3, 3]
    tools = (forward_kinematics(load_arm(name), q)[:, :3, 3] for name in (NAME, "ur5e"))
    near, far = (float(np.linalg.norm(tool - printed, axis=1).max()) for tool in tools)
    return near, far


class Reach(NamedTuple):
    """Largest distances of points from the shoulder (frame 1) [m], and what lies at 0.85 m."""

    elbow_to_wrist: float  # |a2 + a3|, joint 4's axis in the plane of the arm
    fourth: float  # of frame 4's origin
    fifth: float  # of frame 5's origin
    tool: float  # of the tool
    beyond: float  # share of random joint angles with the tool beyond 0.85 m
    directions: (
        float  # share of random orientations that the tool can take 0.85 m from the shoulder
    )


def reach(count: int = 200_000) -> Reach:
    """Exact where a stretched arm gives it."""
    arm, rng = load_arm(NAME), np.random.default_rng(85)
    (_, _, _, d4, d5, _), links = arm.dh[:, 1], abs(arm.dh[1:3, 2].sum())
    frames = link_frames(arm, positions(count))
    apart = np.linalg.norm(frames[:, 6, :3, 3] - frames[:, 1, :3, 3], axis=1)
    poses = np.tile(np.eye(4), (count // 10, 1, 1))
    poses[:, :3, :3] = Rotation.random(len(poses), random_state=rng).as_matrix()
    direction = rng.normal(size=(len(poses), 3))
    poses[:, :3, 3] = REACH * direction / np.linalg.norm(direction, axis=1)[:, None]
    poses[:, 2, 3] += arm.dh[0, 1]
    solved = np.isfinite(inverse_kinematics(arm, poses)[:, 0, 0])
    fourth, fifth = np.hypot(links, d4), np.hypot(links + d5, d4)
    return Reach(
        links,
        fourth,
        fifth,
        exact_extent(arm).reach,
        float((apart > REACH).mean()),
        float(solved.mean()),
    )


def rows() -> Rows:
    near, far = length_differences(NAME), length_differences(NAMED)
    masses, centres = body_differences(NAME)
    named_masses, named_centres = body_differences(NAMED)
    own, other = tool_differences()
    ours = (
        f"{(near < NEAR).sum()} of 6 within {1e3 * NEAR:g} mm of the UR5's, {(far < NEAR).sum()} of the UR5e's (largest"
        f" difference {1e3 * near.max():.2f} and {1e3 * far.max():.0f} mm); the tool {1e3 * own:.2f} and"
        f" up to {1e3 * other:.0f} mm off"
    )
    yield judged("nowoczyn2023.lengths", ours, far.max() < NEAR)
    ours = f"UR5: {masses} of 6 masses, {centres} of 18 coordinates; UR5e: {named_masses} of 6, {named_centres} of 18"
    yield judged("nowoczyn2023.masses", ours, named_masses == 6)
    found = reach()
    ours = (
        f"from the shoulder: joint 4's axis {found.elbow_to_wrist:.3f} m, its frame {found.fourth:.3f} m,"
        f" frame 5 {found.fifth:.3f} m, tool {found.tool:.3f} m;"
        f" {100 * found.beyond:.0f} % of random positions have the tool beyond {REACH} m"
    )
    near = any(
        abs(r - REACH) < 5e-3 for r in (found.elbow_to_wrist, found.fourth, found.fifth, found.tool)
    )
    yield judged("nowoczyn2023.reach", ours, near, directions=100 * found.directions)
    arm = load_arm(NAME)
    speed, bounds = np.degrees(arm.speed_limits), np.degrees(arm.position_limits)
    ours = f"{speed.min():.0f} °/s on all six joints"
    yield judged("nowoczyn2023.speed_of_the_joints", ours, bool(np.allclose(speed, SPEED)))
    ours = f"{bounds.min():.0f} to {bounds.max():.0f}°"
    yield judged(
        "nowoczyn2023.range_of_the_joints", ours, bool(np.allclose(bounds, [-RANGE, RANGE]))
    )
