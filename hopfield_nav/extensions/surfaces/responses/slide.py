"""The response ``slide``: along what was felt, in contact (``explore: slide``; ragazzon2012 7.3 and 8.1).

Where the network's new path leads through the surface that was just felt, the arm stays on the
surface and slides towards where the path leads through it. Every step whose line it slides across
is closed: the surface was felt there. In space it seldom meets a line that it does not aim at; the
steps beside its way, across which the surface leads as far as it is known, are believed to be
closed. It leaves where the path does not lead through the surface any more, and replans.
"""

import itertools
from dataclasses import dataclass, field

import numpy as np

from dynamics import Arm
from hopfield_nav.control import Controller
from hopfield_nav.extensions.surfaces.responses.follow import FAR, retreat_from_surface
from hopfield_nav.extensions.surfaces.slide_phase import SlidePhase
from hopfield_nav.extensions.surfaces.surface import CORNER, Surface
from hopfield_nav.loop import quintic_trajectory
from hopfield_nav.navigation import motion
from hopfield_nav.navigation.map import Cell, Step
from hopfield_nav.navigation.responses import (
    MAX_TRIES,
    ON_LINE,
    BelievedPaths,
    Replan,
    Retreat,
    ToolTouch,
)
from hopfield_nav.plugin import Method
from hopfield_nav.world import World

MAX_IDLE = 4.0  # [cells] slid without closing a step, after which the arm leaves
STUCK = 0.25, 8.0  # [cells] and times as long as that takes: who has not come so far is in a corner
MAX_IN_VAIN = 2  # slides in a row that close no step, after which the arm goes back to a centre
_STRAIGHT_ON = (
    0.25  # [cells] a path that leads through the surface so near asks for no other side, if flat
)
_BESIDE = (
    0.5  # [cells] beside its way in space at which the arm believes in the surface that it feels
)
_IN_FRONT = 0.1  # [cells] from the surface to a centre in front of it, at least


@dataclass
class _Course:
    """How one slide has gone so far."""

    axis: np.ndarray | None = None  # as ``Slide.axis``; None before it is chosen
    felt: np.ndarray | None = None  # (3,) where the surface was felt last [m]
    idle: float = 0.0  # way since a step was closed [m]
    learned: bool = False  # whether it has closed a step
    came: tuple[float, np.ndarray] | None = None  # when [s] and where (3,) [m] the arm last got on
    # places and normals on the last cell's length
    behind: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)


class SlideAlong(Replan):
    """Slides along surfaces."""

    def __init__(
        self,
        situation: motion.Situation,
        motions: motion.ToolMotions,
        paths: BelievedPaths,
        retreat: Retreat,
    ) -> None:
        super().__init__(situation, motions, paths, retreat)
        self._map = situation.map
        self.surface: Surface | None = None  # that the arm is on; None where it is on none
        self.strides = 0  # number of slides that were begun
        self._far = FAR * situation.map.grid.spacing
        self._course = _Course()
        self._in_vain = 0  # slides in a row that closed no step
        self._centres = np.zeros((0, 3))  # of the path from the slide on [m]

    def slide_phase(self, world: World, arm: Arm, controller: Controller) -> SlidePhase:  # type: ignore[override]
        """How the arm slides (``Replan``)."""
        return SlidePhase(world, arm, controller, self)

    def on_touch(self, touch: ToolTouch) -> motion.PlannedMotion:
        """A slide if the new path leads through what was felt, on whatever segment that was."""
        segment, begin = touch.touched, touch.begin
        start, normal = (
            retreat_from_surface(self._situation, self._retreat, segment),
            self._along_map(touch.felt),
        )
        normal = normal if normal.any() else -segment.direction
        self.surface = Surface(self._map.flat(segment.place)[None], normal[None])
        front = self._cell_in_front(self.surface.points[-1])
        in_vain, self._in_vain = self._in_vain >= MAX_IN_VAIN, self._in_vain % MAX_IN_VAIN
        if front is not None and not in_vain:
            found = self._along_surface(front, begin)
            if found is not None:
                return found
        self.surface = None
        return self.go_on(self._nearer(start, front, segment.place), begin)

    def on_rest(self, touch: ToolTouch) -> motion.PlannedMotion:
        """After a slide from the cell beside the arm; else as ``Replan``."""
        if self._situation.motion.slide is None:
            return super().on_rest(touch)
        self.surface = None
        self._in_vain = 0 if self._course.learned else self._in_vain + 1
        return super().on_rest(touch)._replace(first_segment=motion.FirstSegment.RETREAT)

    def confirm_slide(self, held: bool) -> None:
        """Whether the arm, when it set out to slide, still felt what it had touched."""
        self._map.beliefs.confirm(held)

    def slide_on(
        self, time: float, place: np.ndarray, normal: np.ndarray, felt: bool
    ) -> np.ndarray | None:
        """Learn from where the arm slides; the axis (3,) to go on about, see ``Slide``; None: it can leave.

        The unit vector ``normal`` (3,) points from the surface, which is felt at ``place`` (3,)
        [m], or searched.
        """
        place, normal, course = self._map.flat(place), self._along_map(normal), self._course
        learned = felt and self._slide_across(place, normal)
        self.surface = Surface(place[None], self._normals(place, normal))
        start = self._cell_in_front(place)
        length = STUCK[0] * self._map.grid.spacing
        if course.came is None or float(np.linalg.norm(place - course.came[1])) > length:
            course.came = time, place
        stuck = (
            time - course.came[0] > STUCK[1] * length / self._situation.world.explore.speed
        )  # as between two walls
        if course.idle > MAX_IDLE * self._map.grid.spacing or stuck:
            return None
        if start is None:
            return course.axis
        if learned or start != self._situation.motion.start:
            self._set_out_from(start)
        axis = self._axis_to_path()
        course.axis = course.axis if axis is None else axis
        return axis

    def _along_map(self, vector: np.ndarray) -> np.ndarray:
        """The direction (3,) of a vector, on a flat map of its horizontal part; zero where it has none."""
        rank, flat = self._map.rank, np.zeros(3)
        flat[:rank] = vector[:rank]
        size = float(np.linalg.norm(flat))
        return flat / size if size > motion.LEAST_FORCE else np.zeros(3)

    def _normals(self, place: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """The normal at a place, and the mean over the last cell's length, as a rough wall is one wall."""
        course = self._course
        near = [
            row for row in course.behind if np.linalg.norm(row[0] - place) <= self._map.grid.spacing
        ]
        near.append((place, normal))
        course.behind = near
        mean = np.mean([n for _, n in near], axis=0)
        size = float(np.linalg.norm(mean))
        return normal[None] if size < CORNER else np.stack([normal, mean / size])

    def _nearer(self, start: Cell, front: Cell | None, place: np.ndarray) -> Cell:
        """To go back to: the cell in front of the surface, if it is nearer and was not tried in vain.

        On its way along a surface the tool came over no centres.
        """
        if front is None or self._retreat.tries[front] >= MAX_TRIES:
            return start
        away = [
            float(np.linalg.norm(self._map.grid.centre(cell) - place)) for cell in (start, front)
        ]
        if away[1] >= away[0]:
            return start
        self._retreat.tries[front] += 1
        return front

    def _along_surface(self, start: Cell, begin: motion.Reference) -> motion.PlannedMotion | None:
        """A slide; None where the new path does not lead through the surface."""
        assert self.surface is not None
        before = self._situation.motion
        self._set_out_from(start)
        self._course = _Course()
        axis = self._axis_to_path()
        if axis is None:
            self._situation.motion = before
            return None
        self._course.axis = axis
        self.strides += 1
        return self._situation.motion._replace(
            trajectory=quintic_trajectory(begin.q[None], 1.0, begin.time), places=None,
            phase=motion.MotionPhase.SLIDE, first_segment=motion.FirstSegment.RETREAT, approach=None,
            slide=motion.Slide(self.surface.normal, axis),
        )  # fmt: skip

    def _set_out_from(self, start: Cell) -> None:
        """Plan from a cell in front of the surface."""
        cells = self._paths.find(start).plan.cells
        cells = np.array([start]) if cells is None else cells
        self._situation.motion = self._situation.motion._replace(start=start, cells=cells)
        self._centres = self._map.grid.centre(cells)

    def _axis_to_path(self) -> np.ndarray | None:
        """About which to slide to where the path leads through the surface; None if not, near the arm."""
        assert self.surface is not None
        place, normal = self.surface.points[-1], self.surface.normal
        found = self.surface.crossing(self._centres)
        if found is None or np.linalg.norm(found[1] - place) > self._far:
            return None
        axis, flat = np.cross(normal, found[1] - place), self._map.rank == 2
        size = float(np.linalg.norm(axis))
        if self._course.axis is not None and size < (
            _STRAIGHT_ON * self._map.grid.spacing if flat else ON_LINE
        ):
            return self._course.axis
        if size > 0.0:
            return axis / size
        upright = np.eye(3)[
            2 if abs(normal[2]) < motion.AGAINST else 0
        ]  # as far as it is perpendicular to the normal
        axis = upright - (upright @ normal) * normal
        return axis / np.linalg.norm(axis)

    def _cell_in_front(self, place: np.ndarray) -> Cell | None:
        """The nearest cell whose centre is in front of the surface, and from which the arm can go on."""
        assert self.surface is not None
        obstacles, found = self._map.obstacles(), []
        here = self._map.grid.cell_of(place)
        for cell in itertools.product(*(range(c - 1, c + 2) for c in here)):
            if not self._map.grid.inside(cell) or obstacles[cell]:
                continue
            centre = self._map.grid.centre(cell)
            if self.surface.height(centre[None])[0] > _IN_FRONT * self._map.grid.spacing:
                found.append((float(np.linalg.norm(centre - place)), cell))
        return min(found)[1] if found else None

    def _slide_across(self, place: np.ndarray, normal: np.ndarray) -> bool:
        """Close the steps whose lines lie between the last place and this one; whether that is new of any."""
        course = self._course
        before, course.felt = course.felt, place
        if before is None:
            return False
        course.idle += float(np.linalg.norm(place - before))
        steps = self._steps_across(before, place, normal)
        known = {step: self._map.beliefs.certainty(step) for step in steps}
        for step, off in steps.items():
            if abs(normal[step.axis]) >= motion.AGAINST and off <= ON_LINE:
                self._map.beliefs.touch(step, true_stop=True)
                self._map.beliefs.confirm(True)
            else:
                self._map.beliefs.believe_closed(step)
        learned = any(self._map.beliefs.certainty(step) > known[step] for step in steps)
        if learned:
            course.idle, course.learned = 0.0, True
        return learned

    def _steps_across(
        self, begin: np.ndarray, end: np.ndarray, normal: np.ndarray
    ) -> dict[Step, float]:
        """Steps whose lines a short way between two places (3,) [m] passes, and how far beside it they are.

        On a flat map it crosses them. In space the surface beside the way is the plane across its
        normal.
        """
        first, way = self._map.in_cells(begin), self._map.in_cells(end) - self._map.in_cells(begin)
        wide = 1e-9 if len(first) == 2 else _BESIDE
        found = {}
        for axis in range(len(first)):
            others = [k for k in range(len(first)) if k != axis]
            start, chord = first[others], way[others]
            low, high = (
                np.minimum(start, start + chord) - wide,
                np.maximum(start, start + chord) + wide,
            )
            for line in itertools.product(*map(np.arange, np.ceil(low), np.floor(high) + 1.0)):
                share = float((line - start) @ chord) / max(float(chord @ chord), 1e-30)
                beside = line - start - share * chord
                off = float(np.linalg.norm(beside)) * self._map.grid.spacing
                across = abs(normal[axis]) >= motion.AGAINST
                if not 0.0 <= share < 1.0 or off > max(
                    wide * self._map.grid.spacing if across else 0.0, ON_LINE
                ):
                    continue
                along = first[axis] + share * way[axis]
                along -= normal[others] @ beside / normal[axis] if across else 0.0
                cell = np.insert(np.array(line), axis, np.floor(along)).astype(int)
                step = Step(tuple(cell.tolist()), axis)
                if all(self._map.grid.inside(c) for c in step.ends):
                    found[step] = off
        return found


METHOD = Method(
    "response", "slide", SlideAlong,
    description="along the surface that was felt, in touch with it, until the new path is free",
)  # fmt: skip
