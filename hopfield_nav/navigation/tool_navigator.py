"""The navigator of the tool with ``detection.mark: felt``: facts and beliefs, and a response to every touch.

It puts the parts together and owns none of their work: the map and what is believed on it, the
motion over a path, what a touch teaches, and what follows it.
"""

from collections.abc import Callable
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
    cell_at,
    passed,
    touched_segment,
)
from hopfield_nav.navigation.navigator import Navigator
from hopfield_nav.world import World

MakeResponse = Callable[
    [Situation, ToolMotions, responses.BelievedPaths, responses.Retreat], responses.Replan
]


class ToolNavigator(Situation, Navigator):
    """Map, planner, motions and response of one run."""

    def __init__(
        self,
        world: World,
        arm: Arm,
        start: np.ndarray,
        make_response: MakeResponse = responses.Replan,
    ) -> None:
        super().__init__(world, arm, start)
        self.motions = ToolMotions(self)  # what makes motions of paths
        self.retreat = responses.Retreat(self)  # where the arm goes back to
        self.touched: Segment | None = None  # by the last touch
        self.paths: responses.BelievedPaths = responses.BelievedPaths(self, self.retreat.tries)
        # what follows a touch
        self.response = make_response(self, self.motions, self.paths, self.retreat)

    @property
    def beliefs(self) -> Beliefs:
        """Facts and beliefs."""
        return self.map.beliefs

    def first_motion(self, q: np.ndarray) -> PlannedMotion:  # noqa: D102  (says ``Navigator``, as below)
        self.motion = self.motions.first(self.paths, q)
        return self.motion

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:  # noqa: D102
        if self.motion.trajectory is None:
            raise RuntimeError("a run that has ended cannot collide")
        force = detection.force
        self.beliefs.age(detection.time)
        self._confirm(detection.level_at_retreat)
        self.touched = segment = touched_segment(self.grid, self.arm, self.motion, detection)
        if self.motion.retreats and segment.number == 0:
            self.beliefs.touch_behind()
        self._passed(segment.number)
        begin = Reference(detection.time, *evaluate(self.motion.trajectory, detection.time))
        glancing = self.world.detection.graze == "pass" and responses.is_glancing(
            self.arm, self.motion, segment, force, begin.q, begin.qd
        )
        cell = responses.learn_of_touch(self, segment, force, glancing)
        self.map.show_beliefs()
        if self.goal is None:
            return cell, self.motion
        motion = self._pass_by(begin) if glancing else None
        if motion is None:
            motion = self.response.on_touch(responses.ToolTouch(begin, segment, force))
            motion = motion._replace(first_segment=FirstSegment.RETREAT)
        self.motion = motion
        return cell, motion

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """How to go on; after a reaction it is not known yet how far the touch is confirmed."""
        self.beliefs.age(begin.time)
        if not self.motion.reacts:
            self._confirm(level_at_retreat)
        if self.motion.phase is MotionPhase.EXPLORE:
            self.arrive()
        self.motion = self.response.on_rest(responses.ToolTouch(begin))
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
        self.beliefs.passed(*passed(self.grid, self.motion, until))

    def _confirm(self, level: float) -> None:
        """Whether what was touched before was still felt when the arm went back: the alarm level then."""
        self.beliefs.confirm(level >= self.world.detection.armed_below)

    def _pass_by(self, begin: Reference) -> PlannedMotion | None:
        """Slowly on to the end of the present segment, and from there as is now believed to be best.

        None where that end is no centre of a free cell, or nothing leads on from it.
        """
        first, end = responses.segment_under_way(self.motion, begin.time)
        cell = cell_at(self.grid, end)
        if cell is None or self.map.obstacles()[cell]:
            return None
        motion = self.response.onward(cell, begin, responses.SLOWER)
        if motion.trajectory is None or motion.places is None:
            return None
        places = np.vstack([first, motion.places[1:]])
        return motion._replace(places=places, first_segment=FirstSegment.REST)
