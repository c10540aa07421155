"""MotionBenchMaker's UR5 problems with everything known: ``plan`` beside OMPL as it is used elsewhere, and VAMP.

    python scripts/motion_bench_maker_seen.py --problems 8 --out docs/lab/blind_benchmark.md

plans the first problems of every family's test half with each method and writes one table. Times
are those of the processor, of one process, after a plan that compiles. The problems are kept first,
with ``hopfield-nav bench motion_bench_maker --problems FILE``. Without the package ``vamp-planner``
VAMP is left out.
"""

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer
from benches import BUNDLED
from measured_part import table, tell
from scipy.spatial.transform import Rotation

from dynamics import Arm, load_arm
from hopfield_nav.build import all_solids, build_obstacles
from hopfield_nav.extensions.bench import find_problem, load_suite
from hopfield_nav.extensions.bench.problems import BASE_HEIGHT, BASE_TURN
from hopfield_nav.extensions.clearance import (
    Scene,
    build_scene,
    clearance,
    collides,
    motion_is_free,
)
from hopfield_nav.extensions.known_world import plan_known, plan_sampling
from hopfield_nav.world import Box, Cylinder, Solid, parse_world, yaml_text

ARM = BUNDLED / "arms/ur5_robotiq85.yaml"
LIMIT = 20.0  # [s] that OMPL's search may take
LOOK = 0.01  # [rad] between two poses of a path whose clearance is asked
BASE = Rotation.from_euler("z", BASE_TURN)  # of frame 0 in a scene of theirs


class Case(NamedTuple):
    """A problem; start and goal are (n,) joint angles [rad], the solids in frame 0."""

    family: str
    arm: Arm
    scene: Scene
    start: np.ndarray
    goal: np.ndarray
    solids: list[Solid]


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
    for family in sorted(
        {name.split()[0] for name in load_suite("motion_bench_maker").suite.families}
    ):
        found[family] = [row for k in range(problems) if (row := compared(arm, family, 51 + k))]
    found["all but the cage"] = [
        row for family, rows in found.items() if family != "cage" for row in rows
    ]
    for family, rows in found.items():
        lines += [line_of(family, name, rows) for name in METHODS]
    head = [
        "",
        "solved",
        "time, median",
        "90 %",
        "joint path, median",
        "over the shortest",
        "clearance, median",
    ]
    tell(table([*head, "paths that touch something", "proven free"], lines), out, "seen")


def compared(arm: Arm, family: str, number: int) -> dict[str, tuple[Any, ...]] | None:
    """Of every method seconds, length [rad], clearance [m], whether it is proven; None: touches at an end."""
    problem = find_problem(family, number)
    entries = yaml_text({"format": 1, "map": {"space": "joints"}, "goal": {"joints": problem.goal},
                         "obstacles": problem.obstacles})  # fmt: skip
    world = parse_world(entries)
    scene = build_scene(arm, build_obstacles(world))
    case = Case(
        family, arm, scene, np.array(problem.start), np.array(problem.goal), all_solids(world)
    )
    if collides(arm, scene, np.array([case.start, case.goal])).any():
        return None
    found = {name: method(case) for name, method in METHODS.items()}
    return {name: (one.seconds, *judged(arm, scene, one.path)) for name, one in found.items()}


def judged(
    arm: Arm, scene: Scene, path: np.ndarray | None
) -> tuple[float, float, bool] | tuple[None, ...]:
    """Length of a path by the norm of its steps [rad], least clearance [m], and whether it is proven free."""
    if path is None:
        return None, None, None
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    parts = [
        np.linspace(a, b, 2 + int(n / LOOK))
        for a, b, n in zip(path[:-1], path[1:], steps, strict=True)
    ]
    least = float(clearance(arm, scene, np.concatenate(parts)).min())
    return float(steps.sum()), least, bool(motion_is_free(arm, scene, path[:-1], path[1:]).all())


def ours(case: Case) -> Found:
    """``plan``: the best of its methods, every motion proven."""
    begin = time.process_time()
    path = plan_known(case.arm, case.scene, case.start, [case.goal]).path
    return Found(path.q if path else None, time.process_time() - begin)


def sampling(case: Case) -> Found:
    """``plan.method: sampling``, every motion proven."""
    begin = time.process_time()
    path = plan_sampling(case.arm, case.scene, case.start, [case.goal], time_limit=LIMIT).path
    return Found(path.q if path else None, time.process_time() - begin)


def ompl(case: Case) -> Found:
    """OMPL's RRTConnect and its simplification, a motion looked at in steps of OMPL's own choice."""
    from ompl import base, geometric, util

    util.setLogLevel(util.LOG_NONE)
    begin, n = time.process_time(), len(case.start)
    bounds = base.RealVectorBounds(n)
    for i, (low, high) in enumerate(case.arm.position_limits):
        bounds.setLow(i, float(low))
        bounds.setHigh(i, float(high))
    space = base.RealVectorStateSpace(n)
    space.setBounds(bounds)
    setup = geometric.SimpleSetup(space)
    setup.setStateValidityChecker(
        lambda state: not collides(case.arm, case.scene, np.array(state[0:n]))[()]
    )
    ends = [space.allocState() for _ in range(2)]
    for state, q in zip(ends, (case.start, case.goal), strict=True):
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


def vamp(case: Case) -> Found:
    """VAMP's RRTConnect and its simplification, with its own spheres for the arm and its own resolution.

    As in its ``scripts/evaluate_mbm.py``, a cylinder is a capsule, or a box in the family of that
    name. Where its own spheres touch something at an end, there is no path.
    """
    import vamp as library

    arm, search, settings, simplifying = library.configure_robot_and_planner_with_kwargs(
        "ur5", "rrtc"
    )
    around, draws = surroundings(library, case), arm.halton()
    start, goal = case.start.tolist(), case.goal.tolist()
    if not (arm.validate(start, around) and arm.validate(goal, around)):
        return Found(None, 0.0)
    begin = time.process_time()
    found = search(start, [goal], around, settings, draws)
    path = arm.simplify(found.path, around, simplifying, draws).path if found.solved else None
    spent = time.process_time() - begin
    if path is None:
        return Found(None, spent)
    # ``list(path)`` never ends
    return Found(np.array([path[i] for i in range(len(path))], dtype=float), spent)


def surroundings(library: Any, case: Case) -> Any:
    """The solids as VAMP has them, in the frame of their scene."""
    found = library.Environment()
    for solid in case.solids:
        middle = solid.center
        if isinstance(solid, Cylinder):
            low, high = solid.height
            middle = [*solid.center, 0.5 * (low + high)]
        center = (BASE.apply(middle) + np.array([0.0, 0.0, BASE_HEIGHT])).tolist()
        if isinstance(solid, Box):
            turn = BASE * Rotation.from_matrix(solid.rotation)
            found.add_cuboid(
                library.Cuboid(center, turn.as_euler("xyz").tolist(), [0.5 * a for a in solid.size])
            )
        elif isinstance(solid, Cylinder) and case.family == "box":
            half = [solid.radius, solid.radius, 0.5 * (high - low)]
            found.add_cuboid(library.Cuboid(center, [0.0, 0.0, 0.0], half))
        elif isinstance(solid, Cylinder):
            found.add_capsule(library.Cylinder(center, [0.0, 0.0, 0.0], solid.radius, high - low))
        else:
            found.add_sphere(library.Sphere(center, solid.radius))
    return found


METHODS: dict[str, Callable[[Case], Found]] = {
    "plan": ours,
    "plan, sampling": sampling,
    "OMPL RRTConnect, simplified": ompl,
}
if importlib.util.find_spec("vamp"):
    METHODS["VAMP RRTConnect, simplified"] = vamp


def line_of(family: str, method: str, rows: list[dict[str, tuple[Any, ...]]]) -> list[str]:
    found = [row[method] for row in rows if row[method][1] is not None]
    if not found:
        return [f"{family}: {method}", f"0 of {len(rows)}", *["–"] * 7]
    seconds = np.array([row[method][0] for row in rows])  # also of searches that found nothing
    shortest = [
        min(one[1] for one in row.values() if one[1] is not None)
        for row in rows
        if row[method][1] is not None
    ]
    _, length, least, proven = map(np.array, zip(*found, strict=True))
    return [
        f"{family}: {method}", f"{len(found)} of {len(rows)}", _milliseconds(np.median(seconds)),
        _milliseconds(np.quantile(seconds, 0.9)), f"{np.median(length):.2f} rad",
        f"{np.median(length / shortest):.2f}", f"{1e3 * np.median(least):.0f} mm",
        str(int((least < 0.0).sum())), f"{int(proven.sum())} of {len(found)}",
    ]  # fmt: skip


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.{0 if seconds > 0.01 else 1}f} ms"


if __name__ == "__main__":
    typer.run(main)
