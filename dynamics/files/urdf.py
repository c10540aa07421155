"""An arm from a URDF file.

The chain of moving joints becomes standard Denavit-Hartenberg rows, whatever the file's own frames are; links that
are fixed to each other become one. Joint angles keep their meaning: the file's zero and the file's direction. Joint
damping and friction, meshes and collision shapes are not read.

The parser is ``yourdfpy`` (extra ``urdf``); it is imported when a file is read.
"""

import io
import math
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.arm import GRAVITY, Arm, with_tool
from dynamics.errors import BadInput
from dynamics.files.arm_file import NamedArm, arm_from_dict
from dynamics.files.axes import base_frame, dh_from_axes
from dynamics.files.urdf_chain import Chain, find_chain
from dynamics.mass_properties import add_payload

_SOURCE = "URDF"


def read_urdf(
    path: str | Path, base: str | None = None, tip: str | None = None, gravity: tuple[float, float, float] = GRAVITY
) -> NamedArm:
    """Read an arm from a URDF file, with the gravity (3,) in axes of the base link [m/s²].

    The frame of the link ``base``, which must not move, counts as the base; default the root. That of ``tip`` becomes
    the tool frame, fixed to the last moving link; default ``tool0`` if there is one, else the only link at the end,
    else the last moving link.

    Raises ``BadInput``: ``yourdfpy`` is missing; the file cannot be read; it holds prismatic, floating, planar,
    mimicking or branching joints, or none at all; impossible masses.
    """
    robot, rotors = _parse(Path(path))
    chain = find_chain(robot, base, tip, str(path))
    T_base_0 = base_frame(chain.points[0], chain.axes[0])
    dh, frames = dh_from_axes(chain.points, chain.axes, T_base_0, chain.T_base_tip)
    links = [_link(bodies, frame) for bodies, frame in zip(chain.bodies, frames[1:], strict=True)]
    for link, joint in zip(links, chain.joints, strict=True):
        link["rotor_inertia"] = rotors.get(joint.name, 0.0)
    joints = [dict(zip(("theta", "d", "a", "alpha"), row, strict=True)) for row in dh.tolist()]
    arm = arm_from_dict({"joints": [{**j, "source": _SOURCE} for j in joints], "links": links}, str(path))
    arm = with_tool(_limited(arm, chain), np.linalg.inv(frames[-1]) @ chain.T_base_tip)
    arm = arm._replace(gravity=T_base_0[:3, :3].T @ np.array(gravity, dtype=np.float64))
    return NamedArm(arm, tuple(j.name for j in chain.joints), chain.base, chain.tip, T_base_0)


def _parse(path: Path) -> tuple[Any, dict[str, float]]:
    """The parsed robot, and the reflected rotor inertia [kg·m²] by joint."""
    try:
        from lxml import etree
        from yourdfpy import URDF
    except ImportError:
        allowed = "pip install 'hopfield-nav[urdf]'"
        raise BadInput("reading a URDF needs yourdfpy", where=str(path), allowed=allowed) from None
    try:
        content = path.read_bytes()
        tree = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except (OSError, etree.XMLSyntaxError) as error:
        raise BadInput(f"cannot read the URDF: {error}", where=str(path)) from error
    if etree.QName(tree).localname != "robot" or tree.getroottree().docinfo.internalDTD is not None:
        raise BadInput("no URDF", where=str(path), allowed="an element robot, without a DOCTYPE")
    try:
        robot = URDF.load(io.BytesIO(content), build_scene_graph=False, load_meshes=False).robot
        return robot, _rotors(tree)
    except Exception as error:  # whatever the parser stumbles over: a missing attribute, no number
        reason = f"{type(error).__name__}: {error}"
        raise BadInput(f"the URDF has an entry that cannot be used: {reason}", where=str(path)) from error


def _rotors(tree: Any) -> dict[str, float]:
    """Rotor inertia times the square of the gear ratio, from the transmissions that give both.

    The elements are those of Drake, ``rotor_inertia`` and ``gear_ratio``, in any namespace; ``mechanicalReduction``
    counts as gear ratio too.
    """
    found = {}
    for transmission in tree.iter("transmission"):
        values = {"rotor_inertia": 0.0, "gear_ratio": 1.0}
        for element in transmission.iter("{*}rotor_inertia", "{*}gear_ratio", "mechanicalReduction"):
            name = element.tag.rsplit("}", 1)[-1].replace("mechanicalReduction", "gear_ratio")
            values[name] = float(element.get("value") or element.text)
        for joint in transmission.findall("joint"):
            found[joint.get("name")] = values["rotor_inertia"] * values["gear_ratio"] ** 2
    return found


def _link(bodies: list[tuple], frame: np.ndarray) -> dict[str, Any]:
    """The bodies of one link together, as a row of an arm file in the axes of its frame."""
    mass, center, tensor = 0.0, np.zeros(3), np.zeros((3, 3))
    rotation, origin = frame[:3, :3], frame[:3, 3]
    for body_mass, T, body_tensor in bodies:
        turned = rotation.T @ T[:3, :3]
        moved = turned @ body_tensor @ turned.T
        point = rotation.T @ (T[:3, 3] - origin)
        mass, center, tensor = add_payload(mass, center, tensor, body_mass, point, moved)
    tensor = (tensor + tensor.T) / 2
    return {"mass": mass, "center_of_mass": center.tolist(), "inertia": tensor.tolist(), "source": _SOURCE}


def _limited(arm: Arm, chain: Chain) -> Arm:
    """With the file's limits; none for continuous joints, and none where the file has 0 or nothing."""
    limits = [(joint.type == "continuous", joint.limit) for joint in chain.joints]
    position = [
        [-math.inf, math.inf] if free or not limit else [limit.lower or 0.0, limit.upper or 0.0]
        for free, limit in limits
    ]
    speed = [(limit and limit.velocity) or math.inf for _, limit in limits]
    torque = [(limit and limit.effort) or math.inf for _, limit in limits]
    return arm._replace(
        position_limits=np.array(position), speed_limits=np.array(speed), torque_limits=np.array(torque)
    )
