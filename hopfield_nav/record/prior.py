"""What a run felt and knew at its end, handed on: to a later run, or to a plan as known obstacles.

A closed step says that one body, moved from cell to cell, meets something. It is a fact of a later
run whose ``map``, ``contact.bodies`` and, but for a tool point on a map of the tool, ``arm`` and
``tool.frame`` are the same, else the run is refused; and whose obstacles, unknown or known, hold
those of the first, and neither come nor go. Where the whole arm moves over a map of the tool, how
it stands at a cell depends on ``start.joints`` and ``trajectory.tool_rotation`` as well, and on
axes of one cell of a map of joint angles on ``start.joints`` and ``goal``: where these differ,
facts become beliefs.
"""

from operator import attrgetter
from typing import Any

import numpy as np

from dynamics import BadInput
from hopfield_nav.build import all_solids, build_arm
from hopfield_nav.geometry import arm_clearance
from hopfield_nav.navigation import LIKELY, ContactHypotheses, PriorMap, space_of
from hopfield_nav.navigation.map import TRUE_STOP, step_between
from hopfield_nav.record.run import Run
from hopfield_nav.world import Box, KnownObstacle, Sphere, World, packed

OCCUPIED = 3  # value of the final map where a cell is believed to be occupied
BELIEVED = 0.5  # how certainly it is
BALL = 0.02  # [m] radius of the sphere that a place becomes
_FREE_OF_TOUCH = 0.5  # [s] from an alarm on either side, in which the arm may touch something
_APART = 0.02  # [rad] between two joint angles that are handed on


def load_prior(run: Run, world: World) -> PriorMap:
    """What a run felt, for a resolved world with the same map and the same body.

    Raises ``BadInput``: another map or body, or a run that keeps no facts and beliefs.
    """
    for (key, before), now in zip(
        _bodies(run.world).items(), _bodies(world).values(), strict=False
    ):
        if not np.array_equal(before, now):
            one = (
                "was felt on one map says nothing on"
                if key == "map"
                else "one body felt says nothing of"
            )
            found = f"another than in the run of {run.world.name}"
            raise BadInput(f"what {one} another", where=key, found=found, allowed=f"the same {key}")
    for mark in (run.world.detection.mark, world.detection.mark):
        if mark != "felt":
            raise BadInput(
                "marked cells are not handed on", where="detection.mark", found=mark, allowed="felt"
            )
    pairs, certainty = run.closed_steps()
    differs = _differences(run.world, world)
    surest = TRUE_STOP if differs else 1.0
    steps = {
        s: min(float(v), surest)
        for ends, v in zip(pairs, certainty, strict=True)
        if (s := step_between(*ends))
    }
    cells = {tuple(int(c) for c in cell): BELIEVED for cell in _occupied(run)}
    return PriorMap(steps, cells, felt_places(run), free_angles(run), differs)


def _bodies(world: World) -> dict[str, Any]:
    """What moves over which cells, by the keys that decide it."""
    arm, point = build_arm(world), space_of(world).of_places and world.contact.bodies == "tool"
    shape = np.concatenate([arm.dh.ravel(), arm.capsules.ravel()])
    of_arm = {} if point else {"arm": shape, "tool.frame": arm.tool}
    return {"map": world.map, "contact.bodies": world.contact.bodies} | of_arm


def _differences(before: World, now: World) -> tuple[str, ...]:
    """The keys that differ of those that decide how the same body stands at a cell, and what it may meet."""
    if not space_of(now).of_places:
        keys = ("start.joints", "goal") if 1 in now.map.shape else ()
    else:
        keys = ("start.joints", "trajectory.tool_rotation") if now.contact.bodies == "arm" else ()
    found = [key for key in keys if attrgetter(key)(before) != attrgetter(key)(now)]
    changes = before.changes or now.changes or before.planner.forget is not None
    there, still = (
        {tuple(packed([solid])[0].tolist()) for solid in all_solids(world)}
        for world in (before, now)
    )
    return (*found, *([] if there <= still and not changes else ["obstacles"]))


def felt_places(run: Run) -> list[ContactHypotheses]:
    """Where each touch of a run may have been; empty on a map of the tool."""
    if "felt_point" not in run.data:
        return []
    kept = (run.data[name].values for name in ("felt_point", "felt_link", "felt_weight"))
    touches = (
        (points[links > 0], links[links > 0], weights[links > 0])
        for points, links, weights in zip(*kept, strict=True)
    )
    return [ContactHypotheses(*places) for places in touches if len(places[0])]


def with_felt(world: World, run: Run) -> World:
    """A world in which what a run felt is known: likely places as spheres, occupied cells as boxes.

    What would touch the arm at its start is left out.
    """
    solids: list[Sphere | Box] = []
    for places in felt_places(run):
        heavy = places.points[places.weights >= LIKELY]
        solids += [Sphere(center=tuple(map(float, point)), radius=BALL) for point in heavy]
    solids += felt_cells(run)
    arm, start = build_arm(world), np.array([world.start.joints])
    more = (KnownObstacle.of(s) for s in solids if arm_clearance(arm, start, packed([s]))[0] > 0.0)
    return world.with_changes(known=(*world.known, *more))


def felt_cells(run: Run) -> list[Box]:
    """The room of each cell that a run believed to be occupied at its end; on a flat map as high as it is wide."""
    grid, rows = run.world.map, run.data.tool_position.values
    height = float(rows[0, 2]) if len(rows) else 0.0
    origin, size = np.array(grid.origin)[: grid.rank], (grid.spacing,) * 3
    centres = ([*(origin + grid.spacing * cell).tolist(), height][:3] for cell in _occupied(run))
    return [Box(center=(x, y, z), size=size) for x, y, z in centres]


def _occupied(run: Run) -> np.ndarray:
    """Cells (k, rank) that are believed to be occupied at the end."""
    if "final_map" not in run.data:
        return np.zeros((0, run.world.map.rank), dtype=int)
    return np.argwhere(run.data.final_map.values == OCCUPIED)


def free_angles(run: Run) -> np.ndarray:
    """Joint angles (m, n) that lie in time apart from every alarm, and from one another."""
    time, q, events = run.data.time.values, run.data.q.values, run.data.event_time.values
    quiet = np.ones(len(time), dtype=bool)
    for event in events:
        quiet &= np.abs(time - event) > _FREE_OF_TOUCH
    kept: list[np.ndarray] = []
    for row in q[quiet]:
        if not kept or np.abs(row - kept[-1]).max() > _APART:
            kept.append(row)
    return np.array(kept).reshape(-1, q.shape[1])
