"""How likely a push on each patch is, when its force, its place within the patch and its slant are not known.

The torque of a push is linear in its direction and nearly so in its place within the patch, so that both
add to the covariance of the noise, and the force is found by a few steps to its likeliest value (Laplace's
method). A surface may be smooth or rough: the push then lies in the cone about the normal, on the side
against which the patch slid.
"""

import numpy as np

from dynamics import Arm
from hopfield_nav.geometry import LINK
from hopfield_nav.isolation.surface import (
    AREA,
    BODY,
    HALF_U,
    HALF_V,
    ArmSurface,
    U,
    V,
    push_torque,
    surface_places,
)

SLANTS = ((0.5, 0.0, 0.0), (0.5, 0.3, 0.2))  # share of surfaces, coefficient of friction and its spread
FORCE, SPREAD = 40.0, 1.0  # of a push: log-normal [N], in e-folds
LARGEST = 500.0  # [N] no push is harder
_STEPS, _EDGE = 3, 0.9  # to the likeliest force; where in a patch its slope is taken


def push_evidence(
    arm: Arm, surface: ArmSurface, q: np.ndarray, qd: np.ndarray, torque: np.ndarray, noise: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each patch can be pushed, and how well that explains a torque.

    Args:
        arm: the arm with its capsules.
        surface: its surface, m patches.
        q: (n,) joint angles [rad].
        qd: (n,) joint speeds with which the contact began [rad/s].
        torque: (n,) of the push on the joints [N·m].
        noise: (n,) its standard deviation [N·m].

    Returns:
        (m, 3) middles of the patches, base axes [m]; (m, 3) their inward normals; (m,) log of the evidence,
        -inf where no push explains the torque better than none.
    """
    patches = surface.patches
    link = surface.bodies[patches[:, BODY].astype(int), LINK].astype(int)
    rows = np.tile(q, (len(patches), 1))

    def at(u: float, v: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        shares = patches[:, U] + u * patches[:, HALF_U], patches[:, V] + v * patches[:, HALF_V]
        points, inward = surface_places(arm, q, surface, np.arange(len(patches)), *shares)
        return points, inward, push_torque(arm, rows, link, points, inward)

    points, inward, push = at(0.0, 0.0)
    slopes = [(at(*edge)[2] - at(*-edge)[2]) / (2.0 * _EDGE) for edge in _EDGE * np.eye(2)]
    rub = push_torque(arm, rows, link, points, -_sliding(arm, rows, link, points, inward, qd))
    square = sum(slope[:, :, None] * slope[:, None] for slope in slopes) / 3.0  # uniform in the patch
    rubs = rub[:, :, None] * rub[:, None]
    found = [
        np.log(share) + _explained(push + mu * rub, square + spread**2 * rubs, torque, noise)
        for share, mu, spread in SLANTS
    ]
    return points, inward, np.logaddexp.reduce(found) + np.log(patches[:, AREA])


def _sliding(
    arm: Arm, rows: np.ndarray, link: np.ndarray, points: np.ndarray, inward: np.ndarray, qd: np.ndarray
) -> np.ndarray:
    """(m, 3) unit vectors along which points of the surface moved sideways; zero where they did not."""
    axes = np.eye(3)[:, None] + np.zeros_like(points)
    velocity = np.stack([push_torque(arm, rows, link, points, axis) @ qd for axis in axes], axis=1)
    velocity -= (velocity * inward).sum(axis=1)[:, None] * inward
    return velocity / np.maximum(np.linalg.norm(velocity, axis=1), 1e-9)[:, None]


def _explained(push: np.ndarray, square: np.ndarray, torque: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """(m,) log evidence of pushes (m, n) of 1 N, each with a covariance (m, n, n) of its own."""
    force = np.maximum((push / noise**2) @ torque / np.maximum(((push / noise) ** 2).sum(axis=1), 1e-12), 0.0)
    for _ in range(_STEPS):
        covariance = np.diag(noise**2) + force[:, None, None] ** 2 * square
        both = np.stack([push, np.broadcast_to(torque, push.shape)], axis=2)
        solved = np.linalg.solve(covariance, both)
        own, match = (push * solved[:, :, 0]).sum(axis=1), (push * solved[:, :, 1]).sum(axis=1)
        force = np.clip(match / np.maximum(own, 1e-12), 1e-3, LARGEST)
    misfit = solved[:, :, 1] @ torque - 2.0 * force * match + force**2 * own
    misfit += np.linalg.slogdet(covariance)[1] + (np.log(force / FORCE) / SPREAD) ** 2
    return np.where(match > 0.0, -0.5 * (misfit + np.log1p(force**2 * own)), -np.inf)
