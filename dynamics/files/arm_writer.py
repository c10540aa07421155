"""An arm as an arm file, in the form that ``load_arm`` reads.

Gravity and tool frame are no part of an arm file: a world or a call gives them.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput
from dynamics.files.writing import write_whole
from dynamics.link_bodies import require_rigid


def write_arm(
    arm: Arm, path: str | Path, description: str, source: str, fit: Mapping[str, Any] | None = None
) -> Path:
    """Write an arm file.

    Args:
        arm: the arm.
        path: of the file; it is written whole or not at all.
        description: one line.
        source: where the numbers come from; stands at every row.
        fit: quality of a fit, of plain values, kept with the file.

    Raises:
        BadInput: an arm that is not rigid, negative friction, or no place to write.
    """
    require_rigid(arm)
    return write_whole(path, "\n".join(_lines(arm, description, source, fit)) + "\n")


def _lines(arm: Arm, description: str, source: str, fit: Mapping[str, Any] | None) -> list[str]:
    rows = ["format: 1", f"description: {_text(description)}", f"source: {_text(source)}", "joints:"]
    rows += [_joint(row, source) for row in arm.dh]
    rows.append("links:")
    for i in range(len(arm.dh)):
        rows += _link(arm, i, source)
        row = [*arm.friction[i], arm.presliding[i]] if np.isfinite(arm.presliding[i]) else [*arm.friction[i]]
        if any(row[:3]):
            rows.append(f"    friction: {_friction(row)}")
    rows += _limits(arm, source)
    rows += ["capsules:", *(_capsule(row) for row in arm.capsules)] if len(arm.capsules) else ["capsules: []"]
    return rows if fit is None else [*rows, f"fit: {_plain(fit)}"]


def _joint(row: np.ndarray, source: str) -> str:
    theta, d, a, alpha = (_number(v) for v in row)
    return f"  - {{theta: {theta}, d: {d}, a: {a}, alpha: {alpha}, source: {_text(source)}}}"


def _link(arm: Arm, i: int, source: str) -> list[str]:
    tensor = (arm.inertia[i] + arm.inertia[i].T) / 2
    return [
        f"  - mass: {_number(arm.mass[i])}",
        f"    center_of_mass: {_numbers(arm.center_of_mass[i])}",
        f"    inertia: [{', '.join(_numbers(row) for row in tensor)}]",
        f"    rotor_inertia: {_number(arm.rotor_inertia[i])}",
        f"    source: {_text(source)}",
    ]


def _friction(row: Sequence[float]) -> str:
    if np.any(np.asarray(row) < 0):
        raise BadInput("friction cannot be negative", found=list(map(float, row)))
    names = ("coulomb", "viscous", "breakaway", "stribeck_speed", "presliding")
    return "{" + ", ".join(f"{name}: {_number(v)}" for name, v in zip(names, row, strict=False)) + "}"


def _limits(arm: Arm, source: str) -> list[str]:
    low, high = arm.position_limits.T
    pairs = f"[{', '.join(_numbers(pair) for pair in arm.position_limits)}]"
    return [
        "limits:",
        f"  position: {_numbers(high) if np.array_equal(-low, high) else pairs}",
        f"  speed: {_numbers(arm.speed_limits)}",
        f"  torque: {_numbers(arm.torque_limits)}",
        f"  source: {_text(source)}",
    ]


def _capsule(row: np.ndarray) -> str:
    return (
        f"  - {{link: {int(row[0])}, start: {_numbers(row[1:4])}, end: {_numbers(row[4:7])}, "
        f"radius: {_number(row[7])}}}"
    )


def _numbers(values: Any) -> str:
    return f"[{', '.join(_number(v) for v in values)}]"


def _number(value: float) -> str:
    """Every digit of a number, as YAML 1.1 reads it: an exponent needs a point before it."""
    value = float(value)
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _text(value: str) -> str:
    return json.dumps(" ".join(str(value).split()), ensure_ascii=False)


def _plain(value: Any) -> str:
    """A value in YAML's flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(k)}: {_plain(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"[{', '.join(_plain(v) for v in value)}]"
    if isinstance(value, (bool, np.bool_)) or value is None:
        return {True: "true", False: "false", None: "null"}[None if value is None else bool(value)]
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return _number(float(value)) if isinstance(value, (float, np.floating)) else _text(value)
