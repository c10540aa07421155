"""Defaults of a section that follow from another one, unless the file gives them."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamics import BadInput
from hopfield_nav.world.files import is_path
from hopfield_nav.world.planner_section import TIES_IN_SPACE
from hopfield_nav.world.sections import ControllerSection, DetectionSection
from hopfield_nav.world.trust import Trust

if TYPE_CHECKING:
    from dynamics import Arm

LAG = 0.02  # [m] behind the reference that counts as a touch on a map of joint angles


def derived(data: dict[str, Any], folder: Path, trust: Trust) -> dict[str, Any]:
    """Plain data of a world in ``folder``, completed by what follows from its arm, its plant and its map."""
    data = _of_a_joint_map(_ties_in_space(_period_of_the_plant(data)))
    arm = _another_arm(data.get("arm"), folder)
    return data if arm is None else _of_the_arm(data, arm, folder, trust)


def _another_arm(name: Any, folder: Path) -> "Arm | None":
    """An arm that is none of the UR5s, whose defaults are the program's own."""
    if not isinstance(name, str) or (name.startswith("ur5") and not is_path(name)):
        return None
    from dynamics import load_arm  # imports Numba

    with suppress(BadInput, OSError):  # told when the world is checked
        return load_arm(name, folder)
    return None


def _of_the_arm(data: dict[str, Any], arm: "Arm", folder: Path, trust: Trust) -> dict[str, Any]:
    """``data`` with a start, cells of a map of joint angles and methods' lists that fit the arm, unless given."""
    from hopfield_nav.world.of_arm import cells_of_arm, lists_of_arm, start_of_arm

    own = {
        "controller": lists_of_arm(arm, ControllerSection, data.get("controller"), folder, trust),
        "detection": lists_of_arm(arm, DetectionSection, data.get("detection"), folder, trust),
    }
    if not any(_given(data, "start", key) is not None for key in ("joints", "pose", "position")):
        own["start"] = {"joints": start_of_arm(arm)}
    if _given(data, "map", "space") == "joints":
        own["map"] = {"shape": cells_of_arm(arm)}
    fits = {name: section for name, section in own.items() if isinstance(data.get(name, {}), dict)}
    return {**data, **{name: {**section, **data.get(name, {})} for name, section in fits.items()}}


def _given(data: dict[str, Any], section: str, key: str) -> Any:
    """What is given at a key of a section; None where nothing is."""
    inner = data.get(section)
    return inner.get(key) if isinstance(inner, dict) else None


def _period_of_the_plant(data: dict[str, Any]) -> dict[str, Any]:
    """``data`` with a control period of one step, unless one is given."""
    controller, step = data.get("controller", {}), _given(data, "plant", "step")
    if not isinstance(controller, dict) or step is None:
        return data
    return {**data, "controller": {"period": step, **controller}}


def _ties_in_space(data: dict[str, Any]) -> dict[str, Any]:
    """``data`` with the order of steps that a map in space has, unless one is given."""
    shape, planner = _given(data, "map", "shape"), data.get("planner", {})
    if not isinstance(planner, dict):
        return data
    if not isinstance(shape, (list, tuple)) or len(shape) != 3:
        return data
    return {**data, "planner": {"ties": TIES_IN_SPACE, **planner}}


def _of_a_joint_map(data: dict[str, Any]) -> dict[str, Any]:
    """``data`` with what a map of joint angles has: links to touch, a lag that is a touch, lines, no passing by."""
    own: dict[str, dict[str, Any]] = {
        "contact": {"bodies": "arm"},
        "detection": {"lag": LAG, "graze": "retreat"},
        "planner": {"any_angle": True},
    }
    given = {name: data.get(name, {}) for name in own}
    if _given(data, "map", "space") != "joints" or not all(isinstance(section, dict) for section in given.values()):
        return data
    return {**data, **{name: {**own[name], **given[name]} for name in own}}
