"""An arm read from an arm file, and written as one.

An arm file (YAML) gives for every joint a Denavit-Hartenberg row and for every link its mass,
centre, inertia tensor, rotor inertia and joint friction, each row with its source. Gravity and tool
frame are no part of it: a world or a call gives them.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from dynamics.arm import GRAVITY, Arm
from dynamics.errors import BadInput
from dynamics.files import entries
from dynamics.files.arm_keys import REQUIRED, TOP
from dynamics.files.named_arm import NamedArm
from dynamics.files.sources_of_urdf import refuse_source_of_urdf
from dynamics.files.writing import write_whole
from dynamics.link_bodies import require_rigid

_LARGEST = 1_000_000  # bytes


def read_arm_file(path: Path, where: str) -> NamedArm:
    """Read an arm file, which messages call as ``where`` says.

    Raises ``BadInput``: an unreadable file, or a missing, unknown or impossible entry.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise BadInput("file too large for an arm", where=where, allowed=f"{_LARGEST} bytes")
        text = path.read_text(encoding="utf-8")
        refuse_source_of_urdf(path, text, where)
        data = _content(text)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError, RecursionError) as error:
        raise _unreadable(error, where) from None
    # not ours: say nothing of it
    if not isinstance(data, dict) or not {"joints", "links"} & set(data):
        raise BadInput("no arm file: it has neither joints nor links", where=where)
    arm = arm_from_dict(data, where)
    names = tuple(str(row["name"]) for row in data["joints"] if "name" in row)
    if names and len(set(names)) != len(arm.dh):
        raise BadInput(
            "a name of its own for each joint, or none",
            where=f"{where}: joints",
            found=", ".join(names),
        )
    return NamedArm(arm, names)


class _Plain(yaml.SafeLoader):
    """Plain data; no aliases, by which a short text stands for a long one."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(
                problem="aliases are not read here", problem_mark=self.peek_event().start_mark
            )
        return super().compose_node(parent, index)


@lru_cache(maxsize=4)  # a world asks for its arm again and again
def _content(text: str) -> Any:
    return yaml.load(text, Loader=_Plain)


def _unreadable(error: Exception, where: str) -> BadInput:
    """Why a file cannot be read, without a word of what it says."""
    if isinstance(error, BadInput):
        return error
    reason = (
        getattr(error, "strerror", None) or getattr(error, "problem", None) or type(error).__name__
    )
    mark = getattr(error, "problem_mark", None)
    return BadInput(
        f"cannot read the arm file: {reason}",
        where=f"{where}, line {mark.line + 1}" if mark else where,
    )


def arm_from_dict(data: Any, where: str = "arm") -> Arm:
    """Build an arm from the content of an arm file.

    Raises ``BadInput``: a missing, unknown or impossible entry.
    """
    entries.check_keys(data, TOP, REQUIRED["top"], where)
    if data.get("format", 1) != 1:
        raise BadInput(
            "unknown format of arm files", where=where, found=data["format"], allowed="1"
        )
    dh = entries.joint_rows(entries.rows_of(data, "joints", where), where)
    links = entries.rows_of(data, "links", where)
    if len(links) != len(dh):
        raise BadInput(
            "links and joints differ in number", where=where, found=len(links), allowed=str(len(dh))
        )
    parts = [entries.link_row(row, dh[i], f"{where}: links[{i}]") for i, row in enumerate(links)]
    masses, centers, tensors, rotors, dynamics_offsets, friction = map(
        np.array, zip(*parts, strict=True)
    )
    twist = np.array([entries.exact_cos_sin(alpha) for alpha in dh[:, 3]])
    position, speed, torque = entries.limits(data.get("limits") or {}, len(dh), f"{where}: limits")
    return Arm(
        dh=dh,
        twist=twist,
        offset=np.array(
            [entries.offset(d, a, t) for (_, d, a, _), t in zip(dh, twist, strict=True)]
        ),
        dynamics_offset=dynamics_offsets,
        mass=masses,
        center_of_mass=centers,
        inertia=tensors,
        rotor_inertia=rotors,
        friction=friction[:, :4].copy(),
        presliding=friction[:, 4].copy(),
        gravity=np.array(GRAVITY),
        tool=np.eye(4),
        position_limits=position,
        speed_limits=speed,
        torque_limits=torque,
        capsules=entries.capsules(data.get("capsules"), dh, f"{where}: capsules"),
    )


def write_arm(
    arm: Arm,
    path: str | Path,
    description: str,
    source: str,
    fit: Mapping[str, Any] | None = None,
    joints: Sequence[str] = (),
) -> Path:
    """Write an arm file, whole or not at all.

    Where the numbers come from, ``source``, stands at every row. The description is one line;
    ``fit``, the quality of a fit in plain values, is kept with the file; ``joints`` are the joints'
    names, as of ``NamedArm``.

    Raises ``BadInput``: an arm that is not rigid, negative friction, or no place to write.
    """
    return write_whole(path, arm_text(arm, description, source, fit, joints))


def arm_text(
    arm: Arm,
    description: str,
    source: str,
    fit: Mapping[str, Any] | None = None,
    joints: Sequence[str] = (),
) -> str:
    """What ``write_arm`` writes.

    Raises ``BadInput``: an arm that is not rigid, or negative friction.
    """
    require_rigid(arm)
    description, source = (" ".join(str(text).split()) for text in (description, source))
    names = [{"name": name} for name in joints] or [{}] * len(arm.dh)
    lengths = [dict(zip(("theta", "d", "a", "alpha"), row, strict=True)) for row in arm.dh]
    low, high = arm.position_limits.T
    position = high if np.array_equal(-low, high) else arm.position_limits
    data = {
        "format": 1,
        "description": description,
        "source": source,
        "joints": [
            name | row | {"source": source} for name, row in zip(names, lengths, strict=True)
        ],
        "links": [_link(arm, i, source) for i in range(len(arm.dh))],
        "limits": {
            "position": position,
            "speed": arm.speed_limits,
            "torque": arm.torque_limits,
            "source": source,
        },
        "capsules": [
            {"link": int(row[0]), "start": row[1:4], "end": row[4:7], "radius": row[7]}
            for row in arm.capsules
        ],
    }
    data |= {} if fit is None else {"fit": dict(fit)}
    how: dict[str, Any] = {"sort_keys": False, "default_flow_style": None, "allow_unicode": True}
    return yaml.dump(data, Dumper=_Dumper, width=math.inf, **how)


class _Dumper(yaml.SafeDumper):
    """Arrays and NumPy's numbers as plain ones; no aliases, which are not read here."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _kind in (np.ndarray, np.generic):
    _Dumper.add_multi_representer(
        _kind, lambda dumper, value: dumper.represent_data(value.tolist())
    )


def _link(arm: Arm, i: int, source: str) -> dict[str, Any]:
    link: dict[str, Any] = {"mass": arm.mass[i], "center_of_mass": arm.center_of_mass[i]}
    link |= {
        "inertia": (arm.inertia[i] + arm.inertia[i].T) / 2,
        "rotor_inertia": arm.rotor_inertia[i],
    }
    friction = dict(
        zip(
            ("coulomb", "viscous", "breakaway", "stribeck_speed"),
            arm.friction[i].tolist(),
            strict=True,
        )
    )
    if np.isfinite(arm.presliding[i]):
        friction["presliding"] = float(arm.presliding[i])
    if np.any(arm.friction[i, :3]):
        if min(friction.values()) < 0:
            raise BadInput("friction cannot be negative", found=list(friction.values()))
        link["friction"] = friction
    return link | {"source": source}
