"""The response ``replan``: back from a touch to a cell, and on from there over a new path."""

import numpy as np

from hopfield_nav.navigation.map import Cell
from hopfield_nav.navigation.motion import (
    MotionPhase,
    PlannedMotion,
    Reference,
    Situation,
    ToolMotions,
    ToolPath,
)
from hopfield_nav.navigation.responses.paths import BelievedPaths
from hopfield_nav.navigation.responses.retreat import Retreat
from hopfield_nav.navigation.responses.touch import ToolTouch
from hopfield_nav.plugin import Method


class Replan:
    """Goes back and plans again; every other response does so where its own way is not possible.

    Args:
        situation: of the run.
        motions: what makes motions of paths.
        paths: who plans.
        retreat: where to go back to.
    """

    def __init__(
        self, situation: Situation, motions: ToolMotions, paths: BelievedPaths, retreat: Retreat
    ) -> None:
        self._now, self._motions, self._paths, self._retreat = situation, motions, paths, retreat

    def on_passage(self, until: int) -> None:
        """Nothing is kept of segments that were driven freely."""

    def on_touch(self, touch: ToolTouch) -> PlannedMotion:
        """Back, and on from there (``navigator.ToolResponse``)."""
        return self.go_on(self._retreat.cell(touch.touched), touch.begin)

    def on_rest(self, touch: ToolTouch) -> PlannedMotion:
        """On from the cell that was chosen when the touch was felt."""
        return self.go_on(self._now.motion.start, touch.begin)

    def go_on(self, start: Cell, begin: Reference) -> PlannedMotion:
        """A new path; before giving up, go back and see whether the last touch was a true stop."""
        confirmed = self._now.motion.needs_decision and not self._now.map.beliefs.unconfirmed
        motion = self._motions.over(self._paths, start, begin)
        if motion.trajectory is not None or confirmed:
            return motion
        poses = self._motions.poses(np.array([start]))
        path = self._motions.follow(poses, begin.q)
        if path.reason:
            return motion
        cells, places = np.array([start]), np.vstack([self._now.tool(begin.q), poses[:, :3, 3]])
        times = self._motions.times(ToolPath(cells, poses, False), places)
        trajectory = self._motions.trajectory(path.q, times, begin)
        return PlannedMotion(start, cells, trajectory, places=places, phase=MotionPhase.RETREAT)


METHOD = Method(
    "response", "replan", Replan,
    description="back to the centre of the last cell, and from there a new path of the planner",
)  # fmt: skip
