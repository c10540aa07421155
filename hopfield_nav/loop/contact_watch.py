"""What is kept of contacts over a run: when they began and ended, the largest forces, which were silent.

It is the truth of the simulation, for the record; the control computer knows nothing of it.

Contact pushes a body out to the nearer side, so that none gets further than half-way; near that it may well come out
on the other side. Obstacles that overlap are one body here: between two cylinders of a wall the tool is half as deep
in each as in the wall.

To look costs more than a step. As the ways out on both sides change by no more than a body moves, one that was not
near half-way is looked at again when it has moved a quarter of what would take it there.
"""

import math

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import add, along
from hopfield_nav.geometry import LINK, RADIUS, REACH, depth_in_union, gap_to_bound, place_axis, segment_distance
from hopfield_nav.loop.contact import copy_touch, remember, still_near

IMPACT_TIME = 0.05  # [s] the first impact is this long
CONTACT_MEMORY = 0.05  # [s] contact lost for longer than this has ended
SUNK_SHARE = 0.75  # share of the way to half-way through obstacles beyond which an arm may have passed them


@inlined
def keep_truth(truth, plant):
    """What acts on the arm in the first stage."""
    stages = plant.stages
    for k in range(3):
        truth.tool[k] = stages.work.tool[k, 3]
    for i in range(truth.external.size):
        truth.external[i] = stages.external[i]
        truth.friction[i] = stages.friction[i]
    copy_touch(stages.touch, truth.touch)
    if truth.touch.now.sunk > 0.0:
        watch_sinking(plant.contact, stages.work, truth.touch)


@inlined
def watch_sinking(contact, work, touch):
    """Write ``touch.now.sunk`` and ``share`` where the axis of a body is inside; the frames are up to date.

    Of a body with length, the points of its axis that are deepest in each of the solids are looked at.
    """
    solids, bodies = contact.solids, contact.bodies
    touch.now.sunk, touch.now.share = 0.0, 0.0
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
            if bodies[b, REACH] == bodies[b, RADIUS]:  # a point or a ball: it is as deep in their union
                break
        remember(contact.shallow, b, a, add(a, d), room if room < math.inf else 0.0)


@inlined
def watch_contact(statistics, touch, time, armed):
    """Keep the start and end of the latest contact, and the largest forces, from the truth.

    A contact throughout which the detector was ``armed`` is a silent one: nothing answered it.
    """
    fx, fy, fz = touch.force[0], touch.force[1], touch.force[2]
    squared = fx * fx + fy * fy + fz * fz
    statistics.deepest = max(statistics.deepest, touch.now.depth)
    if touch.now.share > statistics.share:
        statistics.sunk, statistics.share = touch.now.sunk, touch.now.share
    if squared > 0.0:
        force = math.sqrt(squared)
        if time > statistics.last_contact_time + CONTACT_MEMORY:
            end_contact(statistics)
            statistics.touch_time = time
            statistics.contacts += 1
        statistics.last_contact_time = time
        if statistics.unanswered_peak >= 0.0:
            statistics.unanswered_peak = max(statistics.unanswered_peak, force)
        if statistics.contacts == 1 and time < statistics.touch_time + IMPACT_TIME:
            statistics.first_peak = max(statistics.first_peak, force)
        if force > statistics.peak_force:
            statistics.peak_force = force
            statistics.peak_time = time
    if not armed and time <= statistics.last_contact_time + CONTACT_MEMORY:
        statistics.unanswered_peak = -math.inf


@inlined
def end_contact(statistics):
    """Count the latest contact among the silent ones if nothing answered it."""
    if statistics.unanswered_peak > 0.0:
        statistics.silent += 1
        statistics.silent_peak = max(statistics.silent_peak, statistics.unanswered_peak)
    statistics.unanswered_peak = 0.0
