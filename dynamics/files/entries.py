"""The entries of an arm file as numbers, each checked: joint and link rows, limits, capsules."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from dynamics.errors import BadInput, require_known
from dynamics.files.arm_keys import CAPSULE, FRICTION, JOINT, LIMITS, LINK, REQUIRED, Entry
from dynamics.mass_properties import inertia_tensor

_NEARLY_PARALLEL = 0.05  # sine of the angle between two axes whose common normal may be anywhere


def rows_of(data: dict, key: str, where: str) -> list:
    """The list under ``key``, which must hold something."""
    rows = data[key]
    if not isinstance(rows, list) or not rows:
        raise BadInput("a list with one row a joint is needed", where=f"{where}: {key}", found=rows)
    return rows


def check_keys(data: Any, known: Iterable[str], required: Iterable[str], where: str) -> None:
    """Refuse anything but a mapping with ``required`` keys and no others than ``known``."""
    if not isinstance(data, dict):
        raise BadInput(
            "a mapping is needed", where=where, found=data, allowed=", ".join(sorted(known))
        )
    for key in data:
        require_known(key, sorted(known), "unknown key", where)
    for key in sorted(set(required) - set(data)):
        raise BadInput(f"the key {key!r} is missing", where=where)


def joint_rows(rows: list, where: str) -> np.ndarray:
    """(n, 4) of each joint: theta offset [rad], d [m], a [m], alpha [rad]."""
    for i, row in enumerate(rows):
        check_keys(row, JOINT, REQUIRED["joint"], f"{where}: joints[{i}]")
    far = [_may_be_far(rows, i, where) for i in range(len(rows))]
    return np.array([
        [_in(JOINT, key, far[i] and key == "d").number(row.get(key, 0.0), f"{where}: joints[{i}].{key}")
         for key in ("theta", "d", "a", "alpha")] for i, row in enumerate(rows)
    ])  # fmt: skip


def _may_be_far(rows: list, i: int, where: str) -> bool:
    """Whether a joint's axis is nearly parallel to one beside it.

    Their frames may lie far along them.
    """
    beside = range(max(i - 1, 0), i + 1)
    twists = (
        JOINT["alpha"].number(rows[k]["alpha"], f"{where}: joints[{k}].alpha") for k in beside
    )
    return any(1e-12 < abs(exact_cos_sin(twist)[1]) < _NEARLY_PARALLEL for twist in twists)


def _in(entries: dict[str, Entry], key: str, far: bool) -> Entry:
    """The entry of a key, of any length where frames may lie ``far`` from the arm."""
    return replace(entries[key], low=-math.inf, high=math.inf) if far else entries[key]


def link_row(row: Any, dh: np.ndarray, where: str) -> tuple:
    """The masses of a link and what its joint has.

    Mass, centre of mass, tensor; rotor inertia, dynamic offset and friction.
    """
    check_keys(row, LINK, REQUIRED["link"], where)
    far = is_far(dh)
    mass, rotor = (
        LINK[key].number(row.get(key, 0.0), f"{where}.{key}") for key in ("mass", "rotor_inertia")
    )
    center = _in(LINK, "center_of_mass", far).numbers(
        row["center_of_mass"], 3, f"{where}.center_of_mass"
    )
    tensor = inertia_tensor(row.get("inertia", 0.0), mass, f"{where}.inertia")
    given = {"dynamics_d": dh[1], "dynamics_a": dh[2]} | row
    d, a = (
        _in(LINK, key, far).number(given[key], f"{where}.{key}")
        for key in ("dynamics_d", "dynamics_a")
    )
    friction = _friction(row.get("friction") or {}, f"{where}.friction")
    return mass, center, tensor, rotor, offset(d, a, exact_cos_sin(dh[3])), friction


def is_far(dh: np.ndarray) -> bool:
    """Whether the frame of a row (4,), or of one of some rows (n, 4), lies far from the arm."""
    return bool(np.any(np.abs(dh[..., 1]) > JOINT["d"].high))


def _friction(data: Any, where: str) -> list[float]:
    """Coulomb and viscous friction, breakaway torque, Stribeck speed and stiffness, as numbers."""
    check_keys(data, FRICTION, (), where)
    usual = {"coulomb": 0.0, "viscous": 0.0, "breakaway": data.get("coulomb", 0.0)}
    given = usual | {"stribeck_speed": 0.1, "presliding": math.inf} | data
    found = [entry.number(given[key], f"{where}.{key}") for key, entry in FRICTION.items()]
    if found[2] < found[0]:
        what = "the breakaway torque is below the Coulomb friction"
        raise BadInput(what, where=where, found=found[2], allowed=f"{found[0]:g} N·m or more")
    return found


def limits(data: Any, n: int, where: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position (n, 2), speed (n,) and torque (n,) limits; missing ones are ±2π, π and infinite."""
    check_keys(data, LIMITS, REQUIRED["limits"] if data else (), where)
    usual = {"speed": math.pi, "torque": math.inf}
    speed, torque = (
        LIMITS[key].numbers(data.get(key, v), n, f"{where}.{key}") for key, v in usual.items()
    )
    return (
        _position_limits(data.get("position", 2 * math.pi), n, f"{where}.position"),
        speed,
        torque,
    )


def _position_limits(value: Any, n: int, where: str) -> np.ndarray:
    """Lowest and highest angles (n, 2): of one number or one a joint, ±; or of a pair a joint."""
    entry = LIMITS["position"]
    if not isinstance(value, list) or not any(isinstance(v, list) for v in value):
        highest = replace(entry, low=0.0, above=True).numbers(value, n, where)
        return np.column_stack([-highest, highest])
    if len(value) != n:
        raise BadInput("wrong number of values", where=where, found=value, allowed=f"{n} pairs")
    pairs = np.array([entry.numbers(v, 2, f"{where}[{i}]") for i, v in enumerate(value)])
    for i, (low, high) in enumerate(pairs):
        if not low < high:
            raise BadInput(
                "the lowest angle is not below the highest", where=f"{where}[{i}]", found=value[i]
            )
    return pairs


def capsules(rows: Any, dh: np.ndarray, where: str) -> np.ndarray:
    """The outline (k, 8): link, start, end, radius; without any, a slim one along the frames."""
    if rows is None:  # a slim outline along the frames
        offsets = [offset(d, a, exact_cos_sin(alpha)) for _, d, a, alpha in dh]
        return np.array(
            [[i + 1, *(-r), 0, 0, 0, 0.04] for i, r in enumerate(offsets)], dtype=np.float64
        )
    if not isinstance(rows, list):
        raise BadInput("a list of capsules is needed", where=where, found=rows)
    return np.array(
        [_capsule(row, dh, f"{where}[{k}]") for k, row in enumerate(rows)], dtype=float
    ).reshape(-1, 8)


def _capsule(row: Any, dh: np.ndarray, where: str) -> list[float]:
    check_keys(row, CAPSULE, REQUIRED["capsule"], where)
    if row["link"] not in range(len(dh) + 1):
        raise BadInput("no such link", where=where, found=row["link"], allowed=f"0 to {len(dh)}")
    ends = (
        _in(CAPSULE, key, is_far(dh)).numbers(row[key], 3, f"{where}.{key}")
        for key in ("start", "end")
    )
    return [
        row["link"],
        *np.concatenate([*ends]),
        CAPSULE["radius"].number(row["radius"], f"{where}.radius"),
    ]


def offset(d: float, a: float, cos_sin: tuple[float, float]) -> np.ndarray:
    """Origin of frame i-1 to origin of frame i, in frame i [m]."""
    return np.array([a, d * cos_sin[1], d * cos_sin[0]])


def exact_cos_sin(alpha: float) -> tuple[float, float]:
    """Cosine and sine, exact at multiples of a right angle."""
    quarter = alpha / (math.pi / 2)
    if abs(quarter - round(quarter)) < 1e-12:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarter) % 4]
    return math.cos(alpha), math.sin(alpha)
