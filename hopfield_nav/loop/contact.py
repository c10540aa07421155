"""The forces that obstacles exert on the arm: one law, over one list of solids.

What can touch is a list of bodies: the arm's capsules, or the tool point alone, a capsule without
length and radius. A body and a solid that overlap by a depth δ are pushed apart with k δ along the
gradient of their distance, so that without damping and friction the force has the potential k δ²/2
and energy is kept. Damping acts on the rate at which the two sink in and never pulls; Coulomb
friction acts against the sliding velocity at the contact point, half-way between the two surfaces
and never beyond the body's own axis. Forces of several pairs add up.

Looking at all solids in every stage would cost more than the dynamics. Each body keeps where its
axis was when it was last compared with all of them, and how far its ends may move from there before
one of them can touch (``Contact.free``); until then none is looked at, and the result is the same
in every bit.

Source: ragazzon2012 7.1 (F_contact, the tool in a cylinder); damping, friction, links and other
solids added.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record
from dynamics.kernels.vectors import (
    ZERO,
    add,
    add_three,
    along,
    cross,
    dot,
    length,
    put,
    put_three,
    sub,
    times,
    vector,
)
from dynamics.kinematics import add_force_torque, velocity_of_point
from hopfield_nav.geometry import LINK, RADIUS, REACH, gap_to_bound, place_axis, segment_distance

FRICTION_SPEED = 1e-3  # [m/s] below this sliding speed Coulomb friction falls to zero linearly


class ContactLaw(NamedTuple):
    """The numbers of the law."""

    stiffness: float  # [N/m]
    damping: float  # [N·s/m]
    friction: float  # Coulomb coefficient [1]


class Contact(NamedTuple):
    """What can touch what, and how hard it is."""

    law: ContactLaw  # the contact law
    solids: np.ndarray  # (m, 17) the obstacles, from ``geometry.pack_primitives``
    # (k, 12) what can touch them, from ``geometry.arm_bodies`` or ``geometry.tool_body``; those of
    # link 0 never touch
    bodies: np.ndarray
    beyond: int  # the first of the bodies that are beyond the flange
    # (k, 7) scratch: where the axis of each body began (3) and ended (3) when it was last compared
    # with all solids, and how far both may move before one can touch it (1) [m]
    free: np.ndarray
    # (k, 7) scratch: the same of when it was last seen how far it sank, see ``watch_sinking``
    shallow: np.ndarray


def make_contact(
    law: ContactLaw, solids: np.ndarray, bodies: np.ndarray, beyond: int | None = None
) -> Contact:
    """A contact with scratch of its own; arguments as in ``Contact``, by default nothing beyond."""
    first = len(bodies) if beyond is None else beyond
    not_looked_at = np.full((len(bodies), 7), -1.0)
    return Contact(law, solids, bodies, first, free=not_looked_at, shallow=not_looked_at.copy())


@record
class TouchNow:
    """The numbers of ``TouchState``."""

    link: int = 0  # that of the largest force, counted from 1; 0: nothing touches
    pairs: int = 0  # number of pairs of a body and a solid that touch
    depth: float = 0.0  # largest overlap of one of them [m]
    # how deep the axis of a body is in a solid at most [m]; of the truth that is kept, in the union
    # of solids where ``share`` is largest
    sunk: float = 0.0
    # how far that is of the way to half-way through, see ``geometry.depth_in_union``
    share: float = 0.0


class TouchState(NamedTuple):
    """What touches the arm at one moment."""

    now: TouchNow  # its numbers
    force: np.ndarray  # (3,) sum of the contact forces on the arm [N]
    point: np.ndarray  # (3,) where the largest one acts [m]
    largest: np.ndarray  # (3,) that force [N]
    # (6,) of all that acts beyond the flange, force [N] and moment about the base origin [N·m]
    beyond: np.ndarray


def make_touch() -> TouchState:
    """Nothing touches."""
    return TouchState(
        now=TouchNow(),
        force=np.zeros(3),
        point=np.zeros(3),
        largest=np.zeros(3),
        beyond=np.zeros(6),
    )


@inlined
def contact_force(law, depth, gradient, velocity):
    """Force (3,) [N] on a body that has sunk into an obstacle by ``depth`` > 0 [m].

    It is a push along the ``gradient`` (3,) of the distance, at most 1 long, and Coulomb friction
    against the sliding. The push is that of a spring and a damper, and never a pull; ``law`` is a
    ``ContactLaw``, ``velocity`` (3,) that of the contact point [m/s].

    Source: ragazzon2012 7.1 (F_contact); damping and friction added.
    """
    rising = dot(velocity, gradient)
    square = dot(gradient, gradient)
    push = max(law.stiffness * depth - law.damping * rising, 0.0)
    force = times(push, gradient)
    if law.friction > 0.0 and push > 0.0 and square > 0.0:
        sliding = along(velocity, -rising / square, gradient)
        slide = law.friction * push * math.sqrt(square) / max(length(sliding), FRICTION_SPEED)
        force = along(force, -slide, sliding)
    return force


@inlined
def add_contact(contact, qd, work, torque, touch):
    """Add the torque of all contacts to ``torque`` (n,) [N·m], and write ``touch``.

    ``qd`` (n,) [rad/s]; the frames in ``work`` are up to date.
    """
    solids, bodies, law, free = contact.solids, contact.bodies, contact.law, contact.free
    now = touch.now
    _clear(touch)
    if solids.shape[0] == 0:
        return
    for b in range(bodies.shape[0]):
        link = int(bodies[b, LINK])
        if link == 0:
            continue
        a, d = place_axis(work, bodies, b)
        if still_near(free, b, a, add(a, d)):
            continue
        room = math.inf
        reach = bodies[b, REACH]
        middle = along(a, 0.5, d)
        for j in range(solids.shape[0]):
            gap = gap_to_bound(solids, j, middle) - reach
            if gap > 0.0:
                room = min(room, gap)
                continue
            s, t, gradient = segment_distance(solids, j, a, d)
            depth = bodies[b, RADIUS] - s
            room = min(room, -depth)
            if depth <= 0.0:
                continue
            steep = length(gradient)
            inward = max(0.5 * (bodies[b, RADIUS] + s), 0.0) / steep if steep > 0.0 else 0.0
            point = along(along(a, t, d), -inward, gradient)
            velocity = ZERO
            if law.damping > 0.0 or law.friction > 0.0:
                velocity = velocity_of_point(work, qd, link, point)
            force = contact_force(law, depth, gradient, velocity)
            add_force_torque(work, link, point, force, torque)
            add_touch(touch, link, point, force, b >= contact.beyond)
            now.pairs += 1
            now.depth = max(now.depth, depth)
            now.sunk = max(now.sunk, -s)
        keep_axis(free, b, a, add(a, d), room)


@inlined
def keep_axis(places, b, start, end, room):
    """Keep where the axis of body ``b`` starts and ends.

    ``room`` is how far both may move from there [m].
    """
    put(places, b, 0, start)
    put(places, b, 3, end)
    places[b, 6] = room


@inlined
def still_near(places, b, start, end):
    """Whether the axis of body ``b`` is within what it may move.

    It is compared with its place in ``places``.
    """
    room = places[b, 6]
    if room <= 0.0:
        return False
    u, v = sub(start, vector(places, b, 0)), sub(end, vector(places, b, 3))
    return max(dot(u, u), dot(v, v)) < room * room


@inlined
def add_touch(touch, link, point, force, beyond):
    """Add a force [N] on a link at a point in base axes [m] to ``touch``.

    ``beyond``: it is also one beyond the flange.
    """
    add_three(touch.force, 0, force)
    if beyond:
        add_three(touch.beyond, 0, force)
        add_three(touch.beyond, 3, cross(point, force))
    if touch.now.link == 0 or dot(force, force) > dot(touch.largest, touch.largest):
        touch.now.link = link
        put_three(touch.point, 0, point)
        put_three(touch.largest, 0, force)


@inlined
def _clear(touch):
    now = touch.now
    now.link = 0
    now.pairs = 0
    now.depth = 0.0
    now.sunk = 0.0
    now.share = 0.0
    for k in range(3):
        touch.force[k] = 0.0
        touch.point[k] = 0.0
        touch.largest[k] = 0.0
    for k in range(6):
        touch.beyond[k] = 0.0


@inlined
def copy_touch(source, target):
    """Copy what touches, all but what acts beyond the flange."""
    target.now.link = source.now.link
    target.now.pairs = source.now.pairs
    target.now.depth = source.now.depth
    target.now.sunk = source.now.sunk
    target.now.share = source.now.share
    for k in range(3):
        target.force[k] = source.force[k]
        target.point[k] = source.point[k]
        target.largest[k] = source.largest[k]
