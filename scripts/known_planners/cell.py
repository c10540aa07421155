"""The cells of the comparison, and random pairs of poses in them."""

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.extensions.clearance import Scene
from hopfield_nav.extensions.known_world import random_free_joints
from hopfield_nav.world import World, parse_world

_PLAIN = """
format: 1
arm: ur5_ragazzon2012
known:
  - floor: {height: 0.0}
  - box: {center: [0.55, 0.0, 0.1], size: [0.4, 0.8, 0.2]}
  - cylinder: {center: [0.5, 0.0], radius: 0.05, height: [0.2, 0.6]}
  - cylinder: {center: [-0.3, 0.5], radius: 0.08, height: [0.0, 0.6]}
"""
_WALLS = """
  - box: {center: [0.0, 0.0, 0.95], size: [2.0, 2.0, 0.04]}
  - box: {center: [0.0, -0.45, 0.3], size: [1.6, 0.04, 0.6]}
  - box: {center: [-0.45, 0.0, 0.3], size: [0.04, 0.86, 0.6]}
"""
CELLS = {"plain": _PLAIN, "crowded": _PLAIN.rstrip() + _WALLS}


def cell(name: str) -> World:
    """An arm on a floor, with a table, a cylinder on it and another beside the arm.

    In the ``crowded`` cell, besides, a ceiling and two walls, half a metre from the arm and 0.6 m
    high.
    """
    return parse_world(CELLS[name])


def random_pairs(arm: Arm, scene: Scene, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts (count, n) [rad] and goals (count, 4, 4): joint angles within half a turn, kept where free.

    A goal is the tool's pose at free joint angles, so that it can be reached; which angles, is
    open.
    """
    rows = random_free_joints(arm, scene, 2 * count, np.random.default_rng(seed))
    return rows[:count], forward_kinematics(arm, rows[count:])
