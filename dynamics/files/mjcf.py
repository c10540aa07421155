"""An arm as a MuJoCo model.

Text alone: nothing here imports MuJoCo. The geometry is for looking: it has no mass, since every
body states its own, and it collides with nothing. What ``Arm`` has and MuJoCo's compiler refuses, a
mass or a moment of inertia of zero, becomes 1e-9 (kg, kg·m²).
"""

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from scipy.spatial.transform import Rotation

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.files.writing import spaced
from dynamics.link_bodies import before_offset, capsules_of, require_rigid

LEAST_INERTIA = 1e-9  # [kg·m²] and [kg], in place of zero
_LOOK = {"contype": "0", "conaffinity": "0", "mass": "0", "rgba": "0.83 0.85 0.89 1"}


def mjcf_text(
    arm: Arm, damping: np.ndarray | float = 0.0, step: float = 0.001, integrator: str = "RK4"
) -> str:
    """The arm as MJCF: bodies ``link_1`` … ``link_n``, hinges ``joint_1`` …, and the site ``tool``.

    Joint limits and contact are left out: the model is the equation of motion alone. The arm's
    gravity becomes the model's, its rotor inertia the hinges' armature; ``damping`` is the viscous
    one of the joints, one number or (n,) [N·m·s/rad]. ``step`` is the model's time step [s],
    ``integrator`` MuJoCo's ``RK4``, ``Euler`` or ``implicitfast``.

    Raises ``BadInput``: the arm's equations of motion are not those of its kinematics; a step that
    is not positive.
    """
    require_rigid(arm)
    if not 0.0 < step < math.inf:
        raise BadInput("step must be positive", found=step)
    model = Element("mujoco", model="arm")
    SubElement(model, "compiler", angle="radian", autolimits="false", balanceinertia="false")
    option = SubElement(
        model, "option", gravity=spaced(*arm.gravity), timestep=spaced(step), integrator=integrator
    )
    SubElement(option, "flag", contact="disable", constraint="disable", autoreset="disable")
    parent = SubElement(model, "worldbody")
    _add_look(parent, arm, 0)
    for i, value in enumerate(np.zeros(len(arm.dh)) + damping):
        parent = _add_body(parent, arm, i, float(value))
    flange = SubElement(parent, "body", {"name": "flange", **_place(arm, len(arm.dh), 0.0)})
    quaternion = spaced(*Rotation.from_matrix(arm.tool[:3, :3]).as_quat(scalar_first=True))
    SubElement(flange, "site", name="tool", pos=spaced(*arm.tool[:3, 3]), quat=quaternion)
    ElementTree.indent(model)
    return ElementTree.tostring(model, encoding="unicode") + "\n"


def _add_body(parent: Element, arm: Arm, i: int, damping: float) -> Element:
    """Link i + 1 in the frame of its joint: behind the offset of the link before."""
    body = SubElement(parent, "body", {"name": f"link_{i + 1}", **_place(arm, i, arm.dh[i, 0])})
    hinge = {"armature": spaced(arm.rotor_inertia[i]), "damping": spaced(damping)}
    SubElement(body, "joint", {"name": f"joint_{i + 1}", "type": "hinge", "axis": "0 0 1", **hinge})
    link = before_offset(arm, i, LEAST_INERTIA)
    t = link.inertia
    full = (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])
    SubElement(
        body,
        "inertial",
        mass=spaced(link.mass),
        pos=spaced(*link.center),
        fullinertia=spaced(*full),
    )
    _add_look(body, arm, i + 1)
    return body


def _add_look(body: Element, arm: Arm, link: int) -> None:
    for start, end, radius in capsules_of(arm, link):
        shape = {"type": "sphere", "pos": spaced(*start), "size": spaced(radius)}
        if np.linalg.norm(end - start) > 1e-6:
            shape = {"type": "capsule", "fromto": spaced(*start, *end), "size": spaced(radius)}
        SubElement(body, "geom", {**shape, **_LOOK})


def _place(arm: Arm, i: int, theta: float) -> dict[str, str]:
    """From the joint frame of link i by its offset, turned about x by its alpha, then about z.

    Link 0 is the base.
    """
    d, a, alpha = arm.dh[i - 1, 1:] if i else (0.0, 0.0, 0.0)
    c = math.cos(alpha / 2)
    s = math.sin(alpha / 2)
    cz = math.cos(theta / 2)
    sz = math.sin(theta / 2)
    return {"pos": spaced(a, 0.0, d), "quat": spaced(c * cz, s * cz, 0.0 - s * sz, c * sz)}
