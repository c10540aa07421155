"""Pushes without motion: a sphere at a random place of the visible surface, any pose, exact torque.

A sphere touches the arm where it is nearest, along the normal there: a place inside another capsule
is never touched. The residual is J^T F with noise of the stated size; the imperfect arm's is wrong
by what masses and friction drawn anew for each push add.
"""

from collections.abc import Iterator
from time import process_time
from typing import NamedTuple

import numpy as np
from isolation_scores import Scores, score
from surface_points import random_surface_points

from dynamics import Arm, gravity_torque
from hopfield_nav.extensions.isolation import (
    BODY,
    Isolation,
    default_surface,
    filter_contact,
    isolate,
    push_torque,
)
from hopfield_nav.extensions.whole_arm.localization import likely_places
from hopfield_nav.extensions.whole_arm.numbers import LOOKS
from hopfield_nav.geometry import LINK
from hopfield_nav.navigation.map import NOWHERE

NOISE = 0.02  # [N·m] of a perfect model's residual
FORCES = (5.0, 150.0)  # [N] uniform
LEAST = 2.0  # [N·m] largest joint torque of a push that is counted
# [N·m] thresholds of ``detectors/joint_torque.py``
FELT = np.array([1.0, 1.0, 1.0, 0.25, 0.25, 0.25])
MASS_ERROR, FRICTION_ERROR = 0.1, 0.2
LOST = 9.0  # [m] error of a push that is placed nowhere


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
    return Pushes(
        q, places.link, places.point, force, push_torque(arm, q, places.link, places.point, force)
    )


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
    felt_pushes = list(_felt_pushes(arm, pushes, perfect, seed, part))
    found = [isolate(arm, pushes.q[i], residual, sigma) for i, residual, sigma in felt_pushes]
    return score([int(pushes.link[i]) for i, _, _ in felt_pushes], found), found


def place_pushes(
    arm: Arm, pushes: Pushes, perfect: bool, part: tuple[int, int], every: int, seed: int = 0
) -> list[list[float]]:
    """Of every so manieth push: its link; then by patches and by particles the error [m] and the time [s]."""
    surface, rows = (
        default_surface(arm),
        list(_felt_pushes(arm, pushes, perfect, seed, part))[::every],
    )
    links = surface.bodies[:, LINK].astype(int)

    def by_patches(
        q: np.ndarray, residual: np.ndarray, sigma: np.ndarray | float
    ) -> tuple[np.ndarray, ...]:
        found = isolate(arm, q, residual, sigma)
        return surface.patches[found.patches, BODY].astype(int), found.points, found.weight

    def by_particles(
        q: np.ndarray, residual: np.ndarray, sigma: np.ndarray | float
    ) -> tuple[np.ndarray, ...]:
        found = filter_contact(
            arm, surface, [(q, residual, sigma)] * LOOKS, np.random.default_rng(0)
        )
        return found.body, found.points, found.weights

    told = []
    for i, residual, sigma in rows:
        told.append([float(pushes.link[i])])
        for method in (by_patches, by_particles):
            began = process_time()
            body, points, weights = method(pushes.q[i], residual, sigma)
            places = likely_places(points, links[body], weights) if len(weights) else NOWHERE
            spent = process_time() - began
            error = (
                float(np.linalg.norm(places.points[0] - pushes.point[i]))
                if len(places.points)
                else LOST
            )
            told[-1] += [round(error, 5), round(spent, 5)]
    return told


def _felt_pushes(
    arm: Arm, pushes: Pushes, perfect: bool, seed: int, part: tuple[int, int]
) -> Iterator[tuple[int, np.ndarray, np.ndarray | float]]:
    """Number, residual and noise of every counted push of a part; the random numbers of the others are drawn too."""
    rng, n = np.random.default_rng(seed), len(arm.dh)
    rows = np.array_split(counted(pushes), part[1])[part[0]]
    for i in counted(pushes):
        q, residual = pushes.q[i], pushes.torque[i] + NOISE * rng.standard_normal(n)
        if not perfect:
            residual = residual + _model_error(arm, q, rng)
        if i in rows:
            wrong = not perfect and model_covariance(
                arm, q, np.zeros(n), NOISE, MASS_ERROR, FRICTION_ERROR
            )
            yield int(i), residual, NOISE if perfect else wrong


def model_covariance(
    model: Arm,
    q: np.ndarray,
    qd: np.ndarray,
    noise: np.ndarray | float,
    mass_error: float = 0.1,
    friction_error: float = 0.2,
) -> np.ndarray:
    """Covariance (n, n) of a residual whose model is not exact [(N·m)²], for ``sigma`` of ``isolate``.

    Each link's mass is off by its own share, with the standard deviation ``mass_error``, which acts
    through gravity; each joint's friction by its own, ``friction_error``. Errors of the inertial
    torque are not in it: add them to ``noise``, the standard deviation from all else, one number or
    (n,) [N·m], where the arm accelerates. ``q``, ``qd`` are (n,) [rad, rad/s].
    """
    n = len(model.dh)
    links = [
        gravity_torque(model._replace(mass=model.mass * (np.arange(n) == i)), q) for i in range(n)
    ]
    weights = mass_error * np.array(links)
    friction = friction_error * (model.friction[:, 0] + model.friction[:, 1] * np.abs(qd))
    return weights.T @ weights + np.diag(friction**2 + np.broadcast_to(noise, n) ** 2)


def _model_error(arm: Arm, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Torque of masses and friction that are off, each by its own normal share."""
    n = len(arm.dh)
    wrong = arm._replace(mass=arm.mass * MASS_ERROR * rng.standard_normal(n))
    return gravity_torque(wrong, q) + FRICTION_ERROR * arm.friction[:, 0] * rng.standard_normal(n)
