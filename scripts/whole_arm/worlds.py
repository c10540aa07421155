"""Random motions in random scenes, of which those are kept that need to be felt and have a way."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics, load_arm
from hopfield_nav.experiment import Simulation
from hopfield_nav.geometry import half_space, pack_primitives
from hopfield_nav.known_world import build_scene, collides, motion_is_free, path_length
from hopfield_nav.loop import Trajectory, evaluate
from hopfield_nav.world import build_obstacles, parse_world

FAMILIES = ("solids", "shelf", "box", "pipes")
FLOOR = -0.03  # [m]
_LOW, _HIGH = (-3.0, -2.6, -2.4, -3.0, -2.5, -1.0), (3.0, -0.5, 2.4, 1.0, 2.5, 1.0)  # [rad]
_FARTHEST, _LEAST_WAY = 3.0, 0.4  # [rad] that a joint turns at most, [m] that the tool goes at least
_REACH, _HEIGHT = (0.35, 0.8), (0.05, 0.7)  # [m] of a goal that is reached into
_INTO = 0.4  # cosine between the tool's axis and the way into a shelf or a box, at least
WRONG = """\
plant: {dynamics: ur5_full, friction: arm, presliding: ideal}
controller: {model: ur5_full, model_error: {mass_scale: 1.1, friction_scale: 0.8}}
sensors: {encoder_resolution: 1.0e-5, velocity_noise: 1.0e-3}
"""
_GEARS = """\
plant: {dynamics: ur5_full, friction: arm, presliding: %s, torque_ripple: {amplitude: [0, 0.7, 0.7, 0, 0, 0]}}
controller: {%smodel: ur5_full, model_error: {mass_scale: %s, friction_scale: %s, presliding_scale: %s}}
sensors: {encoder_resolution: 1.0e-5, velocity_noise: 1.0e-3, torque_noise: [1, 1, 1, 0.2, 0.2, 0.2]}
"""


class Drawn(NamedTuple):
    """A world that is worth a run.

    Attributes:
        family, seed: what it was drawn from.
        text: of the world file.
        bound: joint path of the omniscient strategy [rad].
    """

    family: str
    seed: int
    text: str
    bound: float


def gears(stiffness: str, known: bool, controller: str = "", contact: str = "") -> str:
    """What a world file says of an arm whose gears give [N·m/rad], of its controller and of surfaces.

    What is not ``known`` is off: masses by 10 %, friction by 20 % and stiffness by a factor of 2.
    """
    return _GEARS % (stiffness, controller, *((1, 1, 1) if known else (1.1, 0.8, 2))) + contact


@cache
def _arm() -> Arm:
    return load_arm("ur5_ragazzon2012")


def draw_text(family: str, seed: int) -> str:
    """World file of one random motion in one random scene."""
    generator = np.random.default_rng([FAMILIES.index(family), seed])
    start, goal = _draw_motion(generator, family in ("shelf", "box"))
    scene = f"{{random_scene: {{family: {family}, seed: {seed}}}}}"
    return (
        f"format: 1\nmap: {{space: joints}}\nknown: [{{floor: {{height: {FLOOR}}}}}]\nobstacles: [{scene}]\n"
        f"start: {{joints: {start}}}\ngoal: {{joints: {goal}}}\ntime_limit: 2000\nrecord: {{signals: none}}\n"
    )


def _draw_motion(generator: np.random.Generator, into: bool) -> tuple[list[float], list[float]]:
    """Start and goal free of floor and arm, the goal where one may reach into something if it shall be."""
    scene = build_scene(_arm(), pack_primitives([half_space((0.0, 0.0, FLOOR))]))
    while True:
        q = np.round(generator.uniform(_LOW, _HIGH, (2, 6)), 4)
        tools = forward_kinematics(_arm(), q)
        way = np.linalg.norm(tools[1, :3, 3] - tools[0, :3, 3])
        if np.abs(q[1] - q[0]).max() > _FARTHEST or way < _LEAST_WAY or (into and not _is_into(tools[1])):
            continue
        if not collides(_arm(), scene, q).any():
            return q[0].tolist(), q[1].tolist()


def _is_into(tool: np.ndarray) -> bool:
    """Whether the tool points away from the base, or down, at a place where a shelf may be."""
    x, y, z = tool[:3, 3]
    far = float(np.hypot(x, y))
    into = np.array([x / far, y / far, -0.5])
    there = _REACH[0] <= far <= _REACH[1] and _HEIGHT[0] <= z <= _HEIGHT[1]
    return there and float(tool[:3, 2] @ into) >= _INTO * float(np.linalg.norm(into))


def worth_running(family: str, seed: int) -> Drawn | None:
    """The world of a seed; None where there is no scene, no way, or the first path touches nothing."""
    text = draw_text(family, seed)
    try:
        knowing = Simulation(parse_world(text + "planner: {strategy: omniscient}\n"))
        hoping = Simulation(parse_world(text + "planner: {strategy: optimist}\n"))
    except BadInput:
        return None
    known, hoped = knowing.first_motion.trajectory, hoping.first_motion.trajectory
    if known is None or hoped is None:
        return None
    rows = waypoints(hoped)
    scene = build_scene(hoping.arm, build_obstacles(hoping.world))
    if motion_is_free(hoping.arm, scene, rows[:-1], rows[1:]).all():
        return None
    return Drawn(family, seed, text, float(path_length(waypoints(known))))


def waypoints(trajectory: Trajectory) -> np.ndarray:
    """(k + 1, n) joint angles [rad] at the knots."""
    end = evaluate(trajectory, float(trajectory.knots[-1]))[0]
    return np.vstack([trajectory.coefficients[:, 0], end])


def worlds(family: str, count: int, first: int) -> Iterator[Drawn]:
    """The first ``count`` worlds of a family that are worth a run, from a seed on."""
    seed = first
    while count > 0:
        drawn = worth_running(family, seed)
        seed += 1
        if drawn is not None:
            count -= 1
            yield drawn
