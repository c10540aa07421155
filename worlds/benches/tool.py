"""What the suites of the tool draw, believe beforehand and measure."""

from functools import partial

import numpy as np

from hopfield_nav.extensions.bench import has_path, smallest_cut
from hopfield_nav.experiment import Simulation
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.loop import CONTACT_MEMORY
from hopfield_nav.extensions.surfaces import Follow, SlideAlong
from hopfield_nav.navigation import ToolNavigator
from hopfield_nav.extensions.surfaces.responses import follow
from hopfield_nav.plugin import Measures
from hopfield_nav.record import contact_episodes, force_norm
from hopfield_nav.record.contacts import contact_spans
from hopfield_nav.build import build_obstacles, endless_cylinders
from hopfield_nav.world.obstacles import Obstacle

FELT_FORCE = 20.0  # [N] a contact that reaches it is one that has to be answered
LATE = 0.005  # [s] between two rows that are kept
NARROW = 0.002  # [m] to spare on a path over cell centres, beside which ``no_path`` is false
PLANE = np.array([0.20, 0.04]), np.array([0.60, -0.09])  # start and goal on the document's map [m]
SPACE = np.array([0.203, 0.039, 0.0]), np.array([0.56, 0.02, 0.0])  # on that of over_the_wall [m]
WALL_COUNT, THIN, KEPT = 5, 0.012, 0.045  # number, radius [m], kept free around start and goal [m]
ROOM = 0.07  # [m] kept free around start and goal in space


def watched(world, seed):
    """The run of a world, whose record also has the response that drove the arm."""
    simulation = Simulation(world, seed)
    recorded = simulation.record

    def record():
        run, navigator = recorded(), simulation.navigator
        run.response = navigator.response if isinstance(navigator, ToolNavigator) else None
        return run

    simulation.record = record
    return simulation


def slow(world, seed):
    """Segments along a surface that are shorter than a cell take as long as it, as those to a centre do."""
    simulation = watched(world, seed)
    driven = simulation.run

    def run(*given):
        usual, follow.LEAST_TIME = follow.LEAST_TIME, 1.0
        try:
            return driven(*given)
        finally:
            follow.LEAST_TIME = usual

    simulation.run = run
    return simulation


def walls(world, seed):
    """Five straight walls of any direction in the plane."""
    generator, found = np.random.default_rng(seed), []
    while len(found) < WALL_COUNT:
        middle, angle = generator.uniform([0.24, -0.2], [0.58, 0.2]), generator.uniform(0.0, np.pi)
        half = generator.uniform(0.04, 0.11) * np.array([np.cos(angle), np.sin(angle)])
        ends = middle - half, middle + half
        if min(_from_line(place, *ends) for place in PLANE) > KEPT:
            first, last = (end.round(4).tolist() for end in ends)
            found.append({"wall": {"from": first, "to": last, "radius": THIN}})
    return watched(_with(world, found), seed)


def boxes(world, seed, count):
    """So many boxes in space, some of which overlap."""
    generator, found = np.random.default_rng(seed), []
    while len(found) < count:
        centre = generator.uniform([0.26, -0.24, -0.04], [0.52, 0.26, 0.14])
        size = generator.uniform(0.04, 0.12, 3)
        gaps = [np.maximum(np.abs(place - centre) - size / 2, 0.0) for place in SPACE]
        if min(float(np.linalg.norm(gap)) for gap in gaps) > ROOM:
            found.append({"box": {"center": centre.round(4).tolist(), "size": size.round(4).tolist()}})
    return watched(_with(world, found), seed)


BOXES, MANY_BOXES = partial(boxes, count=12), partial(boxes, count=40)


def gap(world, seed):
    """A wall with one gap of a cell, which is wrongly believed to be occupied."""
    generator = np.random.default_rng(seed)
    column, free = int(generator.integers(5, 14)), int(generator.integers(0, 20))
    x = round(0.1501 + 0.0263 * column, 4)
    places = [[x, round(-0.2499 + 0.0263 * k, 4)] for k in range(20) if k != free]
    wall = [{"cylinder": {"center": place, "radius": 0.02}} for place in places]
    simulation = Simulation(_with(world, wall), seed)
    simulation.navigator.beliefs.believe_occupied((column, free), float(generator.uniform(0.3, 0.95)))
    return simulation


def measure(run):
    """What was felt of the contacts, and what is true of the world.

    Of contacts that reached ``FELT_FORCE``: answered once is one from which the arm went back once, or which
    it passed by; missed is one that was not felt. ``angles``: of each normal that was believed in, on how
    many points it rests and how far it is off [°].
    """
    episodes, response = contact_episodes(run), getattr(run, "response", None)
    answers = answers_to_strong(run)
    of_tool, ended = run.world.map.space == "tool", run.outcome == "no_path"
    followed = response.felt_surfaces if isinstance(response, Follow) else []
    return {
        "narrow": int(has_path(run.world, NARROW)) if of_tool else None,
        "contact_time_s": float(sum(e.end - e.start for e in episodes)),
        "strong": len(answers),
        "once": sum(a == 1 for a in answers),
        "missed": sum(a == 0 for a in answers),
        "smallest_cut": smallest_cut(run.world) if of_tool and ended else None,
        "touchable_cut": smallest_cut(run.world, touchable=True) if of_tool and ended else None,
        "strides": response.strides if isinstance(response, Follow | SlideAlong) else None,
        "angles": " ".join(_angles(run.world, followed)),
    }


def answers_to_strong(run):
    """Answers to each contact that reached ``FELT_FORCE``, the most to one obstacle; passing by is one.

    An arm that brushes one cylinder and meets another before it has left the first answers both. Obstacles of
    other kinds are not told apart.
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
            sum(touched[k] == obstacle and start <= time[k] <= end for k in at) for obstacle, start, end in touches
        ]
        found.append(max(answered, default=0) or min(int(own.sum()), 1))
    return found


COLUMNS = {"narrow": "1", "contact_time_s": "s", "strong": "1", "once": "1", "missed": "1"}
CUTS = {"smallest_cut": "1", "touchable_cut": "1"}
MEASURES = Measures(measure, {**COLUMNS, **CUTS, "strides": "1", "angles": ""})


def _angles(world, surfaces):
    solids, rank = build_obstacles(world), world.map.rank
    for surface in surfaces:
        true = normal_at(solids, surface.points[-1], rank)
        if true is not None:
            angle = np.degrees(np.arccos(np.clip(true @ surface.normal, -1.0, 1.0)))
            yield f"{len(surface.points)}:{angle:.1f}"


def normal_at(solids, place, rank):
    """True normal (3,) of the nearest obstacle at a place; None where two are as near, as in a corner."""
    around = 1e-6 * np.vstack([np.zeros(3), np.eye(3)[:rank], -np.eye(3)[:rank]]) + place
    distance = capsule_distance(np.column_stack([around, around, np.zeros(len(around))]), solids)
    nearest = np.sort(distance[0])[:2]
    if len(nearest) > 1 and nearest[1] - nearest[0] < 1e-3:
        return None
    column = distance[:, int(np.argmin(distance[0]))]
    gradient = np.zeros(3)
    gradient[:rank] = column[1 : rank + 1] - column[rank + 1 :]
    return gradient / np.linalg.norm(gradient)


def _with(world, obstacles):
    return world.with_changes(obstacles=tuple(map(Obstacle.model_validate, obstacles)))


def _from_line(place, begin, end):
    """Distance from a place (2,) to a line [m]."""
    along = end - begin
    share = np.clip((place - begin) @ along / (along @ along), 0.0, 1.0)
    return float(np.linalg.norm(place - begin - share * along))
