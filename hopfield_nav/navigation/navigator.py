"""What a run asks of who finds the way.

``tool_navigator`` is the tool's, with one of the ``responses``; ``marking_navigator`` the
document's, with marked cells; ``whole_arm`` that of a map of joint angles; ``follower`` follows a
given trajectory.
"""

from typing import Any, Protocol

import numpy as np

from dynamics import Arm
from hopfield_nav.control import Controller, Trace
from hopfield_nav.navigation.map import NOWHERE, Cell, ContactHypotheses, PriorMap, Step
from hopfield_nav.navigation.motion import Detection, PlannedMotion, PlanNotes, Reference
from hopfield_nav.world import World


class Navigator(Protocol):
    """Finds the way: from what was felt to the next motion. It never sees the simulated truth.

    What has an answer here is that of a navigator that marks cells, and believes nothing of steps.
    """

    # the one that the arm makes now. The run alone sets it: to what was answered last, or to what
    # it puts before that, as while the arm brakes
    motion: PlannedMotion
    notes: PlanNotes  # every plan so far
    localize_at: float = np.inf  # when ``localize`` is to be asked [s]

    @property
    def goal(self) -> np.ndarray | None:
        """(3,) position of the tool at the goal [m]; None without one."""

    def first_motion(self, q: np.ndarray) -> PlannedMotion:
        """The motion from the start at joint angles (n,) [rad].

        At rest there when there is no goal.
        """

    def on_detection(self, detection: Detection) -> tuple[Cell, PlannedMotion]:
        """Learn from a touch.

        The cell that was marked, or is believed to be occupied, and the new motion. Without a goal
        the arm stays on the one it has.
        """

    def localize(self, trace: Trace) -> ContactHypotheses:
        """Where on the arm the last touch may have been; asked once, at ``localize_at``."""
        return NOWHERE

    def replan(self, begin: Reference, level_at_retreat: float) -> PlannedMotion:
        """At the end of a motion that ``needs_decision``: how to go on from the reference.

        The alarm level when the retreat from the last touch began is told.
        """

    def arrive(self) -> None:
        """The arm is at the goal: all of the path was free."""
        return

    def load_prior(self, prior: PriorMap) -> None:
        """Believe what an earlier run felt, before the first motion."""
        return

    def felt(self) -> np.ndarray:
        """Bool grid of the marks, or of the cells believed to be occupied.

        Empty where no grid is kept.
        """
        return np.zeros(0, dtype=bool)

    def felt_count(self) -> int:
        """Number of these cells."""
        return int(self.felt().sum())

    def closed_steps(self) -> dict[Step, float]:
        """Certainty of every touched step that it is closed; 1 for facts."""
        return {}

    def in_free_air(self) -> int:
        """Number of touches where the arm drove freely, before or afterwards.

        0 where that is not kept.
        """
        return 0

    def why_doubtful(self) -> str:
        """What speaks against the facts; empty where nothing does."""
        return ""

    def phase(self, world: World, arm: Arm, controller: Controller) -> Any:
        """What the arm may do before it follows a path again, an ``experiment.Phase``.

        None: nothing.
        """
        return None

    def final_map(self) -> np.ndarray:
        """Int grid: 1 blocked, 2 free but not reached, 3 believed occupied.

        Empty where none is kept.
        """
        return np.zeros(0, dtype=np.int8)
