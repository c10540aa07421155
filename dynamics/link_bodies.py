"""Links as other programs want them: in the frame of their joint, before their offset."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput

_LEAST = 1e-15  # [kg·m²] about a joint's axis; less is a rounding error


class Body(NamedTuple):
    """A link in the frame of its joint."""

    mass: float  # [kg]
    center: np.ndarray  # (3,) centre of mass [m]
    inertia: np.ndarray  # (3, 3) about it [kg·m²]


def before_offset(arm: Arm, i: int, least: float = 0.0) -> Body:
    """Link i + 1 in frame i turned by its joint: z along the joint, x along the next offset.

    A mass below ``least`` becomes ``least`` [kg]; a tensor with a smaller moment is enlarged by it
    [kg·m²].
    """
    R = turned_by_twist(arm, i)
    tensor = R @ arm.inertia[i] @ R.T
    tensor = (tensor + tensor.T) / 2
    if least > 0 and np.linalg.eigvalsh(tensor)[0] < least:
        tensor = tensor + least * np.eye(3)
    center = shift(arm, i) + R @ arm.center_of_mass[i]
    return Body(max(float(arm.mass[i]), least), center, tensor)


def capsules_of(arm: Arm, link: int) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """A link's capsules in the frame of ``before_offset``: start, end (3,) [m] and radius [m].

    Those of link 0, the base, are in the base frame.
    """
    capsules = []
    for row in arm.capsules[arm.capsules[:, 0] == link]:
        start = row[1:4]
        end = row[4:7]
        radius = float(row[7])
        if link > 0:
            R = turned_by_twist(arm, link - 1)
            offset = shift(arm, link - 1)
            start = offset + R @ start
            end = offset + R @ end
        capsules.append((start, end, radius))
    return capsules


def turned_by_twist(arm: Arm, i: int) -> np.ndarray:
    """(3, 3) rotation about x by alpha of row i."""
    cosine, sine = arm.twist[i]
    return np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])


def shift(arm: Arm, i: int) -> np.ndarray:
    """(3,) offset of row i, a along x and d along z [m]."""
    return np.array([arm.dh[i, 2], 0.0, arm.dh[i, 1]])


def massless(arm: Arm) -> list[int]:
    """Links, counted from 0, whose joints neither a mass nor a rotor holds back.

    Where there are none every pose has a positive definite mass matrix: the link next to joints at
    rest always resists.
    """
    about_axis = arm.rotor_inertia.copy()  # of each joint, what it turns by itself
    for i in range(len(arm.dh)):
        body = before_offset(arm, i)
        from_axis = body.center[:2]
        about_axis[i] += body.inertia[2, 2] + body.mass * (from_axis @ from_axis)
    return np.flatnonzero(about_axis < _LEAST).tolist()


def require_masses(arm: Arm, names: Sequence[str] = ()) -> None:
    """Raise ``BadInput`` for an arm that torques cannot move.

    It has the ``names`` (n,) of the arm's links if they are given.
    """
    bare = massless(arm)
    if bare:
        links = ", ".join(names[i] if names else f"link {i + 1}" for i in bare)
        what = f"an arm without masses is for kinematics and plan alone; without inertia: {links}"
        allowed = "masses and inertias of these links, or rotor inertia of their joints"
        raise BadInput(what, allowed=allowed)


def require_rigid(arm: Arm) -> None:
    """Raise ``BadInput`` for an arm whose equations of motion are not those of its kinematics."""
    if not np.allclose(arm.offset, arm.dynamics_offset, rtol=0, atol=1e-12):
        what = "no rigid arm: its equations of motion have other link offsets than its kinematics"
        allowed = "an arm whose dynamics_a and dynamics_d are those of its joints"
        raise BadInput(what, allowed=allowed)
