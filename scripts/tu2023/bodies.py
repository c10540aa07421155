"""Section 3.2: the mass distribution (29), (30), and the equations (32), (33) of one link, at bodies made of points.

A body of many point masses needs neither tensor nor Euler's equation: forces and moments are sums
over its points.
"""

from typing import NamedTuple

import numpy as np
from ledger import Rows, judged
from verdicts import PARTLY

from dynamics import load_arm
from tu2023.kinematics import NAME

BODIES = 100
POINTS = 40
EXACT = 1e-9


class Bodies(NamedTuple):
    """Random bodies in random motion, axes of one frame: the first axis counts the bodies."""

    mass: np.ndarray  # (k, m) of each point [kg]
    point: np.ndarray  # (k, m, 3) from the centre of mass [m]
    spin: np.ndarray  # (k, 3) angular velocity [rad/s]
    spin_rate: np.ndarray  # (k, 3) angular acceleration [rad/s²]
    push: np.ndarray  # (k, 3) acceleration of the centre of mass [m/s²]


def bodies() -> Bodies:
    rng = np.random.default_rng(29)
    mass = rng.uniform(0.01, 0.2, (BODIES, POINTS))
    point = rng.normal(0, [0.2, 0.1, 0.05], (BODIES, POINTS, 3))
    point -= (mass[..., None] * point).sum(1, keepdims=True) / mass.sum(1)[:, None, None]
    return Bodies(mass, point, *rng.normal(0, 2, (3, BODIES, 3)))


def tensor(mass: np.ndarray, point: np.ndarray, products: float = -1.0) -> np.ndarray:
    """(…, 3, 3) tensor by (29) and (30) about the origin; ``products`` is the sign of what lies beside the diagonal."""
    x, y, z = np.moveaxis(point, -1, 0)
    xy, xz, yz = (products * (mass * a * b).sum(-1) for a, b in ((x, y), (x, z), (y, z)))
    xx, yy, zz = ((mass * (a**2 + b**2)).sum(-1) for a, b in ((y, z), (x, z), (x, y)))
    return np.moveaxis(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), (0, 1), (-2, -1))


def momentum_error(products: float = -1.0) -> float:
    """Largest difference of I ω from the angular momentum of the points [kg·m²/s]."""
    body = bodies()
    speed = np.cross(body.spin[:, None], body.point)
    by_points = (body.mass[..., None] * np.cross(body.point, speed)).sum(1)
    return float(
        np.abs(
            np.einsum("kij,kj->ki", tensor(body.mass, body.point, products), body.spin) - by_points
        ).max()
    )


def load_errors(gyroscopic: bool = True) -> tuple[float, float]:
    """Largest difference of (32) [N] and of (33) [N·m] from the sums over the points."""
    body = bodies()
    spin = body.spin[:, None]
    turning = np.cross(body.spin_rate[:, None], body.point) + np.cross(
        spin, np.cross(spin, body.point)
    )
    force = body.mass[..., None] * (body.push[:, None] + turning)
    inertia = tensor(body.mass, body.point)
    moment = np.einsum("kij,kj->ki", inertia, body.spin_rate)
    if gyroscopic:
        moment += np.cross(body.spin, np.einsum("kij,kj->ki", inertia, body.spin))
    by_32 = body.mass.sum(1)[:, None] * body.push
    return (
        float(np.abs(by_32 - force.sum(1)).max()),
        float(np.abs(moment - np.cross(body.point, force).sum(1)).max()),
    )


def least_about_the_frame() -> tuple[int, float, float]:
    """The link whose tensor (31) is furthest below what its mass alone gives about the origin of its frame.

    Also the moment of inertia of its mass in its centre there, and the one of (31) about the same
    axis [kg·m²].
    """
    arm = load_arm(NAME)
    alone = np.diagonal(tensor(arm.mass[:, None], arm.center_of_mass[:, None]), axis1=1, axis2=2)
    printed = np.diagonal(arm.inertia, axis1=1, axis2=2)
    link, axis = np.unravel_index(np.argmax(alone - printed), alone.shape)
    return int(link) + 1, float(alone[link, axis]), float(printed[link, axis])


def rows() -> Rows:
    error = momentum_error()
    ours = (
        f"I ω is the angular momentum of the points to {error:.0e} kg·m²/s, {BODIES} random bodies"
    )
    yield judged("tu2023.inertia_tensor", ours, error < EXACT)
    link, alone, printed = least_about_the_frame()
    ours = f"the mass of link {link} in its centre has {alone:.2f} kg·m² about that origin, and (31) says {printed:.2f}"
    yield judged("tu2023.origin_of_the_tensors", ours, PARTLY if alone > printed else True)
    force, moment = load_errors()
    yield judged("tu2023.newton", f"the sum over the points, to {force:.0e} N", force < EXACT)
    yield judged("tu2023.euler", f"the sum over the points, to {moment:.0e} N·m", moment < EXACT)
