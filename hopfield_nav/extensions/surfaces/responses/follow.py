"""The response ``follow``: along what was felt (``explore: follow``; wished for in ragazzon2012 7.3 and 8.1).

From a touch the arm goes back by a chosen distance only, along the felt surface, and touches again
on the line of a step that leads through it: the step by which the new path of the network would
cross the surface. So the network's costs choose the side, every such touch closes a step by the
same rules as any other, and where nothing is felt the arm is on its path already. It replans where
the surface does not stand in the path, and wherever following has failed.
"""

import numpy as np

from hopfield_nav.extensions.surfaces.surface import Surface, crossings, with_point
from hopfield_nav.navigation import go_on
from hopfield_nav.navigation.map import Cell, ToolMap, step_between
from hopfield_nav.navigation.motion import (
    LEAST_FORCE,
    FirstSegment,
    Means,
    PartOfStep,
    PlannedMotion,
    Reference,
    Route,
    Segment,
    cell_at,
    joints_over,
    path_of_tool,
    seconds_per_cell,
    tool_at,
    trajectory_through,
)
from hopfield_nav.navigation.responses import Response, ToolTouch
from hopfield_nav.planning import Plan
from hopfield_nav.plugin import Method

# touches in a row on the way along a surface, after which the arm goes back to a centre
MAX_ASIDE = 1
# cosine between a step and the normal below which the step hardly leads through the surface
STEEPEST = 0.5
FAR = 1.5  # [cells] from the last touch to which a surface is believed to go on


# tool positions (k, 3) along the surface [m], and the path from there on
_Along = tuple[np.ndarray, Route, PartOfStep | None]


class Follow(Response):
    """Follows surfaces."""

    least_time = 0.3  # of the time of a cell, for the shortest segments

    def __init__(self) -> None:
        self.surface: Surface | None = None  # that is being followed; None where there is none
        self.felt_surfaces: list[Surface] = []  # what was believed of it after each touch
        self.strides = 0  # number of motions along a surface that were begun
        self._aside = 0  # touches in a row on the way along a surface
        self._segment: Segment | None = None  # by whose touch the surface is followed

    def after_touch(
        self, start: Cell, touch: ToolTouch, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion:
        """Along the surface if that is possible; else back, and on from there."""
        segment = touch.segment
        aside = is_aside_of_steps(segment, motion, map)
        start = retreat_from_surface(start, segment, motion, map)
        self._aside = self._aside + 1 if aside else 0
        self._segment = segment
        if (segment.step is None and not aside) or self._aside > MAX_ASIDE:
            self.surface = None
            self._segment = None
            return go_on(start, touch.begin, motion, map, means)
        self._feel(segment, touch.force, map)
        along = self._along_surface(segment, start, touch.begin, motion, map, means)
        return along or go_on(start, touch.begin, motion, map, means)

    def after_rest(
        self, begin: Reference, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion | None:
        """After a reaction along the surface, if that is possible."""
        if not motion.reacts or self._segment is None:
            return None
        along = self._along_surface(self._segment, motion.start, begin, motion, map, means)
        return along and along._replace(first_segment=FirstSegment.RETREAT)

    def after_passage(self, until: int, motion: PlannedMotion) -> None:
        """Where a segment to a surface was driven to its end, the surface ends before it."""
        approach = motion.part_of_step
        if approach is not None and until > approach.segment:
            self.surface = None

    def _feel(self, segment: Segment, force: np.ndarray, map: ToolMap) -> None:
        """One more point of the surface.

        Steps through it between two points are believed closed.
        """
        far = FAR * map.grid.spacing
        place = map.flat(segment.place)
        outward = np.zeros(3)
        back = -segment.direction
        size = float(np.linalg.norm(force[: map.rank]))
        outward[: map.rank] = force[: map.rank] / size if size > LEAST_FORCE else back[: map.rank]
        before = self.surface
        if before is not None and np.linalg.norm(place - before.points[-1]) > 2.0 * far:
            before = None
        self.surface = with_point(before, place, outward, back, map.grid)
        self.felt_surfaces.append(self.surface)
        if len(self.surface.points) == 1:
            return
        wide = 0.0 if map.rank == 2 else 0.5 * map.grid.spacing
        last = self.surface.points[-2]
        for step in crossings(map.grid, self.surface, last, place, wide + 1e-9):
            map.beliefs.believe_closed(step)

    def _along_surface(
        self,
        segment: Segment,
        start: Cell,
        begin: Reference,
        motion: PlannedMotion,
        map: ToolMap,
        means: Means,
    ) -> PlannedMotion | None:
        """Back from the surface, along it and on; None where it cannot be followed, or need not."""
        found = self._way_along(segment, start, map, means)
        if found is None:
            return None
        aside, route, approach = found
        tool = tool_at(means.arm, begin.q)
        onward = path_of_tool(route, tool, False, map, means.world)
        along = np.tile(onward.poses[:1], (len(aside), 1, 1))
        along[:, :3, 3] = aside
        poses = np.concatenate([along, onward.poses])
        joints = joints_over(poses, begin.q, motion, map, means)
        if joints.reason:
            return None
        places = np.vstack([tool, poses[:, :3, 3]])
        rests = means.paths.rests(places, map)
        assert rests is not None
        rests[: len(along)] = True
        times = self._seconds_between(places, map, means)
        trajectory = trajectory_through(joints.q, times, begin, means, rests)
        self.strides += 1
        assert route.plan.cells is not None
        cells = np.vstack([np.array([start]), route.plan.cells])
        return PlannedMotion(start, cells, trajectory, places=places, part_of_step=approach)

    def _seconds_between(self, places: np.ndarray, map: ToolMap, means: Means) -> np.ndarray:
        """Seconds (k,) from place to place (k + 1, 3) [m].

        Short ones are no faster off than a cell.
        """
        lengths = np.linalg.norm(np.diff(places, axis=0), axis=1) / map.grid.spacing
        share = np.maximum(np.where(lengths < 1.0, np.sqrt(lengths), lengths), self.least_time)
        return seconds_per_cell(means.world.trajectory.time_per_cell) * share

    def _way_along(
        self, segment: Segment, start: Cell, map: ToolMap, means: Means
    ) -> _Along | None:
        """Along the surface to the first step of the new path that leads through it, or past it."""
        if self.surface is None:
            return None
        route = means.paths.find(start, map)
        planned = route.plan.cells
        if planned is None or len(planned) < 2:
            return None
        retract = means.world.explore.retract
        surface = self.surface
        away = -segment.direction if segment.step is not None else surface.normal
        back = map.flat(surface.points[-1] + retract * away)
        centres = map.grid.centre(planned)
        found = surface.crossing(centres)
        far = FAR * map.grid.spacing
        if found is None or np.linalg.norm(found[1] - surface.points[-1]) > far:
            return _past(surface, back, route, map, means)
        k, point = found
        step = step_between(*planned[k : k + 2])
        first, last = centres[k : k + 2]
        into = (last - first) / np.linalg.norm(last - first)
        if step is None or -float((surface.normals @ into).min()) < STEEPEST:
            return None
        ahead = point - min(retract, float((point - first) @ into)) * into
        if not map.is_clear(back, ahead):
            return None
        approach = PartOfStep(segment=2, step=step)
        return np.stack([back, ahead]), _rest_of(route, k + 1), approach


def _past(
    surface: Surface, back: np.ndarray, route: Route, map: ToolMap, means: Means
) -> _Along | None:
    """Straight to the second cell of a path on which the surface does not stand."""
    assert route.plan.cells is not None
    step = step_between(*route.plan.cells[:2])
    if step is None or map.beliefs.certainty(step) > 0.0:
        return None
    second = map.grid.centre(route.plan.cells[1])
    if not map.is_clear(back, second):
        return None
    if surface.height(second[None])[0] < means.world.explore.retract:
        return None
    return back[None], _rest_of(route, 1), None


def _rest_of(route: Route, number: int) -> Route:
    """A route from a cell of it on, over the centres of its cells."""
    assert route.plan.cells is not None
    plan = Plan(route.plan.cells[number:], "", np.inf, route.plan.network)
    return route._replace(plan=plan)


METHOD = Method(
    "response", "follow", Follow,
    description="along the surface that was felt, from touch to touch, to where the new path would cross it",
)  # fmt: skip


def is_aside_of_steps(segment: Segment, motion: PlannedMotion, map: ToolMap) -> bool:
    """Whether a segment is that along the surface, from where the arm went back to."""
    if segment.number != 1 or motion.places is None:
        return False
    return cell_at(map.grid, motion.places[1]) is None


def retreat_from_surface(
    start: Cell, segment: Segment, motion: PlannedMotion, map: ToolMap
) -> Cell:
    """Back to ``start`` as ever, but from a segment along or to the surface where it could have begun."""
    cell = motion.start if is_aside_of_steps(segment, motion, map) else None
    approach = motion.part_of_step
    if approach is not None and segment.number == approach.segment and motion.places is not None:
        end = cell_at(map.grid, motion.places[segment.number + 1])
        cell = next(c for c in approach.step.ends if c != end)
    return start if cell is None or map.obstacles()[cell] else cell
