"""The motions of the suite ``detectors``: starts and stops, pushes of the tool, links that meet a sphere."""

from typing import NamedTuple

import numpy as np

from dynamics import Arm, follow_path, forward_kinematics, load_arm
from hopfield_nav.geometry import (
    arm_clearance,
    arm_distance,
    capsules_in_base,
    pack_primitives,
    sphere,
)
from hopfield_nav.loop import Trajectory, evaluate, joined, quintic_trajectory

TOP_SPEED = 1.0  # [rad/s] of random quintics
SLOWEST, SHORT_LEG, PAUSE = 0.1, (1.0, 5.0), (0.1, 0.5)  # [rad/s], [s], [s] of starts and stops
PUSH_SPEED = 0.05  # [m/s] of the tool
HOME = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])
PEAK_TO_MEAN = 15 / 8  # of the speed of a quintic from rest to rest
APPROACH, PRESS = 0.6, 0.6  # [s] of a trial before and after the touch
EARLY = (0.03, 0.1)  # share of a motion at which an early contact begins
RADIUS = 0.05  # [m] of the spheres
TRIES = 4000


class Trial(NamedTuple):
    """A motion, and what stands in its way."""

    trajectory: Trajectory
    obstacle: dict | None = None


def cut(trajectory: Trajectory, end: float) -> Trajectory:
    """What is watched of a motion: it is over at its end, or before."""
    if end >= trajectory.knots[-1]:
        return trajectory
    last = int(np.searchsorted(trajectory.knots, end))
    return Trajectory(np.append(trajectory.knots[:last], end), trajectory.coefficients[:last])


def starts_and_stops(rng: np.random.Generator, duration: float) -> Trajectory:
    """Rest-to-rest quintics with a pause before each, the fastest joint at up to 1 rad/s.

    Every other leg goes to a random pose, all joints together, its peak speed between 0.2 and 1
    rad/s. The others are short and move one joint or several, at 0.1 to 1 rad/s.
    """
    parts, q = [], _random_pose(rng)
    while sum(float(part.knots[-1]) for part in parts) < duration:
        parts.append(quintic_trajectory(q[None], rng.uniform(*PAUSE)))
        parts.append(_short_leg(rng, q) if len(parts) % 4 == 1 else _long_leg(rng, q))
        q = evaluate(parts[-1], np.inf)[0]
    return joined(parts)


def _long_leg(rng: np.random.Generator, q: np.ndarray) -> Trajectory:
    pose = _random_pose(rng)
    time = PEAK_TO_MEAN * np.abs(pose - q).max() / rng.uniform(0.2 * TOP_SPEED, TOP_SPEED)
    return quintic_trajectory(np.stack([q, pose]), time)


def _short_leg(rng: np.random.Generator, q: np.ndarray) -> Trajectory:
    time, speed = rng.uniform(*SHORT_LEG), rng.uniform(SLOWEST, TOP_SPEED)
    way = rng.uniform(-1, 1, 6) * (rng.permutation(6) < rng.integers(1, 7))
    way *= speed * time / PEAK_TO_MEAN / np.abs(way).max()
    return quintic_trajectory(
        np.stack([q, np.where(np.abs(q + way) > np.pi, q - way, q + way)]), time
    )


def _random_pose(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-np.pi, np.pi, 6)


def tool_push(rng: np.random.Generator) -> Trial:
    """The tool at 5 cm/s in a random direction of the plane into the side of a cylinder.

    Start and radius are random; the axis lies up to a third of the radius beside the line, so that
    the tool cannot slip past. The reference goes on through the cylinder.
    """
    arm = load_arm("ur5_ragazzon2012")
    for _ in range(TRIES):
        start = np.array([rng.uniform(0.25, 0.55), rng.uniform(-0.2, 0.2), 0.0])
        angle, radius = rng.uniform(0, 2 * np.pi), rng.uniform(0.03, 0.3)
        ahead = np.array([np.cos(angle), np.sin(angle), 0.0])
        count = round((APPROACH + PRESS) / 0.1)
        poses = np.tile(forward_kinematics(arm, HOME), (count + 1, 1, 1))
        poses[:, :3, 3] = start + ahead * PUSH_SPEED * 0.1 * np.arange(count + 1)[:, None]
        path = follow_path(arm, poses, HOME)
        if path.reason or np.abs(np.diff(path.q, axis=0)).max() > 0.1:
            continue
        aside = rng.uniform(-1 / 3, 1 / 3) * radius
        depth = np.sqrt(radius**2 - aside**2)
        center = (
            start
            + ahead * (PUSH_SPEED * APPROACH + depth)
            + aside * np.array([-ahead[1], ahead[0], 0])
        )
        trajectory = quintic_trajectory(path.q, 0.1)
        cylinder = {"center": center[:2].tolist(), "radius": radius}
        return Trial(trajectory, {"cylinder": cylinder})
    raise RuntimeError("no push found")


def arm_collision(rng: np.random.Generator, arm: Arm, link: int, early: bool = False) -> Trial:
    """A motion during which a link of the arm runs into a sphere that it was clear of before.

    The sphere touches a random point of the link, on the side to which that point moves, 0.6 s
    after the start or later; with ``early`` in the first tenth of a motion, before which the arm
    rested.
    """
    for _ in range(TRIES):
        trajectory = _long_leg(rng, _random_pose(rng))
        length = float(trajectory.knots[-1])
        if length < APPROACH + PRESS:
            continue
        time = rng.uniform(APPROACH, length - PRESS)
        if early:
            time = PAUSE[1] + rng.uniform(*EARLY) * length
            trajectory = joined(
                [quintic_trajectory(trajectory.coefficients[0, :1], PAUSE[1]), trajectory]
            )
        center = _met_by_the_arm(rng, arm, trajectory, time, link)
        if center is None or not _comes_to_it(arm, trajectory, time, center, link):
            continue
        sphere_there = {"sphere": {"center": center.tolist(), "radius": RADIUS}}
        return Trial(cut(trajectory, time + PRESS), sphere_there)
    raise RuntimeError(f"no collision of link {link} found")


def _met_by_the_arm(
    rng: np.random.Generator, arm: Arm, trajectory: Trajectory, time: float, link: int
) -> np.ndarray | None:
    """Centre of a sphere that touches the link from ahead at that time; None where it hardly moves."""
    now, later = (evaluate(trajectory, t)[0] for t in (time, time + 0.001))
    capsules = np.flatnonzero(arm.capsules[:, 0] == link)
    k = int(rng.choice(capsules))
    share = rng.uniform()
    axes = [capsules_in_base(arm, q)[k] for q in (now, later)]
    places = [axis[:3] + share * (axis[3:6] - axis[:3]) for axis in axes]
    velocity = (places[1] - places[0]) / 0.001
    speed = np.linalg.norm(velocity)
    if speed < 0.02:
        return None
    outward = velocity / speed + 0.5 * rng.normal(size=3)
    outward /= np.linalg.norm(outward)
    return places[0] + outward * (capsules_in_base(arm, now)[k, 6] + RADIUS)


def _comes_to_it(
    arm: Arm, trajectory: Trajectory, time: float, center: np.ndarray, link: int
) -> bool:
    """Whether the arm is clear of the sphere until then, and then meets it with that link and sinks in."""
    solids = pack_primitives([sphere(center, RADIUS)])
    before = np.array([evaluate(trajectory, t)[0] for t in np.arange(0.0, time - 0.02, 0.01)])
    if arm_clearance(arm, before, solids).min() <= 0.0:
        return False
    after = evaluate(trajectory, time + 0.1)[0]
    moving = arm.capsules[:, 0] > 0
    nearest = arm_distance(arm, after, solids)[:, 0]
    first = np.flatnonzero(moving)[np.argmin(nearest[moving])]
    return bool(nearest[first] < -0.002 and arm.capsules[first, 0] == link)
