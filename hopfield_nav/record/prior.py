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
    moved_before = _bodies(run.world)
    for (key, before), now in zip(moved_before.items(), _bodies(world).values(), strict=False):
        if not np.array_equal(before, now):
            if key == "map":
                message = "what was felt on one map says nothing on another"
            else:
                message = "what one body felt says nothing of another"
            found = f"another than in the run of {run.world.name}"
            raise BadInput(message, where=key, found=found, allowed=f"the same {key}")
    for mark in (run.world.detection.mark, world.detection.mark):
        if mark != "felt":
            raise BadInput(
                "marked cells are not handed on", where="detection.mark", found=mark, allowed="felt"
            )
    differs = _differences(run.world, world)
    surest = TRUE_STOP if differs else 1.0
    steps = {}
    for ends, certainty in zip(*run.closed_steps(), strict=True):
        step = step_between(*ends)
        if step:
            steps[step] = min(float(certainty), surest)
    cells = {tuple(cell.tolist()): BELIEVED for cell in _occupied(run)}
    return PriorMap(steps, cells, felt_places(run), free_angles(run), differs)


def _bodies(world: World) -> dict[str, Any]:
    """What moves over which cells, by the keys that decide it."""
    bodies: dict[str, Any] = {"map": world.map, "contact.bodies": world.contact.bodies}
    of_point = space_of(world).of_places and world.contact.bodies == "tool"
    if not of_point:
        arm = build_arm(world)
        bodies["arm"] = np.concatenate([arm.dh.ravel(), arm.capsules.ravel()])
        bodies["tool.frame"] = arm.tool
    return bodies


def _differences(before: World, now: World) -> tuple[str, ...]:
    """The keys that differ of those that decide how the same body stands at a cell.

    And ``obstacles``, where it may meet others.
    """
    if not space_of(now).of_places:
        keys = ("start.joints", "goal") if 1 in now.map.shape else ()
    else:
        keys = ("start.joints", "trajectory.tool_rotation") if now.contact.bodies == "arm" else ()
    found = [key for key in keys if attrgetter(key)(before) != attrgetter(key)(now)]
    come_or_go = before.changes or now.changes or before.planner.forget is not None
    if come_or_go or not _solids_of(before) <= _solids_of(now):
        found.append("obstacles")
    return tuple(found)


def _solids_of(world: World) -> set[tuple[float, ...]]:
    return {tuple(packed([solid])[0].tolist()) for solid in all_solids(world)}


def felt_places(run: Run) -> list[ContactHypotheses]:
    """Where each touch of a run may have been; empty on a map of the tool."""
    if "felt_point" not in run.data:
        return []
    data = run.data
    touches = zip(
        data.felt_point.values, data.felt_link.values, data.felt_weight.values, strict=True
    )
    found = []
    for points, links, weights in touches:
        there = links > 0
        if there.any():
            found.append(ContactHypotheses(points[there], links[there], weights[there]))
    return found


def with_felt(world: World, run: Run) -> World:
    """A world in which what a run felt is known: likely places as spheres, occupied cells as boxes.

    What would touch the arm at its start is left out.
    """
    solids: list[Sphere | Box] = []
    for places in felt_places(run):
        heavy = places.points[places.weights >= LIKELY]
        solids += [Sphere(center=tuple(map(float, point)), radius=BALL) for point in heavy]
    solids += felt_cells(run)
    arm = build_arm(world)
    start = np.array([world.start.joints])
    clear = [solid for solid in solids if arm_clearance(arm, start, packed([solid]))[0] > 0.0]
    return world.with_changes(known=(*world.known, *map(KnownObstacle.of, clear)))


def felt_cells(run: Run) -> list[Box]:
    """The room of each cell that a run believed to be occupied at its end.

    On a flat map, at the height of the tool at the start, it is as high as it is wide.
    """
    grid = run.world.map
    tool = run.data.tool_position.values
    height = float(tool[0, 2]) if len(tool) else 0.0
    origin = np.array(grid.origin)[: grid.rank]
    boxes = []
    for cell in _occupied(run):
        place = (origin + grid.spacing * cell).tolist()
        x, y, z = place if grid.rank == 3 else (*place, height)
        boxes.append(Box(center=(x, y, z), size=(grid.spacing,) * 3))
    return boxes


def _occupied(run: Run) -> np.ndarray:
    """Cells (k, rank) that are believed to be occupied at the end."""
    if "final_map" not in run.data:
        return np.zeros((0, run.world.map.rank), dtype=int)
    return np.argwhere(run.data.final_map.values == OCCUPIED)


def free_angles(run: Run) -> np.ndarray:
    """Joint angles (m, n) that lie in time apart from every alarm, and from one another."""
    time, q = run.data.time.values, run.data.q.values
    quiet = np.ones(len(time), dtype=bool)
    for event in run.data.event_time.values:
        quiet &= np.abs(time - event) > _FREE_OF_TOUCH
    kept: list[np.ndarray] = []
    for row in q[quiet]:
        if not kept or np.abs(row - kept[-1]).max() > _APART:
            kept.append(row)
    return np.array(kept).reshape(-1, q.shape[1])
