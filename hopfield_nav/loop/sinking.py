"""How far the arm has come on the way through what it sank into.

Contact pushes a body out to the nearer side, so that none gets further than half-way; near that it
may well come out on the other side. Obstacles that overlap are one body here: between two cylinders
of a wall the tool is half as deep in each as in the wall.

To look costs more than a step. As the ways out on both sides change by no more than a body moves,
one that was not near half-way is looked at again when it has moved a quarter of what would take it
there.
"""

import math

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import add, along
from hopfield_nav.geometry import (
    LINK,
    RADIUS,
    REACH,
    depth_in_union,
    gap_to_bound,
    place_axis,
    segment_distance,
)
from hopfield_nav.loop.contact import keep_axis, still_near

# share of the way to half-way through obstacles beyond which an arm may have passed them
SUNK_SHARE = 0.75


@inlined
def watch_sinking(contact, work, touch):
    """Write ``touch.now.sunk`` and ``share`` where the axis of a body is inside.

    The frames are up to date. Of a body with length, the points of its axis that are deepest in
    each of the solids are looked at.
    """
    solids, bodies = contact.solids, contact.bodies
    touch.now.sunk = 0.0
    touch.now.share = 0.0
    for b in range(bodies.shape[0]):
        if bodies[b, LINK] == 0.0:
            continue
        a, d = place_axis(work, bodies, b)
        if still_near(contact.shallow, b, a, add(a, d)):
            continue
        room = math.inf
        for j in range(solids.shape[0]):
            if gap_to_bound(solids, j, along(a, 0.5, d)) > bodies[b, REACH]:
                continue
            s, t, _ = segment_distance(solids, j, a, d)
            if s >= 0.0:
                continue
            depth, share = depth_in_union(solids, along(a, t, d))
            if share > 0.0:
                room = min(room, 0.25 * (SUNK_SHARE - share) * depth / share)
            if share > touch.now.share:
                touch.now.sunk, touch.now.share = depth, share
            # a point or a ball: it is as deep in their union
            if bodies[b, REACH] == bodies[b, RADIUS]:
                break
        keep_axis(contact.shallow, b, a, add(a, d), room if room < math.inf else 0.0)
