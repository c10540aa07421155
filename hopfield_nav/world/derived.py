"""Defaults of a section that follow from another one, unless the file gives them."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynamics import BadInput
from hopfield_nav.world.files import is_path, value_at
from hopfield_nav.world.map import JOINT_CELLS
from hopfield_nav.world.planner_section import TIES_IN_SPACE
from hopfield_nav.world.sections import ControllerSection, DetectionSection
from hopfield_nav.world.trust import Trust

if TYPE_CHECKING:
    from dynamics import Arm

LAG = 0.02  # [m] behind the reference that counts as a touch on a map of joint angles


def derived(data: dict[str, Any], folder: Path, trust: Trust) -> dict[str, Any]:
    """Plain data of a world in ``folder``, completed by what follows from its arm, its plant and its map."""
    own: dict[str, dict[str, Any]] = {name: {} for name in ("controller", "detection", "planner")}
    if (step := value_at(data, ("plant", "step"))) is not None:
        own["controller"] = {"period": step}
    shape = value_at(data, ("map", "shape"))
    if isinstance(shape, (list, tuple)) and len(shape) == 3:
        own["planner"] = {"ties": TIES_IN_SPACE}
    if value_at(data, ("map", "space")) == "joints":  # links to touch, a lag that is a touch, lines, no passing by
        own |= {"contact": {"bodies": "arm"}, "detection": {"lag": LAG, "graze": "retreat"}}
        own |= {"planner": {**own["planner"], "any_angle": True}, "map": {"shape": JOINT_CELLS}}
    if (arm := _another_arm(data.get("arm"), folder)) is not None:
        _add_of_arm(own, data, arm, folder, trust)
    fits = {name: section for name, section in own.items() if section and isinstance(data.get(name, {}), dict)}
    return {**data, **{name: {**section, **data.get(name, {})} for name, section in fits.items()}}


def _another_arm(name: Any, folder: Path) -> "Arm | None":
    """An arm that is none of the UR5s, whose defaults are the program's own."""
    if not isinstance(name, str) or (name.startswith("ur5") and not is_path(name)):
        return None
    from dynamics import load_arm  # imports Numba

    with suppress(BadInput, OSError):  # told when the world is checked
        return load_arm(name, folder)
    return None


def _add_of_arm(own: dict[str, dict[str, Any]], data: dict[str, Any], arm: "Arm", folder: Path, trust: Trust) -> None:
    """Add a start, cells of a map of joint angles and methods' lists that fit the arm."""
    from hopfield_nav.world.of_arm import cells_of_arm, lists_of_arm, start_of_arm

    own["controller"] |= lists_of_arm(arm, ControllerSection, data.get("controller"), folder, trust)
    own["detection"] |= lists_of_arm(arm, DetectionSection, data.get("detection"), folder, trust)
    if not any(value_at(data, ("start", key)) is not None for key in ("joints", "pose", "position")):
        own["start"] = {"joints": start_of_arm(arm)}
    if "map" in own:
        own["map"] = {"shape": cells_of_arm(arm)}
