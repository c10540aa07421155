"""Which joints change a distance at all: turning a body about its own axis changes none.

The base housing of a UR5 is round about axis 1 and the flange about axis 6, so self-collisions depend on
joints 2 to 5 alone. That is read off the bodies: a tool beside axis 6 makes joint 6 count, a base
housing beside axis 1, or a solid, makes joint 1 count.
"""

import numpy as np

from hopfield_nav.geometry import AXES, BOX, CENTRE, END, HALF_SPACE, KIND, LINK, START
from hopfield_nav.known_world.scene import Scene

_ON_AXIS = 1e-12  # [m]


def joints_of_pairs(scene: Scene) -> np.ndarray:
    """Which joints change the distance of which of ``scene.pairs``, (p, n) bool."""
    inner, outer = scene.pairs[:, 0], scene.pairs[:, 1]
    link = scene.bodies[:, LINK].astype(np.int64)
    joint = np.arange(scene.reach.shape[1])
    between = (joint >= link[inner, None]) & (joint < link[outer, None])
    round_inner = (joint == link[inner, None]) & _about_next_axis(scene.bodies)[inner, None]
    return between & ~round_inner & (scene.reach[outer] > 0.0)


def joints_of_solids(scene: Scene) -> np.ndarray:
    """Which joints change the distance of which body to which solid it is checked against, (k, m, n) bool.

    A body beyond a joint moves with it.
    """
    out = scene.checked[:, :, None] & (scene.reach > 0.0)[:, None, :]
    out[:, _about_base_axis(scene.solids), 0] = False
    return out


def relevant_joints(scene: Scene) -> np.ndarray:
    """Joints (r,), from 0 and rising, on which it depends whether anything in the scene touches."""
    return np.nonzero(joints_of_pairs(scene).any(axis=0) | joints_of_solids(scene).any(axis=(0, 1)))[0]


def _about_next_axis(bodies: np.ndarray) -> np.ndarray:
    """Bodies (k,) that are round about the axis of the joint that follows their link."""
    beside = bodies[:, [START, START + 1, END, END + 1]]
    return np.abs(beside).max(axis=1, initial=0.0) <= _ON_AXIS


def _about_base_axis(solids: np.ndarray) -> np.ndarray:
    """Solids (m,) that are round about the axis of joint 1."""
    level = np.abs(solids[:, AXES : AXES + 2]).max(axis=1, initial=0.0) <= _ON_AXIS
    centred = np.abs(solids[:, CENTRE : CENTRE + 2]).max(axis=1, initial=0.0) <= _ON_AXIS
    kind = solids[:, KIND]
    return (kind != BOX) & level & (centred | (kind == HALF_SPACE))
