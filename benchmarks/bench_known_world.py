"""Time of the checks of a known world, a pose or a motion, beside coal on the same pairs; and the library.

Run: ``PYTHONPATH=. python benchmarks/bench_known_world.py``. Medians of several runs in turns, one core.
Ours are one call for a batch, the kinematics included. Coal is called from Python on every pair that we
check, placed by our kinematics, and the same bounding spheres do not help it.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable

import numpy as np
from bench_geometry import _coal_capsule, _coal_solid

from dynamics import Arm, forward_kinematics, load_arm
from hopfield_nav.geometry import box, capsules_in_base, finite_cylinder, half_space
from hopfield_nav.known_world import (
    Scene,
    build_library,
    build_scene,
    clearance,
    collides,
    motion_is_free,
    plan_direct,
    plan_shortest,
)
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
    arm, rng = load_arm("ur5_controller"), np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (POSES, 6))
    scenes = {"arm alone": build_scene(arm), "floor, table, two cylinders": build_scene(arm, np.array(TABLE))}
    for name, scene in scenes.items():
        print(
            f"{name}: {len(scene.pairs)} pairs of bodies, {int(scene.checked.sum())} of body and solid;",
            end="",
        )
        print(f" {(~collides(arm, scene, q)).mean():.0%} of the poses are free")
        compare_with_coal(arm, scene, q)
        measure_motions(arm, scene, q)
        measure_plans(arm, scene, q)
    measure_library(arm, scenes["arm alone"], q)


def compare_with_coal(arm: Arm, scene: Scene, q: np.ndarray) -> None:
    """Boolean check and exact distance a pose, ours and coal's."""
    calls: dict[str, tuple[Call, int]] = {
        "boolean check": (lambda: collides(arm, scene, q), len(q)),
        "exact distance": (lambda: clearance(arm, scene, q), len(q)),
    }
    peers = coal_calls(arm, scene, q[:POSES_OF_COAL])
    found = medians({**calls, **peers})
    for name in calls:
        line = f"  {name:15s} {found[name] * 1e9:8.0f} ns a pose"
        if peers:
            peer = found[f"coal, {name}"]
            line += f"; coal from Python {peer * 1e9:8.0f} ns, ratio {peer / found[name]:.0f}"
        print(line)


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


def measure_motions(arm: Arm, scene: Scene, q: np.ndarray) -> None:
    """The proof of straight joint motions between random free poses, and 1° samples of the free ones."""
    free = q[~collides(arm, scene, q)]
    start, end = free[:MOTIONS], free[MOTIONS : 2 * MOTIONS]
    near = start + 0.2 * (end - start)
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
        print(f"  motion, {name:8s} {found['any'] * 1e6:6.1f} µs; {proven.mean():.0%} are free:", end="")
        print(f" {found['free'] * 1e6:.1f} µs, samples of 1° {found['samples'] * 1e6:.1f} µs")


def measure_plans(arm: Arm, scene: Scene, q: np.ndarray) -> None:
    """Direct and shortest plans from Python, a pair of random free poses at a time; OMPL where it is."""
    free = q[~collides(arm, scene, q)][: 2 * PLANS]
    starts, goals = free[:PLANS], forward_kinematics(arm, free[PLANS:])
    plans: dict[str, Callable] = {
        "direct, best five of 512": lambda a, T: plan_direct(arm, scene, a, [T]).paths,
        "direct, all of 512 in order": lambda a, T: plan_direct(arm, scene, a, [T], 512).paths,
        "shortest, 100 steps": lambda a, T: plan_shortest(arm, scene, a, [T]).path,
        "shortest, start open": lambda a, T: plan_shortest(arm, scene, forward_kinematics(arm, a), [T]).path,
    }
    if importlib.util.find_spec("ompl") is not None:
        from hopfield_nav.known_world import plan_sampling

        plans["OMPL RRTConnect, simplified"] = lambda a, T: plan_sampling(arm, scene, a, [T]).path
    for name, plan in plans.items():
        plan(starts[0], goals[0])
        times, solved = [], []
        for start, goal in zip(starts, goals, strict=True):
            begun = time.perf_counter()
            found = plan(start, goal)
            times.append(1e3 * (time.perf_counter() - begun))
            solved.append(bool(found) if isinstance(found, list) else found is not None)
        found = np.array(times)[solved]
        print(
            f"  {name:27s} {len(found):3d} of {PLANS} solved; all: median {np.median(times):5.2f} ms, "
            f"95 % {np.percentile(times, 95):5.2f}; solved: median {np.median(found):5.2f} ms, "
            f"95 % {np.percentile(found, 95):5.2f}, longest {found.max():5.2f}"
        )


def measure_library(arm: Arm, scene: Scene, q: np.ndarray) -> None:
    """Looking up against the exact check: time, and the share of wrong answers."""
    many = np.random.default_rng(1).uniform(-np.pi, np.pi, (ERROR_POSES, 6))
    exact = collides(arm, scene, many)
    for label, options in {
        "10°": {},
        "5°": {"step": np.radians(5)},
        "10°, safe": {"safe": True},
        "5°, safe": {"step": np.radians(5), "safe": True},
    }.items():
        start = time.perf_counter()
        library = build_library(arm, scene, **options)
        seconds = time.perf_counter() - start
        said = library.collides(many)
        found = medians(
            {
                "library": (lambda x=library: x.collides(q), len(q)),
                "exact": (lambda: collides(arm, scene, q), len(q)),
            }
        )
        faster = "library" if found["library"] < found["exact"] else "exact check"
        print(f"library, {label}: {library.bits.nbytes / 1e3:.0f} kB, built in {seconds:.1f} s;", end="")
        print(f" {found['library'] * 1e9:.0f} ns a pose, exact {found['exact'] * 1e9:.0f} ns:", end="")
        print(f" the {faster} is faster, ratio {found['exact'] / found['library']:.1f}")
        print(f"  called free but touching  {percent(exact & ~said)}")
        print(f"  called touching but free  {percent(said & ~exact)}")
    print("Answers count as wrong against the exact check, which is the more accurate one.")


def percent(wrong: np.ndarray) -> str:
    """A share of poses with its 95 % interval."""
    value = share(int(wrong.sum()), len(wrong))
    return f"{value.estimate:.3%} ({value.low:.4%} to {value.high:.4%}, n = {value.n})"


if __name__ == "__main__":
    main()
