"""The response ``follow``: along what was felt (``explore: follow``; wished for in ragazzon2012 7.3 and 8.1).

From a touch the arm goes back by a chosen distance only, along the felt surface, and touches again
on the line of a step that leads through it: the step by which the new path of the network would
cross the surface. So the network's costs choose the side, every such touch closes a step by the
same rules as any other, and where nothing is felt the arm is on its path already. It replans where
the surface does not stand in the path, and wherever following has failed.
"""

import numpy as np

from hopfield_nav.extensions.surfaces.surface import Surface, crossings, with_point
from hopfield_nav.navigation import motion
from hopfield_nav.navigation.map import Cell, step_between
from hopfield_nav.navigation.responses import BelievedPaths, Replan, Retreat, ToolTouch
from hopfield_nav.planning import Plan
from hopfield_nav.plugin import Method

MAX_ASIDE = (
    1  # touches in a row on the way along a surface, after which the arm goes back to a centre
)
STEEPEST = 0.5  # cosine between a step and the normal below which the step hardly leads through the surface
FAR = 1.5  # [cells] from the last touch to which a surface is believed to go on


# tool positions (k, 3) along the surface [m], and the path from there on
_Along = tuple[np.ndarray, motion.Route, motion.Approach | None]


class Follow(Replan):
    """Follows surfaces."""

    least_time = 0.3  # of the time of a cell, for the shortest segments

    def __init__(
        self,
        situation: motion.Situation,
        motions: motion.ToolMotions,
        paths: BelievedPaths,
        retreat: Retreat,
    ) -> None:
        super().__init__(situation, motions, paths, retreat)
        self.surface: Surface | None = None  # that is being followed; None where there is none
        self.felt_surfaces: list[Surface] = []  # what was believed of it after each touch
        self.strides = 0  # number of motions along a surface that were begun
        self._aside = 0
        self._segment: motion.Segment | None = None
        self._far = FAR * situation.map.grid.spacing

    def on_passage(self, until: int) -> None:
        """Where a segment to a surface was driven to its end, the surface ends before it."""
        approach = self._situation.motion.approach
        if approach is not None and until > approach.segment:
            self.surface = None

    def on_touch(self, touch: ToolTouch) -> motion.PlannedMotion:
        """Along the surface if that is possible; else back (``Replan``)."""
        segment, begin = touch.touched, touch.begin
        aside = is_aside_of_steps(self._situation, segment)
        start = retreat_from_surface(self._situation, self._retreat, segment)
        self._aside = self._aside + 1 if aside else 0
        self._segment = segment
        if (segment.step is None and not aside) or self._aside > MAX_ASIDE:
            self.surface = self._segment = None
            return self.go_on(start, begin)
        self._feel(segment, touch.felt)
        return self._along_surface(segment, start, begin) or self.go_on(start, begin)

    def on_rest(self, touch: ToolTouch) -> motion.PlannedMotion:
        """After a reaction along the surface, if that is possible; else a new path."""
        now = self._situation.motion
        if now.reacts and self._segment is not None:
            along = self._along_surface(self._segment, now.start, touch.begin)
            if along is not None:
                return along._replace(first_segment=motion.FirstSegment.RETREAT)
        return super().on_rest(touch)

    def _feel(self, segment: motion.Segment, force: np.ndarray) -> None:
        """One more point of the surface; steps through it between two points are believed closed."""
        grid, rank = self._situation.map.grid, self._situation.map.rank
        place, outward, back = (
            self._situation.map.flat(segment.place),
            np.zeros(3),
            -segment.direction,
        )
        size = float(np.linalg.norm(force[:rank]))
        outward[:rank] = force[:rank] / size if size > motion.LEAST_FORCE else back[:rank]
        before = self.surface
        if before is not None and np.linalg.norm(place - before.points[-1]) > 2.0 * self._far:
            before = None
        self.surface = with_point(before, place, outward, back, grid)
        self.felt_surfaces.append(self.surface)
        if len(self.surface.points) == 1:
            return
        wide = 0.0 if rank == 2 else 0.5 * grid.spacing
        for step in crossings(grid, self.surface, self.surface.points[-2], place, wide + 1e-9):
            self._situation.map.beliefs.believe_closed(step)

    def _along_surface(
        self, segment: motion.Segment, start: Cell, begin: motion.Reference
    ) -> motion.PlannedMotion | None:
        """Back from the surface, along it and on; None where it cannot be followed, or need not."""
        along = self._way_along(segment, start)
        if along is None:
            return None
        aside, route, approach = along
        rest = self._motions.tool_path(route, begin.q, at_rest=False)
        before = np.tile(rest.poses[:1], (len(aside), 1, 1))
        before[:, :3, 3] = aside
        poses = np.concatenate([before, rest.poses])
        path = self._motions.follow(poses, begin.q)
        if path.reason:
            return None
        places = np.vstack([self._situation.tool(begin.q), poses[:, :3, 3]])
        rests = self._paths.rests(places)
        rests[: len(before)] = True
        cells = np.linalg.norm(np.diff(places, axis=0), axis=1) / self._situation.map.grid.spacing
        share = np.maximum(
            np.where(cells < 1.0, np.sqrt(cells), cells), self.least_time
        )  # no faster off than a cell
        durations = motion.seconds_per_cell(self._situation.world.trajectory.time_per_cell) * share
        trajectory = self._motions.trajectory(path.q, durations, begin, rests)
        self.strides += 1
        onward = route.plan.cells
        assert onward is not None
        cells = np.vstack([np.array([start]), onward])
        return motion.PlannedMotion(start, cells, trajectory, places=places, approach=approach)

    def _way_along(self, segment: motion.Segment, start: Cell) -> _Along | None:
        """Along the surface to the first step of the new path that leads through it, or past it."""
        if self.surface is None:
            return None
        route = self._paths.find(start)
        planned = route.plan.cells
        if planned is None or len(planned) < 2:
            return None
        retract, surface = self._situation.world.explore.retract, self.surface
        away = -segment.direction if segment.step is not None else surface.normal
        back = self._situation.map.flat(surface.points[-1] + retract * away)
        centres = self._situation.map.grid.centre(planned)
        found = surface.crossing(centres)
        if found is None or np.linalg.norm(found[1] - surface.points[-1]) > self._far:
            return self._past(back, route, centres)
        k, point = found
        step, (first, last) = step_between(*planned[k : k + 2]), centres[k : k + 2]
        into = (last - first) / np.linalg.norm(last - first)
        if step is None or -float((surface.normals @ into).min()) < STEEPEST:
            return None
        ahead = point - min(retract, float((point - first) @ into)) * into
        if not self._situation.map.is_clear(back, ahead):
            return None
        return np.stack([back, ahead]), self._from(route, k + 1), motion.Approach(2, step)

    def _from(self, route: motion.Route, number: int) -> motion.Route:
        """The rest of a route, over the centres of its cells."""
        cells = route.plan.cells
        assert cells is not None
        plan = Plan(cells[number:], "", np.inf, self._situation.world.planner.kind)
        return route._replace(plan=plan)

    def _past(self, back: np.ndarray, route: motion.Route, centres: np.ndarray) -> _Along | None:
        """Straight to the second cell of a path on which the surface does not stand."""
        assert self.surface is not None
        assert route.plan.cells is not None
        step = step_between(*route.plan.cells[:2])
        if step is None or self._situation.map.beliefs.certainty(step) > 0.0:
            return None
        if not self._situation.map.is_clear(back, centres[1]):
            return None
        if self.surface.height(centres[1:2])[0] < self._situation.world.explore.retract:
            return None
        return back[None], self._from(route, 1), None


METHOD = Method(
    "response", "follow", Follow,
    description="along the surface that was felt, from touch to touch, to where the new path would cross it",
)  # fmt: skip


def is_aside_of_steps(situation: motion.Situation, segment: motion.Segment) -> bool:
    """Whether a segment is that along the surface, from where the arm went back to."""
    places = situation.motion.places
    return (
        segment.number == 1
        and places is not None
        and motion.cell_at(situation.map.grid, places[1]) is None
    )


def retreat_from_surface(
    situation: motion.Situation, retreat: Retreat, segment: motion.Segment
) -> Cell:
    """As any retreat, but from a segment along or to the surface the cell where it could have begun."""
    now, obstacles = situation.motion, situation.map.obstacles()
    cell = now.start if is_aside_of_steps(situation, segment) else None
    approach = now.approach
    if approach is not None and segment.number == approach.segment and now.places is not None:
        end = motion.cell_at(situation.map.grid, now.places[segment.number + 1])
        cell = next(c for c in approach.step.ends if c != end)
    if cell is None or obstacles[cell]:
        return retreat.cell(segment)
    retreat.tries.clear()
    return cell
