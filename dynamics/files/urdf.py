"""An arm from a URDF file.

The chain of moving joints becomes standard Denavit-Hartenberg rows, whatever the file's own frames
are; links that are fixed to each other become one. Joint angles keep their meaning: the file's zero
and the file's direction. Meshes and collision shapes are not read; joint damping and friction, soft
limits and the tensors of placeholders are not either, which ``NamedArm.use`` says.

The parser is ``yourdfpy`` (extra ``urdf``); it is imported when a file is read.
"""

import io
import math
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.arm import GRAVITY, with_tool
from dynamics.errors import BadInput, needs_library, require_known
from dynamics.files.arm_file import arm_from_dict
from dynamics.files.arm_keys import LIMITS, LINK, Entry
from dynamics.files.axes import base_frame, dh_from_axes
from dynamics.files.named_arm import NamedArm
from dynamics.files.sources_of_urdf import refuse_source_of_urdf
from dynamics.files.urdf_chain import find_chain, refuse_twins
from dynamics.mass_properties import add_payload

_SOURCE = "URDF"
_NO_END = 1000.0  # [rad, rad/s] and more is what files say that know no limit
_TURN = 2 * math.pi  # [rad] beyond it an angle of a pose is one in degrees
_NONE = -1.0  # as some files say that there is no limit
_ORIENTATIONS = ("rpy", "quat_xyzw")
_NUMBERS = {
    "xyz",
    "rpy",
    "value",
    "lower",
    "upper",
    "effort",
    "velocity",
    "multiplier",
    "offset",
} | {f"i{a}{b}" for a in "xyz" for b in "xyz"}


def read_urdf(
    path: str | Path,
    base: str | None = None,
    tip: str | None = None,
    gravity: tuple[float, float, float] = GRAVITY,
) -> NamedArm:
    """Read an arm from a URDF file, with the gravity (3,) in axes of the base link [m/s²].

    The frame of the link ``base``, which must not move, counts as the base; default the root. That
    of ``tip`` becomes the tool frame, fixed to the last moving link; default ``tool0`` if there is
    one, else the only link at the end, else the last moving link. Joints that do not move the tip
    are held; without one those of a gripper at the end.

    Raises ``BadInput``: ``yourdfpy`` is missing; the file cannot be read; between base and tip it
    holds prismatic, floating, planar, mimicking or branching joints, or none at all; impossible
    masses, lengths or limits.
    """
    robot, rotors, left = _parse(Path(path))
    chain = find_chain(robot, base, tip, str(path))
    unread = (*chain.unread, *_unread(chain.joints), *left)
    T_base_0 = base_frame(chain.points[0], chain.axes[0])
    dh, frames = dh_from_axes(chain.points, chain.axes, T_base_0, chain.T_base_tip)
    links = [_link(bodies, frame) for bodies, frame in zip(chain.bodies, frames[1:], strict=True)]
    for link, joint in zip(links, chain.joints, strict=True):
        link["rotor_inertia"] = rotors.get(joint.name, 0.0)
    joints = [dict(zip(("theta", "d", "a", "alpha"), row, strict=True)) for row in dh.tolist()]
    arm = arm_from_dict(
        {"joints": [{**j, "source": _SOURCE} for j in joints], "links": links}, str(path)
    )
    arm = with_tool(arm, np.linalg.inv(frames[-1]) @ chain.T_base_tip)
    limits = zip(
        *(_limits(joint, f"{path}: joint {joint.name!r}: limit") for joint in chain.joints),
        strict=True,
    )
    position, speed, torque = (np.array(column) for column in limits)
    weight = T_base_0[:3, :3].T @ np.array(gravity, dtype=np.float64)
    arm = arm._replace(
        position_limits=position, speed_limits=speed, torque_limits=torque, gravity=weight
    )
    names, behind = (tuple(getattr(j, of) for j in chain.joints) for of in ("name", "child"))
    return NamedArm(arm, names, behind, chain.base, chain.tip, chain.held, T_base_0, unread)


def _unread(joints: list[Any]) -> list[str]:
    """What files say of joints and is not read: friction, soft limits, impossible speeds."""
    words = []
    coulomb = [_of_friction(joint, "friction") for joint in joints]
    viscous = [_of_friction(joint, "damping") for joint in joints]
    if any([*coulomb, *viscous]):
        words.append(f"friction, as plant.friction: {{coulomb: {coulomb}, viscous: {viscous}}}")
    fast = [
        f"{joint.name} {joint.limit.velocity:g}"
        for joint in joints
        if joint.limit is not None
        and LIMITS["speed"].high < (joint.limit.velocity or 0.0) < _NO_END
    ]
    if fast:
        words.append(f"speeds that no joint has, {', '.join(fast)} rad/s (in degrees a second?)")
    soft = []
    for joint in joints:
        given = joint.safety_controller
        if given is None or joint.limit is None:
            continue
        low, high = given.soft_lower_limit or 0.0, given.soft_upper_limit or 0.0
        inside = low > (joint.limit.lower or 0.0) or high < (joint.limit.upper or 0.0)
        if low < high and inside:
            soft.append(f"{joint.name} {low:g} … {high:g} rad")
    if soft:
        words.append(f"soft limits, {', '.join(soft)}")
    return words


def _of_friction(joint: Any, name: str) -> float:
    """What a file says of a joint's friction, or its damping; 0 for nothing and for no number."""
    try:
        return float(getattr(joint.dynamics, name, None) or 0.0)
    except ValueError:
        return 0.0


def _parse(path: Path) -> tuple[Any, dict[str, float], list[str]]:
    """The parsed robot, reflected rotor inertias [kg·m²] by joint, and what is left, in words."""
    with needs_library("reading a URDF needs yourdfpy", "urdf", str(path)):
        from lxml import etree
        from yourdfpy import URDF
    try:
        tree = etree.fromstring(
            path.read_bytes(), etree.XMLParser(resolve_entities=False, no_network=True)
        )
    except (OSError, etree.XMLSyntaxError) as error:
        raise BadInput(
            f"cannot read the URDF: {error}", where=str(path), allowed="a URDF as XML in UTF-8"
        ) from error
    if tree.find("joint") is None:  # nothing is expanded yet
        refuse_source_of_urdf(path, etree.tostring(tree, encoding="unicode"), str(path))
    if etree.QName(tree).localname != "robot" or tree.getroottree().docinfo.internalDTD is not None:
        raise BadInput("no URDF", where=str(path), allowed="an element robot, without a DOCTYPE")
    _check_tree(tree, str(path))
    try:
        tree.set("name", tree.get("name") or path.stem)  # which the parser cannot do without
        robot = URDF.load(
            io.BytesIO(etree.tostring(tree)), build_scene_graph=False, load_meshes=False
        ).robot
    except Exception as error:  # whatever the parser stumbles over: a missing attribute, no number
        raise _unusable(tree, error, str(path)) from error
    of_xacro = [e for e in tree.iter() if isinstance(e.tag, str) and "/xacro}" in e.tag]
    left = [f"{len(of_xacro)} elements of xacro, which `xacro` expands"] if of_xacro else []
    return robot, _rotors(tree, str(path)), left


def _check_tree(tree: Any, where: str) -> None:
    """Turn quaternions into the angles that the parser knows, and refuse what it would pass over.

    Raises ``BadInput``: two links or joints of one name, an orientation that is none, or one in
    degrees.
    """
    for kind in ("link", "joint"):
        refuse_twins(kind, [str(element.get("name")) for element in tree.findall(kind)], where)
    for origin in tree.iter("origin"):
        place = f"{where}, line {origin.sourceline}: origin"
        for key in origin.attrib:
            require_known(key, ("xyz", *_ORIENTATIONS), "unknown attribute", place)
        if origin.get("quat_xyzw") is not None:
            if origin.get("rpy") is not None:
                raise BadInput("two orientations", where=place, allowed=" or ".join(_ORIENTATIONS))
            quaternion = _numbers(origin, "quat_xyzw", 4, place)
            origin.set("rpy", " ".join(map(repr, _angles(quaternion, place))))
            del origin.attrib["quat_xyzw"]
        angles = _numbers(origin, "rpy", 3, place) if origin.get("rpy") is not None else []
        largest = max(map(abs, angles), default=0.0)
        if largest > _TURN:
            allowed = f"radians, up to {_TURN:.4g} (is this in degrees?)"
            raise BadInput("rpy out of range", where=place, found=largest, allowed=allowed)


def _numbers(element: Any, key: str, count: int, where: str) -> list[float]:
    """The numbers of an attribute; BadInput for others than so many."""
    text = element.get(key)
    try:
        values = [float(part) for part in text.split()]
    except ValueError:
        allowed = "numbers with a decimal point, in a file without ${…}, as xacro writes it"
        raise BadInput("no number", where=f"{where}: {key}", found=text, allowed=allowed) from None
    if len(values) != count or not np.isfinite(values).all():
        raise BadInput("wrong numbers", where=f"{where}: {key}", found=text, allowed=str(count))
    return values


def _angles(quaternion: list[float], where: str) -> list[float]:
    """Roll, pitch and yaw [rad] of a quaternion (x, y, z, w)."""
    length = float(np.linalg.norm(quaternion))
    if not length > 0.0:
        raise BadInput("no rotation", where=f"{where}: quat_xyzw", found=quaternion)
    x, y, z, w = (value / length for value in quaternion)
    sine = 2.0 * (w * y - z * x)
    cosine = math.hypot(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z))
    pitch = math.atan2(sine, cosine)
    if cosine < 1e-9:  # roll and yaw turn about one axis
        return [2.0 * math.atan2(x, w), pitch, 0.0]
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    return [roll, pitch, math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))]


def _unusable(tree: Any, error: Exception, where: str) -> BadInput:
    """The first entry that is no number, or else what the parser says."""
    for element in tree.iter("origin", "axis", "limit", "mass", "inertia", "mimic"):
        for key in _NUMBERS & set(element.attrib):
            try:
                [float(part) for part in element.get(key).split()]
            except ValueError:
                place = f"{where}, line {element.sourceline}: {element.tag}: {key}"
                allowed = "numbers with a decimal point, in a file without ${…}, as xacro writes it"
                return BadInput("no number", where=place, found=element.get(key), allowed=allowed)
    reason = f"{type(error).__name__}: {error}"
    allowed = "what http://wiki.ros.org/urdf/XML asks for"
    return BadInput(
        f"the URDF has an entry that cannot be used: {reason}", where=where, allowed=allowed
    )


def _rotors(tree: Any, where: str) -> dict[str, float]:
    """Rotor inertia times the square of the gear ratio, from the transmissions.

    Those count that give an inertia. The elements are those of Drake, ``rotor_inertia`` and
    ``gear_ratio``, in any namespace; ``mechanicalReduction`` counts as gear ratio too. Without an
    inertia no ratio is looked at.
    """
    found = {}
    for transmission in tree.iter("transmission"):
        if (inertia := next(transmission.iter("{*}rotor_inertia"), None)) is None:
            continue
        ratio = next(transmission.iter("{*}gear_ratio", "mechanicalReduction"), None)
        values = []
        for e in (inertia, ratio):
            place = "" if e is None else f"{where}, line {e.sourceline}: {e.tag.rsplit('}', 1)[-1]}"
            values.append(
                LINK["rotor_inertia"].number(1.0 if e is None else e.get("value") or e.text, place)
            )
        for joint in transmission.findall("joint"):
            found[joint.get("name")] = values[0] * values[1] ** 2
    return found


def _link(bodies: list[tuple], frame: np.ndarray) -> dict[str, Any]:
    """The bodies of one link together, as a row of an arm file in the axes of its frame."""
    mass, center, tensor = 0.0, np.zeros(3), np.zeros((3, 3))
    rotation, origin = frame[:3, :3], frame[:3, 3]
    for body_mass, T, body_tensor in bodies:
        turned, point = rotation.T @ T[:3, :3], rotation.T @ (T[:3, 3] - origin)
        mass, center, tensor = add_payload(
            mass, center, tensor, body_mass, point, turned @ body_tensor @ turned.T
        )
    tensor = (tensor + tensor.T) / 2
    return {
        "mass": mass,
        "center_of_mass": center.tolist(),
        "inertia": tensor.tolist(),
        "source": _SOURCE,
    }


def _limits(joint: Any, where: str) -> tuple[list[float], float, float]:
    """Lowest and highest angle, speed and torque.

    Infinite where the file has 0 or nothing, an angle of ``_NO_END`` and more, a speed beyond any
    joint's, or -1 for a speed or a torque.
    """
    limit, endless = joint.limit, [-math.inf, math.inf]
    if limit is None:
        return endless, math.inf, math.inf
    ends = [_limit(LIMITS["position"], value or 0.0, where) for value in (limit.lower, limit.upper)]
    position = endless if joint.type == "continuous" or not any(ends) else ends
    if not position[0] < position[1]:
        raise BadInput("lower is not below upper", where=where, found=position)
    return (
        position,
        _largest(LIMITS["speed"], limit.velocity, f"{where}: velocity"),
        _largest(LIMITS["torque"], limit.effort, f"{where}: effort"),
    )


def _largest(entry: Entry, value: float | None, where: str) -> float:
    """A limit of a speed or a torque; one beyond what is possible binds nothing."""
    if not value or value == _NONE or value > entry.high:
        return math.inf
    return entry.number(value, where)


def _limit(entry: Entry, value: float, where: str) -> float:
    return math.copysign(math.inf, value) if abs(value) >= _NO_END else entry.number(value, where)
