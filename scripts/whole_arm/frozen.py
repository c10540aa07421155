"""Worlds of the whole arm that stay as they are: motions up to the limits of the joints, drawn once and kept.

python -m whole_arm.frozen --count 200        (in the folder scripts; goes on where the file ends)

A world is kept where the straight motion of the joints touches something, and a sampling planner, which knows
no map, finds a path that keeps 15 mm from all obstacles.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics, load_arm
from hopfield_nav.geometry import half_space, pack_primitives
from hopfield_nav.known_world import build_scene, collides, motion_is_free, path_length, plan_sampling
from hopfield_nav.world import build_obstacles, parse_world
from whole_arm.worlds import FAMILIES, FLOOR, Drawn, is_into, world_text

FILE = Path(__file__).parent / "frozen.csv"
MARGIN, SECONDS = 0.015, 2.0  # [m] kept by the path of the sampling planner, [s] that it has
_LEAST_WAY = 0.4  # [m] that the tool goes at least
_FIRST = 5_000  # seed


def frozen(family: str) -> list[Drawn]:
    """The worlds of a family that are kept, in the order in which they were drawn."""
    if not FILE.exists():
        return []
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row[0] == family]
    return [_world(family, int(row[1]), [float(v) for v in row[3:]], float(row[2])) for row in rows]


def _world(family: str, seed: int, joints: list[float], bound: float) -> Drawn:
    return Drawn(family, seed, world_text(family, seed, joints[:6], joints[6:]), bound)


def draw(family: str, seed: int, arm: Arm) -> Drawn | None:
    """The world of a seed; None where it is not worth a run, or no path is found."""
    generator = np.random.default_rng([FAMILIES.index(family), seed])
    joints = _motion(generator, arm, family in ("shelf", "box"))
    drawn = _world(family, seed, joints, 0.0)
    try:
        solids = build_obstacles(parse_world(drawn.text))
    except BadInput:
        return None
    q = np.array(joints).reshape(2, 6)
    if motion_is_free(arm, build_scene(arm, solids), q[0], q[1]):
        return None
    found = plan_sampling(arm, build_scene(arm, solids, MARGIN), q[0], [q[1]], seed, SECONDS).path
    return None if found is None else drawn._replace(bound=float(path_length(found.q)))


def _motion(generator: np.random.Generator, arm: Arm, into: bool) -> list[float]:
    """Start and goal (2 n,) within the joints' limits, free of floor and arm."""
    scene = build_scene(arm, pack_primitives([half_space((0.0, 0.0, FLOOR))]), MARGIN)
    low, high = arm.position_limits.T
    while True:
        q = np.round(generator.uniform(0.99 * low, 0.99 * high, (2, 6)), 4)
        tools = forward_kinematics(arm, q)
        way = np.linalg.norm(tools[1, :3, 3] - tools[0, :3, 3])
        if way >= _LEAST_WAY and (not into or is_into(tools[1])) and not collides(arm, scene, q).any():
            return [float(v) for v in q.ravel()]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="worlds a family")
    options, arm = parser.parse_args(), load_arm("ur5_ragazzon2012")
    for number in range(options.count):
        for family in FAMILIES:
            kept = frozen(family)
            seed = kept[-1].seed + 1 if kept else _FIRST
            while len(kept) <= number:
                drawn = draw(family, seed, arm)
                seed += 1
                if drawn is not None:
                    kept.append(drawn)
                    _keep(drawn)


def _keep(drawn: Drawn) -> None:
    world = parse_world(drawn.text)
    joints = [*world.start.joints, *world.goal.joints]
    with FILE.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow([drawn.family, drawn.seed, f"{drawn.bound:.4f}", *joints])


if __name__ == "__main__":
    main()
