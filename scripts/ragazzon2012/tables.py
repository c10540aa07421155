"""Tables 3.1 to 3.3, the printed dynamics of B.2, and the pose and map of section 7.1."""

import numpy as np
from ledger import Rows, judged

from dynamics import Arm, forward_kinematics, gravity_torque, load_arm, mass_matrix
from hopfield_nav.navigation import CollisionMap

Q0 = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])  # [rad] C.2.2
ROTATION = np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1]])  # C.2.2
MASS = [3.8054, 8.4576, 2.1456, 1.1884, 1.11884, 0.1632]  # [kg] Table 3.2
OFFSET = [
    [0, 0.0892, 0],
    [-0.425, 0, 0],
    [-0.39243, 0, 0],
    [0, 0.109, 0],
    [0, -0.093, 0],
    [0, 0, 0.082],
]
CENTER = [[0, -0.01541, 0.00151], [0.2125, 0, 0.1134], [0.15, -0.00015, 0.0154], [0, 0.0015, 0.0154],
          [0, 0, -0.0128], [0, 0, 0]]  # fmt: skip
AXIS = (1, 0, 0, 1, 1, 2)  # of the cylinder of each link


def cylinders(arm: Arm) -> np.ndarray:
    """(6, 2) radius and height of the cylinder that has each link's inertia tensor [m]."""
    out = np.empty((6, 2))
    for i, axis in enumerate(AXIS):
        along, across = np.diag(arm.inertia[i])[[axis, axis - 1]]
        radius = np.sqrt(2 * along / arm.mass[i])
        out[i] = radius, np.sqrt(12 * across / arm.mass[i] - 3 * radius**2)
    return out


def coefficients() -> dict[str, float]:
    """Coefficients of B.2 fitted to the as-printed arm at 500 random poses."""
    arm = load_arm("ur5_ragazzon2012_as_printed")
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (500, 6))
    q234, q5 = q[:, 1:4].sum(axis=1), q[:, 4]
    waves = np.column_stack([np.cos(q[:, 1]), np.sin(q234), np.sin(q234 - q5), np.sin(q234 + q5)])
    matrix = mass_matrix(arm, q)
    forearm = np.linalg.lstsq(
        np.column_stack([np.ones(500), np.cos(2 * q5)]), matrix[:, 2, 2], rcond=None
    )[0]
    gravity = np.linalg.lstsq(waves, gravity_torque(arm, q)[:, 1] / 9.81, rcond=None)[0]
    found = gravity[0], matrix[:, 4, 4].mean(), matrix[:, 5, 5].mean(), *forearm
    return dict(zip(PRINTED, found, strict=True))


PRINTED = {"g2": -2.37167, "M55": 2.01419266993e-3, "M66": 1.217591948e-4, "M33": 4.96708343882e-2,
           "M33 cos 2 q5": -5.28848301220e-4}  # fmt: skip


def start_error() -> tuple[float, float]:
    """How far q0 is from the centre of cell (2, 11) [m] and from the printed rotation [1]."""
    pose = forward_kinematics(load_arm("ur5_ragazzon2012"), Q0)
    centre = CollisionMap.create().centre((1, 10))
    return float(np.linalg.norm(pose[:3, 3] - centre)), float(np.abs(pose[:3, :3] - ROTATION).max())


def map_corners() -> np.ndarray:
    """(2, 3) centres of the first and the last cell of the default map [m]."""
    grid = CollisionMap.create()
    return np.array([grid.centre((0, 0)), grid.centre((19, 19))])


def rows() -> Rows:
    arm = load_arm("ur5_ragazzon2012")
    pairs = ((arm.mass, MASS), (arm.offset, OFFSET), (arm.center_of_mass, CENTER))
    equal = sum(int(np.isclose(ours, printed, rtol=0, atol=1e-12).sum()) for ours, printed in pairs)
    yield judged("ragazzon2012.masses_and_centres", f"{equal} of 42 equal", equal == 42)
    found = cylinders(arm)
    needed = np.sqrt(2 * PRINTED["M66"] / MASS[5])
    ours = f"{found[1, 1]:.3f} m, {found[2, 1]:.3f} m"
    same = bool(np.abs(found[[1, 2], 1] - [0.540, 0.507]).max() < 5e-4)
    yield judged("ragazzon2012.heights_of_the_cylinders", ours, same)
    ours = f"{found[2:, 0].min():.6f} m; M66 of B.2 needs {needed:.6f} m"
    yield judged("ragazzon2012.radii_of_the_cylinders", ours, abs(needed - 0.0386) < 1e-6)
    for name, value in coefficients().items():
        ours = f"{value:.10g}", abs(value / PRINTED[name] - 1) < 1e-8
        if name == "g2":
            yield judged("ragazzon2012.gravity_coefficient", *ours, name=name, value=PRINTED[name])
        else:
            yield judged("ragazzon2012.mass_coefficient", *ours, name=name, value=PRINTED[name])
    distance, turn = start_error()
    grid = CollisionMap.create()
    cell = np.array(grid.cell_of(forward_kinematics(load_arm("ur5_ragazzon2012"), Q0)[:3, 3])) + 1
    goal = grid.centre((17, 6))
    ours = (
        f"cell ({cell[0]}, {cell[1]}), {1e6 * distance:.0f} µm off its centre, R off by {turn:.0e}"
    )
    yield judged(
        "ragazzon2012.start_pose", ours, tuple(cell) == (2, 11) and distance < 2e-4 and turn < 1e-3
    )
    ours = f"cell [17, 6] from 0: x {goal[0]:.4f} m, y {goal[1]:.4f} m"
    same = bool(np.abs(goal[:2] - [0.0263 * 18 + 0.1238, 0.0263 * 7 - 0.2762]).max() < 1e-12)
    yield judged("ragazzon2012.destination", ours, same)
    first, last = map_corners()
    agrees = np.abs([first[:2] - [0.150, -0.250], last[:2] - [0.650, 0.250]]).max() < 5e-4
    pitch = (last - first)[0] / 19
    ours = (
        f"x {first[0]:.4f}…{last[0]:.4f} m, y −{-first[1]:.4f}…{last[1]:.4f} m, pitch {pitch:.4f} m"
    )
    yield judged("ragazzon2012.map", ours, bool(agrees))
