"""An arm as an arm file, in the form that ``load_arm`` reads.

Gravity and tool frame are no part of an arm file: a world or a call gives them.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

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
    description, source = (" ".join(str(text).split()) for text in (description, source))
    joints = [
        dict(zip(("theta", "d", "a", "alpha"), row, strict=True)) | {"source": source} for row in arm.dh
    ]
    data = {
        "format": 1,
        "description": description,
        "source": source,
        "joints": joints,
        "links": [_link(arm, i, source) for i in range(len(arm.dh))],
        "limits": _limits(arm) | {"source": source},
        "capsules": [
            {"link": int(row[0]), "start": row[1:4], "end": row[4:7], "radius": row[7]}
            for row in arm.capsules
        ],
    }
    data |= {} if fit is None else {"fit": dict(fit)}
    how: dict[str, Any] = {"sort_keys": False, "default_flow_style": None, "allow_unicode": True}
    return write_whole(path, yaml.dump(data, Dumper=_Dumper, width=math.inf, **how))


class _Dumper(yaml.SafeDumper):
    """Arrays and NumPy's numbers as plain ones; no aliases, which are not read here."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _kind in (np.ndarray, np.generic):
    _Dumper.add_multi_representer(_kind, lambda dumper, value: dumper.represent_data(value.tolist()))


def _link(arm: Arm, i: int, source: str) -> dict[str, Any]:
    link: dict[str, Any] = {"mass": arm.mass[i], "center_of_mass": arm.center_of_mass[i]}
    link |= {"inertia": (arm.inertia[i] + arm.inertia[i].T) / 2, "rotor_inertia": arm.rotor_inertia[i]}
    names = ("coulomb", "viscous", "breakaway", "stribeck_speed")
    friction = dict(zip(names, arm.friction[i].tolist(), strict=True))
    if np.isfinite(arm.presliding[i]):
        friction["presliding"] = float(arm.presliding[i])
    if np.any(arm.friction[i, :3]):
        if min(friction.values()) < 0:
            raise BadInput("friction cannot be negative", found=list(friction.values()))
        link["friction"] = friction
    return link | {"source": source}


def _limits(arm: Arm) -> dict[str, Any]:
    low, high = arm.position_limits.T
    position = high if np.array_equal(-low, high) else arm.position_limits
    return {"position": position, "speed": arm.speed_limits, "torque": arm.torque_limits}
