"""What must fit together in a world whose map is one of joint angles: each check raises ``BadInput``."""

from typing import Any

import numpy as np

from dynamics import BadInput
from hopfield_nav.world.fitting import goal_near, unless
from hopfield_nav.world.trust import is_code
from hopfield_nav.world.world import World

TOOL_MEASURES = ("wrench_norm", "force_norm")  # detectors that see what acts on the tool alone


def _refuse(what: str, where: str, found: Any, allowed: str) -> None:
    raise BadInput(what, where=where, found=found, allowed=allowed)


def _check_shape(world: World) -> None:
    """One axis a joint."""
    shape, n = world.map.shape, len(world.start.joints)
    if len(shape) != n:
        _refuse("wrong number of joints", "map.shape", list(shape), f"{n}, as start.joints has")


def _check_times(world: World) -> None:
    """Obstacles that all stand all the time."""
    for i, obstacle in enumerate(world.obstacles):
        for key in ("appears", "vanishes"):
            if (time := getattr(obstacle, key)) is not None:
                _refuse("on a map of joint angles nothing comes or goes", f"obstacles.{i}.{key}", time, "no such key")


def _check_goal(world: World) -> None:
    """A goal that is no cell."""
    goal = world.goal
    if goal is None:
        return
    if goal.cell is not None:
        _refuse("a map of joint angles", "goal.cell", list(goal.cell), "position, pose or joints")
    if goal.position is not None and len(goal.position) != 3:
        _refuse("a place in space", "goal.position", list(goal.position), "[x, y, z]")
    if goal.joints is not None and len(goal.joints) != (n := len(world.start.joints)):
        _refuse("wrong number of joints", "goal.joints", len(goal.joints), f"{n}, as start.joints has")


def _check_reach(world: World) -> None:
    """A place that an arm without a closed form reaches, as far as a search finds."""
    from dynamics import has_closed_form

    goal = world.goal
    if goal is None or goal.joints is not None or goal.cell is not None or len(world.goal_position or ()) != 3:
        return
    arm, key = world.bare_arm(), "position" if goal.pose is None else "pose"
    if not has_closed_form(arm) and goal_near(world, arm, np.array(world.start.joints)) is None:
        what = "a numeric search finds no joint angles at the goal"
        _refuse(what, f"goal.{key}", list(world.goal_position or ()), "a place that the arm reaches, or goal.joints")


OF_A_JOINT_MAP = (
    _check_shape,
    unless(
        "detection.measure", lambda measure, _: measure not in TOOL_MEASURES,
        "a map of joint angles needs a detector of joint torques", "adaptive_joint_torque, joint_torque, …",
    ),
    unless(
        "detection.mark", lambda mark, _: mark == "felt",
        "a map of joint angles knows what was felt", "felt",
    ),
    unless(
        "detection.graze", lambda graze, world: graze == "retreat" or world.trust.record,
        "to pass by what the whole arm touches took more touches than it saved, and is no more", "retreat",
    ),
    unless(
        "planner.kind", lambda kind, _: kind == "hopfield" or is_code(kind),
        "on a map of joint angles the network plans", "hopfield or FILE.py:NAME",
    ),
    unless(
        "planner.clearance", lambda clearance, _: clearance == 0.0,
        "only a map of the tool keeps a clearance", "0",
    ),
    unless(
        "planner.activation", lambda activation, _: activation == "linear",
        "a map of joint angles is searched for shortest paths", "linear",
    ),
    unless(
        "planner.forget", lambda forget, _: forget is None,
        "on a map of joint angles nothing grows old", "null, or map.space: tool",
    ),
    _check_times, _check_goal, _check_reach,
)  # fmt: skip
