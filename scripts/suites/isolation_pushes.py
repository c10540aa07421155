"""Pushes without motion: a sphere at a random place of the visible surface, any pose, exact torque.

A sphere touches the arm where it is nearest, along the normal there: a place inside another capsule is
never touched. The residual is J^T F with noise of the stated size; the imperfect arm's is wrong by what
masses and friction drawn anew for each push add.
"""

from typing import NamedTuple

import numpy as np
from isolation_scores import Scores, score
from surface_points import random_surface_points

from dynamics import Arm, gravity_torque
from hopfield_nav.extensions.isolation import Isolation, isolate, push_torque

NOISE = 0.02  # [N·m] of a perfect model's residual
FORCES = (5.0, 150.0)  # [N] uniform
LEAST = 2.0  # [N·m] largest joint torque of a push that is counted
FELT = np.array([1.0, 1.0, 1.0, 0.25, 0.25, 0.25])  # [N·m] thresholds of ``detectors/joint_torque.py``
MASS_ERROR, FRICTION_ERROR = 0.1, 0.2


class Pushes(NamedTuple):
    """Random pushes: joint angles (k, n), link (k,), point and force (k, 3), torque (k, n)."""

    q: np.ndarray
    link: np.ndarray
    point: np.ndarray
    force: np.ndarray
    torque: np.ndarray


def random_pushes(arm: Arm, count: int, seed: int) -> Pushes:
    """Poses uniform within half a turn, places uniform in area, forces uniform in ``FORCES``."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (count, len(arm.dh)))
    places = random_surface_points(arm, q, rng)
    force = rng.uniform(*FORCES, (count, 1)) * places.normal
    return Pushes(q, places.link, places.point, force, push_torque(arm, q, places.link, places.point, force))


def felt(pushes: Pushes) -> np.ndarray:
    """(k,) bool: whether a push exceeds the threshold of any joint."""
    return (np.abs(pushes.torque) > FELT).any(axis=1)


def counted(pushes: Pushes) -> np.ndarray:
    """Rows of the pushes whose largest joint torque is at least ``LEAST``."""
    return np.flatnonzero(np.abs(pushes.torque).max(axis=1) >= LEAST)


def isolate_pushes(
    arm: Arm, pushes: Pushes, perfect: bool = True, seed: int = 0, part: tuple[int, int] = (0, 1)
) -> tuple[Scores, list[Isolation]]:
    """Isolate every counted push from its torque, noise and, unless ``perfect``, the model's errors.

    ``part`` (k, n): the k-th of n parts alone; all parts together are the whole.
    """
    rng, found, n = np.random.default_rng(seed), [], len(arm.dh)
    rows = np.array_split(counted(pushes), part[1])[part[0]]
    for i in counted(pushes):
        q, residual = pushes.q[i], pushes.torque[i] + NOISE * rng.standard_normal(n)
        sigma: float | np.ndarray = NOISE
        if not perfect:
            sigma = model_covariance(arm, q, np.zeros(n), NOISE, MASS_ERROR, FRICTION_ERROR)
            residual = residual + _model_error(arm, q, rng)
        if i in rows:
            found.append(isolate(arm, q, residual, sigma))
    return score([int(k) for k in pushes.link[rows]], found), found


def model_covariance(
    model: Arm,
    q: np.ndarray,
    qd: np.ndarray,
    noise: np.ndarray | float,
    mass_error: float = 0.1,
    friction_error: float = 0.2,
) -> np.ndarray:
    """Covariance (n, n) of a residual whose model is not exact [(N·m)²], for ``sigma`` of ``isolate``.

    Each link's mass is off by its own share, with the standard deviation ``mass_error``, which acts through gravity;
    each joint's friction by its own, ``friction_error``. Errors of the inertial torque are not in it: add them to
    ``noise``, the standard deviation from all else, one number or (n,) [N·m], where the arm accelerates. ``q``,
    ``qd`` are (n,) [rad, rad/s].
    """
    n = len(model.dh)
    links = [gravity_torque(model._replace(mass=model.mass * (np.arange(n) == i)), q) for i in range(n)]
    weights = mass_error * np.array(links)
    friction = friction_error * (model.friction[:, 0] + model.friction[:, 1] * np.abs(qd))
    return weights.T @ weights + np.diag(friction**2 + np.broadcast_to(noise, n) ** 2)


def _model_error(arm: Arm, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Torque of masses and friction that are off, each by its own normal share."""
    n = len(arm.dh)
    wrong = arm._replace(mass=arm.mass * MASS_ERROR * rng.standard_normal(n))
    return gravity_torque(wrong, q) + FRICTION_ERROR * arm.friction[:, 0] * rng.standard_normal(n)
