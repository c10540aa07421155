"""Inertial parameters of an arm as one vector, in which its inverse dynamics are linear.

A link has ten: mass M [kg], first moments MX, MY, MZ = m·c [kg·m], and the tensor XX, XY, XZ, YY,
YZ, ZZ [kg·m²] **about the origin of the link's frame** (about the centre of mass the torque would
not be linear in them). XY stands for the entry of the tensor, minus the integral of x y. The links
follow each other; with rotors, IA1 … IAn [kg·m²] of the rotors stand at the end.

Frames: ``standard`` are those of ``Arm`` (frame i at the far end of link i); ``modified`` are those
of madsen2020 (frame i on the axis of joint i): link i's standard frame is its modified one moved by
a_i and turned by alpha_i.

Source: madsen2020 section 2 (parallel axis theorem) and 3.
"""

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput, require_known
from dynamics.link_bodies import require_rigid

LINK_PARAMETERS = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")
PER_LINK = len(LINK_PARAMETERS)
FRAMES = ("standard", "modified")
_TENSOR = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def parameter_names(n: int, rotor: bool = False) -> list[str]:
    """``M1, MX1, …, ZZn`` and, with rotors, ``IA1 … IAn``."""
    names = [f"{name}{i + 1}" for i in range(n) for name in LINK_PARAMETERS]
    if rotor:
        names += [f"IA{i + 1}" for i in range(n)]
    return names


def parameters_of(arm: Arm, rotor: bool = False, frames: str = "standard") -> np.ndarray:
    """The vector (10 n,) of an arm, in one of the ``FRAMES``; with ``rotor`` inertias (11 n,).

    Raises ``BadInput``: unknown frames, or modified ones for an arm that is not rigid.
    """
    rows = []
    for mass, center, inertia in zip(arm.mass, arm.center_of_mass, arm.inertia, strict=True):
        about_origin = inertia + mass * _steiner(center)
        rows.append(_ten_parameters(mass, mass * center, about_origin))
    links = np.linalg.solve(to_standard(arm, frames), np.ravel(rows))
    return np.concatenate([links, arm.rotor_inertia]) if rotor else links


def arm_with_parameters(arm: Arm, pi: np.ndarray, frames: str = "standard") -> Arm:
    """``arm`` with the masses, centres, tensors (and rotors) of a vector of ``parameters_of``.

    Raises ``BadInput``: wrong length, no finite numbers, a negative mass or rotor inertia, or a
    first moment without mass. The tensors are not judged: see ``pseudo_inertia``.
    """
    n = len(arm.dh)
    values = np.asarray(pi, dtype=np.float64)
    has_shape = values.shape in ((PER_LINK * n,), (PER_LINK * n + n,))
    if not has_shape or not np.isfinite(values).all():
        allowed = f"{10 * n} or {11 * n} finite numbers"
        raise BadInput("no parameter vector", found=values.shape, allowed=allowed)
    links = (to_standard(arm, frames) @ values[: PER_LINK * n]).reshape(n, PER_LINK)
    masses = links[:, 0]
    first_moments = links[:, 1:4]
    impossible = (masses < 0) | ((masses == 0) & first_moments.any(axis=1))
    if impossible.any():
        i = int(impossible.argmax())
        what = "no body has this mass and first moment"
        raise BadInput(what, where=f"link {i + 1}", found=links[i, :4].tolist())
    centers = first_moments / np.where(masses > 0, masses, 1.0)[:, None]
    tensors = []
    for link, center in zip(links, centers, strict=True):
        tensors.append(_tensor(link) - link[0] * _steiner(center))
    rotors = arm.rotor_inertia
    if values.size > PER_LINK * n:
        rotors = values[PER_LINK * n :]
    if np.any(rotors < 0):
        raise BadInput("a rotor inertia cannot be negative", found=rotors.tolist())
    return arm._replace(
        mass=masses,
        center_of_mass=centers,
        inertia=np.array(tensors),
        rotor_inertia=rotors.copy(),
    )


def to_standard(arm: Arm, frames: str) -> np.ndarray:
    """(10 n, 10 n) matrix T with pi_standard = T pi_frames, one block a link."""
    require_known(frames, FRAMES, "unknown frames")
    out = np.eye(PER_LINK * len(arm.dh))
    if frames == "modified":
        require_rigid(arm)
        for i, (a, alpha) in enumerate(arm.dh[:, 2:]):
            block = slice(PER_LINK * i, PER_LINK * (i + 1))
            c = np.cos(alpha)
            s = np.sin(alpha)
            T_modified_standard = np.array([
                [1, 0, 0, a],
                [0, c, -s, 0],
                [0, s, c, 0],
                [0, 0, 0, 1],
            ])  # fmt: skip
            out[block, block] = change_of_frame(np.linalg.inv(T_modified_standard))
    return out


def change_of_frame(T_new_old: np.ndarray) -> np.ndarray:
    """(10, 10) matrix that takes a link's parameters from an old frame to a new one."""
    moved = (T_new_old @ pseudo_inertia(unit) @ T_new_old.T for unit in np.eye(PER_LINK))
    return np.column_stack([_from_pseudo_inertia(P) for P in moved])


def pseudo_inertia(link: np.ndarray) -> np.ndarray:
    """(4, 4) [[second moments, first moments], [first moments, mass]] of ten parameters.

    A body of positive density has these parameters if and only if it is positive definite
    (Wensing, Kim and Slotine 2018).
    """
    tensor = _tensor(link)
    out = np.empty((4, 4))
    out[:3, :3] = np.trace(tensor) / 2 * np.eye(3) - tensor
    out[:3, 3] = out[3, :3] = link[1:4]
    out[3, 3] = link[0]
    return out


def _from_pseudo_inertia(P: np.ndarray) -> np.ndarray:
    """Ten parameters of a link from its ``pseudo_inertia``."""
    tensor = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
    return np.array(_ten_parameters(P[3, 3], P[:3, 3], tensor))


def _ten_parameters(mass: float, first_moments: np.ndarray, tensor: np.ndarray) -> list[float]:
    """The parameters of a link, in the order of ``LINK_PARAMETERS``."""
    return [mass, *first_moments, *(tensor[entry] for entry in _TENSOR)]


def _tensor(link: np.ndarray) -> np.ndarray:
    """(3, 3) the tensor about the frame's origin, of ten parameters."""
    out = np.empty((3, 3))
    for (row, column), value in zip(_TENSOR, link[4:], strict=True):
        out[row, column] = value
        out[column, row] = value
    return out


def _steiner(c: np.ndarray) -> np.ndarray:
    """(3, 3) what the parallel axis theorem adds for each kilogram at c (3,) [m²]."""
    return c @ c * np.eye(3) - np.outer(c, c)
