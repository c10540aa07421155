"""A world's plan as a whole: the way, the trajectory that comes of it, and both proven free."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.kinematics import forward_kinematics
from hopfield_nav.assembly import build_arm, build_model
from hopfield_nav.known_world.collision_check import clearance
from hopfield_nav.known_world.pieces import sample
from hopfield_nav.known_world.planning import KnownPlan, plan_known
from hopfield_nav.known_world.scene import Scene, build_scene, scene_of_world
from hopfield_nav.known_world.stations import pose_of
from hopfield_nav.known_world.task import Task, task_of_world
from hopfield_nav.known_world.timing import time_way
from hopfield_nav.known_world.trajectory_check import trajectory_is_free
from hopfield_nav.known_world.way import DIRECT, SHORTEST
from hopfield_nav.trajectory import Trajectory
from hopfield_nav.world import World


class Planned(NamedTuple):
    """A plan with all that belongs to it.

    Attributes:
        world: that was asked for.
        arm, scene, task: of the world.
        plan: ways, or the reasons why there is none.
        trajectory: of the best way; None where there is none.
        seconds: computing time of the plan, without the trajectory [s].
    """

    world: World
    arm: Arm
    scene: Scene
    task: Task
    plan: KnownPlan
    trajectory: Trajectory | None
    seconds: float


def plan_world(world: World) -> Planned:
    """Plan the motion that a world's section ``plan`` asks for, past its known obstacles.

    Args:
        world: from ``load_world``. Its ``obstacles`` are not looked at: the arm knows nothing of them.

    Raises:
        BadInput: nothing to plan to, a start or goal beyond the limits, a way that the motors cannot
            follow, or a library that the method needs is not installed.
        NoClosedForm: the arm is not of UR type.
    """
    arm = build_arm(world)
    return plan_task(world, arm, scene_of_world(world, world.plan.clearance), task_of_world(world, arm))


def plan_task(world: World, arm: Arm, scene: Scene, task: Task) -> Planned:
    """As ``plan_world``, for a task of one's own."""
    asked = world.plan
    _load_kernels(arm, scene, task)
    started = time.perf_counter()
    plan = plan_known(
        arm, scene, task.start, task.stations, asked.method, asked.ways, asked.steps, asked.tool_speed,
        asked.turn_speed, world.seed % 2**31,
    )  # fmt: skip
    seconds = time.perf_counter() - started
    trajectory = None if plan.way is None else _timed(world, arm, scene, plan)
    return Planned(world, arm, scene, task, plan, trajectory, seconds)


def _load_kernels(arm: Arm, scene: Scene, task: Task) -> None:
    """Plan from the start to where it is: compiled code is ready before the clock runs."""
    plan_known(arm, scene, task.start, [pose_of(arm, task.start)], method=SHORTEST, steps=1)
    plan_known(arm, scene, task.start, [pose_of(arm, task.start)], method=DIRECT, count=1)


def _timed(world: World, arm: Arm, scene: Scene, plan: KnownPlan) -> Trajectory:
    assert plan.way is not None
    tool_speed = world.plan.tool_speed if plan.way.kind == SHORTEST else None
    acceleration = np.array(world.plan.acceleration)
    trajectory = time_way(build_model(world, arm), plan.way, acceleration, tool_speed=tool_speed)
    if not trajectory_is_free(arm, scene, trajectory):
        raise BadInput("the motion in time could not be proven free", where=world.name)
    return trajectory


def facts(planned: Planned) -> dict[str, Any]:
    """Numbers of a plan, with units in their names."""
    assert planned.trajectory is not None
    assert planned.plan.way is not None
    way = planned.plan.way
    q = sample(planned.trajectory, 8)[1]
    tool = forward_kinematics(planned.arm, q)[:, :3, 3]
    return {
        "method": way.kind,
        "not_possible": planned.plan.reasons,
        "duration_s": float(planned.trajectory.knots[-1]),
        "joint_length_rad": way.length,
        "tool_length_m": float(np.linalg.norm(np.diff(tool, axis=0), axis=1).sum()),
        "tool_distance_m": float(np.linalg.norm(tool[-1] - tool[0])),
        "clearance_obstacles_m": _least(planned, planned.scene._replace(pairs=planned.scene.pairs[:0]), q),
        "clearance_itself_m": _least(planned, build_scene(planned.arm), q),
        "direct_lengths_rad": [w.length for w in planned.plan.ways] if way.kind == "direct" else [],
        "start_joints_rad": way.q[0].tolist(),
        "goal_joints_rad": way.q[-1].tolist(),
        "planning_time_s": planned.seconds,
    }


def _least(planned: Planned, scene: Scene, q: np.ndarray) -> float | None:
    """Least distance on the way [m]; None where there is nothing to touch."""
    least = float(clearance(planned.arm, scene, q).min())
    return least if np.isfinite(least) else None
