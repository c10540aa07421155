"""The arm as numbers: ``Arm``, and an arm with another tool, payload or another arm's masses."""

from typing import NamedTuple

import numpy as np

from dynamics.errors import BadInput
from dynamics.mass_properties import add_payload, check_tensor

GRAVITY = (0.0, 0.0, -9.81)
_LARGEST_MASS, _FARTHEST = 1e6, 1e3  # of a payload [kg], [m]


class Arm(NamedTuple):
    """A serial arm with ``n`` revolute joints, as float64 arrays that kernels read."""

    dh: np.ndarray  # (n, 4) standard Denavit-Hartenberg rows [theta offset (rad), d (m), a (m), alpha (rad)]
    twist: np.ndarray  # (n, 2) [cos(alpha), sin(alpha)]
    offset: np.ndarray  # (n, 3) r_{i-1,i}, origin of frame i-1 to origin of frame i, in frame i [m]
    # (n, 3) the same as the equations of motion use it [m]; differs from ``offset`` only in sets that
    # reproduce a published mistake
    dynamics_offset: np.ndarray
    mass: np.ndarray  # (n,) [kg]
    center_of_mass: np.ndarray  # (n, 3) from the origin of frame i, in frame i [m]
    inertia: np.ndarray  # (n, 3, 3) about the centre of mass, axes of frame i [kg·m²]
    rotor_inertia: np.ndarray  # (n,) reflected to the joint [kg·m²]
    # (n, 4) of the joints: Coulomb [N·m], viscous [N·m·s/rad], breakaway torque [N·m] and Stribeck speed [rad/s] (see
    # ``dynamics.joint_friction``). ``inverse_dynamics`` and ``forward_dynamics`` are those of the frictionless arm.
    friction: np.ndarray
    # (n,) stiffness of the gears before they slip [N·m/rad]; infinite: Coulomb's ideal (see
    # ``dynamics.joint_friction``)
    presliding: np.ndarray
    gravity: np.ndarray  # (3,) acceleration of gravity in base axes [m/s²]
    tool: np.ndarray  # (4, 4) T_flange_tool
    position_limits: np.ndarray  # (n, 2) lowest and highest joint angle [rad]
    speed_limits: np.ndarray  # (n,) [rad/s]
    torque_limits: np.ndarray  # (n,) [N·m]
    # (k, 8) outline for pictures and contact: link (counted from 1, 0 is the base), start (3) and end (3) of
    # the axis in the link's frame [m], radius [m]
    capsules: np.ndarray


_SHAPES = {
    "dh": (4,), "twist": (2,), "offset": (3,), "dynamics_offset": (3,), "mass": (), "center_of_mass": (3,),
    "inertia": (3, 3), "rotor_inertia": (), "friction": (4,), "presliding": (),
    "position_limits": (2,), "speed_limits": (), "torque_limits": (),
}  # fmt: skip


def joint_count(arm: Arm) -> int:
    """How many joints an arm has, once its arrays are known to fit each other: kernels trust them."""
    if not isinstance(arm, Arm):
        raise BadInput("no arm", found=arm, allowed="one from load_arm")
    n = len(arm.dh)
    shapes = [np.shape(getattr(arm, name)) for name in _SHAPES]
    wanted = [(n, *tail) for tail in _SHAPES.values()]
    if shapes != wanted or n == 0 or np.shape(arm.gravity) != (3,) or np.shape(arm.tool) != (4, 4):
        found = {name: s for name, s, w in zip(_SHAPES, shapes, wanted, strict=True) if s != w}
        raise BadInput("the arrays of the arm do not fit each other", found=found, allowed=f"{n} rows each")
    return n


def with_dynamics(arm: Arm, other: Arm) -> Arm:
    """``arm`` with the masses, tensors, rotors, friction and dynamic offsets of ``other``.

    Raises ``BadInput``: the two have different numbers of joints.
    """
    if joint_count(arm) != joint_count(other):
        told = "the two arms have different numbers of joints"
        raise BadInput(told, found=len(other.dh), allowed=str(len(arm.dh)))
    return arm._replace(
        dynamics_offset=other.dynamics_offset,
        mass=other.mass,
        center_of_mass=other.center_of_mass,
        inertia=other.inertia,
        rotor_inertia=other.rotor_inertia,
        friction=other.friction,
        presliding=other.presliding,
    )


def with_tool(arm: Arm, T_flange_tool: np.ndarray) -> Arm:
    """``arm`` with another tool frame, (4, 4), relative to the flange (frame n).

    A rotation that is orthonormal to 1e-6 is replaced by the nearest exact one.

    Raises ``BadInput``: not a rigid transformation.
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

    Raises ``BadInput``: a negative mass, a wrong shape, no numbers or far too large ones, or an impossible tensor.
    """
    mass = float(_numbers(mass, (), _LARGEST_MASS, "mass", "kg"))
    center = _numbers(center_of_mass, (3,), _FARTHEST, "centre of mass", "m")
    largest = _LARGEST_MASS * _FARTHEST**2
    tensor = _numbers(np.zeros((3, 3)) if inertia is None else inertia, (3, 3), largest, "inertia", "kg·m²")
    if mass < 0:
        raise BadInput("a payload needs a mass of zero or more", found=mass)
    check_tensor(tensor, "payload")
    last = add_payload(arm.mass[-1], arm.center_of_mass[-1], arm.inertia[-1], mass, center, tensor)
    masses, centers, tensors = arm.mass.copy(), arm.center_of_mass.copy(), arm.inertia.copy()
    masses[-1], centers[-1], tensors[-1] = last
    return arm._replace(mass=masses, center_of_mass=centers, inertia=tensors)


def _numbers(value: object, shape: tuple[int, ...], largest: float, what: str, unit: str) -> np.ndarray:
    """A payload's numbers, each of at most ``largest``: larger ones overflow where they are squared."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.full(shape, np.nan)
    if array.shape != shape or not np.all(np.abs(array) <= largest):
        numbers = "one number" if not shape else f"{shape} numbers"
        raise BadInput(f"a payload's {what}", found=value, allowed=f"{numbers} up to {largest:g} {unit}")
    return array
