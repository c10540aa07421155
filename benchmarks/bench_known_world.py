"""Time of the checks of a known world, a pose or a motion, beside coal on the same pairs; and the library.

    python benchmarks/bench_known_world.py [--out docs/lab/known_world.md] [--checks docs/lab/known_world_checks.md]

Medians of several runs in turns, one core.
Ours are one call for a batch, the kinematics included. Coal is called from Python on every pair
that we check, placed by our kinematics, and the same bounding spheres do not help it.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from bench_geometry import _coal_capsule, _coal_solid
from nowoczyn2023.collision_library import build_library
from timing import parser, table, tell, two_digits

from dynamics import Arm, forward_kinematics, load_arm
from hopfield_nav.extensions.clearance import (
    Scene,
    build_scene,
    clearance,
    collides,
    motion_is_free,
)
from hopfield_nav.extensions.known_world import plan_direct, plan_shortest
from hopfield_nav.geometry import box, capsules_in_base, finite_cylinder, half_space
from hopfield_nav.sweeps import share

RUNS, POSES, POSES_OF_COAL, MOTIONS = 9, 20_000, 300, 1000
ERROR_POSES = 1_000_000
PLANS = 200
TABLE = [
    half_space([0, 0, 0]),
    box([0.6, 0, 0.1], [0.3, 0.8, 0.2]),
    finite_cylinder([-0.5, -0.4, 0.3], 0.1, 0.6),
    finite_cylinder([-0.3, 0.5, 0.3], 0.1, 0.6),
]
Call = Callable[[], object]


def medians(calls: dict[str, tuple[Call, int]]) -> dict[str, float]:
    """Median time [s] of one of the ``count`` units of work of every call, all of them in turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call, _ in calls.values():
        call()
    for _ in range(RUNS):
        for name, (call, count) in calls.items():
            start = time.perf_counter()
            call()
            times[name].append((time.perf_counter() - start) / count)
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> None:
    """Measure the arm alone and among solids, then the library against the exact check."""
    commands = parser(__doc__)
    commands.add_argument("--checks", type=Path, help="page of the library's table")
    options = commands.parse_args()
    arm, rng = load_arm("ur5_controller"), np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (POSES, 6))
    alone, among = build_scene(arm), build_scene(arm, np.array(TABLE))
    for name, scene in (("arm alone", alone), ("floor, table, two cylinders", among)):
        print(
            f"{name}: {len(scene.pairs)} pairs of bodies, {int(scene.checked.sum())} of body and solid;",
            end="",
        )
        print(f" {(~collides(arm, scene, q)).mean():.0%} of the poses are free")
        rows = compare_with_coal(arm, scene, q)
        rows.append(measure_motions(arm, scene, q))
        rows += measure_plans(arm, scene, q)
    tell(table(["what", "median", "95 %", "longest"], rows), options.out, "times")
    measure_library(arm, alone, q, options.checks)


def compare_with_coal(arm: Arm, scene: Scene, q: np.ndarray) -> list[list[str]]:
    """Rows of the boolean check and the exact distance of a pose; prints how they compare with coal's."""
    calls: dict[str, tuple[Call, int]] = {
        "whether a pose is free": (lambda: collides(arm, scene, q), len(q)),
        "exact distance of a pose": (lambda: clearance(arm, scene, q), len(q)),
    }
    peers = coal_calls(arm, scene, q[:POSES_OF_COAL])
    found = medians({**calls, **peers})
    for name, peer in zip(calls, peers, strict=False):
        print(f"  {peer} {found[peer] * 1e9:.0f} ns, ratio {found[peer] / found[name]:.0f}")
    return [[name, f"{two_digits(found[name] * 1e6)} µs", "", ""] for name in calls]


def coal_calls(arm: Arm, scene: Scene, q: np.ndarray) -> dict[str, tuple[Call, int]]:
    """The same answers by coal; none where it is not installed."""
    try:
        import coal
    except ImportError:
        print("  coal: not installed, no comparison")
        return {}
    solids = [_coal_solid(coal, row) for row in scene.solids]
    poses = []
    for rows in capsules_in_base(arm, q):
        bodies = [_coal_capsule(coal, row) for row in rows]
        own = [(*bodies[a], *bodies[b]) for a, b in scene.pairs]
        poses.append(own + [(*bodies[b], *solids[j]) for b, j in np.argwhere(scene.checked)])
    request, wish = coal.CollisionRequest(), coal.DistanceRequest()

    def touches(pairs: list) -> bool:
        return any(coal.collide(*pair, request, coal.CollisionResult()) for pair in pairs)

    def distance(pairs: list) -> float:
        return min(coal.distance(*pair, wish, coal.DistanceResult()) for pair in pairs)

    return {
        "coal, boolean check": (lambda: [touches(pairs) for pairs in poses], len(q)),
        "coal, exact distance": (lambda: [distance(pairs) for pairs in poses], len(q)),
    }


def measure_motions(arm: Arm, scene: Scene, q: np.ndarray) -> list[str]:
    """Row of the proof of straight joint motions between random free poses; prints others, and 1° samples."""
    free = q[~collides(arm, scene, q)]
    start, end = free[:MOTIONS], free[MOTIONS : 2 * MOTIONS]
    near = start + 0.2 * (end - start)
    row = []
    for name, to in (("whole", end), ("a fifth", near)):
        proven = motion_is_free(arm, scene, start, to)
        a, b = start[proven], to[proven]
        steps = int(np.degrees(np.abs(b - a).max(axis=1)).mean()) + 1
        shares = np.linspace(0, 1, steps)[:, None, None]
        sampled = a + shares * (b - a)
        found = medians(
            {
                "any": (lambda to=to: motion_is_free(arm, scene, start, to), len(start)),
                "free": (lambda a=a, b=b: motion_is_free(arm, scene, a, b), max(len(a), 1)),
                "samples": (lambda s=sampled: collides(arm, scene, s), max(len(a), 1)),
            }
        )
        print(
            f"  motion, {name:8s} {found['any'] * 1e6:6.1f} µs; {proven.mean():.0%} are free:",
            end="",
        )
        print(f" {found['free'] * 1e6:.1f} µs, samples of 1° {found['samples'] * 1e6:.1f} µs")
        row = row or [
            "proof of a whole joint motion that is free",
            f"{two_digits(found['free'] * 1e6)} µs",
            "",
            "",
        ]
    return row


def measure_plans(arm: Arm, scene: Scene, q: np.ndarray) -> list[list[str]]:
    """Rows of direct and shortest plans from Python, one pair of random free poses at a time; OMPL too."""
    free = q[~collides(arm, scene, q)][: 2 * PLANS]
    starts, goals = free[:PLANS], forward_kinematics(arm, free[PLANS:])
    plans: dict[str, Callable] = {
        "direct path from joints to a pose, the best five of 512": lambda a, T: (
            plan_direct(arm, scene, a, [T]).paths
        ),
        "the same, every one of the 512 looked at": lambda a, T: (
            plan_direct(arm, scene, a, [T], 512).paths
        ),
        "shortest path of 100 steps from given joints, where there is one": lambda a, T: (
            plan_shortest(arm, scene, a, [T]).path
        ),
        "the same, joints at the start left open": lambda a, T: (
            plan_shortest(arm, scene, forward_kinematics(arm, a), [T]).path
        ),
    }
    if importlib.util.find_spec("ompl") is not None:
        from hopfield_nav.extensions.known_world import plan_sampling

        plans["OMPL's RRTConnect with its simplification"] = lambda a, T: (
            plan_sampling(arm, scene, a, [T]).path
        )
    rows = []
    for name, plan in plans.items():
        plan(starts[0], goals[0])
        times, solved = [], []
        for start, goal in zip(starts, goals, strict=True):
            begun = time.perf_counter()
            found = plan(start, goal)
            times.append(1e3 * (time.perf_counter() - begun))
            solved.append(bool(found) if isinstance(found, list) else found is not None)
        taken = np.array(times)[solved]
        print(f"  {name}: {len(taken)} of {PLANS} solved; all: median {np.median(times):.2g} ms")
        values = (np.median(taken), np.percentile(taken, 95), taken.max())
        rows.append([name, *(f"{two_digits(value)} ms" for value in values)])
    return rows


def measure_library(arm: Arm, scene: Scene, q: np.ndarray, page: Path | None) -> None:
    """Looking up against the exact check: time, and the share of wrong answers."""
    many = np.random.default_rng(1).uniform(-np.pi, np.pi, (ERROR_POSES, 6))
    exact = collides(arm, scene, many)
    rows = [["exact", "", "", "0", "0", "1"]]
    for name, options in {"library": {}, "safe library": {"safe": True}}.items():
        for step in (10, 5):
            start = time.perf_counter()
            library = build_library(arm, scene, step=np.radians(step), **options)
            print(f"{name}, {step}°: built in {time.perf_counter() - start:.1f} s")
            said = library.collides(many)
            found = medians(
                {
                    "library": (lambda x=library: x.collides(q), len(q)),
                    "exact": (lambda: collides(arm, scene, q), len(q)),
                }
            )
            size = library.bits.nbytes
            rows.append(
                [
                    name, f"{step}°", f"{size / 1e3:.0f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB",
                    percent(exact & ~said), percent(said & ~exact),
                    f"1/{found['exact'] / found['library']:.0f}",
                ]
            )  # fmt: skip
    head = ["", "cells", "size", "called free, but touching", "called touching, but free"]
    tell(table([*head, "time, of the exact check's"], rows), page, "library")


def percent(wrong: np.ndarray) -> str:
    """A share of poses with its 95 % interval."""
    value = share(int(wrong.sum()), len(wrong))
    if not wrong.any():
        return f"0 (0 to {value.high:.4%})".replace("%", " %")
    digits = 2 if value.estimate < 0.1 else 1
    low, high = (f"{100 * v:.{digits}f}" for v in (value.low, value.high))
    return f"{100 * value.estimate:.{digits}f} % ({low} to {high})"


if __name__ == "__main__":
    main()
