"""The one chain of moving joints in a parsed URDF, with everything in base axes at joint angles zero."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dynamics.errors import BadInput, require_known
from dynamics.mass_properties import check_tensor

_TURNING = ("revolute", "continuous")


class Chain(NamedTuple):
    """Moving joints in order, and what hangs on them, at joint angles zero.

    For each joint the bodies that it moves and the next does not: (mass [kg], pose of the centre of mass (4, 4),
    tensor about it in the axes of that pose (3, 3) [kg·m²]).
    """

    joints: list[Any]  # the parser's
    points: np.ndarray  # (n, 3) a point of each axis [m]
    axes: np.ndarray  # (n, 3) unit vectors
    bodies: list[list[tuple]]
    T_base_tip: np.ndarray  # (4, 4)
    base: str  # names of the links at both ends
    tip: str


def find_chain(robot: Any, base: str | None, tip: str | None, where: str) -> Chain:
    """The chain of a ``yourdfpy.Robot`` from a base, by default the root, to a tip as in ``read_urdf``."""
    links, below = _tree(robot, where)
    root = _root(links, below, where)
    below = _held_beyond(root, tip, below)
    _check_types(below, where)
    groups, joints, poses = [_fixed_to(root, np.eye(4), below)], [], {}
    poses.update(groups[0])
    while moving := [j for name in groups[-1] for j in below[name] if j.type != "fixed"]:
        joint = _only(moving, where)
        joints.append(joint)
        pose = poses[joint.parent] @ _pose(joint.origin)
        groups.append(_fixed_to(joint.child, pose, below))
        poses.update(groups[-1])
    if not joints:
        raise BadInput("the URDF has no moving joint", where=where)
    base = _known(base or root, groups[0], "base", where)
    tip = _known(tip or _default_tip(groups[-1], below), groups[-1], "tip", where)
    to_base = np.linalg.inv(poses[base])
    placed = {name: to_base @ pose for name, pose in poses.items()}
    axes = np.array([placed[j.child][:3, :3] @ _axis(j, where) for j in joints])
    points = np.array([placed[j.child][:3, 3] for j in joints])
    bodies = [[b for name in group for b in _body(links[name], placed[name], where)] for group in groups[1:]]
    return Chain(joints, points, axes, bodies, placed[tip], base, tip)


def _tree(robot: Any, where: str) -> tuple[dict[str, Any], dict[str, list]]:
    """The links by name, and the joints below each."""
    links = {link.name: link for link in robot.links}
    below: dict[str, list] = {name: [] for name in links}
    for joint in robot.joints:
        for end in (joint.parent, joint.child):
            if end not in links:
                raise BadInput(f"joint {joint.name!r} names an unknown link", where=where, found=end)
        below[joint.parent].append(joint)
    return links, below


def _held_beyond(root: str, tip: str | None, below: dict[str, list]) -> dict[str, list]:
    """The joints below each link, those of a tool held where they stand at zero.

    With a tip they are all that do not move it; else sliding and mimicking joints with no others behind them.
    """

    def of_the_arm(joint: Any) -> bool:
        own = joint.child == tip if tip else joint.type in _TURNING and joint.mimic is None
        return own or any(of_the_arm(other) for other in below[joint.child])

    if tip is not None and (tip == root or tip not in below):
        return below
    return {
        link: [j if j.type == "fixed" or of_the_arm(j) else _held(j) for j in joints] for link, joints in below.items()
    }


def _held(joint: Any) -> Any:
    """A joint that is fixed at zero, or as near as its limits allow; a mimic where its offset puts it."""
    value = float((joint.mimic and joint.mimic.offset) or 0.0)
    if joint.limit is not None and joint.type != "continuous":
        value = min(max(value, joint.limit.lower or 0.0), joint.limit.upper or 0.0)
    moved = np.eye(4)
    axis = np.array([1.0, 0.0, 0.0]) if joint.axis is None else np.asarray(joint.axis, dtype=np.float64)
    if joint.type == "prismatic":
        moved[:3, 3] = value * axis
    elif joint.type in _TURNING:
        from scipy.spatial.transform import Rotation

        moved[:3, :3] = Rotation.from_rotvec(value * axis).as_matrix()
    return replace(joint, type="fixed", mimic=None, origin=_pose(joint.origin) @ moved)


def _check_types(below: dict[str, list], where: str) -> None:
    """Refuse what no arm has."""
    for joint in (joint for joints in below.values() for joint in joints):
        if joint.type not in ("fixed", *_TURNING):
            allowed = "revolute, continuous, fixed; any beyond the tip"
            what = f"joint {joint.name!r} is of a type that an Arm does not have"
            raise BadInput(what, where=where, found=joint.type, allowed=allowed)
        if joint.mimic is not None:
            raise BadInput(f"joint {joint.name!r} mimics another", where=where, allowed="independent joints")


def _root(links: dict[str, Any], below: dict[str, list], where: str) -> str:
    """The one link without a parent, from which every other is reached once."""
    children = [j.child for joints in below.values() for j in joints]
    roots = [name for name in links if name not in children]
    if len(roots) != 1 or len(set(children)) != len(children):
        raise BadInput("the links form no tree with one root", where=where, found=roots)
    return roots[0]


def _fixed_to(link: str, pose: np.ndarray, below: dict[str, list]) -> dict[str, np.ndarray]:
    """Poses of a link and of all that is fixed to it."""
    found = {link: pose}
    for joint in below[link]:
        if joint.type == "fixed":
            found |= _fixed_to(joint.child, pose @ _pose(joint.origin), below)
    return found


def _only(moving: list, where: str) -> Any:
    if len(moving) > 1:
        allowed = "one joint after the other"
        what = "the chain branches: several joints move on one link"
        raise BadInput(what, where=where, found=", ".join(j.name for j in moving), allowed=allowed)
    return moving[0]


def _default_tip(group: dict[str, np.ndarray], below: dict[str, list]) -> str:
    leaves = [name for name in group if not below[name]]
    return "tool0" if "tool0" in group else leaves[0] if len(leaves) == 1 else next(iter(group))


def _known(name: str, group: dict[str, np.ndarray], end: str, where: str) -> str:
    require_known(name, group, f"no such link at the {end} of the chain", where)
    return name


def _axis(joint: Any, where: str) -> np.ndarray:
    axis = np.array([1.0, 0.0, 0.0]) if joint.axis is None else np.asarray(joint.axis, dtype=np.float64)
    length = np.linalg.norm(axis) if axis.shape == (3,) else 0.0
    if not 0.0 < length < np.inf:
        raise BadInput(f"joint {joint.name!r} has no direction", where=where, found=axis.tolist())
    return axis / length


def _pose(origin: np.ndarray | None) -> np.ndarray:
    return np.eye(4) if origin is None else np.asarray(origin, dtype=np.float64)


def _body(link: Any, pose: np.ndarray, where: str) -> list[tuple]:
    inertial = link.inertial
    if inertial is None:
        return []
    mass = float(inertial.mass or 0.0)
    if not mass >= 0.0:
        raise BadInput("a mass cannot be negative", where=f"{where}: link {link.name!r}", found=mass)
    tensor = np.zeros((3, 3)) if inertial.inertia is None else np.asarray(inertial.inertia, dtype=np.float64)
    check_tensor(tensor, f"{where}: link {link.name!r}")
    return [(mass, pose @ _pose(inertial.origin), tensor)]
