"""Worlds of the whole arm that stay as they are: motions up to the limits of the joints, drawn once and kept.

python scripts/suites/frozen_motions.py --count 200        (goes on where the file ends)
python scripts/suites/frozen_motions.py --again            (the same worlds, their paths found anew)

A world is kept where the straight motion of the joints touches something, and a sampling planner,
which knows no map, finds a path that keeps 15 mm from all obstacles. A suite's seed is the number
of a world in its family.
"""

import argparse
import csv
from functools import cache, partial
from pathlib import Path

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics, load_arm
from hopfield_nav.build import build_obstacles
from hopfield_nav.extensions.bench.suites.whole_arm import (
    FAMILIES,
    FLOOR,
    NOT_RUN,
    Watched,
    is_into,
    moved,
    world_text,
)
from hopfield_nav.extensions.clearance import build_scene, collides, motion_is_free
from hopfield_nav.extensions.known_world import plan_sampling
from hopfield_nav.geometry import half_space, pack_primitives
from hopfield_nav.world import parse_world

FILE = Path(__file__).with_suffix(".csv")
MARGIN, SECONDS = 0.015, 2.0  # [m] kept by the path of the sampling planner, [s] that it has
_LEAST_WAY = 0.4  # [m] that the tool goes at least
_FIRST = 5_000  # seed
# seed, joint path of the sampling planner [rad], start and goal [rad]
Kept = tuple[int, float, list[float]]


@cache
def frozen(family: str) -> list[Kept]:
    """The worlds of a family that are kept, in the order in which they were drawn."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row[0] == family]
    return [(int(row[1]), float(row[2]), [float(v) for v in row[3:]]) for row in rows]


def scene(world, seed, family):
    """The run of a world that is kept, watched."""
    if seed >= len(frozen(family)):
        return NOT_RUN
    drawn, bound, joints = frozen(family)[seed]
    return Watched(moved(world, world_text(family, drawn, joints[:6], joints[6:])), seed, bound)


SOLIDS, SHELF, BOX, PIPES = (partial(scene, family=family) for family in FAMILIES)


def draw(family: str, seed: int, arm: Arm) -> Kept | None:
    """The world of a seed; None where it is not worth a run, or no path is found."""
    generator = np.random.default_rng([FAMILIES.index(family), seed])
    joints = _motion(generator, arm, family in ("shelf", "box"))
    try:
        solids = build_obstacles(
            parse_world(world_text(family, seed, joints[:6], joints[6:])).resolve(seed)
        )
    except BadInput:
        return None
    q = np.array(joints).reshape(2, 6)
    if motion_is_free(arm, build_scene(arm, solids), q[0], q[1]):
        return None
    bound = _bound(arm, solids, q, seed)
    return None if bound is None else (seed, bound, joints)


def _bound(arm: Arm, solids: np.ndarray, q: np.ndarray, seed: int) -> float | None:
    """Length of the sampling planner's joint path between q (2, n) [rad], or None."""
    found = plan_sampling(arm, build_scene(arm, solids, MARGIN), q[0], [q[1]], seed, SECONDS).path
    return None if found is None else float(np.linalg.norm(np.diff(found.q, axis=0), axis=1).sum())


def _again(arm: Arm, family: str, kept: Kept) -> Kept:
    """A kept world with the shorter of its path and one that is found now."""
    seed, bound, joints = kept
    solids = build_obstacles(
        parse_world(world_text(family, seed, joints[:6], joints[6:])).resolve(seed)
    )
    return (
        seed,
        min(bound, _bound(arm, solids, np.array(joints).reshape(2, 6), seed) or bound),
        joints,
    )


def _write(family: str, kept: Kept) -> None:
    with FILE.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow([family, kept[0], f"{kept[1]:.4f}", *kept[2]])


def _motion(generator: np.random.Generator, arm: Arm, into: bool) -> list[float]:
    """Start and goal (2 n,) within the joints' limits, free of floor and arm."""
    scene = build_scene(arm, pack_primitives([half_space((0.0, 0.0, FLOOR))]), MARGIN)
    low, high = arm.position_limits.T
    while True:
        q = np.round(generator.uniform(0.99 * low, 0.99 * high, (2, 6)), 4)
        tools = forward_kinematics(arm, q)
        way = np.linalg.norm(tools[1, :3, 3] - tools[0, :3, 3])
        if (
            way >= _LEAST_WAY
            and (not into or is_into(tools[1]))
            and not collides(arm, scene, q).any()
        ):
            return [float(v) for v in q.ravel()]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200, help="worlds a family")
    parser.add_argument(
        "--again", action="store_true", help="find the paths of the kept worlds anew"
    )
    asked, arm = parser.parse_args(), load_arm("ur5_ragazzon2012")
    count = asked.count
    if asked.again:
        kept = {family: [_again(arm, family, one) for one in frozen(family)] for family in FAMILIES}
        FILE.unlink()
        for number in range(max(map(len, kept.values()))):
            for family in (f for f in FAMILIES if number < len(kept[f])):
                _write(family, kept[family][number])
        return
    last = {family: (frozen(family) or [(_FIRST - 1,)])[-1][0] for family in FAMILIES}
    for number in range(count):
        for family in (f for f in FAMILIES if len(frozen(f)) <= number):
            found = None
            while found is None:
                last[family] += 1
                found = draw(family, last[family], arm)
            frozen(family).append(found)
            _write(family, found)


if __name__ == "__main__":
    main()
