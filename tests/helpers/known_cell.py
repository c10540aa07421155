"""A cell with floor, table and two cylinders, for the tests of planning where the surroundings are known."""

import numpy as np
from poses import frame_of

from dynamics import forward_kinematics, load_arm, with_tool
from hopfield_nav import geometry
from hopfield_nav.extensions.clearance import build_scene, collides

DOWN = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])  # the tool looks at the floor
SOLIDS = geometry.pack_primitives(
    [
        geometry.half_space([0, 0, 0]),
        geometry.box([0.55, 0, 0.1], [0.4, 0.8, 0.2]),
        geometry.finite_cylinder([0.5, 0, 0.4], 0.05, 0.4),
        geometry.finite_cylinder([-0.3, 0.5, 0.3], 0.08, 0.6),
    ]
)


TURN = 2 * np.pi


ARM = load_arm("ur5_ragazzon2012")


def cell(margin=0.0):
    """The arm, and what it can touch in the cell."""
    return ARM, build_scene(ARM, SOLIDS, margin)


def empty():
    """The arm, and itself to touch."""
    return ARM, build_scene(ARM)


def tool_at(x, y, z, arm=ARM):
    """The arm with a tool, whose point is displaced from the flange [m]."""
    return with_tool(arm, frame_of(x, y, z))


def random_joints(count, seed, n=6):
    """Random joint angles within half a turn, (count, n)."""
    return np.random.default_rng(seed).uniform(-np.pi, np.pi, (count, n))


def pose(position, rotation=DOWN):
    """A pose of the tool."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return T


def free_joints(arm, scene, count, seed):
    """Random joint angles within half a turn that touch nothing, (count, 6)."""
    q = random_joints(20 * count + 20, seed)
    return q[~collides(arm, scene, q)][:count]


def free_pairs(arm, scene, count, seed):
    """Random starts (count, 6) and poses of the tool (count, 4, 4), both free."""
    q = free_joints(arm, scene, 2 * count, seed)
    return q[:count], forward_kinematics(arm, q[count:])
