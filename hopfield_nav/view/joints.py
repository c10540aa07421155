"""Colours of joints."""

from __future__ import annotations

import numpy as np

_VIRIDIS = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (220, 220, 60))  # a few of its points


def joint_colours(count: int) -> list[str]:
    """As CSS has them, from the base's joint, dark, to the hand's, light."""
    at = np.linspace(0.0, len(_VIRIDIS) - 1.0, count)
    points = np.array(_VIRIDIS, dtype=float)
    mixed = [np.interp(at, np.arange(len(points)), points[:, k]) for k in range(3)]
    return ["#" + "".join(f"{round(c):02x}" for c in rgb) for rgb in np.array(mixed).T]
