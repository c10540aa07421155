"""A user's response: what it is asked with, and what becomes of its waypoints.

They are checked and become a motion of the tool.
"""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopfield_nav.navigation.answer import go_on
from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.motion import (
    LEAST_FORCE,
    Means,
    MotionPhase,
    PlannedMotion,
    Reference,
    is_corner,
    joints_over,
    seconds_between,
    tool_at,
    tool_poses,
    trajectory_through,
)
from hopfield_nav.navigation.planners import as_points, believed_by, targets
from hopfield_nav.navigation.responses.response import Response
from hopfield_nav.navigation.responses.touch import SLOWER, ToolTouch
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


class OwnResponse(Response):
    """Asks a response of the user, after touches and ends of motions of the tool."""

    def __init__(self, method: Method, values: Mapping[str, Any]) -> None:
        self._own = Own(method, values)
        self._chosen: np.ndarray | None = None  # the waypoints of its last answer

    def after_touch(
        self, start: Cell, touch: ToolTouch, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion | None:
        """Back, and over the waypoints.

        None where there are none, or the arm does not reach them.
        """
        segment = touch.segment
        flat = segment.direction[: map.rank]
        size = float(np.linalg.norm(flat))
        believed = believed_by(start, map, means.world).read_only()
        report = TouchReport(
            time=touch.begin.time,
            believed=believed,
            place=map.in_cells(segment.place),
            direction=flat / size if size > LEAST_FORCE else np.zeros(map.rank),
            force=touch.force[: map.rank].copy(),
            step=None if segment.step is None else np.array(segment.step.ends),
            find=_planner(map, means),
        )
        self._chosen = self._own.ask(
            "on_touch", report, lambda answer: checked_waypoints(answer, believed)
        )
        return self._by_way_of(start, touch.begin, motion, map, means)

    def after_rest(
        self, begin: Reference, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion | None:
        """Over the next waypoints; after a reaction over those that were chosen at the touch."""
        if motion.reacts:
            return self._by_way_of(motion.start, begin, motion, map, means)
        if motion.phase is not MotionPhase.EXPLORE:
            return None
        here: Cell = tuple(int(c) for c in motion.cells[-1])
        self._chosen = None
        if here not in targets(map):
            self._chosen = self._ask_at_rest(here, begin, map, means)
        if self._chosen is not None:
            onward = _over(self._chosen, here, begin, motion, map, means)
            if onward is not None:
                return onward
        return go_on(here, begin, motion, map, means)

    def past_touch(
        self, end: Cell, touch: ToolTouch, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion | None:
        """To the end of a segment on which a touch is passed by; there it is asked again."""
        points = np.array([end], dtype=float)
        onward = _over(points, end, touch.begin, motion, map, means, SLOWER)
        return onward or go_on(end, touch.begin, motion, map, means)

    def _ask_at_rest(
        self, here: Cell, begin: Reference, map: ToolMap, means: Means
    ) -> np.ndarray | None:
        believed = believed_by(here, map, means.world).read_only()
        report = TouchReport(
            time=begin.time,
            believed=believed,
            place=map.in_cells(tool_at(means.arm, begin.q)),
            direction=np.zeros(map.rank),
            force=np.zeros(map.rank),
            step=None,
            find=_planner(map, means),
        )
        chosen: np.ndarray | None = self._own.ask(
            "on_rest", report, lambda answer: checked_waypoints(answer, believed)
        )
        return chosen

    def _by_way_of(
        self, start: Cell, begin: Reference, motion: PlannedMotion, map: ToolMap, means: Means
    ) -> PlannedMotion | None:
        """Over the centre of a cell and the chosen waypoints; None without any."""
        if self._chosen is None:
            return None
        points = np.concatenate([np.array([start], dtype=float), self._chosen])
        return _over(points, start, begin, motion, map, means)


def _planner(map: ToolMap, means: Means) -> Callable[[Cell], np.ndarray | None]:
    """What finds the cells of a path as the world's planner would."""

    def find(start: Cell) -> np.ndarray | None:
        cells = means.paths.find(start, map).plan.cells
        return None if cells is None else cells.copy()

    return find


def _over(
    points: np.ndarray,
    start: Cell,
    begin: Reference,
    motion: PlannedMotion,
    map: ToolMap,
    means: Means,
    slower: float = 1.0,
) -> PlannedMotion | None:
    """Over points (k, rank) in cells, at rest at corners.

    None where the arm does not reach them.
    """
    poses = tool_poses(points, map, means.world)
    cells = np.rint(points).astype(int)
    joints = joints_over(poses, begin.q, motion, map, means)
    if joints.reason:
        map.exclude(poses[joints.reached, :3, 3], cells, start)
        return None
    places = np.vstack([tool_at(means.arm, begin.q), poses[:, :3, 3]])
    is_between_centres = bool((points != cells).any())
    times = seconds_between(places, is_between_centres, map, means.world)
    times[0] *= slower
    rests = means.paths.rests(places, map)
    assert rests is not None
    lines = itertools.pairwise(np.diff(places, axis=0))
    rests[:-1] |= np.array([is_corner(a, b) for a, b in lines], dtype=bool)
    trajectory = trajectory_through(joints.q, times, begin, means, rests)
    return PlannedMotion(start, cells, trajectory, places=places, phase=MotionPhase.EXPLORE)


def checked_waypoints(answer: Any, believed: BelievedMap) -> np.ndarray | None:
    """The waypoints (k, rank) that a response answers.

    None where it leaves the choice to the planner.

    Raises ``MethodFailed``: they have another shape, leave the map, or lead through what is known.
    """
    if answer is None:
        return None
    points = as_points(answer, believed).astype(float)
    shape = np.array(believed.blocked.shape)
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
