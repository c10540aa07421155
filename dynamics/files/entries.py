"""The entries of an arm file as numbers, each checked: joint and link rows, limits, capsules.

It is the part of reading an arm file that knows keys, ranges and messages.
"""

import math
from typing import Any

import numpy as np

from dynamics.errors import BadInput, require_known
from dynamics.mass_properties import inertia_tensor

_KINEMATIC_KEYS = {"theta", "d", "a", "alpha", "source"}
_LINK_KEYS = {
    "mass", "center_of_mass", "inertia", "rotor_inertia", "friction", "dynamics_a", "dynamics_d", "source",
}  # fmt: skip
_FRICTION_KEYS = {"coulomb", "viscous", "breakaway", "stribeck_speed", "presliding"}
_LIMIT_KEYS = {"position", "speed", "torque", "source"}


def rows_of(data: dict, key: str, where: str) -> list:
    """The list under ``key``, which must hold something."""
    rows = data[key]
    if not isinstance(rows, list) or not rows:
        raise BadInput("a list with one row a joint is needed", where=f"{where}: {key}", found=rows)
    return rows


def check_keys(data: Any, known: set[str], required: set[str], where: str) -> None:
    """Refuse anything but a mapping with ``required`` keys and no others than ``known``."""
    if not isinstance(data, dict):
        raise BadInput("a mapping is needed", where=where, found=data, allowed=", ".join(sorted(known)))
    for key in data:
        require_known(key, sorted(known), "unknown key", where)
    for key in sorted(required - set(data)):
        raise BadInput(f"the key {key!r} is missing", where=where)


def joint_row(row: Any, where: str) -> list[float]:
    """[theta offset (rad), d (m), a (m), alpha (rad)] of a joint."""
    check_keys(row, _KINEMATIC_KEYS, {"d", "a", "alpha", "source"}, where)
    return [_number(row.get(key, 0.0), f"{where}.{key}") for key in ("theta", "d", "a", "alpha")]


def link_row(row: Any, dh: np.ndarray, where: str) -> tuple:
    """Mass, centre of mass, tensor, rotor inertia, dynamic offset and friction of a link and its joint."""
    check_keys(row, _LINK_KEYS, {"mass", "center_of_mass", "source"}, where)
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
    friction = _friction(row.get("friction") or {}, f"{where}.friction")
    return mass, center, tensor, rotor, offset(d, a, exact_cos_sin(dh[3])), friction


def _friction(data: Any, where: str) -> list[float]:
    """Coulomb and viscous friction, breakaway torque, Stribeck speed and stiffness, as numbers."""
    check_keys(data, _FRICTION_KEYS, set(), where)
    coulomb, viscous = (_number(data.get(key, 0.0), f"{where}.{key}") for key in ("coulomb", "viscous"))
    breakaway = _number(data.get("breakaway", coulomb), f"{where}.breakaway")
    speed = _number(data.get("stribeck_speed", 0.1), f"{where}.stribeck_speed")
    stiffness = _number(data.get("presliding", math.inf), f"{where}.presliding", finite=False)
    if coulomb < 0 or viscous < 0:
        raise BadInput("friction cannot be negative", where=where, found=data)
    if breakaway < coulomb:
        what = "the breakaway torque is below the Coulomb friction"
        raise BadInput(what, where=where, found=breakaway, allowed=f"{coulomb:g} N·m or more")
    if not speed > 0:
        raise BadInput("the Stribeck speed must be positive", where=where, found=speed)
    if not stiffness > 0:
        raise BadInput("a stiffness must be positive", where=f"{where}.presliding", found=stiffness)
    return [coulomb, viscous, breakaway, speed, stiffness]


def limits(data: Any, n: int, where: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position (n, 2), speed (n,) and torque (n,) limits; missing ones are ±2π, π and infinite."""
    check_keys(data, _LIMIT_KEYS, {"source"} if data else set(), where)
    known = {"speed": math.pi, "torque": math.inf}
    speed, torque = (_positive(data.get(key, default), n, f"{where}.{key}") for key, default in known.items())
    return _position_limits(data.get("position", 2 * math.pi), n, f"{where}.position"), speed, torque


def _position_limits(value: Any, n: int, where: str) -> np.ndarray:
    """Lowest and highest angles (n, 2): of one number or one a joint, ±; or of a pair a joint."""
    if not isinstance(value, list) or not any(isinstance(v, list) for v in value):
        highest = _positive(value, n, where)
        return np.column_stack([-highest, highest])
    if len(value) != n:
        raise BadInput("wrong number of values", where=where, found=value, allowed=f"{n} pairs")
    pairs = np.array([_vector(v, 2, f"{where}[{i}]", finite=False) for i, v in enumerate(value)])
    for i, (low, high) in enumerate(pairs):
        if not low < high:
            raise BadInput("the lowest angle is not below the highest", where=f"{where}[{i}]", found=value[i])
    return pairs


def _positive(value: Any, n: int, where: str) -> np.ndarray:
    values = _vector(value, n, where, finite=False)
    if np.any(values <= 0):
        raise BadInput("a limit must be positive", where=where, found=values.tolist())
    return values


def capsules(rows: Any, dh: np.ndarray, where: str) -> np.ndarray:
    """The outline (k, 8): link, start, end, radius; without any, a slim one along the frames."""
    if rows is None:  # a slim outline along the frames
        offsets = [offset(d, a, exact_cos_sin(alpha)) for _, d, a, alpha in dh]
        return np.array([[i + 1, *(-r), 0, 0, 0, 0.04] for i, r in enumerate(offsets)], dtype=np.float64)
    out = []
    if not isinstance(rows, list):
        raise BadInput("a list of capsules is needed", where=where, found=rows)
    needed = {"link", "start", "end", "radius"}
    for k, row in enumerate(rows):
        place = f"{where}[{k}]"
        check_keys(row, needed | {"source"}, needed, place)
        if row["link"] not in range(len(dh) + 1):
            raise BadInput("no such link", where=place, found=row["link"], allowed=f"0 to {len(dh)}")
        if not _number(row["radius"], place) > 0:
            raise BadInput("a radius must be positive", where=place, found=row["radius"])
        start, end = (_vector(row[key], 3, where) for key in ("start", "end"))
        out.append([row["link"], *start, *end, _number(row["radius"], where)])
    return np.array(out, dtype=np.float64).reshape(-1, 8)


def offset(d: float, a: float, cos_sin: tuple[float, float]) -> np.ndarray:
    """Origin of frame i-1 to origin of frame i, in frame i [m]."""
    return np.array([a, d * cos_sin[1], d * cos_sin[0]])


def exact_cos_sin(alpha: float) -> tuple[float, float]:
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
    except (TypeError, ValueError, OverflowError):
        raise BadInput("a number is needed", where=where, found=value) from None
    if math.isnan(number) or (finite and math.isinf(number)):
        raise BadInput("a number is needed", where=where, found=value)
    return number


def _vector(value: Any, n: int, where: str, finite: bool = True) -> np.ndarray:
    values = value if isinstance(value, (list, tuple)) else [value] * n
    if len(values) != n:
        raise BadInput("wrong number of values", where=where, found=value, allowed=f"{n} numbers")
    return np.array([_number(v, where, finite) for v in values])
