"""The forces that obstacles exert on the tool (ragazzon2012 7.1).

Cylinders stand along z. Inside one, at distance D from its axis, the tool is pushed outwards with
k (R - D); optional damping acts on the rate of penetration, optional Coulomb friction against the
sliding velocity. Forces of overlapping cylinders add up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.compiled import inlined

FRICTION_SPEED = 1e-3  # [m/s] below this sliding speed Coulomb friction falls to zero linearly


class Contact(NamedTuple):
    """Obstacles and the contact law.

    Attributes:
        cylinders: (m, 3) centre x, y and radius [m].
        law: (3,) stiffness [N/m], damping [N·s/m], friction coefficient [1].
        solids: (m, 17) other solids, from ``geometry.pack_primitives``; with ``bodies``, all of them.
        bodies: (k, 12) what can touch, from ``arm_capsules.arm_bodies``; none: the tool point alone.
    """

    cylinders: np.ndarray
    law: np.ndarray
    solids: np.ndarray = np.zeros((0, 17))
    bodies: np.ndarray = np.zeros((0, 12))


@inlined
def tool_contact_force(contact, x, y, vx, vy, vz):
    """Force (fx, fy, fz) [N] that all obstacles exert on a tool at (x, y), velocity (vx, vy, vz).

    On the axis of a cylinder (D = 0) the normal is taken along +x. Contact never pulls.

    Source: ragazzon2012 7.1 (F_contact), damping and friction added.
    """
    cylinders, law = contact.cylinders, contact.law
    fx, fy, fz = 0.0, 0.0, 0.0
    for i in range(cylinders.shape[0]):
        dx, dy, radius = x - cylinders[i, 0], y - cylinders[i, 1], cylinders[i, 2]
        squared = dx * dx + dy * dy
        if squared < radius * radius:
            distance = math.sqrt(squared)
            nx, ny = (dx / distance, dy / distance) if distance > 0.0 else (1.0, 0.0)
            outward = vx * nx + vy * ny
            normal = max(law[0] * (radius - distance) - law[1] * outward, 0.0)
            fx += normal * nx
            fy += normal * ny
            if law[2] > 0.0:
                sx, sy = vx - outward * nx, vy - outward * ny
                slide = law[2] * normal / max(math.sqrt(sx * sx + sy * sy + vz * vz), FRICTION_SPEED)
                fx -= slide * sx
                fy -= slide * sy
                fz -= slide * vz
    return fx, fy, fz
