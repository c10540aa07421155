"""A world or a run as the page of the network has it.

Size, walls, closed steps, start and goal of every plan.
"""

from typing import Any

import numpy as np

from dynamics import BadInput, forward_kinematics
from hopfield_nav.build import all_solids, build_arm, build_obstacles
from hopfield_nav.figures import solid
from hopfield_nav.figures.run import network_of
from hopfield_nav.geometry import capsule_distance
from hopfield_nav.navigation import space_of
from hopfield_nav.planning import Neighbourhood, default_beta, neighbourhood_of
from hopfield_nav.record import Run
from hopfield_nav.world import Solid, World

_ALLOWED = "a map of the tool in the plane, with planner.radius: 1"
_DIGITS = 3  # of the corners of an outline, in cells


def has_plane(world: World) -> bool:
    """Whether the page can have a world's map.

    One of the tool, in the plane, with four neighbours.
    """
    return space_of(world).of_places and len(world.map.shape) == 2 and world.planner.radius == 1.0


def describe_run(run: Run) -> dict[str, Any]:
    """Every plan of a run whose network is in its record, ready for JSON.

    Raises ``BadInput``: the page cannot have such a map, or the record has no network.
    """
    world = run.world
    require_plane(world)
    network = network_of(run)
    if network is None:
        raise BadInput(
            "no network in this record", where="record.network", found="none", allowed="true"
        )
    plans: list[dict[str, Any]] = []
    for k in network.known:
        dark = ~np.isfinite(run.data.activation.values[k])
        path = network.paths[k]
        begin = path[0].tolist() if len(path) else plans[-1]["start"] if plans else [0, 0]
        closed = network.plans[k].steps.astype(int).tolist()
        walls = np.argwhere(dark).tolist()
        words = "" if k == 0 else f", after the touch at {network.time[k]:.1f} s"
        plans.append({"walls": walls, "closed": closed, "start": begin, "words": words})
    last = run.data.activation.values[network.known[-1]]
    goal = np.argwhere(last == last.max())[0].tolist()
    title = f"This is the map of the run {run.summary['world']}, plan by plan."
    return _described(world, network.near, "run", title, goal, plans)


def describe_world(world: World) -> dict[str, Any]:
    """The map of a world with its obstacles as walls, which the arm would have to feel.

    Ready for JSON.

    Raises ``BadInput``: the page cannot have such a map, or the world has no goal.
    """
    require_plane(world)
    if world.goal_point is None:
        raise BadInput("no goal", where="goal", allowed="a world with a goal")
    arm = build_arm(world)
    cells = space_of(world).cells(world, arm)
    tool = forward_kinematics(arm, np.array(world.start.joints))[:3, 3]
    start, goal = (list(cells.cell_of(place)) for place in (tool, np.array(world.goal_point)))
    index = np.indices(cells.shape).reshape(2, -1).T
    centres = cells.centre(index)
    rows = np.column_stack([centres, centres, np.zeros(len(centres))])
    walls = np.asarray(getattr(cells, "blocked", np.zeros(cells.shape, bool))).copy()
    solids = build_obstacles(world)
    if len(solids):
        walls |= (capsule_distance(rows, solids).min(axis=1) < 0.0).reshape(cells.shape)
    walls[tuple(start)] = walls[tuple(goal)] = False
    plan = {
        "walls": np.argwhere(walls).tolist(), "closed": [], "start": [int(c) for c in start],
        "words": "",
    }  # fmt: skip
    near = neighbourhood_of(cells.shape, ties=world.planner.ties)
    title = f"This is the map of the world {world.name}."
    return _described(world, near, "world", title, [int(c) for c in goal], [plan])


def require_plane(world: World) -> None:
    """Refuse a world whose map the page cannot have, with ``BadInput``."""
    if not has_plane(world):
        shape = " × ".join(map(str, world.map.shape))
        found = f"map.space: {world.map.space}, {shape} cells, radius {world.planner.radius:g}"
        raise BadInput("no page of such a map", where="map", found=found, allowed=_ALLOWED)


def _described(
    world: World,
    near: Neighbourhood,
    kind: str,
    title: str,
    goal: list[int],
    plans: list[dict[str, Any]],
) -> dict[str, Any]:
    sums = world.planner.network == "sum"
    return {
        "kind": kind,
        "name": world.name,
        "title": title,
        "shape": list(near.shape),
        "ties": near.offset.tolist(),
        "beta": world.planner.beta or default_beta(near),
        "network": "sum" if sums else "limit",
        "activation": world.planner.activation if sums else "linear",
        "goal": goal,
        "plans": plans,
        "outlines": [_in_cells(world, one) for one in all_solids(world)],
    }


def _in_cells(world: World, one: Solid) -> list[list[float]]:
    """Corners of a solid's cut by the plane of the map, in cells."""
    origin = np.array(world.map.origin[:2])
    spacing = world.map.spacing
    low = origin - 0.5 * spacing
    high = origin + (np.array(world.map.shape) - 0.5) * spacing
    room = float(low[0]), float(high[0]), float(low[1]), float(high[1])
    corners = solid.slice_outline(one, float(world.map.origin[2]), room)
    return np.round((corners - origin) / spacing, _DIGITS).tolist()
