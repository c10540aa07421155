"""Boxes about the goal that are closed, and the same boxes with one opening that the arm fits through.

python scripts/suites/closed_boxes.py --count 13    (goes on where the file ends)

The box is that of ``random_scene``, with a lid. The opening of the lid is the rectangle about the
arm at its goal, and ``ROOM`` more on every side; a sampling planner, which knows no map, finds a
path through it. A suite's seed is the number of a box in its family.
"""

import argparse
import csv
import math
from functools import cache, partial
from itertools import count as counted
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dynamics import Arm, BadInput, forward_kinematics, load_arm
from hopfield_nav.build import build_obstacles
from hopfield_nav.extensions.bench.suites.whole_arm import FLOOR, NOT_RUN, Watched, is_into, moved
from hopfield_nav.extensions.clearance import build_scene, collides
from hopfield_nav.extensions.known_world import plan_sampling
from hopfield_nav.geometry import capsules_in_base, half_space, pack_primitives
from hopfield_nav.world import parse_world
from hopfield_nav.world.solids import Box

FILE = Path(__file__).with_suffix(".csv")
MOST = {"closed": 60, "open": math.inf}  # touches after which a run is given up
# [m] about the arm in the opening, [m] and [s] of the oracle
ROOM, MARGIN, SECONDS = (0.04, 0.015, 2.0)
WALL = 0.02  # [m]
FAMILIES = {  # edges of the open side and depth [m], and stiffness of all walls [N/m]
    "small, hard": ((0.25, 0.35), (0.12, 0.2), 1.0e5),
    "small, soft": ((0.25, 0.35), (0.12, 0.2), 5.0e3),
    "large, hard": ((0.35, 0.5), (0.2, 0.3), 1.0e5),
    "large, soft": ((0.35, 0.5), (0.2, 0.3), 5.0e3),
}


class Boxed(NamedTuple):
    """A box about a goal."""

    family: str  # what it was drawn from
    seed: int  # and with which number
    closed: str  # text of the world file with the lid whole
    open: str  # the same with its opening


@cache
def boxes(family: str) -> list[Boxed]:
    """The boxes of a family that are kept, in the order in which they were drawn."""
    with FILE.open(encoding="utf-8", newline="") as file:
        kept = [
            (int(row[1]), np.array(row[2:], dtype=float))
            for row in csv.reader(file)
            if row[0] == family
        ]
    arm = load_arm("ur5_ragazzon2012")
    return [_boxed(arm, family, seed, q.reshape(2, -1)) for seed, q in kept]


def run_of(world, seed, family, kind):
    """The run of a box, watched."""
    if seed >= len(boxes(family)):
        return NOT_RUN
    text = getattr(boxes(family)[seed], kind)
    contact = world.contact.model_copy(update={"stiffness": FAMILIES[family][2]})
    return Watched(moved(world, text).with_changes(contact=contact), seed, 0.0, MOST[kind])


for _kind in MOST:
    for _family in FAMILIES:
        _name = f"{_kind}_{_family.replace(', ', '_')}".upper()
        globals()[_name] = partial(run_of, family=_family, kind=_kind)


def draw(arm: Arm, family: str, seed: int) -> tuple[Boxed, np.ndarray] | None:
    """The box of a seed, and start and goal (2, n) [rad]; None where the oracle finds no way into the box."""
    q = _motion(_generator(family, seed, 0), arm)
    boxed = _boxed(arm, family, seed, q)
    try:
        open_, closed = (build_obstacles(parse_world(text)) for text in (boxed.open, boxed.closed))
    except BadInput:
        return None
    scene = build_scene(arm, open_, MARGIN)
    if collides(arm, scene, q).any() or not collides(arm, build_scene(arm, closed), q[1:])[0]:
        return None
    found = plan_sampling(arm, scene, q[0], [q[1]], seed, SECONDS).path
    return None if found is None else (boxed, q)


def _generator(family: str, seed: int, stream: int) -> np.random.Generator:
    return np.random.default_rng([list(FAMILIES).index(family), seed, stream])


def _motion(generator: np.random.Generator, arm: Arm) -> np.ndarray:
    """Start and goal (2, n) within the joints' limits, free of floor and arm; the goal reaches into a box."""
    floor = build_scene(arm, pack_primitives([half_space((0.0, 0.0, FLOOR))]), MARGIN)
    low, high = arm.position_limits.T
    while True:
        q = np.round(generator.uniform(0.99 * low, 0.99 * high, (2, len(low))), 4)
        if is_into(forward_kinematics(arm, q[1])) and not collides(arm, floor, q).any():
            return q


def _boxed(arm: Arm, family: str, seed: int, q: np.ndarray) -> Boxed:
    """Both worlds: a bottom, four walls and a lid about the tool at the goal, the lid towards the base."""
    edges, depths, stiffness = FAMILIES[family]
    uniform = _generator(family, seed, 1).uniform
    x, y, deep = (round(float(v), 3) for v in (*uniform(*edges, 2), uniform(*depths)))
    at = forward_kinematics(arm, q[1])[:3, 3]
    tilt = (0.0, -0.5 * np.pi * uniform(), np.arctan2(at[1], at[0]) + uniform(-0.4, 0.4))
    rotation = tuple(round(float(v), 3) for v in tilt)
    axes = np.array(Box(center=(0.0, 0.0, 0.0), size=(1.0, 1.0, 1.0), rotation=rotation).rotation)
    middle = at + axes @ np.array([*uniform(-0.2, 0.2, 2) * (x, y), uniform(-0.2, 0.3) * deep])
    walls = [((0, 0, -0.5 * deep), (x, y, WALL))]
    for end in (-0.5, 0.5):
        walls += [((end * x, 0, 0), (WALL, y, deep)), ((0, end * y, 0), (x, WALL, deep))]
    half = np.array([x, y]) / 2
    window = _window(arm, q[1], middle, axes, 0.5 * deep)
    low, high = np.clip(window, -half, half)

    def text(lid: list[tuple[np.ndarray, np.ndarray]]) -> str:
        rim = [
            ((*(a + b) / 2, 0.5 * deep), (*(b - a), WALL)) for a, b in lid if (b - a > 1e-3).all()
        ]
        parts = [
            _box_text(middle + axes @ np.array(c), size, rotation) for c, size in [*walls, *rim]
        ]
        start, goal = q.tolist()
        return (
            f"format: 1\nmap: {{space: joints}}\nknown: [{{floor: {{height: {FLOOR}}}}}]\n"
            f"contact: {{stiffness: {stiffness}}}\nobstacles: [{', '.join(parts)}]\n"
            f"start: {{joints: {start}}}\ngoal: {{joints: {goal}}}\n"
            "time_limit: 2000\nrecord: {signals: none}\n"
        )

    left = (-half, np.array([low[0], half[1]]))
    right = (np.array([high[0], -half[1]]), half)
    below = (np.array([low[0], -half[1]]), np.array([high[0], low[1]]))
    above = (np.array([low[0], high[1]]), np.array([high[0], half[1]]))
    return Boxed(family, seed, text([(-half, half)]), text([left, right, below, above]))


def _window(
    arm: Arm, q: np.ndarray, middle: np.ndarray, axes: np.ndarray, height: float
) -> np.ndarray:
    """Corners (2, 2) of the rectangle in the plane of the lid that holds the arm and ``ROOM`` more [m]."""
    corners = [np.full((1, 2), np.nan)]
    for row in capsules_in_base(arm, q):
        begin, end, radius = row[:3], row[3:6], row[6]
        line = (begin + np.linspace(0.0, 1.0, 200)[:, None] * (end - begin) - middle) @ axes
        within = line[np.abs(line[:, 2] - height) <= radius + 0.5 * WALL + MARGIN, :2]
        corners += [within - radius - ROOM, within + radius + ROOM]
    met = np.concatenate(corners)
    return (
        np.array([np.nanmin(met, axis=0), np.nanmax(met, axis=0)])
        if len(met) > 1
        else np.zeros((2, 2))
    )


def _box_text(centre: np.ndarray, size: tuple, rotation: tuple) -> str:
    c, s = ([round(float(v), 4) for v in row] for row in (centre, size))
    return f"{{box: {{center: {c}, size: {s}, rotation: {list(rotation)}}}}}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=13, help="boxes a family")
    options, arm = parser.parse_args(), load_arm("ur5_ragazzon2012")
    for family in FAMILIES:
        kept = boxes(family)
        found = (draw(arm, family, seed) for seed in counted(kept[-1].seed + 1 if kept else 0))
        for _ in range(options.count - len(kept)):
            boxed, q = next(one for one in found if one is not None)
            with FILE.open("a", encoding="utf-8", newline="") as file:
                csv.writer(file).writerow([family, boxed.seed, *q.ravel()])


if __name__ == "__main__":
    main()
