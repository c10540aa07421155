"""The arm as numbers: ``Arm``, and loading it from a parameter file.

An arm file (YAML) gives for every joint a Denavit-Hartenberg row and for every link its mass,
centre, inertia tensor and rotor inertia, each row with its source. ``dynamics/arms`` holds the
sets of the five documents; a path to a user's own file works in the same way.
"""

from __future__ import annotations

import math
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from dynamics.errors import BadInput, nearest_name
from dynamics.mass_properties import add_payload, check_tensor, inertia_tensor

GRAVITY = (0.0, 0.0, -9.81)
_KINEMATIC_KEYS = {"theta", "d", "a", "alpha", "source"}
_LINK_KEYS = {"mass", "center_of_mass", "inertia", "rotor_inertia", "dynamics_a", "dynamics_d", "source"}
_LIMIT_KEYS = {"position", "speed", "torque", "source"}
_TOP_KEYS = {"format", "description", "source", "joints", "links", "limits", "capsules", "fit"}


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
    gravity: np.ndarray
    tool: np.ndarray
    position_limits: np.ndarray
    speed_limits: np.ndarray
    torque_limits: np.ndarray
    capsules: np.ndarray


def list_arms() -> list[str]:
    """Names of the arms that come with the package."""
    folder = resources.files("dynamics") / "arms"
    return sorted(p.name.removesuffix(".yaml") for p in folder.iterdir() if p.name.endswith(".yaml"))


def load_arm(name: str | Path, folder: Path | None = None) -> Arm:
    """Read an arm by the name of a built-in set or by the path of a file.

    Args:
        name: one of ``list_arms()``, or the path of an arm file (it ends in ``.yaml``) or of a URDF
            (``.urdf``; its base frame and joint names come from ``dynamics.urdf.read_urdf``).
        folder: where a relative path is looked for; default the current folder.

    Raises:
        BadInput: unknown name, unreadable file, or a wrong entry, with the place.
    """
    path = _arm_path(str(name), folder)
    if path.suffix.lower() == ".urdf":
        from dynamics.urdf import read_urdf  # needs an extra, and itself needs this module

        return read_urdf(path).arm
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BadInput(f"cannot read the arm file: {error}", where=str(name)) from error
    return arm_from_dict(data, where=str(name))


def arm_from_dict(data: Any, where: str = "arm") -> Arm:
    """Build an arm from the content of an arm file.

    Raises:
        BadInput: a missing, unknown or impossible entry.
    """
    _check_keys(data, _TOP_KEYS, {"joints", "links"}, where)
    if data.get("format", 1) != 1:
        raise BadInput("unknown format of arm files", where=where, found=data["format"], allowed="1")
    rows = [_joint_row(row, f"{where}: joints[{i}]") for i, row in enumerate(_rows(data, "joints", where))]
    dh = np.array(rows)
    links = _rows(data, "links", where)
    if len(links) != len(dh):
        raise BadInput(
            "links and joints differ in number", where=where, found=len(links), allowed=str(len(dh))
        )
    parts = [_link(row, dh[i], f"{where}: links[{i}]") for i, row in enumerate(links)]
    masses, centers, tensors, rotors, dynamics_offsets = (
        np.array(column) for column in zip(*parts, strict=True)
    )
    twist = np.array([_exact_cos_sin(alpha) for alpha in dh[:, 3]])
    position, speed, torque = _limits(data.get("limits") or {}, len(dh), f"{where}: limits")
    return Arm(
        dh=dh,
        twist=twist,
        offset=np.array([_offset(d, a, t) for (_, d, a, _), t in zip(dh, twist, strict=True)]),
        dynamics_offset=dynamics_offsets,
        mass=masses,
        center_of_mass=centers,
        inertia=tensors,
        rotor_inertia=rotors,
        gravity=np.array(GRAVITY),
        tool=np.eye(4),
        position_limits=position,
        speed_limits=speed,
        torque_limits=torque,
        capsules=_capsules(data.get("capsules"), dh, f"{where}: capsules"),
    )


def with_dynamics(arm: Arm, other: Arm) -> Arm:
    """``arm`` with the masses, tensors, rotors and dynamic offsets of ``other``.

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
    )


def with_tool(arm: Arm, T_flange_tool: np.ndarray) -> Arm:
    """``arm`` with another tool frame, (4, 4), relative to the flange (frame n).

    Raises:
        BadInput: not a rigid transformation.
    """
    tool = np.ascontiguousarray(T_flange_tool, dtype=np.float64)
    if tool.shape != (4, 4) or not np.all(np.isfinite(tool)) or np.any(tool[3] != [0, 0, 0, 1]):
        raise BadInput("the tool frame is no 4×4 homogeneous transformation", found=tool.tolist())
    rotation = tool[:3, :3]
    if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6) or np.linalg.det(rotation) < 0:
        raise BadInput("the tool frame does not hold a rotation", found=rotation.tolist())
    return arm._replace(tool=tool)


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


def _arm_path(name: str, folder: Path | None) -> Path:
    if name in list_arms():
        return Path(str(resources.files("dynamics") / "arms" / f"{name}.yaml"))
    path = (folder or Path()) / name
    if path.is_file():
        return path
    raise BadInput(
        "unknown arm",
        found=name,
        allowed=", ".join(list_arms()) + ", or the path of an arm file",
        nearest=nearest_name(name, list_arms()),
    )


def _rows(data: dict, key: str, where: str) -> list:
    rows = data[key]
    if not isinstance(rows, list) or not rows:
        raise BadInput("a list with one row a joint is needed", where=f"{where}: {key}", found=rows)
    return rows


def _check_keys(data: Any, known: set[str], required: set[str], where: str) -> None:
    if not isinstance(data, dict):
        raise BadInput("a mapping is needed", where=where, found=data, allowed=", ".join(sorted(known)))
    for key in data:
        if key not in known:
            raise BadInput(
                "unknown key",
                where=where,
                found=key,
                allowed=", ".join(sorted(known)),
                nearest=nearest_name(str(key), known),
            )
    for key in sorted(required - set(data)):
        raise BadInput(f"the key {key!r} is missing", where=where)


def _joint_row(row: Any, where: str) -> list[float]:
    _check_keys(row, _KINEMATIC_KEYS, {"d", "a", "alpha", "source"}, where)
    return [_number(row.get(key, 0.0), f"{where}.{key}") for key in ("theta", "d", "a", "alpha")]


def _link(row: Any, dh: np.ndarray, where: str) -> tuple:
    _check_keys(row, _LINK_KEYS, {"mass", "center_of_mass", "source"}, where)
    mass = _number(row["mass"], f"{where}.mass")
    if mass < 0:
        raise BadInput("a mass cannot be negative", where=where, found=mass)
    center = _vector(row["center_of_mass"], 3, f"{where}.center_of_mass")
    tensor = inertia_tensor(row.get("inertia", 0.0), mass, f"{where}.inertia")
    rotor = _number(row.get("rotor_inertia", 0.0), f"{where}.rotor_inertia")
    if rotor < 0:
        raise BadInput("a rotor inertia cannot be negative", where=where, found=rotor)
    d = _number(row.get("dynamics_d", dh[1]), f"{where}.dynamics_d")
    a = _number(row.get("dynamics_a", dh[2]), f"{where}.dynamics_a")
    return mass, center, tensor, rotor, _offset(d, a, _exact_cos_sin(dh[3]))


def _limits(data: Any, n: int, where: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    _check_keys(data, _LIMIT_KEYS, {"source"} if data else set(), where)
    known = {"position": 2 * math.pi, "speed": math.pi, "torque": math.inf}
    position, speed, torque = (
        _vector(data.get(key, default), n, f"{where}.{key}", finite=False) for key, default in known.items()
    )
    for key, values in zip(known, (position, speed, torque), strict=True):
        if np.any(values <= 0):
            raise BadInput("a limit must be positive", where=f"{where}.{key}", found=values.tolist())
    return np.column_stack([-position, position]), speed, torque


def _capsules(rows: Any, dh: np.ndarray, where: str) -> np.ndarray:
    if rows is None:  # a slim outline along the frames
        offsets = [_offset(d, a, _exact_cos_sin(alpha)) for _, d, a, alpha in dh]
        return np.array([[i + 1, *(-r), 0, 0, 0, 0.04] for i, r in enumerate(offsets)], dtype=np.float64)
    out = []
    if not isinstance(rows, list):
        raise BadInput("a list of capsules is needed", where=where, found=rows)
    needed = {"link", "start", "end", "radius"}
    for k, row in enumerate(rows):
        place = f"{where}[{k}]"
        _check_keys(row, needed | {"source"}, needed, place)
        if row["link"] not in range(len(dh) + 1):
            raise BadInput("no such link", where=place, found=row["link"], allowed=f"0 to {len(dh)}")
        if not _number(row["radius"], place) > 0:
            raise BadInput("a radius must be positive", where=place, found=row["radius"])
        out.append(
            [
                row["link"],
                *_vector(row["start"], 3, where),
                *_vector(row["end"], 3, where),
                _number(row["radius"], where),
            ]
        )
    return np.array(out, dtype=np.float64).reshape(-1, 8)


def _offset(d: float, a: float, cos_sin: tuple[float, float]) -> np.ndarray:
    return np.array([a, d * cos_sin[1], d * cos_sin[0]])


def _exact_cos_sin(alpha: float) -> tuple[float, float]:
    """Cosine and sine, exact at multiples of a right angle."""
    quarter = alpha / (math.pi / 2)
    if abs(quarter - round(quarter)) < 1e-12:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarter) % 4]
    return math.cos(alpha), math.sin(alpha)


def _number(value: Any, where: str, finite: bool = True) -> float:
    words = {"pi/2": math.pi / 2, "-pi/2": -math.pi / 2, "pi": math.pi, "-pi": -math.pi}
    if isinstance(value, str) and value in words:
        return words[value]
    if isinstance(value, bool):
        raise BadInput("a number is needed", where=where, found=value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadInput("a number is needed", where=where, found=value) from None
    if math.isnan(number) or (finite and math.isinf(number)):
        raise BadInput("a number is needed", where=where, found=value)
    return number


def _vector(value: Any, n: int, where: str, finite: bool = True) -> np.ndarray:
    values = value if isinstance(value, (list, tuple)) else [value] * n
    if len(values) != n:
        raise BadInput("wrong number of values", where=where, found=value, allowed=f"{n} numbers")
    return np.array([_number(v, where, finite) for v in values])
