"""What the studies of the tool draw and believe beforehand, besides what the suites that come along do."""

from functools import partial

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_flow

from hopfield_nav.build import build_obstacles
from hopfield_nav.experiment import Simulation
from hopfield_nav.extensions.bench.oracle import ends, parts, steps
from hopfield_nav.extensions.bench.suites import tool
from hopfield_nav.extensions.bench.suites.tool import with_obstacles
from hopfield_nav.extensions.surfaces import Follow
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.plugin import Measures

PLANE = np.array([0.20, 0.04]), np.array([0.60, -0.09])  # start and goal on the document's map [m]
_OPEN = 1_000_000  # capacity of a step that no cut may count
WALL_COUNT, THIN, KEPT = 5, 0.012, 0.045  # number, radius [m], kept free around start and goal [m]


def watched(world, seed):
    """The run of a world, whose summary also has what a response that follows surfaces believed of them.

    ``strides``: how many motions along a surface were begun. ``angles``: of each normal that was
    believed in, on how many points it rests and how far it is off [°].
    """
    simulation = Simulation(world, seed)
    response = getattr(simulation.navigator, "response", None)
    simulation.on_record = lambda run: run.summary.update(
        strides=getattr(response, "strides", None),
        angles=" ".join(_angles(run.world, getattr(response, "felt_surfaces", ()))),
    )
    return simulation


def boxes(world, seed, count):
    """The boxes of the suite ``space``, watched."""
    return watched(tool.boxes(world, seed, count), seed)


BOXES, MANY_BOXES = partial(boxes, count=12), partial(boxes, count=40)


def measure(run):
    """What the suites ``touch`` and ``space`` measure, the smallest cuts, and what was believed of surfaces."""
    ended = run.world.map.space == "tool" and run.outcome == "no_path"
    return tool.measure(run) | {
        "smallest_cut": smallest_cut(run.world) if ended else None,
        "touchable_cut": smallest_cut(run.world, touchable=True) if ended else None,
        "strides": run.summary.get("strides"),
        "angles": run.summary.get("angles", ""),
    }


MEASURES = Measures(
    measure,
    {**tool.COLUMNS, "smallest_cut": "1", "touchable_cut": "1", "strides": "1", "angles": ""},
)


def smallest_cut(world, touchable: bool = False) -> int | None:
    """Number of closed steps that separate start and goal at least; None where a path is left.

    The world has a map of the tool. ``touchable``: count only steps that begin at a cell to which
    open steps lead from the start.
    """
    below, above, gap = steps(world)
    start, goal = ends(world)
    counted = gap <= 0.0
    label = parts(world, below[~counted], above[~counted])
    if label[start] == label[goal]:
        return None
    if touchable:
        counted &= (label[below] == label[start]) | (label[above] == label[start])
    capacity = np.tile(np.where(counted, 1, _OPEN).astype(np.int32), 2)
    cells = int(np.prod(world.map.shape))
    network = csr_matrix(
        (capacity, (np.append(below, above), np.append(above, below))), shape=(cells, cells)
    )
    return int(maximum_flow(network, start, goal).flow_value)


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


def slow(world, seed):
    """Segments along a surface that are shorter than a cell take as long as it, as those to a centre do."""
    simulation = watched(world, seed)
    if isinstance(simulation.navigator.response, Follow):
        simulation.navigator.response.least_time = 1.0
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
    return watched(with_obstacles(world, found), seed)


def gap(world, seed):
    """A wall with one gap of a cell, which is wrongly believed to be occupied."""
    generator = np.random.default_rng(seed)
    column, free = int(generator.integers(5, 14)), int(generator.integers(0, 20))
    x = round(0.1501 + 0.0263 * column, 4)
    places = [[x, round(-0.2499 + 0.0263 * k, 4)] for k in range(20) if k != free]
    wall = [{"cylinder": {"center": place, "radius": 0.02}} for place in places]
    simulation = Simulation(with_obstacles(world, wall), seed)
    simulation.navigator.beliefs.believe_occupied(
        (column, free), float(generator.uniform(0.3, 0.95))
    )
    return simulation


def _from_line(place, begin, end):
    """Distance from a place (2,) to a line [m]."""
    along = end - begin
    share = np.clip((place - begin) @ along / (along @ along), 0.0, 1.0)
    return float(np.linalg.norm(place - begin - share * along))
