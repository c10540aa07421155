"""Collisions in motion: a sphere in the way of some part of the arm, the loop closed, torque as estimated.

The arm follows a quintic from one random pose to another at up to 1 rad/s. The sphere of 5 cm stands
where a random point of the surface, on a side that leads, comes past half-way; where it would touch
the arm already at the start, or another link comes first, whatever truly touches first counts. True link,
point and force are those of the plant's record. Isolation begins when the largest joint torque, true
and estimated, has reached 2 N·m and goes on every 10 ms for 50 ms, as long as contact lasts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.arm import load_arm
from dynamics.kinematics import link_frames
from hopfield_nav.arm_capsules import arm_clearance
from hopfield_nav.arm_surface import push_torque, random_surface_points
from hopfield_nav.assembly import build_arm, build_model
from hopfield_nav.contact_isolator import ContactIsolator, model_covariance
from hopfield_nav.geometry import pack_primitives, sphere
from hopfield_nav.isolation import Isolation, isolate
from hopfield_nav.simulation import follow
from hopfield_nav.trajectory import Trajectory, evaluate, quintic_trajectory
from hopfield_nav.world import World, parse_world
from isolation.pushes import FRICTION_ERROR, LEAST, MASS_ERROR

RADIUS, SPEED, INSTANTS, EVERY = 0.05, 1.0, 6, 10  # sphere [m], joints [rad/s], times, steps between them
# Error of the estimate's direction against the true torque's, seen on seeds 1 to 12 and scored on others:
# at first 0.5 % of its length, later, as the contact slides and bounces while the observer lags, 2 %.
NOISE, FIRST_SHARE, LATER_SHARE = 0.01, 0.005, 0.02  # [N·m], 1, 1
MODEL_SHARE = 0.05  # with wrong masses the part that accelerates the arm is misjudged too
SEED = 2000  # of the first collision that is scored
PERFECT = "format: 1\narm: ur5_ragazzon2012\ncontact: {{bodies: arm}}\n"
FULL = "format: 1\narm: ur5_full\ncontact: {{bodies: arm}}\n"
IMPERFECT = (
    "format: 1\narm: ur5_full\ncontact: {{bodies: arm}}\nplant: {{friction: arm}}\n"
    "controller: {{model_error: {{mass_scale: {mass}, friction_scale: {friction}}}}}\n"
    "sensors: {{encoder_resolution: 1.0e-5, velocity_noise: 1.0e-4}}\n"
)
DETECTION = "detection: {estimator: momentum_observer, measure: joint_torque}\ntime_limit: 20\n"


class Collision(NamedTuple):
    """One collision: truth, and isolation at once, with swept space, and narrowed over 50 ms.

    Attributes:
        link: true link; point: (3,) true point at the first instant [m]; torque: (n,) true [N·m].
        single: another body touches at the same time if False.
        alone: from the first instant alone; swept: with the space swept free; narrowed: with all instants.
    """

    link: int
    point: np.ndarray
    torque: np.ndarray
    single: bool
    alone: Isolation
    swept: Isolation
    narrowed: Isolation


def collide(text: str, seed: int) -> Collision | None:
    """One random collision in a world (``PERFECT``, ``FULL`` or ``IMPERFECT``); None where there was none."""
    rng = np.random.default_rng(seed)
    shares = {"mass": rng.choice([0.9, 1.1]), "friction": rng.choice([0.8, 1.2])}
    base = text.format(**shares) + DETECTION
    arm = load_arm("ur5_full" if "ur5_full" in text else "ur5_ragazzon2012")
    for _ in range(50):
        motion = _random_motion(arm, rng)
        center = _in_the_way(arm, motion, rng)
        if center is not None:
            place = ", ".join(f"{x:.9g}" for x in center)
            solid = f"obstacles: [{{sphere: {{center: [{place}], radius: {RADIUS}}}}}]\n"
            return _watch(parse_world(base + solid), motion, seed)
    return None


def _random_motion(arm, rng) -> Trajectory:
    q = rng.uniform(-np.pi, np.pi, len(arm.dh))
    return quintic_trajectory(np.stack([q, q + rng.uniform(-1.0, 1.0, len(arm.dh))]), 1.875 / SPEED)


def _in_the_way(arm, motion: Trajectory, rng) -> np.ndarray | None:
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


def _watch(world: World, motion: Trajectory, seed: int) -> Collision | None:
    """Run the world until contact is over and isolate what was estimated."""
    data = follow(world, motion, seed).data
    estimate, link = data.tau_external_estimate.values, data.contact_link.values
    force, point = data.contact_force.values, data.contact_point.values
    touching = link > 0
    large = np.minimum(np.abs(estimate).max(axis=1), np.abs(data.tau_external.values).max(axis=1)) >= LEAST
    if not (touching & large).any():
        return None
    first = int(np.argmax(touching & large))
    arm = build_arm(world)
    model, isolator = build_model(world, arm), ContactIsolator(arm, NOISE, hold_back=20, margin=0.001)
    for k in range(int(np.argmax(touching))):  # hold_back of the isolator sees to it that 20 ms are lost
        isolator.moved_free(data.q_sensed.values[k])
    rows = [first + EVERY * k for k in range(INSTANTS)]
    rows = [k for k in rows if k < len(link) and touching[first : k + 1].all()]
    found = []
    for k in rows:
        sigma = _sigma(world, model, data, k, FIRST_SHARE if k == first else LATER_SHARE)
        if k == first:
            alone = isolate(arm, data.q_sensed.values[k], estimate[k], sigma)
        found.append(isolator.felt(data.q_sensed.values[k], estimate[k], sigma))
    torque = push_torque(arm, data.q.values[first], int(link[first]), point[first], force[first])
    single = bool(np.abs(torque - data.tau_external.values[first]).max() < 1e-6)
    return Collision(
        int(link[first]), point[first], data.tau_external.values[first], single, alone, found[0], found[-1]
    )


def _sigma(world: World, model, data, k: int, share: float) -> np.ndarray:
    """Covariance of the estimate: lag of the observer, and what the model may be wrong by."""
    share = share if world.plant.friction is None else MODEL_SHARE
    noise = np.full(6, NOISE + share * np.linalg.norm(data.tau_external_estimate.values[k]))
    if world.plant.friction is None:
        return np.diag(noise**2)
    return model_covariance(
        model, data.q_sensed.values[k], data.qd_sensed.values[k], noise, MASS_ERROR, FRICTION_ERROR
    )
