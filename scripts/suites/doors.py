"""A wall from rim to rim with doors, among a few cylinders; one door opens or closes while the arm is on its way.

``OPENS``: the only door opens. ``CLOSES``: one of two openings is shut, about when the arm has come
to it. ``OPENED`` and ``CLOSED`` are the same worlds as they stand after that, still.
"""

from functools import partial

import numpy as np

from hopfield_nav.build import standing_times, stands_at
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.bench.oracle import has_path
from hopfield_nav.plugin import Measures
from hopfield_nav.world import Obstacle

MARGIN = 0.005  # [m] that a path over the cells keeps
START, GOAL = np.array([0.20, 0.04]), np.array([0.60, -0.09])  # on the document's map [m]
THICK, WIDE, ENDS = 0.015, 0.08, 0.27  # half a wall, an opening, where the wall ends [m]
CYLINDERS, KEPT = 8, 0.05  # number; free distance around start, goal and the openings [m]
OPENS_AT, CLOSES_AT = (10.0, 60.0), (4.0, 16.0)  # [s]
ASIDE = (0.04, 0.1)  # [m] of the opening from where the first path meets the wall


def door(world, seed, opens, still):
    """The run of a world of a seed."""
    return Simulation(with_door(world, seed, opens, still), seed)


OPENS, OPENED = partial(door, opens=True, still=False), partial(door, opens=True, still=True)
CLOSES, CLOSED = partial(door, opens=False, still=False), partial(door, opens=False, still=True)


def with_door(world, seed, opens, still=False):
    """A world whose door opens or closes once; ``still`` as it stands after that."""
    generator = np.random.default_rng([seed, int(opens)])
    x = generator.uniform(0.30, 0.50)
    first = float(GOAL[1] + generator.choice([-1, 1]) * generator.uniform(*ASIDE))
    other = float(first + generator.uniform(0.14, 0.22))
    openings = [first] if opens else sorted([first, other])
    shut = float(generator.uniform(*OPENS_AT)) if opens else float(generator.uniform(*CLOSES_AT))
    found = [_wall(x, *ends) for ends in _between(openings)]
    if not (opens and still):
        time = {} if still else {"vanishes" if opens else "appears": round(shut, 3)}
        found.append(_wall(x, first - WIDE / 2, first + WIDE / 2) | {"name": "door"} | time)
    free = [START, GOAL, *(np.array([x, y]) for y in openings)]
    while len(found) < CYLINDERS + len(openings) + 2 - (opens and still):
        centre, radius = (
            generator.uniform([0.17, -0.23], [0.63, 0.23]),
            generator.uniform(0.01, 0.02),
        )
        if min(float(np.linalg.norm(place - centre)) for place in free) > KEPT + radius:
            found.append(
                {
                    "cylinder": {
                        "center": centre.round(4).tolist(),
                        "radius": round(float(radius), 4),
                    }
                }
            )
    return world.with_changes(obstacles=tuple(map(Obstacle.model_validate, found)))


def solvable(world):
    """Whether the still worlds before and after say so: where a door opens, a path after that is enough."""
    times = standing_times(world)
    opens, change = np.isfinite(times[:, 1]).any(), times[np.isfinite(times)].max()
    return all(
        has_path(still_at(world, time), MARGIN) for time in ([change] if opens else [0.0, change])
    )


def still_at(world, time):
    """A resolved world as it stands at a time [s], still."""
    stands = zip(world.obstacles, stands_at(standing_times(world), time), strict=True)
    stay = tuple(
        each.model_copy(update={"appears": None, "vanishes": None})
        for each, there in stands
        if there
    )
    return world.with_changes(obstacles=stay)


def _between(openings):
    """From where to where the wall goes beside its openings."""
    edges = [-ENDS, *(y + side * (WIDE / 2 + THICK) for y in openings for side in (-1, 1)), ENDS]
    return zip(edges[::2], edges[1::2], strict=True)


def _wall(x, low, high):
    return {
        "wall": {
            "from": [round(x, 4), round(low, 4)],
            "to": [round(x, 4), round(high, 4)],
            "radius": THICK,
        }
    }


def measure(run):
    """Whether a door had to wait for the arm."""
    return {"waited": len(run.summary["late_obstacles"]), "passed": run.summary["passed_through"]}


MEASURES = Measures(measure, {"waited": "1", "passed": "1"})
