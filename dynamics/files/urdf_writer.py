"""An arm as a URDF file.

Each link's frame sits in its joint before the Denavit-Hartenberg offset; the frame after the offset
is a massless link of its own, so that every angle of the table stands in the file as it is.
Capsules become visual shapes. Rotor inertia stands in transmissions, as Drake writes it.
"""

import math
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from dynamics.arm import Arm
from dynamics.files.writing import spaced, write_whole
from dynamics.link_bodies import before_offset, capsules_of, require_rigid

_DRAKE = "http://drake.mit.edu"
Vector = np.ndarray | tuple[float, ...]


def write_urdf(arm: Arm, path: str | Path, least_inertia: float = 0.0) -> Path:
    """Write a URDF: ``base_link``, ``link_1`` … ``link_n``, ``frame_1`` … ``frame_n``, ``tool0``.

    Gravity is no part of it. Masses [kg] and moments of inertia [kg·m²] of links are at least
    ``least_inertia``; MuJoCo wants 1e-9 where an arm has zeros. The file is written whole or not at
    all.

    Raises ``BadInput``: an arm that is not rigid, or the file cannot be written.
    """
    require_rigid(arm)
    ElementTree.register_namespace("drake", _DRAKE)
    robot = Element("robot", name="arm")
    SubElement(robot, "link", name="base_link")
    for i in range(len(arm.dh)):
        _add_link(robot, arm, i, least_inertia)
    SubElement(robot, "link", name="tool0")
    _fixed(robot, "tool", f"frame_{len(arm.dh)}", "tool0", arm.tool[:3, 3], _rpy(arm.tool[:3, :3]))
    ElementTree.indent(robot)
    return write_whole(
        path, '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding="unicode") + "\n"
    )


def _add_link(robot: Element, arm: Arm, i: int, least: float) -> None:
    """Link i + 1 with its joint, its mass, its look and the frame after its offset."""
    name, frame = f"link_{i + 1}", f"frame_{i + 1}"
    theta, d, a, alpha = arm.dh[i]
    _add_joint(robot, arm, i, f"frame_{i}" if i else "base_link", name, theta)
    body = before_offset(arm, i, least)
    link = SubElement(robot, "link", name=name)
    inertial = SubElement(link, "inertial")
    _origin(inertial, body.center, (0.0, 0.0, 0.0))
    SubElement(inertial, "mass", value=spaced(body.mass))
    names = (
        ("ixx", 0, 0),
        ("ixy", 0, 1),
        ("ixz", 0, 2),
        ("iyy", 1, 1),
        ("iyz", 1, 2),
        ("izz", 2, 2),
    )
    SubElement(inertial, "inertia", {key: spaced(body.inertia[r, c]) for key, r, c in names})
    for start, end, radius in capsules_of(arm, i + 1):
        _add_look(link, start, end, radius)
    SubElement(robot, "link", name=frame)
    _fixed(robot, f"{name}_offset", name, frame, (a, 0.0, d), (alpha, 0.0, 0.0))


def _add_joint(robot: Element, arm: Arm, i: int, parent: str, child: str, theta: float) -> None:
    low, high = arm.position_limits[i]
    free = math.isinf(low) and math.isinf(high)
    joint = SubElement(
        robot, "joint", name=f"joint_{i + 1}", type="continuous" if free else "revolute"
    )
    _origin(joint, (0.0, 0.0, 0.0), (0.0, 0.0, theta))
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)
    SubElement(joint, "axis", xyz="0 0 1")
    limits = {"effort": arm.torque_limits[i], "velocity": arm.speed_limits[i]}
    limits |= {} if free else {"lower": low, "upper": high}
    SubElement(
        joint, "limit", {key: spaced(v) if math.isfinite(v) else "0" for key, v in limits.items()}
    )
    if arm.rotor_inertia[i] > 0:
        _add_rotor(robot, i, arm.rotor_inertia[i])


def _add_rotor(robot: Element, i: int, inertia: float) -> None:
    """Rotor inertia, already reflected to the joint: a gear ratio of 1."""
    transmission = SubElement(robot, "transmission", name=f"transmission_{i + 1}")
    SubElement(transmission, "type").text = "transmission_interface/SimpleTransmission"
    SubElement(transmission, "joint", name=f"joint_{i + 1}")
    actuator = SubElement(transmission, "actuator", name=f"motor_{i + 1}")
    SubElement(actuator, f"{{{_DRAKE}}}rotor_inertia", value=spaced(inertia))
    SubElement(actuator, f"{{{_DRAKE}}}gear_ratio", value="1")


def _add_look(link: Element, start: np.ndarray, end: np.ndarray, radius: float) -> None:
    """A capsule as a cylinder, which URDF has; it weighs nothing."""
    visual = SubElement(link, "visual")
    along = end - start
    length = float(np.linalg.norm(along))
    x, y, z = along / length if length > 0 else (0.0, 0.0, 1.0)
    _origin(visual, (start + end) / 2, (0.0, math.atan2(math.hypot(x, y), z), math.atan2(y, x)))
    geometry = SubElement(visual, "geometry")
    SubElement(geometry, "cylinder", radius=spaced(radius), length=spaced(max(length, radius)))


def _fixed(robot: Element, name: str, parent: str, child: str, xyz: Vector, rpy: Vector) -> None:
    joint = SubElement(robot, "joint", name=name, type="fixed")
    _origin(joint, xyz, rpy)
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)


def _origin(parent: Element, xyz: Vector, rpy: Vector) -> None:
    SubElement(parent, "origin", xyz=spaced(*np.ravel(xyz)), rpy=spaced(*np.ravel(rpy)))


def _rpy(R: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll); roll 0 where x is upright.

    Its first column is (cos yaw cos pitch, sin yaw cos pitch, -sin pitch), its last row (-sin
    pitch, cos pitch sin roll, cos pitch cos roll).
    """
    cos_pitch = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], cos_pitch)
    if cos_pitch < 1e-9:  # x is upright: roll and yaw turn about one axis
        yaw = math.atan2(-R[0, 1], R[1, 1])
        return 0.0, pitch, yaw
    roll = math.atan2(R[2, 1], R[2, 2])
    yaw = math.atan2(R[1, 0], R[0, 0])
    return roll, pitch, yaw
