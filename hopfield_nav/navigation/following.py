"""The navigator that follows what it felt (``explore: follow``; wished for in ragazzon2012 7.3 and 8.1).

From a touch it goes back by a chosen distance only, along the felt surface, and touches again on the line of
a step that leads through it: the step by which the new path of the network would cross the surface. So the
network's costs choose the side, every such touch closes a step by the same rules as any other, and where
nothing is felt the arm is on its path already. All else is done by ``FeelingNavigator``: it goes on where
the surface does not stand in the path, and wherever following has failed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.loop import quintic_trajectory
from hopfield_nav.navigation.beliefs import Cell, step_between
from hopfield_nav.navigation.feeling import FeelingNavigator
from hopfield_nav.navigation.known_map import touches
from hopfield_nav.navigation.legs import LEAST_FORCE, Leg, cell_at
from hopfield_nav.navigation.motion import Approach, PlannedMotion
from hopfield_nav.navigation.surface import Crossing, Surface, crossings, with_point
from hopfield_nav.navigation.waypoints import seconds_per_cell
from hopfield_nav.planning import Plan
from hopfield_nav.world import World

MOST_ASIDE = 1  # touches in a row on the way along a surface, after which the arm goes back to a centre
STEEPEST = 0.5  # cosine between a step and the normal below which the step hardly leads through the surface
LEAST_TIME = 0.3  # of the time of a cell, for the shortest legs
_FAR = 1.5  # [cells] from the last touch to which a surface is believed to go on, if steps are not longer


class _Along(NamedTuple):
    """Tool positions (k, 3) along the surface [m], and the cells of the path from there on."""

    before: np.ndarray
    cells: np.ndarray
    approach: Approach | None


class SurfaceNavigator(FeelingNavigator):
    """Map, planner and trajectories of a run with ``explore: follow``.

    Attributes:
        surface: that is being followed; None where there is none.
        felt_surfaces: what was believed of it after each touch.
        strides: number of motions along a surface that were begun.

    Args:
        world: resolved.
        arm: the kinematics that the controller plans with.
        start: (n,) joint angles at the beginning [rad].
    """

    def __init__(self, world: World, arm: Arm, start: np.ndarray) -> None:
        super().__init__(world, arm, start)
        self.surface: Surface | None = None
        self.felt_surfaces: list[Surface] = []
        self.strides = 0
        self._aside = 0
        self._leg: Leg | None = None
        self._stride = world.explore.step or 0.0
        self._far = max(_FAR * self.grid.spacing, self._stride)

    def decide(self, time: float, q: np.ndarray, qd: np.ndarray, held: float) -> PlannedMotion:
        """As ``FeelingNavigator.decide``; after a ``reaction`` along the surface, if that is possible."""
        if not self.motion.reaction or self._leg is None:
            return super().decide(time, q, qd, held)
        motion = self._along_surface(self._leg, self.motion.start, time, q, qd, np.zeros(len(q)))
        if motion is None:
            return super().decide(time, q, qd, held)
        self.motion = motion._replace(retreats=True)
        return self.motion

    def _learn_passage(self, until: int) -> None:
        """Where a leg to a surface was driven to its end, the surface ends before it."""
        if self.motion.approach is not None and until > self.motion.approach.leg:
            self.surface = None
        super()._learn_passage(until)

    def _go_back(
        self, leg: Leg, force: np.ndarray, time: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
    ) -> PlannedMotion:
        """Along the surface if that is possible; else as without."""
        aside = self._is_aside_of_steps(leg)
        start = self._retreat_to(leg)
        self._aside = self._aside + 1 if aside else 0
        self._leg = leg
        if (leg.step is None and not aside) or self._aside > MOST_ASIDE:
            self.surface = self._leg = None
            return self._go_on(start, time, q, qd, qdd)
        self._feel(leg, force)
        motion = self._along_surface(leg, start, time, q, qd, qdd)
        return self._go_on(start, time, q, qd, qdd) if motion is None else motion

    def _is_aside_of_steps(self, leg: Leg) -> bool:
        """Whether a leg is that along the surface, from where the arm went back to."""
        places = self.motion.places
        return leg.number == 1 and places is not None and cell_at(self.grid, places[1]) is None

    def _retreat_to(self, leg: Leg) -> Cell:
        """As without, but from a leg along the surface or to it the cell from which it could have begun."""
        motion, obstacles = self.motion, self._obstacles()
        cell = motion.start if self._is_aside_of_steps(leg) else None
        if motion.approach is not None and leg.number == motion.approach.leg and motion.places is not None:
            end = cell_at(self.grid, motion.places[leg.number + 1])
            cell = next(c for c in motion.approach.step.ends if c != end)
        if cell is None or obstacles[cell]:
            return super()._retreat_to(leg)
        self._tries.clear()
        return cell

    def _feel(self, leg: Leg, force: np.ndarray) -> None:
        """One more point of the surface; steps through it between two points are believed closed."""
        grid, rank = self.grid, len(self.grid.shape)
        place, outward, back = self._flat(leg.place), np.zeros(3), -leg.direction
        size = float(np.linalg.norm(force[:rank]))
        outward[:rank] = force[:rank] / size if size > LEAST_FORCE else back[:rank]
        before = self.surface
        if before is not None and np.linalg.norm(place - before.points[-1]) > 2.0 * self._far:
            before = None
        self.surface = with_point(before, place, outward, back, grid)
        self.felt_surfaces.append(self.surface)
        if len(self.surface.points) == 1:
            return
        wide = 0.0 if rank == 2 else 0.5 * grid.spacing
        for crossing in crossings(grid, self.surface, self.surface.points[-2], place, wide + 1e-9):
            step = step_between(crossing.free, crossing.behind)
            if step is not None:
                self.beliefs.believe_closed(step)

    def _flat(self, place: np.ndarray) -> np.ndarray:
        """A place (3,), at the height of a flat map [m]."""
        rank = len(self.grid.shape)
        return np.concatenate([place[:rank], self.grid.origin[rank:]])

    def _along_surface(
        self, leg: Leg, start: Cell, time: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
    ) -> PlannedMotion | None:
        """Back from the surface, along it and on; None where it cannot be followed, or need not."""
        along = self._way_along(leg, start)
        if along is None:
            return None
        rest = self._tool_path(Plan(along.cells, "", np.inf, self.world.planner.kind), q, at_rest=False)
        before = np.tile(rest.poses[:1], (len(along.before), 1, 1))
        before[:, :3, 3] = along.before
        poses = np.concatenate([before, rest.poses])
        path = self._follow(poses, q)
        if path.reason:
            return None
        places = np.vstack([forward_kinematics(self.arm, q)[:3, 3], poses[:, :3, 3]])
        rests = self._rests(places)
        rests[: len(before)] = True
        trajectory = quintic_trajectory(
            np.vstack([q, path.q]), self._durations(places), time, qd, qdd,
            self.arm.speed_limits, self.world.trajectory.sample_time, rests,
        )  # fmt: skip
        self.strides += 1
        cells = np.vstack([start, along.cells])
        return PlannedMotion(start, cells, trajectory, places=places, approach=along.approach)

    def _durations(self, places: np.ndarray) -> np.ndarray:
        """Of the legs between places (k + 1, 3) [s]: those shorter than a cell accelerate no more than it."""
        cells = np.linalg.norm(np.diff(places, axis=0), axis=1) / self.grid.spacing
        share = np.maximum(np.where(cells < 1.0, np.sqrt(cells), cells), LEAST_TIME)
        return seconds_per_cell(self.world.trajectory.time_per_cell) * share

    def _way_along(self, leg: Leg, start: Cell) -> _Along | None:
        """Along the surface to the first step of the new path that leads through it, or past it."""
        if self.surface is None:
            return None
        plan = self._make_plan(start)
        if plan.cells is None or len(plan.cells) < 2:
            return None
        retract, surface = self.world.explore.retract, self.surface
        away = -leg.direction if leg.step is not None else surface.normal
        back = self._flat(surface.points[-1] + retract * away)
        centres = np.array([self.grid.centre(cell) for cell in plan.cells])
        found = surface.crossing(centres)
        if found is None or np.linalg.norm(found[1] - surface.points[-1]) > self._far:
            return self._past(back, plan.cells, centres)
        k, point = found
        crossing = Crossing(tuple(plan.cells[k].tolist()), tuple(plan.cells[k + 1].tolist()), point)
        longer = self._longer(crossing)
        cells = plan.cells[k + 1 :] if longer is None else longer[1]
        crossing = crossing if longer is None else longer[0]
        step = step_between(crossing.free, crossing.behind)
        first, last = (self.grid.centre(cell) for cell in (crossing.free, crossing.behind))
        into = (last - first) / np.linalg.norm(last - first)
        if step is None or -float((surface.normals @ into).min()) < STEEPEST:
            return None
        ahead = crossing.point - min(retract, float((crossing.point - first) @ into)) * into
        if not self._is_clear(back, ahead):
            return None
        return _Along(np.stack([back, ahead]), cells, Approach(2, step))

    def _past(self, back: np.ndarray, cells: np.ndarray, centres: np.ndarray) -> _Along | None:
        """Straight to the second cell of a path on which the surface does not stand."""
        assert self.surface is not None
        step = step_between(cells[0], cells[1])
        if step is None or self.beliefs.certainty(step) > 0.0 or not self._is_clear(back, centres[1]):
            return None
        if self.surface.height(centres[1:2])[0] < self.world.explore.retract:
            return None
        return _Along(back[None], cells[1:], None)

    def _longer(self, crossing: Crossing) -> tuple[Crossing, np.ndarray] | None:
        """The step through the surface a whole stride away, and the path from behind it."""
        assert self.surface is not None
        spacing, surface = self.grid.spacing, self.surface
        way = crossing.point - surface.points[-1]
        length = float(np.linalg.norm(way))
        if self._stride < length + 0.5 * spacing or length == 0.0:
            return None
        wanted = surface.points[-1] + self._stride / length * way
        obstacles = self._obstacles()
        found = [
            c
            for c in crossings(self.grid, surface, wanted, wanted, spacing)
            if not (obstacles[c.free] or obstacles[c.behind] or self._is_doubted(c))
        ]
        for candidate in sorted(found, key=lambda c: float(np.linalg.norm(c.point - wanted))):
            cells = self._make_plan(candidate.behind).cells
            if cells is not None:
                return candidate, cells
        return None

    def _is_doubted(self, crossing: Crossing) -> bool:
        step = step_between(crossing.free, crossing.behind)
        return step is None or self.beliefs.certainty(step) > 0.0

    def _is_clear(self, begin: np.ndarray, end: np.ndarray) -> bool:
        """Whether nothing known, and no excluded cell, stands between two places (3,) [m]."""
        if touches(self.known.solids, begin, end):
            return False
        count = int(np.ceil(2.0 * np.linalg.norm(end - begin) / self.grid.spacing)) + 1
        cells = [self.grid.cell_of(begin + s * (end - begin)) for s in np.linspace(0.0, 1.0, count)]
        obstacles = self._obstacles()
        return all(self.grid.inside(cell) and not obstacles[cell] for cell in cells)
