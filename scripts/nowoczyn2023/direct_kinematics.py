"""Sections 1.1 and 1.4: products of transformations, joint variables, axes, columns of the Jacobian."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from ledger import Rows, judged
from scipy.spatial.transform import Rotation

from dynamics import Arm, forward_kinematics, jacobian, link_frames, load_arm
from dynamics.files import arm_from_dict
from nowoczyn2023.modified_dh import modified_link_frames, standard_transform

NAME = "ur5_tu2023"  # the UR5 (CB3)
STEP = 1e-6  # [rad, m] of the derivatives


def positions(count: int = 1000, seed: int = 2023) -> np.ndarray:
    """(count, 6) uniform joint angles within half a turn."""
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, 6))


class JointVariable(NamedTuple):
    """What (1.8) has in its θ and d while a turning joint turns, read off the links' poses."""

    angle: float  # largest difference between θ and the joint's angle [rad]
    offset: float  # largest change of d [m]


def joint_variable() -> JointVariable:
    """θ and d of every link at random positions; all six joints of the UR5 turn."""
    arm, q = load_arm(NAME), positions()
    frames = link_frames(arm, q)
    links = np.linalg.inv(frames[:, :-1]) @ frames[:, 1:]
    theta = np.arctan2(links[..., 1, 0], links[..., 0, 0])
    apart = np.abs(np.angle(np.exp(1j * (theta - q))))
    return JointVariable(float(apart.max()), float(np.abs(links[..., 2, 3] - arm.dh[:, 1]).max()))


def turning_axes(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(k, 6, 3) axes about which the tool turns with each joint, by differences of its pose."""
    axes = []
    for step in STEP * np.eye(6):
        before, after = (forward_kinematics(arm, q + sign * step)[:, :3, :3] for sign in (-1, 1))
        axes.append(
            Rotation.from_matrix(after @ before.transpose(0, 2, 1)).as_rotvec() / (2 * STEP)
        )
    return np.stack(axes, axis=1)


def axis_errors() -> dict[str, float]:
    """Largest difference of z_n and z_(n−1) from the axis of joint n, frames by (1.8) and by (1.9)."""
    arm, q = load_arm(NAME), positions(200)
    true = turning_axes(arm, q)
    standard, modified = link_frames(arm, q)[..., :3, 2], modified_link_frames(arm, q)[..., :3, 2]
    found = {}
    for form, z in (("(1.8)", standard), ("(1.9)", modified)):
        found |= {f"{form}, z_n": z[:, 1:], f"{form}, z_n-1": z[:, :-1]}
    return {name: float(np.abs(z - true).max()) for name, z in found.items()}


def angular_errors() -> np.ndarray:
    """(5,) largest error of the angular columns 2 to 6 with the index of (1.11) as printed."""
    arm, q = load_arm(NAME), positions(200)
    printed = link_frames(arm, q)[:, :5, :3, 2]  # column n + 1 is z of n − 1
    return np.abs(printed - turning_axes(arm, q)[:, 1:]).max(axis=(0, 2))


def sliding_errors() -> tuple[float, float]:
    """Largest error of (1.12) [1] and of (1.13) [1/m]: the tool while d_n changes."""
    arm, q = load_arm(NAME), positions(200)
    z, shift, turn = link_frames(arm, q)[..., :3, 2], 0.0, 0.0
    for n in range(6):
        steps = (sign * STEP * np.eye(18)[3 * n].reshape(6, 3) for sign in (-1, 1))
        before, after = (
            forward_kinematics(arm_of_table(arm.dh[:, 1:] + step), q) for step in steps
        )
        rate = (after - before) / (2 * STEP)
        shift = max(shift, float(np.abs(rate[:, :3, 3] - z[:, n]).max()))
        turn = max(turn, float(np.abs(rate[:, :3, :3]).max()))
    return shift, turn


def arm_of_table(rows: Iterable[Sequence[float | str]]) -> Arm:
    """An arm of links without mass, by its rows of d [m], a [m], alpha [rad]."""
    joints = [{"d": d, "a": a, "alpha": alpha, "source": "a table"} for d, a, alpha in rows]
    links = [{"mass": 0, "center_of_mass": [0, 0, 0], "source": "none"}] * 6
    return arm_from_dict({"joints": joints, "links": links})


def linear_error() -> float:
    """Largest error of (1.10), z_(n−1) × (P_e − P_(n−1)), against the derivative of the position [m]."""
    arm, q = load_arm(NAME), positions(200)
    steps = STEP * np.eye(6)
    rates = [
        (forward_kinematics(arm, q + s) - forward_kinematics(arm, q - s))[:, :3, 3] / (2 * STEP)
        for s in steps
    ]
    return float(np.abs(columns(arm, q)[..., :3] - np.stack(rates, axis=1)).max())


def columns(arm: Arm, q: np.ndarray) -> np.ndarray:
    """(k, 6, 6) column n of the Jacobian, linear part first, by (1.10) and z_(n−1)."""
    frames = link_frames(arm, q)
    z, p = frames[:, :6, :3, 2], frames[:, :, :3, 3]
    return np.concatenate([np.cross(z, p[:, 6:] - p[:, :6]), z], axis=2)


def inverse_error() -> float:
    """Largest entry of T · T⁻¹ − 1 with T⁻¹ by (1.2)."""
    T = forward_kinematics(load_arm(NAME), positions())
    inverse = np.tile(np.eye(4), (len(T), 1, 1))
    inverse[:, :3, :3] = T[:, :3, :3].transpose(0, 2, 1)
    inverse[:, :3, 3:] = -inverse[:, :3, :3] @ T[:, :3, 3:]
    return float(np.abs(T @ inverse - np.eye(4)).max())


def product_error() -> float:
    """Largest difference of (1.4) · (1.5) · (1.6) · (1.7) and (1.8), random parameters."""
    rng = np.random.default_rng(8)
    theta, d, a, alpha = rng.uniform(-np.pi, np.pi, (4, 500))
    z, x = (
        Rotation.from_euler(axis, v[:, None]).as_matrix()
        for axis, v in (("z", theta), ("x", alpha))
    )
    T = np.tile(np.eye(4), (500, 1, 1))
    T[:, :3, :3] = z @ x
    T[:, :3, 3] = d[:, None] * [0, 0, 1] + z[:, :, 0] * a[:, None]
    return float(np.abs(T - standard_transform(theta, d, a, alpha)).max())


def twist_error() -> float:
    """Largest difference of J θ̇ by (1.14), (1.15) and the package's Jacobian times θ̇ [SI]."""
    arm, q = load_arm(NAME), positions(200)
    qd = positions(200, 7)
    ours = (jacobian(arm, q) @ qd[..., None])[..., 0]
    return float(np.abs(np.einsum("knr,kn->kr", columns(arm, q), qd) - ours).max())


def rows() -> Rows:
    inverse, product, joint, axes = (
        inverse_error(),
        product_error(),
        joint_variable(),
        axis_errors(),
    )
    right, wrong = axes["(1.9), z_n"], axes["(1.8), z_n"]
    ours = f"T · T⁻¹ = 1 to {inverse:.0e} at 1000 random positions"
    yield judged("nowoczyn2023.inverse_transformation", ours, inverse < 1e-14)
    ours = f"product and matrix equal to {product:.0e}, 500 random links"
    yield judged("nowoczyn2023.product_of_a_link", ours, product < 1e-14)
    ours = f"turning the UR5's joints: θ is the joint's angle to {joint.angle:.0e} rad, d stays to {joint.offset:.0e} m"
    yield judged("nowoczyn2023.parameter_of_a_joint", ours, joint.offset > 1e-9)
    ours = f"frames of (1.9): yes, to {right:.0e}; of (1.8): no, off by up to {wrong:.1f} (unit vectors)"
    yield judged("nowoczyn2023.axis_of_a_joint", ours, wrong < 1e-6)
    linear, angular, (shift, turn), twist = (
        linear_error(),
        angular_errors(),
        sliding_errors(),
        twist_error(),
    )
    modified, off = axis_errors()["(1.9), z_n-1"], [n + 2 for n in range(5) if angular[n] > 1e-6]
    lucky = " and ".join(str(n) for n in range(2, 7) if n not in off)
    ours = f"the derivative of the tool's position to {linear:.0e} m, 200 random positions"
    yield judged("nowoczyn2023.linear_column", ours, linear < 1e-8, modified=modified)
    ours = (
        f"column n is z_(n−1); as printed columns {', '.join(map(str, off))} are off by up to"
        f" {angular.max():.1f} (unit vectors) and column 1 has none"
    )
    yield judged("nowoczyn2023.angular_column", ours, not off, lucky=lucky)
    ours = f"the tool while d_n changes: z_(n−1) to {shift:.0e}, no turn to {turn:.0e} 1/m"
    yield judged("nowoczyn2023.columns_of_a_prismatic_joint", ours, shift < 1e-8 and turn < 1e-8)
    yield judged(
        "nowoczyn2023.velocity_of_the_tool",
        f"equal to our Jacobian times θ̇ to {twist:.0e}",
        twist < 1e-13,
    )
