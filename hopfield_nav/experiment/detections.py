"""What is told of an alarm, and what is noted of it."""

import math
from collections.abc import Callable

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.control import find_onset
from hopfield_nav.experiment.surroundings import Surroundings
from hopfield_nav.loop import CONTACT_MEMORY, State, Trajectory
from hopfield_nav.navigation import (
    NOWHERE,
    Detection,
    Navigator,
    PlannedMotion,
    depths_at_start,
)
from hopfield_nav.record import DetectionRecord, changed_cells
from hopfield_nav.world import World


def sensed_alarm(state: State, time: float, trajectory: Trajectory) -> Detection:
    """What the control computer knows of an alarm at a time [s], on a trajectory."""
    control = state.control
    return Detection(
        time=time,
        q=control.sensed.q.copy(),
        force=control.belief.wrench[:3].copy(),
        torque=control.belief.tau_external.copy(),
        onset=find_onset(control.trace, float(trajectory.knots[0])),
        level_at_retreat=control.alarm.now.level_at_retreat_before,
    )


class Detections:
    """Every detection of a run, with the truth of it; ``felt`` is the map before the first."""

    def __init__(
        self, world: World, arm: Arm, surroundings: Surroundings, felt: np.ndarray
    ) -> None:
        self.records: list[DetectionRecord] = []
        self._arm = arm
        self._surroundings = surroundings
        self._whole_arm = world.contact.bodies == "arm"
        self._felt = np.zeros_like(felt)

    def note(
        self,
        cell: tuple[int, ...],
        motion: PlannedMotion,
        navigator: Navigator,
        state: State,
        time: float,
        replan_time: float,
    ) -> None:
        """Note a detection at a time [s], which marked a cell and which ``motion`` answers.

        The answer took so much computing time, ``replan_time`` [s].
        """
        touch = state.truth.touch
        before = self._felt
        self._felt = navigator.felt()
        began = self._contact_began(state, time)
        noted = DetectionRecord(
            time=time,
            touch_time=began,
            cell=cell,
            start=motion.start,
            position=forward_kinematics(self._arm, state.q)[:3, 3],
            false_alarm=math.isnan(began),
            passed_by=motion.passes_by,
            slid_until=math.nan,
            changed=changed_cells(before, self._felt),
            closed=navigator.closed_steps(),
            path=motion.cells,
            places=NOWHERE,
            true_point=touch.point.copy() if touch.now.link > 0 else np.full(3, np.nan),
            true_link=touch.now.link,
            replan_time=replan_time,
        )
        self.records.append(noted)

    def change_last(self, changed: Callable[[DetectionRecord], DetectionRecord]) -> None:
        """Change what is noted of the last detection, if there is one."""
        if self.records:
            self.records[-1] = changed(self.records[-1])

    def _contact_began(self, state: State, time: float) -> float:
        """When the contact of the last 50 ms truly began [s]; NaN: there is none.

        What is kept of contacts ends with the step before: one of this moment is found where the
        arm is now.
        """
        kept = state.statistics
        if time - kept.last_contact_time <= CONTACT_MEMORY:
            return kept.touch_time
        solids = self._surroundings.solids
        depth, _ = depths_at_start(self._arm, state.q, solids, self._whole_arm)
        return time if np.any(depth > 0.0) else math.nan
