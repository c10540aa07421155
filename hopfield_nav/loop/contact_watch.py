"""What is kept of the true forces, and of the contacts of a run.

Of a contact: when it began and ended, and how hard it was. It is for the record; the control
computer knows nothing of it.
"""

import math

from dynamics.kernels.decorators import inlined
from hopfield_nav.loop.contact import copy_touch
from hopfield_nav.loop.sinking import watch_sinking

IMPACT_TIME = 0.05  # [s] the first impact is this long
CONTACT_MEMORY = 0.05  # [s] contact lost for longer than this has ended


@inlined
def keep_truth(truth, plant):
    """Keep what truly acts on the arm in the first stage: on the tool, by friction, by touch."""
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
