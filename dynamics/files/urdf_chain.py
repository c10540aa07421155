"""The one chain of moving joints in a parsed URDF, all in base axes at joint angles zero."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn

import numpy as np

from dynamics.errors import BadInput, nearest_name, require_known
from dynamics.files.arm_keys import JOINT, LINK
from dynamics.mass_properties import check_tensor

_NEXT_TO_NOTHING = 1e-4  # share of the heaviest link's mass
_TURNING = ("revolute", "continuous")
Joints = dict[str, list[Any]]  # those below each link, by its name


class Chain(NamedTuple):
    """Moving joints in order, and what hangs on them, at joint angles zero.

    For each joint the bodies that it moves and the next does not: (mass [kg], pose of the centre of
    mass (4, 4), tensor about it in the axes of that pose (3, 3) [kg·m²]).
    """

    joints: list[Any]  # the parser's
    points: np.ndarray  # (n, 3) a point of each axis [m]
    axes: np.ndarray  # (n, 3) unit vectors
    bodies: list[list[tuple]]
    T_base_tip: np.ndarray  # (4, 4)
    base: str  # names of the links at both ends
    tip: str
    # joints that the arm carries and that do not move, each with the value where it stands
    held: tuple[str, ...]
    unread: tuple[str, ...]  # what is left out, in words


def find_chain(robot: Any, base: str | None, tip: str | None, where: str) -> Chain:
    """The chain of a ``yourdfpy.Robot`` from a base, by default the root, to a tip.

    The tip is as in ``read_urdf``. What is no joint of the arm stands still.

    Raises ``BadInput``: no tree, no chain of turning joints, or no such links.
    """
    links, below, root = _tree(robot, where)
    if tip is not None:
        require_known(tip, links, "no such link for the tip", where)
    above = {joint.child: joint for joints in below.values() for joint in joints}
    held = _values_held(_arm_links(tip, above), above)
    still = {link: _fixed(above[link], value, where) for link, value in held.items()}
    for link, carried in below.items():
        below[link] = [still.get(joint.child, joint) for joint in carried]
    joints, groups = _moved_groups(root, below, where)
    if not joints:
        allowed = "one turning joint or more" if tip is None else "a tip that turns"
        raise BadInput("the URDF has no moving joint", where=where, found=tip, allowed=allowed)
    base = base or root
    require_known(base, groups[0], "no such link at the base of the chain", where)
    tip = tip or _default_tip(groups[-1], below)
    T_base_root = np.linalg.inv(groups[0][base])
    poses: dict[str, np.ndarray] = {}  # of all links, seen from the base
    for group in groups:
        poses |= {name: T_base_root @ pose for name, pose in group.items()}
    carried = [[links[name] for name in group] for group in groups[1:]]
    placeholders = _placeholders([link for group in carried for link in group])
    return Chain(
        joints=joints,
        points=np.array([poses[joint.child][:3, 3] for joint in joints]),
        axes=np.array([poses[joint.child][:3, :3] @ _axis(joint, where) for joint in joints]),
        bodies=[
            _bodies([link for link in group if link.name not in placeholders], poses, where)
            for group in carried
        ],
        T_base_tip=poses[tip],
        base=base,
        tip=tip,
        held=tuple(_in_words(above[link], held[link]) for link in held if link in poses),
        unread=tuple(f"the body of {name}, {why}" for name, why in placeholders.items()),
    )


def _moved_groups(
    root: str, below: Joints, where: str
) -> tuple[list[Any], list[dict[str, np.ndarray]]]:
    """The moving joints in order, and the poses of the links that each moves and the next does not.

    The first group does not move; the poses (4, 4) are seen from the root, at joint angles zero.

    Raises ``BadInput``: several joints move on one body, or one that an arm cannot have.
    """
    joints: list[Any] = []
    groups = [_fixed_to(root, np.eye(4), below, where)]
    while moving := _moving(groups[-1], below):
        if len(moving) > 1:
            _refuse_branches(groups[-1], below, len(joints), where)
        joint = _checked(moving[0], where)
        pose = groups[-1][joint.parent] @ _pose(joint, where)
        joints.append(joint)
        groups.append(_fixed_to(joint.child, pose, below, where))
    return joints, groups


def _placeholders(links: list[Any]) -> dict[str, str]:
    """Links whose mass is next to nothing beside the others', with a tensor of no body; and why.

    Files give frames and sensors such bodies, since a simulator wants one of every link.
    """
    given = [link for link in links if link.inertial is not None]
    masses = [abs(float(link.inertial.mass or 0.0)) for link in given]
    heaviest = max(masses, default=0.0)
    found = {}
    for link, mass in zip(given, masses, strict=True):
        tensor = link.inertial.inertia
        if tensor is None or mass > _NEXT_TO_NOTHING * heaviest:
            continue
        try:
            check_tensor(np.asarray(tensor, dtype=np.float64), link.name, mass)
        except BadInput:
            largest = float(np.abs(tensor).max())
            found[link.name] = f"{mass:.3g} kg with an impossible {largest:.3g} kg·m²"
    return found


def _bodies(links: Iterable[Any], poses: dict[str, np.ndarray], where: str) -> list[tuple]:
    """The bodies of links, as in ``Chain``."""
    bodies = []
    for link in links:
        bodies += _body(link, poses[link.name], where)
    return bodies


def _in_words(joint: Any, value: float) -> str:
    """Where a joint stands."""
    unit = "m" if joint.type == "prismatic" else "rad"
    return f"{joint.name} at {value:.4g} {unit}"


def _tree(robot: Any, where: str) -> tuple[dict[str, Any], Joints, str]:
    """The links by name, the joints below each, and the one link without a parent.

    Raises ``BadInput``: two of one name, or not every other link is reached by one joint.
    """
    refuse_twins("link", [link.name for link in robot.links], where)
    refuse_twins("joint", [joint.name for joint in robot.joints], where)
    links = {link.name: link for link in robot.links}
    if not links:
        allowed = "a whole robot, as xacro writes it"
        raise BadInput("the URDF has no link", where=where, allowed=allowed)
    below: Joints = {name: [] for name in links}
    for joint in robot.joints:
        for end in (joint.parent, joint.child):
            if end not in links:
                raise BadInput(
                    f"joint {joint.name!r} names an unknown link",
                    where=where,
                    found=end,
                    allowed="a link that the file has",
                    nearest=nearest_name(end, links),
                )
        below[joint.parent].append(joint)
    children = [joint.child for joint in robot.joints]
    roots = [name for name in links if name not in children]
    if len(roots) != 1 or len(set(children)) != len(children):
        what = "the links form no tree with one root"
        allowed = "one link that no joint moves, and one joint to each other link"
        raise BadInput(what, where=where, found=", ".join(roots), allowed=allowed)
    return links, below, roots[0]


def refuse_twins(kind: str, names: list[str], where: str) -> None:
    """Two parts of one name: whoever names it could mean either."""
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            what = f"{names.count(name)} {kind}s have one name"
            raise BadInput(what, where=where, found=name, allowed=f"a name for each {kind}")


def _arm_links(tip: str | None, above: dict[str, Any]) -> set[str]:
    """Links whose joints may move.

    They lie on the way to the tip; without one on the ways to the turning joints of the arm's own.
    A turning joint with none behind it is a gripper's motor where others mimic it, or slide or
    mimic on the same body.
    """
    if tip is not None:
        return set(_way(tip, above))
    turning = [j.child for j in above.values() if j.type in _TURNING and j.mimic is None]
    ways = [_way(link, above) for link in turning]
    on_ways = {link for way in ways for link in way}
    passed = {link for way in ways for link in way[1:]}  # another turning joint lies behind
    sliding = [j for link, j in above.items() if j.type != "fixed" and link not in on_ways]
    with_sliding = {_carrier(j, above) for j in sliding}
    mimicked = {j.mimic.joint for j in above.values() if j.mimic is not None}

    def is_motor(link: str) -> bool:
        joint = above[link]
        return joint.name in mimicked or _carrier(joint, above) in with_sliding

    own = [way for way in ways if way[0] in passed or not is_motor(way[0])]
    return {link for way in own or ways for link in way}


def _way(link: str, above: dict[str, Any]) -> list[str]:
    """The link and all that carry it, but for the root."""
    way = []
    while link in above:
        way.append(link)
        link = above[link].parent
    return way


def _carrier(joint: Any, above: dict[str, Any]) -> str:
    """The first link of the body on which a joint moves."""
    link = joint.parent
    while link in above and above[link].type == "fixed":
        link = above[link].parent
    return link


def _fixed(joint: Any, value: float, where: str) -> Any:
    """A joint that does not move, fixed at a value."""
    moved = np.eye(4)
    if value and joint.type == "prismatic":
        moved[:3, 3] = value * _axis(joint, where)
    elif value and joint.type in _TURNING:
        from scipy.spatial.transform import Rotation

        moved[:3, :3] = Rotation.from_rotvec(value * _axis(joint, where)).as_matrix()
    return replace(joint, type="fixed", mimic=None, origin=_pose(joint, where) @ moved)


def _values_held(arm: set[str], above: dict[str, Any]) -> dict[str, float]:
    """Where joints stand that are not the arm's, by the link behind.

    That is near zero, or as the joint has it that they mimic.
    """
    joints = {joint.name: joint for joint in above.values()}
    values = {}
    for joint in joints.values():
        value = 0.0
        mimic = joint.mimic
        if mimic is not None:
            factor = 1.0 if mimic.multiplier is None else mimic.multiplier
            value = (mimic.offset or 0.0) + factor * _near_zero(joints.get(mimic.joint))
        if joint.type != "fixed" and joint.child not in arm:
            values[joint.child] = _near_zero(joint, value)
    return values


def _near_zero(joint: Any, value: float = 0.0) -> float:
    """The value of a joint, or the nearest that its limits allow."""
    if joint is None or joint.limit is None or joint.type == "continuous":
        return value
    low, high = sorted((joint.limit.lower or 0.0, joint.limit.upper or 0.0))
    return float(min(max(value, low), high))


def _moving(group: dict[str, np.ndarray], below: Joints) -> list[Any]:
    return [joint for name in group for joint in below[name] if joint.type != "fixed"]


def _checked(joint: Any, where: str) -> Any:
    """A joint that an arm has."""
    if joint.type in _TURNING and joint.mimic is None:
        return joint
    told = "mimics another" if joint.type in _TURNING else "is of a type that an Arm does not have"
    allowed = f"revolute, continuous, fixed, by themselves; any other beyond TIP of {where}:TIP"
    raise BadInput(f"joint {joint.name!r} {told}", where=where, found=joint.type, allowed=allowed)


def _refuse_branches(
    group: dict[str, np.ndarray], below: Joints, count: int, where: str
) -> NoReturn:
    """Raise ``BadInput`` with tips to choose from.

    They lie before the branches, behind ``count`` joints, and at the branches' ends.
    """
    moving = _moving(group, below)
    tips = [(_default_tip(group, below), count)] if count else []
    for joint in moving:
        end = _end(joint, below, count + 1, where)
        if end is not None:
            tips.append(end)
    allowed = f"a chain of turning joints, as {where}:TIP"
    if tips:
        choices = [f"{where}:{tip} ({n} {'joint' if n == 1 else 'joints'})" for tip, n in tips[:8]]
        allowed = f"one tip, such as {', '.join(choices)}"
    what = f"the chain branches at link {moving[0].parent!r}: several joints move on it"
    raise BadInput(what, where=where, found=", ".join(j.name for j in moving), allowed=allowed)


def _end(joint: Any, below: Joints, count: int, where: str) -> tuple[str, int] | None:
    """The link where a branch ends, or branches again, and the joints up to it.

    None for a branch that is not of an arm.
    """
    if joint.type not in _TURNING or joint.mimic is not None:
        return None
    group = _fixed_to(joint.child, np.eye(4), below, where)
    moving = _moving(group, below)
    further = _end(moving[0], below, count + 1, where) if len(moving) == 1 else None
    return further or (_default_tip(group, below), count)


def _fixed_to(link: str, pose: np.ndarray, below: Joints, where: str) -> dict[str, np.ndarray]:
    """Poses of a link and of all that is fixed to it."""
    found = {link: pose}
    for joint in below[link]:
        if joint.type == "fixed":
            found |= _fixed_to(joint.child, pose @ _pose(joint, where), below, where)
    return found


def _default_tip(group: dict[str, np.ndarray], below: Joints) -> str:
    """Of links that move together the one that is the tip, if none was named."""
    leaves = [name for name in group if not below[name]]
    if "tool0" in group:
        return "tool0"
    return leaves[0] if len(leaves) == 1 else next(iter(group))


def _axis(joint: Any, where: str) -> np.ndarray:
    """The unit vector (3,) of a joint's axis, by default x, as URDF has it."""
    axis = np.array([1.0, 0.0, 0.0])
    if joint.axis is not None:
        axis = np.asarray(joint.axis, dtype=np.float64)
    length = np.linalg.norm(axis) if axis.shape == (3,) else 0.0
    if not 0.0 < length < np.inf:
        message = f"joint {joint.name!r} has no direction"
        raise BadInput(message, where=where, found=axis.tolist(), allowed="an axis, such as 0 0 1")
    return axis / length


def _pose(element: Any, where: str) -> np.ndarray:
    """The origin of a joint (4, 4); its place is looked at."""
    if element.origin is None:
        return np.eye(4)
    origin = np.asarray(element.origin, dtype=np.float64)
    for value in origin[:3, 3].tolist():
        JOINT["d"].number(value, f"{where}: joint {element.name!r}: origin")
    return origin


def _body(link: Any, pose: np.ndarray, where: str) -> list[tuple]:
    """The body of a link whose frame stands at a pose, as in ``Chain``; none without masses."""
    inertial = link.inertial
    if inertial is None:
        return []
    where = f"{where}: link {link.name!r}"
    mass = LINK["mass"].number(inertial.mass or 0.0, f"{where}: mass")
    tensor = np.zeros((3, 3))
    if inertial.inertia is not None:
        tensor = np.asarray(inertial.inertia, dtype=np.float64)
    check_tensor(tensor, where, mass)
    at = np.eye(4)
    if inertial.origin is not None:
        at = np.asarray(inertial.origin, dtype=np.float64)
    LINK["center_of_mass"].numbers(at[:3, 3].tolist(), 3, f"{where}: origin")
    return [(mass, pose @ at, tensor)]
