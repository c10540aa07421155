"""Forces that solids exert on every link of the arm, and on the tool point alone.

Each pair of a capsule and a solid that overlap by a depth δ pushes with k δ along the gradient of
the distance, so that without damping and friction the force has the potential k δ²/2 and energy is
kept. Damping acts on the rate at which the two sink in and never pulls; Coulomb friction acts against
the sliding velocity at the contact point, half-way between the two surfaces. Forces of several pairs
add up. Penalty law of ragazzon2012 7.1, for links as well as for the tool.
"""

from __future__ import annotations

import math

from dynamics.compiled import inlined
from dynamics.kinematics import add_force_torque, velocity_of_point
from hopfield_nav.arm_capsules import LINK, RADIUS, REACH, place_axis, place_middle
from hopfield_nav.contact import FRICTION_SPEED
from hopfield_nav.geometry_distance import segment_distance, surely_apart

TOUCH = 11  # length of ``touch``: force (3), link, point (3), force there (3), number of pairs


@inlined
def contact_force(law, depth, gx, gy, gz, vx, vy, vz):
    """Force [N] on a body that has sunk in by ``depth`` [m], at velocity (vx, vy, vz) of the contact point.

    ``law`` (3,) holds stiffness, damping and friction coefficient; (gx, gy, gz) is the gradient of the
    distance, at most 1 long; the velocity is in m/s.
    """
    stiffness, damping, friction = law[0], law[1], law[2]
    push = max(stiffness * depth - damping * (vx * gx + vy * gy + vz * gz), 0.0)
    fx, fy, fz = push * gx, push * gy, push * gz
    if friction > 0.0 and push > 0.0:
        square = gx * gx + gy * gy + gz * gz
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
            inward = 0.5 * (bodies[b, RADIUS] + s) / math.sqrt(gx * gx + gy * gy + gz * gz)
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
