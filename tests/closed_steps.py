"""Whether the steps that a run believes to be closed are."""

from __future__ import annotations

import numpy as np

from hopfield_nav.build import build_obstacles
from hopfield_nav.geometry import capsule_distance

SLACK = 2e-3  # [m] by which a touched step may miss the obstacle: the tool may be 1 mm off its line


def distance_of(sim, step):
    """From the line of a step to the nearest obstacle [m]."""
    ends = [sim.navigator.grid.centre(cell) for cell in step.ends]
    line = np.concatenate([*ends, [0.0]])[None]
    return float(capsule_distance(line, build_obstacles(sim.world)).min())
