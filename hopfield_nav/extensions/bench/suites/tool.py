"""What the suites of the tool draw and measure."""

from functools import partial

import numpy as np

from hopfield_nav.build import endless_cylinders
from hopfield_nav.extensions.bench.oracle import has_path
from hopfield_nav.loop import CONTACT_MEMORY
from hopfield_nav.plugin import Measures
from hopfield_nav.record import contact_episodes, contact_spans, force_norm
from hopfield_nav.world import Obstacle

FELT_FORCE = 20.0  # [N] a contact that reaches it is one that has to be answered
LATE = 0.005  # [s] between two rows that are kept
NARROW = 0.002  # [m] to spare on a path over cell centres, beside which ``no_path`` is false
SPACE = np.array([0.203, 0.039, 0.0]), np.array([0.56, 0.02, 0.0])  # on that of over_the_wall [m]
ROOM = 0.07  # [m] kept free around start and goal in space


def boxes(world, seed, count):
    """A world among so many boxes in space, some of which overlap."""
    generator, found = np.random.default_rng(seed), []
    while len(found) < count:
        centre = generator.uniform([0.26, -0.24, -0.04], [0.52, 0.26, 0.14])
        size = generator.uniform(0.04, 0.12, 3)
        gaps = [np.maximum(np.abs(place - centre) - size / 2, 0.0) for place in SPACE]
        if min(float(np.linalg.norm(gap)) for gap in gaps) > ROOM:
            found.append(
                {"box": {"center": centre.round(4).tolist(), "size": size.round(4).tolist()}}
            )
    return with_obstacles(world, found)


BOXES, MANY_BOXES = partial(boxes, count=12), partial(boxes, count=40)


def measure(run):
    """What was felt of the contacts, and what is true of the world.

    Of contacts that reached ``FELT_FORCE``: answered once is one from which the arm went back once,
    or which it passed by; missed is one that was not felt.
    """
    answers = answers_to_strong(run)
    return {
        "narrow": int(has_path(run.world, NARROW)) if run.world.map.space == "tool" else None,
        "contact_time_s": float(sum(e.end - e.start for e in contact_episodes(run))),
        "strong": len(answers),
        "once": sum(a == 1 for a in answers),
        "missed": sum(a == 0 for a in answers),
    }


def answers_to_strong(run):
    """Answers to each contact that reached ``FELT_FORCE``, the most to one obstacle; passing by is one.

    An arm that brushes one cylinder and meets another before it has left the first answers both.
    Obstacles of other kinds are not told apart.
    """
    time, force = run.data.time.values, force_norm(run.data.contact_force.values)
    axes, points = endless_cylinders(run.world), run.data.contact_point.values[:, None, :2]
    touched = np.where(force > 0.0, 0, -1)
    if len(axes):
        depth = np.nan_to_num(axes[:, 2] - np.linalg.norm(points - axes[:, :2], axis=2))
        touched = np.where(force > 0.0, np.argmax(depth, axis=1), -1)
    alarms, passed, rows = run.data.event_time.values, run.passed_by, np.flatnonzero(touched >= 0)
    touches = [
        (obstacle, start, end)
        for obstacle in range(max(len(axes), 1))
        for start, end in contact_spans(time, touched == obstacle)
    ]
    found = []
    for episode in contact_episodes(run):
        if episode.peak_force < FELT_FORCE:
            continue
        own = (alarms >= episode.start - LATE) & (alarms <= episode.end + CONTACT_MEMORY)
        at = rows[np.searchsorted(time[rows], alarms[own & ~passed] + LATE) - 1]
        answered = [
            sum(touched[k] == obstacle and start <= time[k] <= end for k in at)
            for obstacle, start, end in touches
        ]
        found.append(max(answered, default=0) or min(int(own.sum()), 1))
    return found


COLUMNS = {"narrow": "1", "contact_time_s": "s", "strong": "1", "once": "1", "missed": "1"}
MEASURES = Measures(measure, COLUMNS)


def with_obstacles(world, obstacles):
    """A world with obstacles as a world file has them, in place of its own."""
    return world.with_changes(obstacles=tuple(map(Obstacle.model_validate, obstacles)))
