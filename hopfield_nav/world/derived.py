"""Defaults of a section that follow from another one or from the arm, unless the file gives them.

The program's own defaults are those of the UR5. An arm with as many joints keeps them as far as its
limits allow.
"""

import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dynamics import BadInput
from hopfield_nav.world.ends import Q0
from hopfield_nav.world.fields import MOST_JOINTS
from hopfield_nav.world.files import is_path, value_at
from hopfield_nav.world.map import JOINT_CELLS
from hopfield_nav.world.methods import MethodSection
from hopfield_nav.world.planner_section import TIES_IN_SPACE
from hopfield_nav.world.sections import ControllerSection, DetectionSection
from hopfield_nav.world.trajectory_section import DOWN
from hopfield_nav.world.trust import Trust

if TYPE_CHECKING:
    from dynamics import Arm

# Where the tool is at the start, in shares of the arm's length.
_AHEAD = 0.5
_UP = 0.3
_INSIDE = 0.9  # share of its range in which a joint starts
_TRIES = 24
_CELLS = 2e6  # of a map of joint angles, at most
_FINEST = math.radians(5.0)
_WRIST = 1.5  # a cell of a joint that moves the tool little is so much wider
LAG = 0.02  # [m] behind the reference that counts as a touch on a map of joint angles


def derived(data: dict[str, Any], folder: Path, trust: Trust) -> dict[str, Any]:
    """Plain data of a world in ``folder``, with what follows from its arm, plant and map."""
    own: dict[str, dict[str, Any]] = {name: {} for name in ("controller", "detection", "planner")}
    step = value_at(data, ("plant", "step"))
    if step is not None:
        own["controller"] = {"period": step}
    shape = value_at(data, ("map", "shape"))
    if isinstance(shape, (list, tuple)) and len(shape) == 3:
        own["planner"] = {"ties": TIES_IN_SPACE}
    # The whole arm may touch, and its lag behind the reference is a touch; it passes by nothing,
    # and goes along straight lines.
    if value_at(data, ("map", "space")) == "joints":
        own["contact"] = {"bodies": "arm"}
        own["detection"] = {"lag": LAG, "graze": "retreat"}
        own["planner"] |= {"any_angle": True}
        own["map"] = {"shape": JOINT_CELLS}
    arm = _another_arm(data.get("arm"), folder)
    if arm is not None:
        own["controller"] |= lists_of_arm(
            arm, ControllerSection, data.get("controller"), folder, trust
        )
        own["detection"] |= lists_of_arm(
            arm, DetectionSection, data.get("detection"), folder, trust
        )
        places = [value_at(data, ("start", key)) for key in ("joints", "pose", "position")]
        if all(place is None for place in places):
            own["start"] = {"joints": start_of_arm(arm)}
        if "map" in own:
            own["map"] = {"shape": cells_of_arm(arm)}
    return _completed(data, own)


def _completed(data: dict[str, Any], own: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The data with the keys that ``own`` has for its sections, unless they are given."""
    completed = dict(data)
    for name, section in own.items():
        given = data.get(name, {})
        if section and isinstance(given, dict):
            completed[name] = {**section, **given}
    return completed


def _another_arm(name: Any, folder: Path) -> "Arm | None":
    """The arm of a name, if it is none of the UR5s, for which the program's own defaults are.

    None too where no world can have it.
    """
    if not isinstance(name, str) or (name.startswith("ur5") and not is_path(name)):
        return None
    from dynamics import load_arm  # imports Numba

    with suppress(BadInput, OSError):  # told when the world is checked
        arm = load_arm(name, folder)
        return arm if len(arm.dh) <= MOST_JOINTS else None
    return None


def start_of_arm(arm: "Arm") -> tuple[float, ...]:
    """(n,) joint angles at the start [rad], unless the world gives them.

    They are those of the UR5 where they fit. Else the tool is ahead of the base and points down,
    and each joint is near the middle of its range; or in the middle, where the tool gets to no such
    place.
    """
    from dynamics import numeric_inverse_kinematics

    low, high = arm.position_limits.T
    if len(low) == len(Q0) and np.all((low < Q0) & (high > Q0)):
        return Q0
    ends = np.clip(arm.position_limits, -1e6, 1e6)
    middle = np.where(np.isfinite(high - low), ends.mean(axis=1), np.clip(0.0, low, high))
    half = np.minimum((high - low) / 2, math.pi)
    inside = np.column_stack([middle - _INSIDE * half, middle + _INSIDE * half])
    arm = arm._replace(position_limits=inside)
    length = np.abs(arm.dh[:, 1:3]).sum()
    pose = np.eye(4)
    pose[:3, :3] = DOWN
    pose[:3, 3] = length * np.array([_AHEAD, 0.0, _UP])
    rng = np.random.default_rng(0)
    near = middle + half * rng.uniform(-0.5, 0.5, (_TRIES, len(low)))
    for any_rotation in (False, True):
        tried = (
            numeric_inverse_kinematics(arm, pose, q, position_only=any_rotation, restarts=0)
            for q in near
        )
        found = [solution.q for solution in tried if solution.converged]
        if found:
            return tuple(min(found, key=lambda q: np.abs(q - middle).sum()).tolist())
    return tuple(middle.tolist())


def lists_of_arm(
    arm: "Arm", section: type[MethodSection], given: Any, folder: Path, trust: Trust
) -> dict[str, float | tuple[float, ...] | None]:
    """Defaults of the methods that a ``given`` section names, where they are others for this arm.

    They are lists with one number a joint, for an arm whose joints are not six.
    """
    own = section.own_keys(given if isinstance(given, dict) else {}, folder, trust) or {}
    lists = {}
    for name, parameter in own.items():
        fitted = parameter.for_joints(len(arm.dh))
        if fitted != parameter.default:
            lists[name] = fitted
    return lists


def cells_of_arm(arm: "Arm") -> tuple[int, ...]:
    """(n,) how many cells each joint has on a map of joint angles.

    All cells are of one angle, but wider of a joint that moves the tool little; a joint that does
    not move it at all has one. The angle is the finest with which the map is small enough.
    """
    if len(arm.dh) == len(JOINT_CELLS):
        return JOINT_CELLS
    d, a = np.abs(arm.dh[:, 1:3]).T
    # How long the stretched arm is behind each axis.
    lever = _sums_to_the_end(a) + _sums_to_the_end(d) - d
    low, high = arm.position_limits.T
    turn = np.minimum(2 * math.pi, high - low)
    width = turn / np.where(lever > lever.max() / 3, 1.0, _WRIST)
    angle = _FINEST
    while True:
        cells = np.where(lever > 1e-6, np.maximum(2, np.ceil(width / angle - 1e-9)), 1)
        if cells.prod() <= _CELLS or np.all(cells <= 2):
            return tuple(cells.astype(int).tolist())
        angle *= 1.02


def _sums_to_the_end(lengths: np.ndarray) -> np.ndarray:
    """(n,) the sum of each of n lengths and all behind it."""
    return np.cumsum(lengths[::-1])[::-1]
