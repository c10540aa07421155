"""A user's response: what it is asked with, and its waypoints, which are checked and become a motion of the tool."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopfield_nav.navigation import motion
from hopfield_nav.navigation.map import Cell
from hopfield_nav.navigation.planners import as_points
from hopfield_nav.navigation.responses.paths import BelievedPaths
from hopfield_nav.navigation.responses.replan import Replan, Retreat
from hopfield_nav.navigation.responses.touch import ToolTouch
from hopfield_nav.plugin import BelievedMap, Method, MethodFailed, Own


@dataclass(frozen=True, eq=False)
class TouchReport:
    """A touch, or a rest without one, as a response of the user gets it; a ``plugin.Touch``."""

    time: float
    believed: BelievedMap
    place: np.ndarray
    direction: np.ndarray
    force: np.ndarray
    step: np.ndarray | None
    find: Callable[[Cell], np.ndarray | None]

    def path(self, start: Cell) -> np.ndarray | None:
        """(k, rank) cells of the world's planner."""
        return self.find(tuple(int(c) for c in start))


class OwnResponse(Replan):
    """Asks a response of the user, after touches and ends of motions of the tool."""

    def __init__(
        self, method: Method, values: Mapping[str, Any],
        situation: motion.Situation, motions: motion.ToolMotions, paths: BelievedPaths, retreat: Retreat,
    ) -> None:  # fmt: skip
        super().__init__(situation, motions, paths, retreat)
        self._own = Own(method, values)
        self._chosen: np.ndarray | None = None

    def on_touch(self, touch: ToolTouch) -> motion.PlannedMotion:
        """Back, and over the waypoints; or as ``Replan``."""
        start = self._retreat.cell(touch.touched)
        self._ask("on_touch", touch, start)
        return self._go(start, touch.begin, at_centre=False) or self.go_on(start, touch.begin)

    def on_rest(self, touch: ToolTouch) -> motion.PlannedMotion:
        """Over the next waypoints; after a reaction over those that were chosen at the touch."""
        now = self._situation.motion
        if now.phase is not motion.MotionPhase.EXPLORE:
            chosen = self._go(now.start, touch.begin, at_centre=False) if now.reacts else None
            return chosen or super().on_rest(touch)
        here: Cell = tuple(int(c) for c in now.cells[-1])
        self._chosen = None
        if here not in self._paths.targets():
            self._ask("on_rest", touch, here)
        return self._go(here, touch.begin, at_centre=True) or self.go_on(here, touch.begin)

    def onward(self, cell: Cell, begin: motion.Reference, slower: float) -> motion.PlannedMotion:
        """To the end of a segment on which a touch is passed by; there it is asked again."""
        return self._over(np.array([cell], dtype=float), cell, begin, slower) or self.go_on(
            cell, begin
        )

    def _ask(self, function: str, touch: ToolTouch, start: Cell) -> None:
        map_, segment = self._situation.map, touch.segment
        believed = self._paths.believed(start).read_only()
        place = self._situation.tool(touch.begin.q) if segment is None else segment.place
        flat = np.zeros(map_.rank) if segment is None else segment.direction[: map_.rank]
        size = float(np.linalg.norm(flat))
        direction = flat / size if size > motion.LEAST_FORCE else np.zeros(map_.rank)
        step = None if segment is None or segment.step is None else np.array(segment.step.ends)
        force = touch.felt[: map_.rank].copy()
        report = TouchReport(
            touch.begin.time, believed, map_.in_cells(place), direction, force, step, self._find
        )
        self._chosen = self._own.ask(
            function, report, lambda answer: checked_waypoints(answer, believed)
        )

    def _find(self, start: Cell) -> np.ndarray | None:
        cells = self._paths.find(start).plan.cells
        return None if cells is None else cells.copy()

    def _go(
        self, start: Cell, begin: motion.Reference, at_centre: bool
    ) -> motion.PlannedMotion | None:
        """Over the chosen waypoints; None without any, or where the arm cannot reach them."""
        if self._chosen is None:
            return None
        first = np.array([start], dtype=float)[int(at_centre) :]
        return self._over(np.concatenate([first, self._chosen]), start, begin)

    def _over(
        self, points: np.ndarray, start: Cell, begin: motion.Reference, slower: float = 1.0
    ) -> motion.PlannedMotion | None:
        """Over points (k, rank) in cells, at rest at corners; None where the arm does not reach them."""
        poses, cells = self._motions.poses(points), np.rint(points).astype(int)
        path = self._motions.follow(poses, begin.q)
        if path.reason:
            self._situation.map.exclude(poses[path.reached, :3, 3], cells, start)
            return None
        places = np.vstack([self._situation.tool(begin.q), poses[:, :3, 3]])
        times = self._motions.times(
            motion.ToolPath(cells, poses, bool((points != cells).any())), places
        )
        times[0] *= slower
        rests, lines = self._paths.rests(places), itertools.pairwise(np.diff(places, axis=0))
        rests[:-1] |= np.array([motion.is_corner(a, b) for a, b in lines], dtype=bool)
        trajectory = self._motions.trajectory(path.q, times, begin, rests)
        return motion.PlannedMotion(
            start, cells, trajectory, places=places, phase=motion.MotionPhase.EXPLORE
        )


def checked_waypoints(answer: Any, believed: BelievedMap) -> np.ndarray | None:
    """The waypoints (k, rank) that a response answers; None where it leaves the choice to the planner.

    Raises ``MethodFailed``: they have another shape, leave the map, or lead through what is known.
    """
    if answer is None:
        return None
    points, shape = as_points(answer, believed).astype(float), np.array(believed.blocked.shape)
    corners = np.vstack([np.array([believed.start], dtype=float), points])
    for begin, end in itertools.pairwise(corners):
        count = int(np.ceil(2.0 * np.abs(end - begin).max())) + 1
        line = begin + np.linspace(0.0, 1.0, count)[1:, None] * (end - begin)
        cells = np.clip(np.rint(line).astype(int), 0, shape - 1)
        known = believed.blocked[tuple(cells.T)] & (cells != np.array(believed.start)).any(axis=1)
        if known.any():
            raise MethodFailed(
                f"its way leads through {cells[known.argmax()].tolist()}, known to be blocked"
            )
    return points
