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

_AHEAD, _UP = 0.5, 0.3  # shares of the arm's length: the tool at the start
_INSIDE = 0.9  # share of its range in which a joint starts
_TRIES = 24
_CELLS = 2e6  # of a map of joint angles, at most
_FINEST = math.radians(5.0)
_WRIST = 1.5  # a cell of a joint that moves the tool little is so much wider
LAG = 0.02  # [m] behind the reference that counts as a touch on a map of joint angles


def derived(data: dict[str, Any], folder: Path, trust: Trust) -> dict[str, Any]:
    """Plain data of a world in ``folder``, completed by what follows from its arm, its plant and its map."""
    own: dict[str, dict[str, Any]] = {name: {} for name in ("controller", "detection", "planner")}
    if (step := value_at(data, ("plant", "step"))) is not None:
        own["controller"] = {"period": step}
    shape = value_at(data, ("map", "shape"))
    if isinstance(shape, (list, tuple)) and len(shape) == 3:
        own["planner"] = {"ties": TIES_IN_SPACE}
    # links to touch, a lag that is a touch, lines, no passing by
    if value_at(data, ("map", "space")) == "joints":
        own |= {"contact": {"bodies": "arm"}, "detection": {"lag": LAG, "graze": "retreat"}}
        own |= {"planner": {**own["planner"], "any_angle": True}, "map": {"shape": JOINT_CELLS}}
    if (arm := _another_arm(data.get("arm"), folder)) is not None:
        own["controller"] |= lists_of_arm(
            arm, ControllerSection, data.get("controller"), folder, trust
        )
        own["detection"] |= lists_of_arm(
            arm, DetectionSection, data.get("detection"), folder, trust
        )
        if not any(
            value_at(data, ("start", key)) is not None for key in ("joints", "pose", "position")
        ):
            own["start"] = {"joints": start_of_arm(arm)}
        if "map" in own:
            own["map"] = {"shape": cells_of_arm(arm)}
    fits = {
        name: section
        for name, section in own.items()
        if section and isinstance(data.get(name, {}), dict)
    }
    return {**data, **{name: {**section, **data.get(name, {})} for name, section in fits.items()}}


def _another_arm(name: Any, folder: Path) -> "Arm | None":
    """An arm that is none of the UR5s, whose defaults are the program's own, and that a world may have."""
    if not isinstance(name, str) or (name.startswith("ur5") and not is_path(name)):
        return None
    from dynamics import load_arm  # imports Numba

    with suppress(BadInput, OSError):  # told when the world is checked
        arm = load_arm(name, folder)
        return arm if len(arm.dh) <= MOST_JOINTS else None
    return None


def start_of_arm(arm: "Arm") -> tuple[float, ...]:
    """(n,) joint angles [rad]: the tool ahead of the base, pointing down, each joint near the middle of its range.

    Those of the UR5 where they fit; the middle of the ranges where the tool gets to no such place.
    """
    from dynamics import numeric_inverse_kinematics

    low, high = arm.position_limits.T
    if len(low) == len(Q0) and np.all((low < Q0) & (high > Q0)):
        return Q0
    ends = np.clip(arm.position_limits, -1e6, 1e6)
    middle = np.where(np.isfinite(high - low), ends.mean(axis=1), np.clip(0.0, low, high))
    half, rng, pose = np.minimum((high - low) / 2, math.pi), np.random.default_rng(0), np.eye(4)
    arm = arm._replace(
        position_limits=np.column_stack([middle - _INSIDE * half, middle + _INSIDE * half])
    )
    pose[:3, :3] = DOWN
    pose[:3, 3] = np.abs(arm.dh[:, 1:3]).sum() * np.array([_AHEAD, 0.0, _UP])
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
    """The lists by default of the methods that a section names, with a number a joint where that are not six."""
    own = section.own_keys(given if isinstance(given, dict) else {}, folder, trust) or {}
    fitted = {name: (p.default, p.for_joints(len(arm.dh))) for name, p in own.items()}
    return {name: after for name, (before, after) in fitted.items() if after != before}


def cells_of_arm(arm: "Arm") -> tuple[int, ...]:
    """(n,) cells of each joint, of one angle; wider where it moves the tool little, and one where not at all."""
    if len(arm.dh) == len(JOINT_CELLS):
        return JOINT_CELLS
    d, a = np.abs(arm.dh[:, 1:3]).T
    lever = (
        np.cumsum(a[::-1])[::-1] + np.cumsum(d[::-1])[::-1] - d
    )  # of the stretched arm behind each axis
    low, high = arm.position_limits.T
    width = np.minimum(2 * math.pi, high - low) / np.where(lever > lever.max() / 3, 1.0, _WRIST)
    angle = _FINEST
    while True:
        cells = np.where(lever > 1e-6, np.maximum(2, np.ceil(width / angle - 1e-9)), 1)
        if cells.prod() <= _CELLS or np.all(cells <= 2):
            return tuple(cells.astype(int).tolist())
        angle *= 1.02
