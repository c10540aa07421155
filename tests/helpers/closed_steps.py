"""Closed steps: whether those of a run are, and plans past them."""

from __future__ import annotations

import numpy as np

from hopfield_nav.build import build_obstacles
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.navigation.planners import built_in
from hopfield_nav.plugin import BelievedMap

SLACK = 2e-3  # [m] by which a touched step may miss the obstacle: the tool may be 1 mm off its line


def distance_of(sim, step):
    """From the line of a step to the nearest obstacle [m]."""
    ends = [sim.navigator.grid.centre(cell) for cell in step.ends]
    line = np.concatenate([*ends, [0.0]])[None]
    return float(capsule_distance(line, build_obstacles(sim.world)).min())


def plan_with(section, blocked, start, goal, closed=None):
    """The plan of a built-in planner; ``closed`` (m, 2, rank) are pairs of cells without a step between them."""
    none = np.zeros((0, 2, blocked.ndim), dtype=int)
    shut, empty = none if closed is None else closed, np.zeros(0)
    goals = np.array([goal])
    return built_in(section).plan(
        BelievedMap(blocked, empty, shut, empty, start, goals, goals[:0], section.radius)
    )
