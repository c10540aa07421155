"""The forces that obstacles exert on the tool (ragazzon2012 7.1).

Cylinders stand along z. Inside one, at distance D from its axis, the tool is pushed outwards with
k (R - D); optional damping acts on the rate of penetration, optional Coulomb friction against the
sliding velocity. Forces of overlapping cylinders add up.

Forces that solids exert on every link of the arm, and on the tool point alone.

Each pair of a capsule and a solid that overlap by a depth δ pushes with k δ along the gradient of
the distance, so that without damping and friction the force has the potential k δ²/2 and energy is
kept. Damping acts on the rate at which the two sink in and never pulls; Coulomb friction acts against
the sliding velocity at the contact point, half-way between the two surfaces. Forces of several pairs
add up. Penalty law of ragazzon2012 7.1, for links as well as for the tool.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.compiled import inlined
from dynamics.kinematics import add_force_torque, velocity_of_point
from hopfield_nav.geometry import (
    LINK,
    RADIUS,
    REACH,
    place_axis,
    place_middle,
    segment_distance,
    surely_apart,
)

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


TOUCH = 11  # length of ``touch``: force (3), link, point (3), force there (3), number of pairs


@inlined
def contact_force(law, depth, gx, gy, gz, vx, vy, vz):
    """Force [N] on a body that has sunk in by ``depth`` > 0 [m].

    ``law``: stiffness [N/m], damping [N·s/m], friction coefficient [1]. (gx, gy, gz): gradient of
    the distance, at most 1 long. (vx, vy, vz): velocity of the contact point [m/s].
    """
    stiffness, damping, friction = law[0], law[1], law[2]
    push = max(stiffness * depth - damping * (vx * gx + vy * gy + vz * gz), 0.0)
    fx, fy, fz = push * gx, push * gy, push * gz
    square = gx * gx + gy * gy + gz * gz
    if friction > 0.0 and push > 0.0 and square > 0.0:
        outward = (vx * gx + vy * gy + vz * gz) / square
        sx, sy, sz = vx - outward * gx, vy - outward * gy, vz - outward * gz
        speed = math.sqrt(sx * sx + sy * sy + sz * sz)
        slide = friction * push * math.sqrt(square) / max(speed, FRICTION_SPEED)
        fx, fy, fz = fx - slide * sx, fy - slide * sy, fz - slide * sz
    return fx, fy, fz


@inlined
def add_arm_contact(obstacles, bodies, law, qd, work, torque, touch):
    """Add the torque of all contacts of the arm to ``torque``, and write ``touch``.

    Args:
        obstacles: (m, 17) from ``geometry.pack_primitives``.
        bodies: (k, 12) from ``arm_capsules.arm_bodies``; those of link 0 never touch.
        law: (3,) stiffness [N/m], damping [N·s/m], friction coefficient [1].
        qd: (n,) [rad/s].
        work: with frames up to date.
        torque: (n,) [N·m].
        touch: (11,) sum of the forces on the arm (3) [N], link of the largest one (from 1; 0: none),
            its contact point (3) [m], that force (3) [N], number of touching pairs.
    """
    for k in range(TOUCH):
        touch[k] = 0.0
    if obstacles.shape[0] == 0:
        return
    largest = -1.0
    for b in range(bodies.shape[0]):
        link = int(bodies[b, LINK])
        if link == 0:
            continue
        mx, my, mz = place_middle(work, bodies, b)
        for j in range(obstacles.shape[0]):
            if surely_apart(obstacles, j, mx, my, mz, bodies[b, REACH]):
                continue
            ax, ay, az, dx, dy, dz = place_axis(work, bodies, b)
            s, t, gx, gy, gz = segment_distance(obstacles, j, ax, ay, az, dx, dy, dz)
            depth = bodies[b, RADIUS] - s
            if depth <= 0.0:
                continue
            steep = math.sqrt(gx * gx + gy * gy + gz * gz)
            inward = 0.5 * (bodies[b, RADIUS] + s) / steep if steep > 0.0 else 0.0
            px, py, pz = ax + t * dx - inward * gx, ay + t * dy - inward * gy, az + t * dz - inward * gz
            vx, vy, vz = 0.0, 0.0, 0.0
            if law[1] > 0.0 or law[2] > 0.0:
                vx, vy, vz = velocity_of_point(work, qd, link, px, py, pz)
            fx, fy, fz = contact_force(law, depth, gx, gy, gz, vx, vy, vz)
            add_force_torque(work, link, px, py, pz, fx, fy, fz, torque)
            touch[0] += fx
            touch[1] += fy
            touch[2] += fz
            touch[10] += 1.0
            square = fx * fx + fy * fy + fz * fz
            if square > largest:
                largest = square
                touch[3] = link
                touch[4], touch[5], touch[6] = px, py, pz
                touch[7], touch[8], touch[9] = fx, fy, fz


@inlined
def solid_contact_force(solids, law, x, y, z, vx, vy, vz):
    """Force (fx, fy, fz) [N] that solids exert on a tool point at (x, y, z), velocity (vx, vy, vz).

    The tool's counterpart of ``add_arm_contact``: a capsule without length and radius.
    """
    fx, fy, fz = 0.0, 0.0, 0.0
    for j in range(solids.shape[0]):
        if surely_apart(solids, j, x, y, z, 0.0):
            continue
        s, _, gx, gy, gz = segment_distance(solids, j, x, y, z, 0.0, 0.0, 0.0)
        if s < 0.0:
            px, py, pz = contact_force(law, -s, gx, gy, gz, vx, vy, vz)
            fx, fy, fz = fx + px, fy + py, fz + pz
    return fx, fy, fz
