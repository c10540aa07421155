"""The motions of the trials: random quintics, pushes of the tool, and the arm running into a sphere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics import Arm, follow_path, forward_kinematics, load_arm
from hopfield_nav.geometry import arm_clearance, arm_distance, capsules_in_base, pack_primitives, sphere
from hopfield_nav.loop import Trajectory, evaluate, quintic_trajectory

TOP_SPEED = 1.0  # [rad/s] of random quintics
PUSH_SPEED = 0.05  # [m/s] of the tool
HOME = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])
PEAK_TO_MEAN = 15 / 8  # of the speed of a quintic from rest to rest
APPROACH, PRESS = 0.6, 0.6  # [s] of a trial before and after the touch
RADIUS = 0.05  # [m] of the spheres
_TRIES = 400


class Trial(NamedTuple):
    """A motion, and what stands in its way as lines of a world file."""

    trajectory: Trajectory
    duration: float
    obstacles: str


def random_quintic(rng: np.random.Generator, duration: float) -> Trajectory:
    """Rest-to-rest quintics between random poses, the fastest joint at up to 1 rad/s.

    The peak speed of a leg is uniform between 0.2 and 1 rad/s. All joints start and stop together.
    """
    points, times, left = [_random_pose(rng)], [], duration
    while left > 0:
        points.append(_random_pose(rng))
        leg = PEAK_TO_MEAN * np.abs(points[-1] - points[-2]).max() / rng.uniform(0.2 * TOP_SPEED, TOP_SPEED)
        times.append(leg)
        left -= leg
    legs = [quintic_trajectory(np.stack(points[k : k + 2]), times[k]) for k in range(len(times))]
    knots = np.concatenate([[0.0], np.cumsum(times)])
    return Trajectory(knots, np.concatenate([leg.coefficients for leg in legs]), np.zeros(1))


def _random_pose(rng: np.random.Generator) -> np.ndarray:
    return rng.uniform(-np.pi, np.pi, 6)


def tool_push(rng: np.random.Generator) -> Trial:
    """The tool at 5 cm/s in a random direction of the plane into the side of a cylinder.

    Start and radius are random; the axis lies up to a third of the radius beside the line, so that the
    tool cannot slip past. The reference goes on through the cylinder.
    """
    arm = load_arm("ur5_ragazzon2012")
    for _ in range(_TRIES):
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
        center = start + ahead * (PUSH_SPEED * APPROACH + depth) + aside * np.array([-ahead[1], ahead[0], 0])
        trajectory = quintic_trajectory(path.q, 0.1)
        obstacle = f"cylinder: {{center: {center[:2].tolist()}, radius: {radius}}}"
        return Trial(trajectory, float(trajectory.knots[-1]), f"obstacles: [{{{obstacle}}}]\n")
    raise RuntimeError("no push found")


def arm_collision(rng: np.random.Generator, arm: Arm, link: int) -> Trial:
    """A random quintic during which a link of the arm runs into a sphere that it was clear of before.

    The sphere touches a random point of the link, on the side to which that point moves, 0.6 s after
    the start or later.
    """
    for _ in range(_TRIES):
        trajectory = random_quintic(rng, 0.1)
        if trajectory.knots[-1] < APPROACH + PRESS:
            continue
        time = rng.uniform(APPROACH, trajectory.knots[-1] - PRESS)
        center = _met_by_the_arm(rng, arm, trajectory, time, link)
        if center is None or not _comes_to_it(arm, trajectory, time, center, link):
            continue
        obstacle = f"sphere: {{center: {center.tolist()}, radius: {RADIUS}}}"
        late = min(time + PRESS, float(trajectory.knots[-1]))
        return Trial(trajectory, late, f"contact: {{bodies: arm}}\nobstacles: [{{{obstacle}}}]\n")
    raise RuntimeError(f"no collision of link {link} found")


def _met_by_the_arm(
    rng: np.random.Generator, arm: Arm, trajectory: Trajectory, time: float, link: int
) -> np.ndarray | None:
    """Centre of a sphere that touches the link from ahead at that time; None where it hardly moves."""
    now, later = (evaluate(trajectory, t)[0] for t in (time, time + 0.001))
    capsules = np.flatnonzero(arm.capsules[:, 0] == link)
    k = int(rng.choice(capsules))
    share = rng.uniform()
    places = [_on_axis(capsules_in_base(arm, q)[k], share) for q in (now, later)]
    velocity = (places[1] - places[0]) / 0.001
    speed = np.linalg.norm(velocity)
    if speed < 0.02:
        return None
    outward = velocity / speed + 0.5 * rng.normal(size=3)
    outward /= np.linalg.norm(outward)
    return places[0] + outward * (capsules_in_base(arm, now)[k, 6] + RADIUS)


def _on_axis(capsule: np.ndarray, share: float) -> np.ndarray:
    return capsule[:3] + share * (capsule[3:6] - capsule[:3])


def _comes_to_it(arm: Arm, trajectory: Trajectory, time: float, center: np.ndarray, link: int) -> bool:
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
