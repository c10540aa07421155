"""The navigator of the tool with ``detection.mark: felt``: facts and beliefs, and a response to every touch.

It puts the parts together and owns none of their work: the map and what is believed on it, the motion over a path,
what a touch teaches, and what follows it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dynamics import Arm
from hopfield_nav.control import Controller
from hopfield_nav.loop import evaluate
from hopfield_nav.navigation import responses
from hopfield_nav.navigation.map import Beliefs, Cell, PriorMap, Step
from hopfield_nav.navigation.motion import (
    Detection,
    FirstSegment,
    MotionPhase,
    PlannedMotion,
    Reference,
    Segment,
    Situation,
    ToolMotions,
    touched_segment,
)
from hopfield_nav.navigation.navigator import Navigator, OverToolMap
from hopfield_nav.world import World

MakeResponse = Callable[[Situation, ToolMotions, responses.BelievedPaths, responses.Retreat], responses.Replan]


class ToolNavigator(OverToolMap, Navigator):
    """Map, planner, motions and response of one run; a ``Navigator``."""

    def __init__(
        self, world: World, arm: Arm, start: np.ndarray, make_response: MakeResponse = responses.Replan
    ) -> None:
        super().__init__(world, arm, start)
        self.retreat = responses.Retreat(self.situation)  # where the arm goes back to
        self.learning = responses.TouchLearning(self.situation)  # what a touch teaches
        self.touched: Segment | None = None  # by the last touch
        self.paths: responses.BelievedPaths = responses.BelievedPaths(self.situation, self.retreat.tried)
        # what follows a touch
        self.response = make_response(self.situation, self.motions, self.paths, self.retreat)
        onward = getattr(self.response, "onward", None) or partial(self.motions.over, self.paths)
        self._pass_by = responses.PassBy(self.situation, onward)

    @property
    def beliefs(self) -> Beliefs:
        """Facts and beliefs."""
        return self.map.beliefs

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:  # noqa: D102  (says ``Navigator``)
        if self.motion.trajectory is None:
            raise RuntimeError("a run that has ended cannot collide")
        force = detection.force
        self.beliefs.age(detection.time)
        self.learning.confirm(detection.level_at_retreat)
        self.touched = segment = touched_segment(self.grid, self.situation.arm, self.motion, detection)
        if self.motion.retreats and segment.number == 0:
            self.beliefs.touch_behind()
        self._passed(segment.number)
        begin = Reference(detection.time, *evaluate(self.motion.trajectory, detection.time))
        glancing = self._pass_by.applies(segment, force, begin)
        cell = self.learning.touch(segment, force, glancing)
        self.map.show_beliefs()
        if self.goal is None:
            return cell, self.motion
        motion = self._pass_by.on_touch(begin) if glancing else None
        if motion is None:
            motion = self.response.on_touch(responses.ToolTouch(self.situation, self.paths, begin, segment, force))
            motion = motion._replace(first_segment=FirstSegment.RETREAT)
        self.motion = motion
        return cell, motion

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """How to go on; after a reaction it is not known yet how far the touch is confirmed."""
        self.beliefs.age(begin.time)
        if not self.motion.reacts:
            self.learning.confirm(level_at_retreat)
        if self.motion.phase is MotionPhase.EXPLORE:
            self.arrive()
        self.motion = self.response.on_rest(responses.ToolTouch(self.situation, self.paths, begin))
        self.map.show_beliefs()
        return self.motion

    def arrive(self) -> None:  # noqa: D102
        self._passed(len(self.motion.cells) + 1)
        self.map.show_beliefs()

    def load_prior(self, prior: PriorMap) -> None:  # noqa: D102
        self.map.load_prior(prior, self.motion.start)

    def closed_steps(self) -> dict[Step, float]:  # noqa: D102
        return self.beliefs.touched()

    def in_free_air(self) -> int:  # noqa: D102
        return self.beliefs.in_free_air

    def why_doubtful(self) -> str:  # noqa: D102
        return self.beliefs.why_doubtful(self.map.obstacles())

    def slide_phase(self, world: World, arm: Arm, controller: Controller) -> Any:  # noqa: D102
        return self.response.slide_phase(world, arm, controller)

    def _passed(self, until: int) -> None:
        self.response.on_passage(until)
        self.learning.passage(until)
