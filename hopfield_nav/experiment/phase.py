"""What the arm may do between an alarm and its new path, such as to brake or to slide: a phase.

The reference does not lead meanwhile. The phase looks at the arm now and then, and says when the
arm goes on, and from where.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from hopfield_nav.control import Controller
from hopfield_nav.loop import State, Trajectory
from hopfield_nav.navigation import PlannedMotion, Step
from hopfield_nav.record import DetectionRecord
from hopfield_nav.world import World


class Look(NamedTuple):
    """What a look at the arm has shown."""

    is_over: bool  # whether the phase is over
    motion: PlannedMotion  # the one that the arm makes, as it now stands


class Phase:
    """When a phase began, and when the arm is looked at: every ``look`` [s], or every period."""

    def __init__(self, world: World, look: float) -> None:
        self._step = world.plant.step
        self._sample_time = world.trajectory.sample_time
        self._steps_per_period = round(world.controller.period / world.plant.step)
        self._looks_at = self._steps(look)
        self._begun = 0

    def takes(self, motion: PlannedMotion) -> bool:
        """Whether the arm is this phase's, from an alarm that ``motion`` answers to its end."""
        return True

    def before(
        self, motion: PlannedMotion, trajectory: Trajectory, time: float, state: State
    ) -> PlannedMotion:
        """What the arm does first, before a ``motion`` that was planned.

        ``trajectory`` is that of now.
        """
        raise NotImplementedError

    def controller(self, usual: Controller) -> Controller:
        """What controls the arm meanwhile."""
        return usual

    def next_look(self, step: int) -> int:
        """The first step after ``step`` at which to look at the arm."""
        return step + self._looks_at - (step - self._begun) % self._looks_at

    def look(self, step: int, state: State, motion: PlannedMotion) -> Look:
        """Look at the arm; asked once at every step that ``next_look`` gives."""
        raise NotImplementedError

    def end(
        self, trajectory: Trajectory, time: float, state: State
    ) -> tuple[np.ndarray, np.ndarray]:
        """From where the arm goes on.

        Angles (n,) [rad] and velocities (n,) [rad/s] of the reference.
        """
        raise NotImplementedError

    def noted(
        self,
        detection: DetectionRecord,
        time: float,
        motion: PlannedMotion,
        closed: Mapping[Step, float],
    ) -> DetectionRecord:
        """The detection before the phase, with what is to be noted of its end at a time [s].

        ``motion`` is the phase's, ``closed`` the certainty of every touched step by now.
        """
        return detection

    def _is_due(self, step: int) -> bool:
        """Whether the arm is to be looked at at this step."""
        return step > self._begun and (step - self._begun) % self._looks_at == 0

    def _steps(self, seconds: float) -> int:
        """So many seconds in steps, whole control periods, at least one."""
        periods = max(1, round(seconds / (self._step * self._steps_per_period)))
        return periods * self._steps_per_period
