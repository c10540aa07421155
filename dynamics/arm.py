"""The arm as numbers: ``Arm``, and an arm with another tool, payload or another arm's masses."""

import functools
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from dynamics.errors import BadInput
from dynamics.mass_properties import add_payload, check_tensor

GRAVITY = (0.0, 0.0, -9.81)
_LARGEST_MASS, _FARTHEST = 1e6, 1e3  # of a payload [kg], [m]


class Arm(NamedTuple):
    """A serial arm with ``n`` revolute joints, as float64 arrays that kernels read.

    Whatever makes one (``Arm``, ``_replace``, ``_make``, a copy, unpickling) copies the numbers
    into one array, of which the fields are views: a call hands that one array to a kernel. A field
    may be written to in place.

    Raises ``BadInput``: no numbers, or arrays that do not fit each other.
    """

    # (n, 4) standard Denavit-Hartenberg rows [theta offset (rad), d (m), a (m), alpha (rad)]
    dh: np.ndarray
    twist: np.ndarray  # (n, 2) [cos(alpha), sin(alpha)]
    offset: np.ndarray  # (n, 3) r_{i-1,i}, origin of frame i-1 to origin of frame i, in frame i [m]
    # (n, 3) the same as the equations of motion use it [m]; differs from ``offset`` only in sets
    # that reproduce a published mistake
    dynamics_offset: np.ndarray
    mass: np.ndarray  # (n,) [kg]
    center_of_mass: np.ndarray  # (n, 3) from the origin of frame i, in frame i [m]
    inertia: np.ndarray  # (n, 3, 3) about the centre of mass, axes of frame i [kg·m²]
    rotor_inertia: np.ndarray  # (n,) reflected to the joint [kg·m²]
    # (n, 4) of the joints: Coulomb [N·m], viscous [N·m·s/rad], breakaway torque [N·m] and Stribeck
    # speed [rad/s] (see ``dynamics.joint_friction``). ``inverse_dynamics`` and ``forward_dynamics``
    # are those of the frictionless arm.
    friction: np.ndarray
    # (n,) stiffness of the gears before they slip [N·m/rad]; infinite: Coulomb's ideal (see
    # ``dynamics.joint_friction``)
    presliding: np.ndarray
    gravity: np.ndarray  # (3,) acceleration of gravity in base axes [m/s²]
    tool: np.ndarray  # (4, 4) T_flange_tool
    position_limits: np.ndarray  # (n, 2) lowest and highest joint angle [rad]
    speed_limits: np.ndarray  # (n,) [rad/s]
    torque_limits: np.ndarray  # (n,) [N·m]
    # (k, 8) outline for pictures and contact: link (counted from 1, 0 is the base), start (3) and
    # end (3) of the axis in the link's frame [m], radius [m]
    capsules: np.ndarray


_SHAPES: dict[str, tuple[Any, ...]] = {  # n: as many as joints; k: as many as capsules
    "dh": ("n", 4), "twist": ("n", 2), "offset": ("n", 3), "dynamics_offset": ("n", 3), "mass": ("n",),
    "center_of_mass": ("n", 3), "inertia": ("n", 3, 3), "rotor_inertia": ("n",), "friction": ("n", 4),
    "presliding": ("n",), "gravity": (3,), "tool": (4, 4), "position_limits": ("n", 2), "speed_limits": ("n",),
    "torque_limits": ("n",), "capsules": ("k", 8),
}  # fmt: skip


def _places() -> Iterator[tuple[int, int]]:
    for_each, more = 0, 0
    for rows, *columns in _SHAPES.values():
        yield for_each, more
        size = math.prod(columns)
        for_each, more = (
            (for_each + size, more)
            if rows == "n"
            else (for_each, more + (rows != "k" and rows * size))
        )


# Where each field begins in the array of all numbers, for kernels: so many for each joint, and so
# many more.
PLACES = tuple.__new__(Arm, _places())


def _together(arrays: Iterable[Any]) -> Arm:
    fields = _fitting(arrays)
    numbers = np.concatenate([field.ravel() for field in fields])
    ends = np.cumsum([field.size for field in fields])
    parts = (
        numbers[end - field.size : end].reshape(field.shape)
        for end, field in zip(ends, fields, strict=True)
    )
    return tuple.__new__(Arm, parts)


def _fitting(arrays: Iterable[Any]) -> list[np.ndarray]:
    """The arrays of an arm as numbers, once they are known to fit each other.

    Kernels trust them.
    """
    try:
        fields = [np.asarray(array, dtype=np.float64) for array in arrays]
    except (TypeError, ValueError, OverflowError):
        raise BadInput("the arrays of an arm hold numbers", found=arrays) from None
    n, k = len(np.atleast_1d(fields[0])), len(np.atleast_1d(fields[-1]))
    shapes = tuple(field.shape for field in fields)
    if shapes != _wanted(n, k) or n == 0:
        wrong = {
            name: s
            for name, s, wanted in zip(_SHAPES, shapes, _wanted(n, k), strict=True)
            if s != wanted
        }
        raise BadInput(
            "the arrays of the arm do not fit each other", found=wrong, allowed=f"{n} rows each"
        )
    return fields


@functools.cache
def _wanted(n: int, k: int) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple({"n": n, "k": k}.get(length, length) for length in shape)
        for shape in _SHAPES.values()
    )


@functools.wraps(Arm.__new__)
def _new(cls: type[Arm], *arrays: Any, **named: Any) -> Arm:
    return _together(_AS_GIVEN(cls, *arrays, **named))


# A named tuple may not say so itself. ``_replace`` asks ``_make``, and who copies or unpickles asks
# ``__new__``.
_AS_GIVEN = Arm.__new__
setattr(Arm, "__new__", _new)  # noqa: B010  (to mypy a method stays what it is)
setattr(Arm, "_make", classmethod(lambda cls, arrays: _together(arrays)))  # noqa: B010


def joint_count(arm: Arm) -> int:
    """How many joints an arm has.

    Raises ``BadInput``: no arm.
    """
    if not isinstance(arm, Arm):
        raise BadInput("no arm", found=arm, allowed="one from load_arm")
    return len(arm.dh)


def with_dynamics(arm: Arm, other: Arm) -> Arm:
    """``arm`` with the masses, tensors, rotors, friction and dynamic offsets of ``other``.

    Raises ``BadInput``: the two have different numbers of joints.
    """
    if joint_count(arm) != joint_count(other):
        raise BadInput(
            "the two arms have different numbers of joints",
            found=len(other.dh),
            allowed=str(len(arm.dh)),
        )
    names = (
        "dynamics_offset",
        "mass",
        "center_of_mass",
        "inertia",
        "rotor_inertia",
        "friction",
        "presliding",
    )
    return arm._replace(**{name: getattr(other, name) for name in names})


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
    # the nearest rotation: inverse kinematics relies on exact lengths
    u, _, v = np.linalg.svd(rotation)
    exact = tool.copy()
    exact[:3, :3] = u @ v
    return arm._replace(tool=exact)


def with_payload(
    arm: Arm, mass: float, center_of_mass: np.ndarray, inertia: np.ndarray | None = None
) -> Arm:
    """``arm`` carrying a payload that is rigidly fixed to the flange.

    Args:
        arm: the arm without it.
        mass: [kg].
        center_of_mass: (3,) in the flange frame [m].
        inertia: (3, 3) about the payload's centre of mass, flange axes [kg·m²]; default zero.

    Raises ``BadInput``: a negative mass, a wrong shape, no numbers or far too large ones, or an
    impossible tensor.
    """
    mass = float(_numbers(mass, (), _LARGEST_MASS, "mass", "kg"))
    center = _numbers(center_of_mass, (3,), _FARTHEST, "centre of mass", "m")
    largest = _LARGEST_MASS * _FARTHEST**2
    tensor = _numbers(
        np.zeros((3, 3)) if inertia is None else inertia, (3, 3), largest, "inertia", "kg·m²"
    )
    if mass < 0:
        raise BadInput("a payload needs a mass of zero or more", found=mass)
    check_tensor(tensor, "payload", mass)
    last = add_payload(arm.mass[-1], arm.center_of_mass[-1], arm.inertia[-1], mass, center, tensor)
    masses, centers, tensors = arm.mass.copy(), arm.center_of_mass.copy(), arm.inertia.copy()
    masses[-1], centers[-1], tensors[-1] = last
    return arm._replace(mass=masses, center_of_mass=centers, inertia=tensors)


def _numbers(
    value: object, shape: tuple[int, ...], largest: float, what: str, unit: str
) -> np.ndarray:
    """A payload's numbers, each of at most ``largest``.

    Larger ones overflow where they are squared.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.full(shape, np.nan)
    if array.shape != shape or not np.all(np.abs(array) <= largest):
        numbers = "one number" if not shape else f"{shape} numbers"
        raise BadInput(
            f"a payload's {what}", found=value, allowed=f"{numbers} up to {largest:g} {unit}"
        )
    return array
