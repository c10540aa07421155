"""The arm as numbers: ``Arm``, and an arm with another tool, payload or another arm's masses."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.errors import BadInput
from dynamics.mass_properties import add_payload, check_tensor

GRAVITY = (0.0, 0.0, -9.81)


class Arm(NamedTuple):
    """A serial arm with ``n`` revolute joints, as float64 arrays that kernels read.

    Attributes:
        dh: (n, 4) standard Denavit-Hartenberg rows [theta offset (rad), d (m), a (m), alpha (rad)].
        twist: (n, 2) [cos(alpha), sin(alpha)].
        offset: (n, 3) r_{i-1,i}, origin of frame i-1 to origin of frame i, in frame i [m].
        dynamics_offset: (n, 3) the same as the equations of motion use it [m]; differs from
            ``offset`` only in sets that reproduce a published mistake.
        mass: (n,) [kg].
        center_of_mass: (n, 3) from the origin of frame i, in frame i [m].
        inertia: (n, 3, 3) about the centre of mass, axes of frame i [kg·m²].
        rotor_inertia: (n,) reflected to the joint [kg·m²].
        friction: (n, 4) of the joints: Coulomb [N·m], viscous [N·m·s/rad], breakaway torque [N·m] and
            Stribeck speed [rad/s] (see ``dynamics.joint_friction``). ``inverse_dynamics`` and
            ``forward_dynamics`` are those of the frictionless arm.
        gravity: (3,) acceleration of gravity in base axes [m/s²].
        tool: (4, 4) T_flange_tool.
        position_limits: (n, 2) lowest and highest joint angle [rad].
        speed_limits: (n,) [rad/s].
        torque_limits: (n,) [N·m].
        capsules: (k, 8) outline for pictures and contact: link (counted from 1, 0 is the base),
            start (3) and end (3) of the axis in the link's frame [m], radius [m].
    """

    dh: np.ndarray
    twist: np.ndarray
    offset: np.ndarray
    dynamics_offset: np.ndarray
    mass: np.ndarray
    center_of_mass: np.ndarray
    inertia: np.ndarray
    rotor_inertia: np.ndarray
    friction: np.ndarray
    gravity: np.ndarray
    tool: np.ndarray
    position_limits: np.ndarray
    speed_limits: np.ndarray
    torque_limits: np.ndarray
    capsules: np.ndarray


def with_dynamics(arm: Arm, other: Arm) -> Arm:
    """``arm`` with the masses, tensors, rotors, friction and dynamic offsets of ``other``.

    Raises:
        BadInput: the two have different numbers of joints.
    """
    if len(arm.dh) != len(other.dh):
        raise BadInput(
            "the two arms have different numbers of joints", found=len(other.dh), allowed=str(len(arm.dh))
        )
    return arm._replace(
        dynamics_offset=other.dynamics_offset,
        mass=other.mass,
        center_of_mass=other.center_of_mass,
        inertia=other.inertia,
        rotor_inertia=other.rotor_inertia,
        friction=other.friction,
    )


def with_tool(arm: Arm, T_flange_tool: np.ndarray) -> Arm:
    """``arm`` with another tool frame, (4, 4), relative to the flange (frame n).

    A rotation that is orthonormal to 1e-6 is replaced by the nearest exact one.

    Raises:
        BadInput: not a rigid transformation.
    """
    tool = np.ascontiguousarray(T_flange_tool, dtype=np.float64)
    if tool.shape != (4, 4) or not np.all(np.isfinite(tool)) or np.any(tool[3] != [0, 0, 0, 1]):
        raise BadInput("the tool frame is no 4×4 homogeneous transformation", found=tool.tolist())
    rotation = tool[:3, :3]
    if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6) or np.linalg.det(rotation) < 0:
        raise BadInput("the tool frame does not hold a rotation", found=rotation.tolist())
    if np.array_equal(rotation @ rotation.T, np.eye(3)):
        return arm._replace(tool=tool)
    u, _, v = np.linalg.svd(rotation)  # the nearest rotation: inverse kinematics relies on exact lengths
    exact = tool.copy()
    exact[:3, :3] = u @ v
    return arm._replace(tool=exact)


def with_payload(arm: Arm, mass: float, center_of_mass: np.ndarray, inertia: np.ndarray | None = None) -> Arm:
    """``arm`` carrying a payload that is rigidly fixed to the flange.

    Args:
        arm: the arm without it.
        mass: [kg].
        center_of_mass: (3,) in the flange frame [m].
        inertia: (3, 3) about the payload's centre of mass, flange axes [kg·m²]; default zero.

    Raises:
        BadInput: a negative mass, a centre of the wrong shape, or an impossible tensor.
    """
    center = np.asarray(center_of_mass, dtype=np.float64)
    tensor = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=np.float64)
    if not 0 <= mass < math.inf:
        raise BadInput("a payload needs a mass of zero or more", found=mass)
    if center.shape != (3,) or not np.all(np.isfinite(center)):
        raise BadInput("a payload's centre of mass has three numbers", found=center.tolist())
    check_tensor(tensor, "payload")
    last = add_payload(arm.mass[-1], arm.center_of_mass[-1], arm.inertia[-1], float(mass), center, tensor)
    masses, centers, tensors = arm.mass.copy(), arm.center_of_mass.copy(), arm.inertia.copy()
    masses[-1], centers[-1], tensors[-1] = last
    return arm._replace(mass=masses, center_of_mass=centers, inertia=tensors)
