"""What must fit together in a world whose map is one of joint angles: each check raises ``BadInput``."""

from typing import Any

from dynamics import BadInput
from hopfield_nav.world.fitting import joint_count
from hopfield_nav.world.trust import is_code
from hopfield_nav.world.world import World

TOOL_MEASURES = ("wrench_norm", "force_norm")  # detectors that see what acts on the tool alone


def _check_shape(world: World) -> None:
    """One axis a joint."""
    shape, n = world.map.shape, joint_count(world)
    if len(shape) != n:
        _refuse("wrong number of joints", "map.shape", list(shape), f"{n}, as start.joints has")


def _check_measure(world: World) -> None:
    """A detector that feels the whole arm."""
    if world.detection.measure in TOOL_MEASURES:
        _refuse(
            "a map of joint angles needs a detector of joint torques", "detection.measure",
            world.detection.measure, "adaptive_joint_torque, joint_torque, …",
        )  # fmt: skip


def _check_mark(world: World) -> None:
    if world.detection.mark != "felt":
        _refuse("a map of joint angles knows what was felt", "detection.mark", world.detection.mark, "felt")


def _check_planner(world: World) -> None:
    kind, clearance = world.planner.kind, world.planner.clearance
    if not (kind == "hopfield" or is_code(kind)):
        _refuse(
            "on a map of joint angles the network plans", "planner.kind", kind, "hopfield or FILE.py:NAME"
        )
    if clearance > 0.0:
        _refuse("only a map of the tool keeps a clearance", "planner.clearance", clearance, "0")


def _check_activation(world: World) -> None:
    if world.planner.activation != "linear":
        _refuse(
            "a map of joint angles is searched for shortest paths", "planner.activation",
            world.planner.activation, "linear",
        )  # fmt: skip


def _check_goal(world: World) -> None:
    """A goal that is no cell."""
    goal = world.goal
    if goal is None:
        return
    if goal.cell is not None:
        _refuse("a map of joint angles", "goal.cell", list(goal.cell), "position, pose or joints")
    if goal.position is not None and len(goal.position) != 3:
        _refuse("a place in space", "goal.position", list(goal.position), "[x, y, z]")
    if goal.joints is not None and len(goal.joints) != (n := joint_count(world)):
        _refuse("wrong number of joints", "goal.joints", len(goal.joints), f"{n}, as start.joints has")


OF_A_JOINT_MAP = (_check_shape, _check_measure, _check_mark, _check_planner, _check_activation, _check_goal)


def _refuse(what: str, where: str, found: Any, allowed: str) -> None:
    raise BadInput(what, where=where, found=found, allowed=allowed)
