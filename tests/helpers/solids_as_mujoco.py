"""Solids of ours as MuJoCo has them, for tests that compare the two."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from hopfield_nav.geometry.solids import (
    AXES,
    BOX,
    CAPSULE,
    CENTRE,
    CYLINDER,
    HALF_SPACE,
    KIND,
    SIZE,
    SPHERE,
    UPRIGHT,
)


def turn_to(axis):
    """A rotation that takes z to a direction."""
    return Rotation.align_vectors(axis[None] / np.linalg.norm(axis), [[0, 0, 1.0]])[0].as_matrix()


def mujoco_geom(row):
    """One static geometry of MuJoCo as XML; its plane is thin but as deep, its endless cylinder long."""
    centre, axis, size = row[CENTRE : CENTRE + 3], row[AXES : AXES + 3], row[SIZE : SIZE + 3]
    shapes = {
        SPHERE: ("sphere", np.eye(3), size[:1]),
        BOX: ("box", row[AXES : AXES + 9].reshape(3, 3), size),
        UPRIGHT: ("cylinder", np.eye(3), [size[0], 20.0]),
        CYLINDER: ("cylinder", None, size[:2]),
        HALF_SPACE: ("plane", None, [0, 0, 1]),
        CAPSULE: ("capsule", None, [size[0], np.linalg.norm(axis)]),
    }
    shape, turn, numbers = shapes[int(row[KIND])]
    x, y, z, w = Rotation.from_matrix(turn_to(axis) if turn is None else turn).as_quat()
    return f'<geom type="{shape}" pos="{text(centre)}" quat="{text([w, x, y, z])}" size="{text(numbers)}"/>'


def text(values):
    return " ".join(repr(float(v)) for v in values)
