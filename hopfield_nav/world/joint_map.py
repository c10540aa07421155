"""What must fit together in a world whose map is one of joint angles."""

from __future__ import annotations

from typing import Any

from dynamics import BadInput
from hopfield_nav.world.world import World

TOOL_MEASURES = ("wrench_norm", "force_norm")  # detectors that see what acts on the tool alone


def check_joint_map(world: World) -> None:
    """One axis a joint, a goal that is no cell, a detector that feels the whole arm, and no keys of cells.

    Raises:
        BadInput: ``where`` is the key at fault.
    """
    n = len(world.start.joints)
    if len(world.map.shape) != n:
        _refuse("wrong number of joints", "map.shape", list(world.map.shape), f"{n}, as start.joints has")
    if world.detection.measure in TOOL_MEASURES:
        _refuse(
            "a map of joint angles needs a detector of joint torques", "detection.measure",
            world.detection.measure, "adaptive_joint_torque, joint_torque, …",
        )  # fmt: skip
    if world.detection.mark != "felt":
        _refuse("a map of joint angles knows what was felt", "detection.mark", world.detection.mark, "felt")
    if world.planner.kind != "hopfield" or world.planner.any_angle:
        _refuse("on a map of joint angles the network plans", "planner.kind", world.planner.kind, "hopfield")
    if world.planner.activation != "linear":
        _refuse(
            "a map of joint angles is searched for shortest paths", "planner.activation",
            world.planner.activation, "linear",
        )  # fmt: skip
    goal = world.goal
    if goal is None:
        return
    if goal.cell is not None:
        _refuse("a map of joint angles", "goal.cell", list(goal.cell), "position, pose or joints")
    if goal.position is not None and len(goal.position) != 3:
        _refuse("a place in space", "goal.position", list(goal.position), "[x, y, z]")
    if goal.joints is not None and len(goal.joints) != n:
        _refuse("wrong number of joints", "goal.joints", len(goal.joints), f"{n}, as start.joints has")


def _refuse(what: str, where: str, found: Any, allowed: str) -> None:
    raise BadInput(what, where=where, found=found, allowed=allowed)
