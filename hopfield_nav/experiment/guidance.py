"""Which motion the arm is on: between the loop, which tells of events, and the navigator, which plans.

``Guidance`` is asked after a detection, and where a motion that needs a decision has got so far. It
has the navigator answer, lets the arm come to rest or slide before the new path, and notes every
detection.
"""

import math
import time as clock
from collections.abc import Callable

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.control import Controller, begin_trajectory, find_onset, pass_by
from hopfield_nav.experiment.assembly import Begun
from hopfield_nav.experiment.reaction_phase import Phase
from hopfield_nav.experiment.surroundings import Surroundings
from hopfield_nav.loop import CONTACT_MEMORY, Trajectory, evaluate
from hopfield_nav.navigation import NOWHERE, Detection, PlannedMotion, Reference, depths_at_start
from hopfield_nav.plugin import MethodFailed
from hopfield_nav.record import DetectionRecord, changed_cells
from hopfield_nav.world import World


class Guidance:
    """The motions of a run; what its control computer is told, is written in the state."""

    def __init__(
        self, world: World, arm: Arm, begun: Begun, last_step: int, surroundings: Surroundings
    ) -> None:
        self._world, self._arm, self._last_step = world, arm, last_step
        self.navigator, _, _, self._state, _, self._phases = begun
        self.detections: list[DetectionRecord] = []  # every ``DetectionRecord`` so far
        self._surroundings, self._whole = surroundings, world.contact.bodies == "arm"
        self._felt = np.zeros_like(self.navigator.felt())
        self._trajectory: Trajectory | None = None

    def begin(self, encoders: np.ndarray) -> PlannedMotion:
        """The first motion, from what the encoders (n,) show [rad]."""
        motion = self._ask(lambda: self.navigator.first_motion(encoders))
        self._trajectory = motion.trajectory
        return motion

    def start_later(self, first: PlannedMotion, trajectory: Trajectory | None) -> PlannedMotion:
        """Let the ``first`` motion be this one, and the arm follow a trajectory that leads up to it."""
        self.navigator.motion, self._trajectory = first, trajectory
        return first

    @property
    def trajectory(self) -> Trajectory:
        """The trajectory that the arm follows now."""
        if self._trajectory is None:
            raise RuntimeError("a run that has ended follows nothing")
        return self._trajectory

    @property
    def slides(self) -> bool:
        """Whether the arm slides along what it felt."""
        return self.navigator.motion.slide is not None

    def follow(self, trajectory: Trajectory) -> None:
        """Let the arm follow a trajectory from now on."""
        self._trajectory = trajectory
        begin_trajectory(self._state.control)

    def controller(self, usual: Controller) -> Controller:
        """What controls the arm now: with the law that slides where it slides, else the ``usual``."""
        return self._phase.controller if self.slides else usual

    def next_decision(self, step: int) -> int:
        """Step at which a decision is due: the end of such a motion; or may be, as the arm may rest.

        ``step`` is that of now.
        """
        motion = self.navigator.motion
        if not motion.needs_decision or motion.trajectory is None:
            return self._last_step
        if motion.reacts:
            return min(self._phase.next_look(step), self._last_step)
        due = min(float(motion.trajectory.knots[-1]), motion.localize_at)
        return min(math.ceil(due / self._world.plant.step), self._last_step)

    def on_detection(self) -> PlannedMotion:
        """The motion after a detection, on which the arm now is; it ends the run if it has no trajectory."""
        started, old = clock.perf_counter(), self.trajectory
        try:
            marked, motion = self.navigator.on_detection(self._detection())
        except MethodFailed as error:
            marked, motion = self.navigator.motion.start, self._failed(error)
        if motion.passes_by:
            pass_by(self._state.control.alarm)
        elif self.navigator.goal is not None:
            self.navigator.motion = self._phase.before(motion, old, self._time, self._state)
        self._set_off(self.navigator.motion)
        self.detections.append(
            self._noted(marked, motion)._replace(replan_time=clock.perf_counter() - started)
        )
        return motion

    def decide(self) -> PlannedMotion | None:
        """The next motion of one that needs a decision; None while that goes on."""
        motion, step = self.navigator.motion, self._state.now.step
        if motion.reacts:
            if not self._phase.is_over(step, self._state):
                return None
            q, qd = self._phase.end(self.trajectory, self._time, self._state)
            if self.slides:
                self.keep_slide()
        elif step < self.next_decision(step):
            return None
        elif self._time >= motion.localize_at:
            return self._localize()
        else:
            q = evaluate(self.trajectory, self._time)[0]
            qd = np.zeros_like(q)
        begin = Reference(self._time, q, qd, np.zeros_like(q))
        level = self._state.control.alarm.now.level_at_retreat
        motion = self._ask(lambda: self.navigator.replan(begin, level))
        self._set_off(motion)
        return motion

    def _localize(self) -> PlannedMotion | None:
        """Note where the last touch may have been; the motion on which the arm passes by it, if it does."""
        places = self.navigator.localize(self._state.control.trace)
        self.detections[-1], motion = (
            self.detections[-1]._replace(places=places),
            self.navigator.motion,
        )
        if not motion.passes_by:
            return None
        pass_by(self._state.control.alarm)
        self._set_off(motion)
        self.detections[-1] = self.detections[-1]._replace(
            passed_by=True, start=motion.start, path=motion.cells
        )
        return motion

    def keep_slide(self) -> None:
        """Note in the last detection when the slide after it ended, and what it taught."""
        motion, closed = self.navigator.motion, self.navigator.closed_steps()
        self.detections[-1] = self.detections[-1]._replace(
            slid_until=self._time, start=motion.start, path=motion.cells, closed=closed
        )

    @property
    def _time(self) -> float:
        return self._state.now.step * self._world.plant.step

    @property
    def _phase(self) -> Phase:
        """What comes between an alarm and the path that the navigator then has."""
        return self._phases[self.slides]

    def _set_off(self, motion: PlannedMotion) -> None:
        if motion.trajectory is not None:
            self.follow(motion.trajectory)

    def _detection(self) -> Detection:
        """What the control computer knows of an alarm."""
        control = self._state.control
        return Detection(
            time=self._time,
            q=control.sensed.q.copy(),
            force=control.belief.wrench[:3].copy(),
            torque=control.belief.tau_external.copy(),
            onset=find_onset(control.trace, float(self.trajectory.knots[0])),
            level_at_retreat=control.alarm.now.level_at_retreat_before,
        )

    def _noted(self, marked: tuple[int, ...], motion: PlannedMotion) -> DetectionRecord:
        """What is recorded of a detection, beside the truth of it."""
        state, time = self._state, self._time
        touch, before = state.truth.touch, self._felt
        self._felt = self.navigator.felt()
        began = self._contact_began()
        return DetectionRecord(
            time=time,
            touch_time=began,
            cell=marked,
            start=motion.start,
            position=forward_kinematics(self._arm, state.q)[:3, 3],
            false_alarm=math.isnan(began),
            passed_by=motion.passes_by,
            slid_until=math.nan,
            changed=changed_cells(before, self._felt),
            closed=self.navigator.closed_steps(),
            path=motion.cells,
            places=NOWHERE,
            true_point=touch.point.copy() if touch.now.link > 0 else np.full(3, np.nan),
            true_link=touch.now.link,
            replan_time=math.nan,
        )

    def _contact_began(self) -> float:
        """When the contact of the last 50 ms truly began [s]; NaN: there is none.

        What is kept of contacts ends with the step before: one of this moment is found where the
        arm is now.
        """
        kept = self._state.statistics
        if self._time - kept.last_contact_time <= CONTACT_MEMORY:
            return kept.touch_time
        depth, _ = depths_at_start(self._arm, self._state.q, self._surroundings.solids, self._whole)
        return self._time if np.any(depth > 0.0) else math.nan

    def _ask(self, ask: Callable[[], PlannedMotion]) -> PlannedMotion:
        """What the navigator answers; the end of the run where a method of a user's own fails it."""
        try:
            return ask()
        except MethodFailed as error:
            return self._failed(error)

    def _failed(self, error: MethodFailed) -> PlannedMotion:
        """No motion, and why: the method, its world, and the touches that were answered before."""
        touches = f"after {len(self.detections)} touches"
        reason = f"{error}; world {self._world.name}, {touches}, at {self._time:.4g} s"
        failed = self.navigator.motion._replace(
            trajectory=None, outcome="method_failed", reason=reason
        )
        self.navigator.motion = failed
        return failed
