"""Arms that nobody built, for the tests."""

from __future__ import annotations

import numpy as np
from oracles import random_tool

from dynamics import Arm, with_tool
from dynamics.files import arm_from_dict

INCLINE = np.array([1.5, -2.0, -9.0])  # gravity on a base that is not level [m/s²]


def arm_of_rows(rows, limits: float | list | None = None, **link) -> Arm:
    """An arm of Denavit-Hartenberg rows (d, a, alpha); a link weighs 1 kg at its frame, or is ``link``."""
    joints = [{"d": d, "a": a, "alpha": alpha, "source": "made up"} for d, a, alpha in rows]
    body = {"mass": 1.0, "center_of_mass": [0, 0, 0], "source": "made up"} | link
    data = {"joints": joints, "links": [body] * len(joints)}
    if limits is not None:
        data["limits"] = {"position": limits, "source": "made up"}
    return arm_from_dict(data)


def random_arm(n: int) -> Arm:
    """An arm with nothing special about it: odd twists and offsets, full tensors, rotors, a tool."""
    rng = np.random.default_rng(n)
    joints, links = [], []
    for _ in range(n):
        theta, d, a, alpha = rng.uniform(-1, 1, 4)
        joints.append({"theta": theta, "d": d, "a": a, "alpha": alpha, "source": "random"})
        points = rng.normal(0, 0.1, (6, 3))
        tensor = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
        links.append(
            {
                "mass": rng.uniform(0.5, 5),
                "center_of_mass": rng.uniform(-0.3, 0.3, 3).tolist(),
                "inertia": tensor.tolist(),
                "rotor_inertia": rng.uniform(0, 1),
                "source": "random",
            }
        )
    return with_tool(arm_from_dict({"joints": joints, "links": links}), random_tool())
