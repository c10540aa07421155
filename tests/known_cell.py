"""A cell with floor, table and two cylinders, for the tests of planning where the surroundings are known."""

import numpy as np

from dynamics import forward_kinematics, load_arm
from hopfield_nav import geometry
from hopfield_nav.known_world import build_scene, collides

DOWN = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])  # the tool looks at the floor
SOLIDS = geometry.pack_primitives(
    [
        geometry.half_space([0, 0, 0]),
        geometry.box([0.55, 0, 0.1], [0.4, 0.8, 0.2]),
        geometry.finite_cylinder([0.5, 0, 0.4], 0.05, 0.4),
        geometry.finite_cylinder([-0.3, 0.5, 0.3], 0.08, 0.6),
    ]
)


def cell(margin=0.0):
    """The arm, and what it can touch in the cell."""
    arm = load_arm("ur5_ragazzon2012")
    return arm, build_scene(arm, SOLIDS, margin)


def empty():
    """The arm, and itself to touch."""
    arm = load_arm("ur5_ragazzon2012")
    return arm, build_scene(arm)


def pose(position, rotation=DOWN):
    """A pose of the tool."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return T


def free_joints(arm, scene, count, seed):
    """Random joint angles within half a turn that touch nothing, (count, 6)."""
    q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (20 * count + 20, 6))
    return q[~collides(arm, scene, q)][:count]


def free_pairs(arm, scene, count, seed):
    """Random starts (count, 6) and poses of the tool (count, 4, 4), both free."""
    q = free_joints(arm, scene, 2 * count, seed)
    return q[:count], forward_kinematics(arm, q[count:])
