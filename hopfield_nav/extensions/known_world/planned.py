"""The plan of a world as a whole.

A path, its trajectory, the proof that both are free, and their files. Where one method of planning
finds no path, the next is asked (nowoczyn2023 3.4). ``save_plan`` writes a folder with the world,
the plan's numbers, the trajectory and a robot program.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynamics import (
    Arm,
    BadInput,
    HopfieldNavError,
    LibraryMissing,
    NoClosedForm,
    forward_kinematics,
    require_known,
)  # fmt: skip
from dynamics.files import whole_folder, write_whole
from hopfield_nav.build import build_arm, build_model, names_of
from hopfield_nav.extensions.clearance import (
    Scene,
    build_scene,
    clearance,
    explain,
    in_names,
    scene_of_world,
    trajectory_is_free,
)
from hopfield_nav.extensions.known_world.around import plan_around
from hopfield_nav.extensions.known_world.direct_path import plan_direct
from hopfield_nav.extensions.known_world.line import poses_at, straight_line
from hopfield_nav.extensions.known_world.robot_program import PERIOD, urscript, write_plan_csv
from hopfield_nav.extensions.known_world.sampling import plan_sampling
from hopfield_nav.extensions.known_world.shortest_path import TOOL_SPEED, TURN_SPEED, plan_shortest
from hopfield_nav.extensions.known_world.task import (
    AROUND,
    DIRECT,
    SAMPLING,
    SHORTEST,
    PlannedPath,
    Task,
    task_of_world,
)
from hopfield_nav.extensions.known_world.timing import time_path
from hopfield_nav.extensions.known_world.until_contact import (
    contact_watch,
    require_stop,
    rtde_program,
)
from hopfield_nav.loop import Trajectory, sample
from hopfield_nav.world import World

METHODS = (SHORTEST, AROUND, DIRECT, SAMPLING)
AUTO, IN_TURN = "auto", "in_turn"
_CHAINS = {  # methods side by side, and what is tried where none of them finds a path
    AUTO: ((SHORTEST,), (AROUND, DIRECT), (SAMPLING,)),
    IN_TURN: ((SHORTEST,), (DIRECT,), (SAMPLING,)),
}


class KnownPlan(NamedTuple):
    """What ``plan_known`` found."""

    path: PlannedPath | None  # the best path of the first methods that found one, or None
    # all that these methods offered, the best of each first: several for ``direct``
    paths: list[PlannedPath]
    reasons: dict[str, str]  # why each method that was tried, this one apart, found none

    @property
    def reason(self) -> str:
        """The reasons of every method in one sentence; "" where there is a path."""
        return (
            ""
            if self.path
            else "; ".join(f"{method}: {why}" for method, why in self.reasons.items())
        )


def plan_known(
    arm: Arm,
    scene: Scene,
    start: np.ndarray,
    stations: Sequence[np.ndarray],
    method: str = AUTO,
    **options: Any,
) -> KnownPlan:
    """A path that is known to be free before the arm moves.

    The first plan of ``plans_in_turn`` with one. Arguments and errors are those of
    ``plans_in_turn``.
    """
    reasons: dict[str, str] = {}
    for plan in plans_in_turn(arm, scene, start, stations, method, **options):
        if plan.paths:
            return plan._replace(reasons=reasons)
        reasons |= plan.reasons
    return KnownPlan(None, [], reasons)


def plans_in_turn(
    arm: Arm,
    scene: Scene,
    start: np.ndarray,
    stations: Sequence[np.ndarray],
    method: str = AUTO,
    count: int = 5,
    steps: int = 100,
    tool_speed: float = TOOL_SPEED,
    turn_speed: float = TURN_SPEED,
    seed: int = 0,
) -> Iterator[KnownPlan]:
    """The plan of each method, one after the other as they are taken.

    From joints to joints any arm will do, for poses and for ``shortest`` one of UR type. The scene
    is from ``build_scene``; ``start`` is (n,) joint angles [rad], or a (4, 4) pose that leaves the
    joints open; the stations, via points and goal, are joint angles or poses.

    ``method`` is ``shortest``, ``around``, ``direct``, ``sampling``; ``in_turn``: shortest, direct,
    sampling, the first that finds a path; or ``auto``: the same, with ``around`` before ``direct``.
    There a method that does not suit the arm, or whose library is missing, is passed over.
    ``count`` is of direct paths wanted, ``steps`` of a straight line's leg, ``seed`` of the
    sampling; for ``tool_speed`` [m/s] and ``turn_speed`` [rad/s] see ``plan_shortest``.

    Raises ``BadInput``: an unknown method, or a malformed station; ``NoClosedForm``: the method
    that is asked for needs an arm of UR type.

    Source: nowoczyn2023 3.4; ``around`` and ``sampling`` are ours.
    """
    require_known(method, (*_CHAINS, *METHODS), "unknown method")
    task, on_lines = (arm, scene, start, stations), (steps, tool_speed, turn_speed)
    planners: dict[str, Callable[[], Any]] = {
        SHORTEST: partial(plan_shortest, *task, *on_lines),
        AROUND: partial(plan_around, *task, *on_lines),
        DIRECT: partial(plan_direct, *task, count),
        SAMPLING: partial(plan_sampling, *task, seed),
    }
    for side_by_side in _CHAINS.get(method, ((method,),)):
        offered: list[PlannedPath] = []
        reasons: dict[str, str] = {}
        for name in side_by_side:
            try:
                plan = planners[name]()
                paths, reason = (
                    plan.paths if name == DIRECT else [plan.path] if plan.path else [],
                    plan.reason,
                )
            except (NoClosedForm, LibraryMissing) as error:
                if method not in _CHAINS:
                    raise
                paths, reason = [], f"not tried: {error}"
            offered += paths
            if not paths:
                reasons[name] = reason
        yield KnownPlan(offered[0] if offered else None, offered, reasons)


class Planned(NamedTuple):
    """A plan with all that belongs to it."""

    world: World  # that was asked for
    # arm, scene, task: of the world
    arm: Arm
    scene: Scene
    task: Task
    plan: KnownPlan  # paths, or the reasons why there is none
    trajectory: Trajectory | None  # of the best path; None where there is none
    seconds: float  # computing time of the plan, without the trajectory [s]


def plan_world(world: World) -> Planned:
    """Plan the motion that a world's section ``plan`` asks for, past its known obstacles.

    Its ``obstacles`` are not used: the arm knows nothing of them.

    Raises ``BadInput``: nothing to plan to, a start or goal beyond the limits, or a library that
    the method needs is not installed. ``NoClosedForm``: the method that is asked for needs an arm
    of UR type.
    """
    arm = build_arm(world)
    contact_watch(world)  # refused before anything is planned
    return plan_task(
        world, arm, scene_of_world(world, world.plan.clearance), task_of_world(world, arm)
    )


def plan_task(world: World, arm: Arm, scene: Scene, task: Task) -> Planned:
    """As ``plan_world``, for a task of one's own.

    A path that the motors cannot follow, such as one that needs more torque than they have, is
    passed over for the next path, and then for the next method. Where several methods offer a path
    (``auto``), the path is taken whose sum of two times is least: that of the motion, and that of
    the tool's path at ``plan.tool_speed``.
    """
    asked, seconds = world.plan, 0.0
    reasons: dict[str, str] = {}
    plans = plans_in_turn(
        arm, scene, task.start, task.stations, asked.method, asked.ways, asked.steps, asked.tool_speed,
        asked.turn_speed, world.seed % 2**31,
    )  # fmt: skip
    _load_kernels(arm, scene, task.start, asked.method)
    while True:
        started = time.perf_counter()
        plan = next(plans, None)
        seconds += time.perf_counter() - started
        if plan is None:
            return Planned(world, arm, scene, task, KnownPlan(None, [], reasons), None, seconds)
        reasons |= {
            kind: in_names(why, names_of(world.known)) for kind, why in plan.reasons.items()
        }
        timed = _first_of_each(world, arm, scene, plan.paths, reasons)
        if timed:
            path, trajectory = min(
                timed,
                key=lambda each: (
                    each[1].knots[-1] + _tool_length(arm, sample(each[1], 8)[1]) / asked.tool_speed
                ),
            )
            paths = [
                path,
                *(other for other in plan.paths if other.kind == path.kind and other is not path),
            ]
            return Planned(
                world, arm, scene, task, KnownPlan(path, paths, reasons), trajectory, seconds
            )


def _first_of_each(
    world: World, arm: Arm, scene: Scene, paths: list[PlannedPath], reasons: dict[str, str]
) -> list[tuple[PlannedPath, Trajectory]]:
    """Of every kind the first path that the motors can follow.

    Why others cannot goes into ``reasons``.
    """
    timed: dict[str, tuple[PlannedPath, Trajectory]] = {}
    for path in paths:
        if path.kind in timed:
            continue
        try:
            timed[path.kind] = path, _timed(world, arm, scene, path)
        except BadInput as error:
            reasons[path.kind] = str(error)
        else:
            reasons.pop(path.kind, None)
    return list(timed.values())


def _tool_length(arm: Arm, q: np.ndarray) -> float:
    """The way of the tool through rows (k, n) [m]."""
    return float(
        np.linalg.norm(np.diff(forward_kinematics(arm, q)[:, :3, 3], axis=0), axis=1).sum()
    )


def _load_kernels(arm: Arm, scene: Scene, start: np.ndarray, method: str) -> None:
    """Plan from the start to where it is: compiled code is ready before the clock runs."""
    with contextlib.suppress(HopfieldNavError):  # the plan itself will say what is wrong
        plan_known(
            arm, scene, start, [start], DIRECT if method == SAMPLING else method, count=1, steps=1
        )
        if method == AUTO:
            plan_known(arm, scene, start, [start], DIRECT, count=1)
    explain(arm, scene, np.zeros(len(arm.dh)))  # what a reason calls
    poses_at(straight_line(np.array([np.eye(4)] * 2)), np.zeros(1))


def _timed(world: World, arm: Arm, scene: Scene, path: PlannedPath) -> Trajectory:
    tool_speed = world.plan.tool_speed if path.is_of_tool else None
    trajectory = time_path(
        build_model(world, arm), path, np.array(world.plan.acceleration), tool_speed=tool_speed
    )
    if not trajectory_is_free(arm, scene, trajectory):
        raise BadInput("the motion in time could not be proven free")
    watch = contact_watch(world)
    if watch is not None:
        require_stop(arm, trajectory, watch, PERIOD)
    return trajectory


def facts(planned: Planned) -> dict[str, Any]:
    """Numbers of a plan, with units in their names."""
    assert planned.trajectory is not None
    assert planned.plan.path is not None
    path = planned.plan.path
    q = sample(planned.trajectory, 8)[1]
    ends = forward_kinematics(planned.arm, q[[0, -1]])[:, :3, 3]
    return {
        "method": path.kind,
        "not_possible": planned.plan.reasons,
        "duration_s": float(planned.trajectory.knots[-1]),
        "time_optimal": True,  # as of all of them, since no library is needed for it
        "joint_length_rad": path.length,
        "tool_length_m": _tool_length(planned.arm, q),
        "tool_distance_m": float(np.linalg.norm(ends[1] - ends[0])),
        "clearance_obstacles_m": _least(
            planned, planned.scene._replace(pairs=planned.scene.pairs[:0]), q
        ),
        "clearance_itself_m": _least(planned, build_scene(planned.arm), q),
        "direct_lengths_rad": [w.length for w in planned.plan.paths]
        if path.kind == "direct"
        else [],
        "start_joints_rad": path.q[0].tolist(),
        "goal_joints_rad": path.q[-1].tolist(),
        "planning_time_s": planned.seconds,
    }


def _least(planned: Planned, scene: Scene, q: np.ndarray) -> float | None:
    """Least distance along the path [m]; None where there is nothing to touch."""
    least = float(clearance(planned.arm, scene, q).min())
    return least if np.isfinite(least) else None


def save_plan(planned: Planned, folder: Path) -> None:
    """Write ``world.yaml``, ``plan.json``, ``plan.csv`` and, for six joints, ``plan.script``.

    Where the motion ends at a contact, ``plan_rtde.py`` too.

    The plan has a trajectory; the folder, new or empty, is written whole or not at all.

    Raises ``BadInput``: the folder holds something; ``OSError``: it cannot be written.
    """
    assert planned.trajectory is not None
    assert planned.plan.path is not None
    watch = contact_watch(planned.world)
    with whole_folder(folder) as partial:
        write_whole(partial / "world.yaml", planned.world.to_yaml(folder))
        write_whole(
            partial / "plan.json", json.dumps(facts(planned), indent=2, ensure_ascii=False) + "\n"
        )
        write_plan_csv(planned.arm, planned.trajectory, partial / "plan.csv")
        if len(planned.arm.dh) == 6:  # URScript knows no others
            text = urscript(planned.arm, planned.trajectory, planned.world.name, watch=watch)
            write_whole(partial / "plan.script", text)
            if watch is not None:
                write_whole(partial / "plan_rtde.py", rtde_program(watch, PERIOD))
