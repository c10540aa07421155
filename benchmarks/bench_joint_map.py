"""Time to mark what a ball and the known surroundings block in a map of joint angles, beside all centres.

Run: ``python benchmarks/bench_joint_map.py``. Medians of several runs, one core. The brute
force asks ``arm_clearance`` (``collides``) at the centres; where there are more than
``CENTRES`` of them, it is asked at so many, drawn at random, and its time scaled up.
"""

from __future__ import annotations

import statistics

import numpy as np
from timing import asked, median_seconds, table, tell, two_digits

from dynamics import Arm, load_arm, with_tool
from hopfield_nav.extensions.clearance import build_scene, collides
from hopfield_nav.extensions.whole_arm import JointGrid, block_known, default_bounds, mark_ball
from hopfield_nav.geometry import (
    arm_clearance,
    box,
    capsules_in_base,
    finite_cylinder,
    half_space,
    pack_primitives,
    sphere,
)

RUNS, CENTRES, RADIUS, POINTS = 3, 500_000, 0.04, 18
MOVING = 6  # bodies, counted from the hand, whose ends are felt in turn
START = np.array([0.1, -1.2, 1.3, -0.3, 0.7, 0.2])
SHAPES = {"1.5 million cells": (36, 18, 24, 12, 8, 1), "20⁶ = 64 million cells": (20,) * 6}
SOLIDS = [
    half_space([0, 0, -0.1]),
    box([0.5, 0, 0.2], [0.3, 0.5, 0.4]),
    finite_cylinder([-0.4, 0.3, 0.3], 0.1, 0.5),
]


def main() -> None:
    """Measure both grids, for the bare flange and for a tool that lies beside its axis."""
    out = asked(__doc__)
    arm, aside = load_arm("ur5_controller"), np.eye(4)
    aside[:3, 3] = 0.05, 0.02, 0.15
    rows = []
    for cells, shape in SHAPES.items():
        for name, one in (("bare flange", arm), ("a tool beside the axis", with_tool(arm, aside))):
            grid = default_bounds(one, START, shape)
            rows.append([f"{cells}, {name}", measure_balls(one, grid), measure_known(one, grid)])
    head = ["", "one ball, median / slowest", "known solids and the arm itself"]
    tell(table(head, rows), out, "joint_map")


def measure_balls(arm: Arm, grid: JointGrid) -> str:
    """Balls at points of the arm at random centres, one after the other."""
    certainty, q = np.zeros(grid.shape, dtype=np.uint8), some_centres(grid)
    bodies = capsules_in_base(arm, np.random.default_rng(2).choice(q, POINTS))
    points = [rows[-1 - k % MOVING, 3:6] for k, rows in enumerate(bodies)]
    ours = [
        median_seconds(lambda p=p: mark_ball(arm, grid, certainty, p, RADIUS, 1), 1, RUNS)
        for p in points
    ]
    solids = pack_primitives([sphere(points[0], RADIUS)])
    brute = median_seconds(lambda: arm_clearance(arm, q, solids), len(q), RUNS) * certainty.size
    median = statistics.median(ours)
    print(f"a ball: all centres {brute:.1f} s, ratio {brute / median:.0f}", flush=True)
    return f"{1e3 * median:.0f} / {1e3 * max(ours):.0f} ms"


def measure_known(arm: Arm, grid: JointGrid) -> str:
    """The arm itself, floor, table and a post."""
    scene, q = build_scene(arm, pack_primitives(SOLIDS)), some_centres(grid)
    ours = median_seconds(lambda: block_known(arm, scene, grid), 1, RUNS)
    brute = median_seconds(lambda: collides(arm, scene, q), len(q), RUNS) * np.prod(grid.shape)
    print(f"known: all centres {brute:.1f} s, ratio {brute / ours:.0f}", flush=True)
    return f"{two_digits(ours)} s"


def some_centres(grid: JointGrid) -> np.ndarray:
    """Joint angles (k, n) of random cells, or of all where these are few."""
    size = int(np.prod(grid.shape))
    cells = (
        np.random.default_rng(1).integers(0, size, CENTRES) if size > CENTRES else np.arange(size)
    )
    return grid.centre(np.stack(np.unravel_index(cells, grid.shape), axis=1))


if __name__ == "__main__":
    main()
