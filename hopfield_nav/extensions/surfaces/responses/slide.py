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
from hopfield_nav.extensions.surfaces.slide_phase import SlidePhase, Sliding
from hopfield_nav.extensions.surfaces.surface import CORNER, Surface
from hopfield_nav.loop import quintic_trajectory
from hopfield_nav.navigation import go_on
from hopfield_nav.navigation.map import Cell, Step, ToolMap
from hopfield_nav.navigation.motion import (
    AGAINST,
    LEAST_FORCE,
    FirstSegment,
    Means,
    MotionPhase,
    PlannedMotion,
    Reference,
    Slide,
)
from hopfield_nav.navigation.responses import MAX_TRIES, ON_LINE, Response, ToolTouch
from hopfield_nav.plugin import FORCE_FELT, Method
from hopfield_nav.world import World

MAX_IDLE = 4.0  # [cells] slid without closing a step, after which the arm leaves
STUCK = 0.25, 8.0  # [cells] and times as long as that takes: who has not come so far is in a corner
MAX_IN_VAIN = 2  # slides in a row that close no step, after which the arm goes back to a centre
# [cells] a path that leads through the surface so near asks for no other side, if flat
_STRAIGHT_ON = 0.25
# [cells] beside its way in space at which the arm believes in the surface that it feels
_BESIDE = 0.5
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


class SlideAlong(Response):
    """Slides along surfaces."""

    def __init__(self) -> None:
        self.surface: Surface | None = None  # that the arm is on; None where it is on none
        self.strides = 0  # number of slides that were begun
        self._course = _Course()
        self._in_vain = 0  # slides in a row that closed no step
        self._centres = np.zeros((0, 3))  # of the path from the slide on [m]

    def phase(
        self, world: World, arm: Arm, controller: Controller, map: ToolMap, means: Means
    ) -> SlidePhase:
        """How the arm slides (``Response``)."""
        return SlidePhase(world, arm, controller, self, map, means)

    def after_touch(
        self, start: Cell, touch: ToolTouch, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion:
        """A slide if the new path leads through what was felt, on whatever segment that was."""
        segment = touch.segment
        start = retreat_from_surface(start, segment, motion, map)
        normal = along_map(touch.force, map)
        normal = normal if normal.any() else -segment.direction
        surface = self.surface = Surface(map.flat(segment.place)[None], normal[None])
        front = _cell_in_front(surface, surface.points[-1], map)
        in_vain = self._in_vain >= MAX_IN_VAIN
        self._in_vain %= MAX_IN_VAIN
        if front is not None and not in_vain:
            slide = self._slide_from(front, surface, touch.begin, motion, map, means)
            if slide is not None:
                return slide
        self.surface = None
        nearer = _nearer(start, front, segment.place, map)
        return go_on(nearer, touch.begin, motion, map, means)

    def after_rest(
        self, begin: Reference, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion | None:
        """After a slide from the cell beside the arm."""
        if motion.slide is None:
            return None
        self.surface = None
        self._in_vain = 0 if self._course.learned else self._in_vain + 1
        onward = go_on(motion.start, begin, motion, map, means)
        return onward._replace(first_segment=FirstSegment.RETREAT)

    def slide_on(
        self,
        time: float,
        place: np.ndarray,
        normal: np.ndarray,
        felt: bool,
        motion: PlannedMotion,
        map: ToolMap,
        means: Means,
    ) -> Sliding:
        """Learn from where the arm slides, and say how it goes on.

        The unit vector ``normal`` (3,) points from the surface, which is felt at ``place`` (3,)
        [m], or searched.
        """
        course = self._course
        place = map.flat(place)
        normal = along_map(normal, map)
        learned = felt and self._slide_across(place, normal, map)
        surface = self.surface = Surface(place[None], self._normals(place, normal, map))
        start = _cell_in_front(surface, place, map)
        length = STUCK[0] * map.grid.spacing
        if course.came is None or float(np.linalg.norm(place - course.came[1])) > length:
            course.came = time, place
        # as between two walls
        stuck = time - course.came[0] > STUCK[1] * length / means.world.explore.speed
        if course.idle > MAX_IDLE * map.grid.spacing or stuck:
            return Sliding(None, motion)
        if start is None:
            return Sliding(course.axis, motion)
        if learned or start != motion.start:
            cells = _cells_from(start, map, means)
            motion = motion._replace(start=start, cells=cells)
            self._centres = map.grid.centre(cells)
        axis = self._axis_to_path(surface, map)
        if axis is not None:
            course.axis = axis
        return Sliding(axis, motion)

    def _normals(self, place: np.ndarray, normal: np.ndarray, map: ToolMap) -> np.ndarray:
        """The normal at a place, and the mean over the last cell's length, as a rough wall is one wall."""
        near = [
            row for row in self._course.behind if np.linalg.norm(row[0] - place) <= map.grid.spacing
        ]
        near.append((place, normal))
        self._course.behind = near
        mean = np.mean([n for _, n in near], axis=0)
        size = float(np.linalg.norm(mean))
        return normal[None] if size < CORNER else np.stack([normal, mean / size])

    def _slide_from(
        self,
        start: Cell,
        surface: Surface,
        begin: Reference,
        motion: PlannedMotion,
        map: ToolMap,
        means: Means,
    ) -> PlannedMotion | None:
        """A slide; None where the new path from a cell does not lead through the surface."""
        cells = _cells_from(start, map, means)
        self._centres = map.grid.centre(cells)
        self._course = _Course()
        axis = self._axis_to_path(surface, map)
        if axis is None:
            return None
        self._course.axis = axis
        self.strides += 1
        return motion._replace(
            start=start,
            cells=cells,
            trajectory=quintic_trajectory(begin.q[None], 1.0, begin.time),
            places=None,
            phase=MotionPhase.SLIDE,
            first_segment=FirstSegment.RETREAT,
            part_of_step=None,
            slide=Slide(surface.normal, axis),
        )

    def _axis_to_path(self, surface: Surface, map: ToolMap) -> np.ndarray | None:
        """About which to slide to where the path leads through the surface.

        None if not, near the arm.
        """
        place = surface.points[-1]
        normal = surface.normal
        found = surface.crossing(self._centres)
        if found is None or np.linalg.norm(found[1] - place) > FAR * map.grid.spacing:
            return None
        axis = np.cross(normal, found[1] - place)
        size = float(np.linalg.norm(axis))
        straight_on = _STRAIGHT_ON * map.grid.spacing if map.rank == 2 else ON_LINE
        if self._course.axis is not None and size < straight_on:
            return self._course.axis
        if size > 0.0:
            return axis / size
        # as far as it is perpendicular to the normal
        upright = np.eye(3)[2 if abs(normal[2]) < AGAINST else 0]
        axis = upright - (upright @ normal) * normal
        return axis / np.linalg.norm(axis)

    def _slide_across(self, place: np.ndarray, normal: np.ndarray, map: ToolMap) -> bool:
        """Close the steps whose lines lie between the last place and this one; whether that is new of any."""
        course = self._course
        before = course.felt
        course.felt = place
        if before is None:
            return False
        course.idle += float(np.linalg.norm(place - before))
        steps = _steps_across(before, place, normal, map)
        known = {step: map.beliefs.certainty(step) for step in steps}
        for step, off in steps.items():
            if abs(normal[step.axis]) >= AGAINST and off <= ON_LINE:
                map.beliefs.touch(step, true_stop=True)
                map.beliefs.confirm(True)
            else:
                map.beliefs.believe_closed(step)
        learned = any(map.beliefs.certainty(step) > known[step] for step in steps)
        if learned:
            course.idle = 0.0
            course.learned = True
        return learned


def along_map(vector: np.ndarray, map: ToolMap) -> np.ndarray:
    """The direction (3,) of a vector, on a flat map of its horizontal part.

    Zero where it has none.
    """
    flat = np.zeros(3)
    flat[: map.rank] = vector[: map.rank]
    size = float(np.linalg.norm(flat))
    return flat / size if size > LEAST_FORCE else np.zeros(3)


def _cells_from(start: Cell, map: ToolMap, means: Means) -> np.ndarray:
    """A path (k, rank) from a cell in front of the surface; that cell alone where there is none."""
    cells = means.paths.find(start, map).plan.cells
    return np.array([start]) if cells is None else cells


def _nearer(start: Cell, front: Cell | None, place: np.ndarray, map: ToolMap) -> Cell:
    """To go back to: the cell in front of the surface, if it is nearer and was not tried in vain.

    On its way along a surface the tool came over no centres.
    """
    if front is None or map.tries[front] >= MAX_TRIES:
        return start
    to_front = float(np.linalg.norm(map.grid.centre(front) - place))
    to_start = float(np.linalg.norm(map.grid.centre(start) - place))
    if to_front >= to_start:
        return start
    map.tries[front] += 1
    return front


def _cell_in_front(surface: Surface, place: np.ndarray, map: ToolMap) -> Cell | None:
    """The nearest cell whose centre is in front of the surface, and from which the arm can go on."""
    obstacles = map.obstacles()
    found = []
    here = map.grid.cell_of(place)
    for cell in itertools.product(*(range(c - 1, c + 2) for c in here)):
        if not map.grid.inside(cell) or obstacles[cell]:
            continue
        centre = map.grid.centre(cell)
        if surface.height(centre[None])[0] > _IN_FRONT * map.grid.spacing:
            found.append((float(np.linalg.norm(centre - place)), cell))
    return min(found)[1] if found else None


def _whole_numbers(low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """Those between two bounds (k,), of each axis."""
    return [np.arange(a, b) for a, b in zip(np.ceil(low), np.floor(high) + 1.0, strict=True)]


def _steps_across(
    begin: np.ndarray, end: np.ndarray, normal: np.ndarray, map: ToolMap
) -> dict[Step, float]:
    """Steps whose lines a short way between two places (3,) [m] passes, and how far beside it they are.

    On a flat map it crosses them. In space the surface beside the way is the plane across its
    normal.
    """
    first = map.in_cells(begin)
    way = map.in_cells(end) - first
    wide = 1e-9 if len(first) == 2 else _BESIDE
    found = {}
    for axis in range(len(first)):
        others = [k for k in range(len(first)) if k != axis]
        across = abs(normal[axis]) >= AGAINST
        farthest = max(wide * map.grid.spacing if across else 0.0, ON_LINE)
        start = first[others]
        chord = way[others]
        low = np.minimum(start, start + chord) - wide
        high = np.maximum(start, start + chord) + wide
        for line in itertools.product(*_whole_numbers(low, high)):
            share = float((line - start) @ chord) / max(float(chord @ chord), 1e-30)
            beside = line - start - share * chord
            off = float(np.linalg.norm(beside)) * map.grid.spacing
            if not 0.0 <= share < 1.0 or off > farthest:
                continue
            along = first[axis] + share * way[axis]
            if across:
                along -= normal[others] @ beside / normal[axis]
            cell = np.insert(np.array(line), axis, np.floor(along)).astype(int)
            step = Step(tuple(cell.tolist()), axis)
            if all(map.grid.inside(c) for c in step.ends):
                found[step] = off
    return found


METHOD = Method(
    "response", "slide", SlideAlong,
    description="along the surface that was felt, in touch with it, until the new path is free",
    needs=FORCE_FELT, uses=(("controller", "hybrid_force_motion"),), where_hidden="follow",
)  # fmt: skip
