"""MotionBenchMaker's UR5 problems with everything known: ``plan`` beside OMPL as it is used elsewhere.

    python scripts/motion_bench_maker_seen.py --problems 8 --out docs/blind_benchmark.md

plans the first problems of every family's test half with each method and writes one table. Times are those of
the processor, of one process, after a plan that compiles. The problems are kept first, with
``hopfield-nav bench motion_bench_maker --problems FILE``.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer
from measured_part import ROOT, table, tell

from dynamics import Arm, load_arm
from hopfield_nav.bench import find_problem, load_suite
from hopfield_nav.known_world import Scene, build_scene, clearance, collides, motion_is_free, plan_known
from hopfield_nav.world import build_obstacles, parse_world, yaml_text

ARM = ROOT / "worlds/arms/ur5_robotiq85.yaml"
LIMIT = 20.0  # [s] that OMPL's search may take
LOOK = 0.01  # [rad] between two poses of a path whose clearance is asked


class Found(NamedTuple):
    """What a method made of a problem: (k, n) joint angles [rad] or None, and how long it took [s]."""

    path: np.ndarray | None
    seconds: float


def main(problems: int = 10, out: Path | None = None) -> None:
    """Measure so many problems of every family, from the 51st on; print and write."""
    arm = load_arm(ARM)
    lines: list[list[str]] = []
    compared(arm, "box", 1)  # compiles
    found = {}
    for family in sorted({name.split()[0] for name in load_suite("motion_bench_maker").suite.families}):
        found[family] = [row for k in range(problems) if (row := compared(arm, family, 51 + k))]
    found["all but the cage"] = [row for family, rows in found.items() if family != "cage" for row in rows]
    for family, rows in found.items():
        lines += [line_of(family, name, rows) for name in METHODS]
    head = ["", "solved", "time, median", "90 %", "joint path, median", "clearance, median"]
    tell(table([*head, "paths that touch something", "proven free"], lines), out, "seen")


def compared(arm: Arm, family: str, number: int) -> dict[str, tuple[Any, ...]] | None:
    """Of every method seconds, length [rad], clearance [m], whether it is proven; None: touches at an end."""
    problem = find_problem(family, number)
    entries = yaml_text({"format": 1, "map": {"space": "joints"}, "goal": {"joints": problem.goal},
                         "obstacles": problem.obstacles})  # fmt: skip
    scene = build_scene(arm, build_obstacles(parse_world(entries)))
    start, goal = np.array(problem.start), np.array(problem.goal)
    if collides(arm, scene, np.array([start, goal])).any():
        return None
    found = {name: method(arm, scene, start, goal) for name, method in METHODS.items()}
    return {name: (one.seconds, *judged(arm, scene, one.path)) for name, one in found.items()}


def judged(arm: Arm, scene: Scene, path: np.ndarray | None) -> tuple[float, float, bool] | tuple[None, ...]:
    """Length of a path by the norm of its steps [rad], least clearance [m], and whether it is proven free."""
    if path is None:
        return None, None, None
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    parts = [np.linspace(a, b, 2 + int(n / LOOK)) for a, b, n in zip(path[:-1], path[1:], steps, strict=True)]
    least = float(clearance(arm, scene, np.concatenate(parts)).min())
    return float(steps.sum()), least, bool(motion_is_free(arm, scene, path[:-1], path[1:]).all())


def ours(arm: Arm, scene: Scene, start: np.ndarray, goal: np.ndarray) -> Found:
    """``plan``: the best of its methods, every motion proven."""
    begin = time.process_time()
    plan = plan_known(arm, scene, start, [goal])
    return Found(plan.path.q if plan.path else None, time.process_time() - begin)


def ompl(arm: Arm, scene: Scene, start: np.ndarray, goal: np.ndarray) -> Found:
    """OMPL's RRTConnect and its simplification, a motion looked at in steps of OMPL's own choice."""
    from ompl import base, geometric, util

    util.setLogLevel(util.LOG_NONE)
    begin, n = time.process_time(), len(start)
    bounds = base.RealVectorBounds(n)
    for i, (low, high) in enumerate(arm.position_limits):
        bounds.setLow(i, float(low))
        bounds.setHigh(i, float(high))
    space = base.RealVectorStateSpace(n)
    space.setBounds(bounds)
    setup = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(lambda state: not collides(arm, scene, np.array(state[0:n]))[()])
    ends = [space.allocState() for _ in range(2)]
    for state, q in zip(ends, (start, goal), strict=True):
        state[0:n] = q.tolist()
    setup.setStartAndGoalStates(*ends)
    setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))
    setup.solve(LIMIT)
    path = None
    if setup.haveExactSolutionPath():
        setup.simplifySolution()
        found = setup.getSolutionPath()
        path = np.array([found.getState(i)[0:n] for i in range(found.getStateCount())])
    return Found(path, time.process_time() - begin)


METHODS: dict[str, Callable[[Arm, Scene, np.ndarray, np.ndarray], Found]] = {
    "plan": ours,
    "OMPL RRTConnect, simplified": ompl,
}


def line_of(family: str, method: str, rows: list[dict[str, tuple[Any, ...]]]) -> list[str]:
    found = [row[method] for row in rows if row[method][1] is not None]
    if not found:
        return [f"{family}: {method}", f"0 of {len(rows)}", *["–"] * 6]
    seconds = np.array([row[method][0] for row in rows])  # also of searches that found nothing
    _, length, least, proven = map(np.array, zip(*found, strict=True))
    return [
        f"{family}: {method}", f"{len(found)} of {len(rows)}", f"{1e3 * np.median(seconds):.0f} ms",
        f"{1e3 * np.quantile(seconds, 0.9):.0f} ms", f"{np.median(length):.2f} rad",
        f"{1e3 * np.median(least):.0f} mm", str(int((least < 0.0).sum())),
        f"{int(proven.sum())} of {len(found)}",
    ]  # fmt: skip


if __name__ == "__main__":
    typer.run(main)
