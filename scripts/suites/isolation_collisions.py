"""Collisions in motion: a sphere in the way of some part of the arm, the loop closed, torque as estimated.

The arm follows a quintic from one random pose to another at up to 1 rad/s. The sphere of 5 cm
stands where a random point of the surface, on a side that leads, comes past half-way; where it
would touch the arm already at the start, or another link comes first, whatever truly touches first
counts. True link, point and force are those of the plant's record. Isolation begins when the
largest joint torque, true and estimated, has reached 2 N·m and goes on every 2 ms for 50 ms, as
long as contact lasts.

The imperfect arm's estimate is off in free motion too: the line through its last 50 ms before
contact is subtracted, and ``free_covariance`` measures what that leaves, on motions of other seeds
without a sphere.
"""

from typing import NamedTuple

import numpy as np
from isolation_pushes import FRICTION_ERROR, LEAST, MASS_ERROR
from surface_points import random_surface_points

from dynamics import link_frames, load_arm
from hopfield_nav.build import build_arm
from hopfield_nav.experiment import follow
from hopfield_nav.extensions.isolation import ContactIsolator, Isolation, continued_line, isolate
from hopfield_nav.geometry import arm_clearance, pack_primitives, sphere
from hopfield_nav.loop import Trajectory, evaluate, quintic_trajectory
from hopfield_nav.world import World, parse_world

RADIUS, SPEED = 0.05, 1.0  # sphere [m], joints [rad/s]
# Error of the estimate's direction against the true torque's, seen on seeds 1 to 12 and scored on
# others.
NOISE, SHARE = 0.01, 0.005  # [N·m], of its length
# with wrong masses the part that accelerates the arm is misjudged too (seeds 100 to 129)
MODEL_SHARE = 0.01
HOLD_BACK, BASELINE = 20, 50  # [steps of 1 ms]
FREE_SEEDS = range(3000, 3020)  # motions whose residual gives the noise of the imperfect arm
SEED = 5000  # of the first collision that is scored
PERFECT = "format: 1\narm: ur5_ragazzon2012\ncontact: {{bodies: arm}}\n"
IMPERFECT = (
    "format: 1\narm: ur5_full\ncontact: {{bodies: arm}}\nplant: {{friction: arm, presliding: ideal}}\n"
    "controller: {{model_error: {{mass_scale: {mass}, friction_scale: {friction}}}}}\n"
    "sensors: {{encoder_resolution: 1.0e-5, velocity_noise: 1.0e-4}}\n"
)
DETECTION = "detection: {estimator: momentum_observer, measure: joint_torque}\ntime_limit: 20\n"


class Collision(NamedTuple):
    """One collision: truth, and isolation at once and with swept space."""

    link: int  # true one
    alone: Isolation  # from the first instant alone
    swept: Isolation  # with the space swept free


def collide(text: str, seed: int, left: np.ndarray | None = None) -> Collision | None:
    """One random collision in a world (``PERFECT`` or ``IMPERFECT``); None where there was none.

    ``left`` (n, n): covariance of the residual that the baseline leaves, for ``IMPERFECT``
    [(N·m)²].
    """
    rng = np.random.default_rng(seed)
    base = _world(text, rng)
    arm = load_arm("ur5_full" if "ur5_full" in text else "ur5_ragazzon2012")
    for _ in range(50):
        motion = _random_motion(arm, rng)
        center = _met_by_the_arm(arm, motion, rng)
        if center is not None:
            place = ", ".join(f"{x:.9g}" for x in center)
            solid = f"obstacles: [{{sphere: {{center: [{place}], radius: {RADIUS}}}}}]\n"
            return _watch(parse_world(base + solid), motion, seed, left)
    return None


def free_covariance(
    text: str, seeds=FREE_SEEDS, part: tuple[float, float] = (0.3, 0.7)
) -> np.ndarray:
    """(n, n) what the baseline leaves of the residual in free motion [(N·m)²], in a part of each motion."""
    errors = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        world = parse_world(_world(text, rng))
        motion = _random_motion(build_arm(world), rng)
        values = follow(world, motion, seed).data.tau_external_estimate.values
        for k in range(int(part[0] * len(values)), int(part[1] * len(values)), 10):
            window = values[max(k - HOLD_BACK - BASELINE, 0) : k - HOLD_BACK]
            if len(window) == BASELINE:
                errors.append(values[k] - continued_line(window, HOLD_BACK + 1))
    rows = np.array(errors)
    return rows.T @ rows / len(rows)


def _world(text: str, rng) -> str:
    """The world's text, the sign of every error of mass and friction drawn for each link."""
    mass, friction = (rng.choice([1 - e, 1 + e], 6).tolist() for e in (MASS_ERROR, FRICTION_ERROR))
    return text.format(mass=mass, friction=friction) + DETECTION


def _random_motion(arm, rng) -> Trajectory:
    q = rng.uniform(-np.pi, np.pi, len(arm.dh))
    return quintic_trajectory(np.stack([q, q + rng.uniform(-1.0, 1.0, len(arm.dh))]), 1.875 / SPEED)


def _met_by_the_arm(arm, motion: Trajectory, rng) -> np.ndarray | None:
    """Centre of a sphere that a leading point of the arm meets half-way; None if it touches before."""
    end = motion.knots[-1]
    q, _, _ = evaluate(motion, 0.5 * end)
    places = random_surface_points(arm, np.repeat(q[None], 40, axis=0), rng)
    later = link_frames(arm, evaluate(motion, 0.5 * end + 1e-3)[0])
    now = link_frames(arm, q)
    turn = later[places.link] @ np.linalg.inv(now[places.link])
    moved = np.einsum("kij,kj->ki", turn[:, :3, :3], places.point) + turn[:, :3, 3] - places.point
    leading = np.flatnonzero(np.einsum("ki,ki->k", moved, -places.normal) > 2e-5)  # 2 cm/s outwards
    for i in leading:
        center = places.point[i] - RADIUS * places.normal[i]
        solid = pack_primitives([sphere(center, RADIUS)])
        before = np.array([evaluate(motion, t)[0] for t in np.linspace(0.0, 0.3 * end, 10)])
        if arm_clearance(arm, before, solid).min() > 0.005:
            return center
    return None


def _watch(
    world: World, motion: Trajectory, seed: int, left: np.ndarray | None
) -> Collision | None:
    """Run the world until contact is over and isolate what was estimated."""
    data = follow(world, motion, seed).data
    link, truth = data.contact_link.values, data.tau_external.values
    estimate, q = data.tau_external_estimate.values, data.q_sensed.values
    first = _first_felt(link > 0, truth, estimate, BASELINE if left is not None else 0)
    if first is None:
        return None
    arm = build_arm(world)
    free = free_residual(estimate, first, BASELINE if left is not None else 0)
    change = estimate[first] - free
    alone = isolate(arm, q[first], change, _sigma(change, left))
    return Collision(int(link[first]), alone, _isolate(arm, q, estimate, first, left))


def free_residual(estimate: np.ndarray, k: int, baseline: int) -> np.ndarray:
    """(n,) the baseline's residual at row ``k`` [N·m], zero without one."""
    if not baseline:
        return np.zeros(estimate.shape[1])
    return continued_line(estimate[k - HOLD_BACK - baseline : k - HOLD_BACK], HOLD_BACK + 1)


def _first_felt(touching, truth, estimate, baseline: int) -> int | None:
    """First row of contact with ``LEAST`` on a joint, in truth and as felt."""
    for k in np.flatnonzero(touching & (np.abs(truth).max(axis=1) >= LEAST)):
        if np.abs(estimate[k] - free_residual(estimate, k, baseline)).max() >= LEAST:
            return int(k)
    return None


def _isolate(arm, q, estimate, first: int, left) -> Isolation:
    """Free motion until the alarm, as it would be without knowing when contact began; then contact."""
    isolator = ContactIsolator(
        arm, NOISE, hold_back=HOLD_BACK, margin=0.001, baseline=0 if left is None else BASELINE
    )
    for k in range(first):
        isolator.moved_free(q[k], estimate[k])
    change = estimate[first] - isolator.free_residual()
    return isolator.felt(q[first], estimate[first], _sigma(change, left))


def _sigma(change: np.ndarray, left: np.ndarray | None) -> np.ndarray:
    """Covariance of the estimate: lag of the observer, and what the baseline leaves of a wrong model."""
    share = SHARE if left is None else MODEL_SHARE
    noise = (NOISE + share * np.linalg.norm(change)) ** 2 * np.eye(len(change))
    return noise if left is None else noise + left
