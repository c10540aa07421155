"""One experiment from start to outcome.

Move, detect, mark, back off, replan (ragazzon2012 chapter 7). It goes from event to event of the
loop; what follows, ``after_event`` says. For one's own loop:

    simulation = Simulation(load_world("ragazzon2012"))
    while simulation.outcome is None:
        simulation.step(0.1)
        print(simulation.time, simulation.q, simulation.force)
"""

import math
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

import numpy as np

from dynamics import BadInput
from hopfield_nav.control import with_torque
from hopfield_nav.experiment.after_event import (
    End,
    after_event,
    asked,
    follow,
    next_decision,
    note_end_of_phase,
    phase_of,
)
from hopfield_nav.experiment.arrival import Arrival, at_limit, why_doubtful
from hopfield_nav.experiment.assembly import assemble
from hopfield_nav.experiment.detections import Detections
from hopfield_nav.experiment.given import check_duration
from hopfield_nav.experiment.passing import warn_of_passing
from hopfield_nav.experiment.summary import summarise
from hopfield_nav.experiment.surroundings import Surroundings
from hopfield_nav.loop import Event, Trajectory, log_columns, quintic_trajectory
from hopfield_nav.navigation import PlannedMotion
from hopfield_nav.record import DetectionRecord, Passage, Run
from hopfield_nav.world import World

Progress = Callable[[float, int], None]
GoesOn = Callable[[float, int], bool]
_PROGRESS_INTERVAL = 0.5  # [s] simulated between two calls of the progress function
_ROUNDING = 1e-6  # of a step, by which durations that add up to whole steps may fall short of them


class Interrupted(KeyboardInterrupt):
    """A run was interrupted; ``run`` is its record so far, whose outcome is ``running``."""

    def __init__(self, run: Run) -> None:
        self.run = run


class Simulation:
    """A world in motion.

    ``copy.deepcopy`` and ``pickle`` give one that goes on from the same moment in just the same
    way, and calls nobody: ``on_contact``, ``on_touch``, ``on_plan``, ``on_end`` and ``on_record``
    of a copy are not set.

    Args:
        world: from ``load_world``.
        seed: of every random number; default the world's own.
        trajectory: followed instead of searching the goal, whatever is felt on the way.
        felt: an earlier run over the same map; what it felt is known, with the certainty that it
            had.

    Attributes:
        outcome: None while running, then ``reached``, ``no_path``, ``unreachable``, ``time_limit``,
            ``diverged``, ``method_failed`` or, where the program itself failed, ``internal_error``;
            ``reason`` says why.
        state: true joint angles, what was sensed and believed (``loop.State``).
        loop: what advances it; its engine and, with elastic joints, their rotors.
        rows: what is recorded.
        surroundings: which obstacles stand now.
        navigator: map, path and trajectory.
        detections: every ``DetectionRecord`` so far.
        passages: every ``Passage`` above ``detection.report`` so far.
        on_contact: called with every ``Passage`` as it begins, if it is set; the arm goes on.
        on_touch: called with the ``DetectionRecord`` of every touch that was answered, if it is
            set.
        on_plan: called with every new ``PlannedMotion``, the first excepted, if it is set.
        on_end: called with outcome and reason, if it is set.
        on_record: called with every ``Run`` that ``record`` gives, whose summary it may complete,
            if it is set.
        warnings: sentences on settings that cannot go well, and on obstacles that the arm starts
            in.

    Raises ``BadInput``: the start is not over the map or in a known obstacle, the step is too large
    for damping or contact, or the earlier run says nothing on this map. While it moves, which is
    also during ``on_touch`` and the like, it cannot be moved, reset or copied, by another thread
    either.
    """

    on_contact: Callable[[Passage], object] | None = None
    on_touch: Callable[[DetectionRecord], object] | None = None
    on_plan: Callable[[PlannedMotion], object] | None = None
    on_end: Callable[[str, str], object] | None = None
    on_record: Callable[[Run], object] | None = None

    def __init__(
        self,
        world: World,
        seed: int | None = None,
        trajectory: Trajectory | None = None,
        felt: Run | None = None,
    ) -> None:
        self._parts = parts = assemble(world, seed, trajectory, felt)
        self.world = parts.world
        self.seed = parts.seed
        self.arm = parts.arm
        self.prior = parts.prior
        self.methods = parts.methods
        self.plant = parts.plant
        self.loop = parts.loop
        self.warnings = parts.warnings
        self._moving = Lock()
        self.reset()
        self.warnings += warn_of_passing(self.world, parts.plant, self.first_motion.trajectory)

    def __getstate__(self) -> tuple[World, bytes]:
        from hopfield_nav.experiment.copying import as_bytes

        with self._alone("copied"):
            left_out = ("_moving", "on_contact", "on_touch", "on_plan", "on_end", "on_record")
            parts = {name: part for name, part in vars(self).items() if name not in left_out}
            return self.world, as_bytes(self.world, parts)

    def __setstate__(self, state: tuple[World, bytes]) -> None:
        from hopfield_nav.experiment.copying import from_bytes

        vars(self).update(from_bytes(*state), _moving=Lock())

    @contextmanager
    def _alone(self, what: str) -> Iterator[None]:
        """A block that nothing else may move the arm in."""
        if not self._moving.acquire(blocking=False):
            message = f"a simulation cannot be {what} while it moves"
            raise BadInput(
                message,
                allowed="after the step, also not from on_touch, on_plan, on_end, another thread",
            )
        try:
            yield
        finally:
            self._moving.release()

    def reset(self) -> None:
        """Back to the start: nothing felt, nothing recorded."""
        with self._alone("reset"):
            self._begin()

    def _begin(self) -> None:
        world = self.world
        arm = self.arm
        begun = self._parts.begin()
        self.wall_time = 0.0
        self._left = 0.0  # of a duration, less than a step
        self.outcome: str | None = None
        self.reason = ""
        self.navigator = begun.navigator
        self.controller = begun.controller
        self.settings = begun.settings
        self.state = begun.state
        self.rows = begun.rows
        self.phases = begun.phases
        self._last_step = round(self._parts.duration / world.plant.step)
        if world.changes:
            self.plant = self._parts.plant  # among all that ever stands
        self.surroundings = Surroundings(world, self._parts.plant)
        self.noted = Detections(world, arm, self.surroundings, self.navigator.felt())
        self.passages = list[Passage]()
        self.arrival = Arrival(world, arm, self.navigator.goal)
        self._set_out()

    def _set_out(self) -> None:
        """The first motion; where the arm learns, it begins after a wiggle."""
        encoders = self.loop.encoders(self._parts.start)
        self.first_motion = asked(lambda: self.navigator.first_motion(encoders), self)
        self._trajectory = self.first_motion.trajectory
        self.learner = self._parts.learner(self.controller, self.state.control)
        if self.learner is not None:
            control = self.state.control._replace(gathering=self.learner.gathering)
            self.state = self.state._replace(control=control)
            self.first_motion, self._trajectory = self.learner.wiggle(self.first_motion)
        self.navigator.motion = self.first_motion
        self._end_without(self.first_motion)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.state.now.step * self.world.plant.step

    @property
    def trajectory(self) -> Trajectory:
        """The trajectory that the arm follows now."""
        if self._trajectory is None:
            raise RuntimeError("a run that has ended follows nothing")
        return self._trajectory

    @trajectory.setter
    def trajectory(self, trajectory: Trajectory) -> None:
        self._trajectory = trajectory

    @property
    def detections(self) -> list[DetectionRecord]:
        """Every ``DetectionRecord`` so far."""
        return self.noted.records

    @property
    def q(self) -> np.ndarray:
        """(n,) true joint angles [rad]."""
        return self.state.q.copy()

    @property
    def qd(self) -> np.ndarray:
        """(n,) true joint velocities [rad/s]."""
        return self.state.qd.copy()

    @property
    def force(self) -> np.ndarray:
        """(3,) sum of the true forces on the arm from outside, base axes [N]."""
        return self.state.truth.touch.force.copy()

    @property
    def force_estimate(self) -> np.ndarray:
        """(3,) force on the tool as the control computer believes it to be, base axes [N]."""
        return self.state.control.belief.wrench[:3].copy()

    def step(self, duration: float, torque: np.ndarray | None = None) -> str | None:
        """Go on for ``duration`` simulated seconds, or to the end if that comes first.

        The arm moves by whole steps of the world's ``plant.step``, and what is left of a duration
        is added to the next: 400 times 2.5 ms are one second. Collisions on the way are answered.
        Returns the outcome, or None while running. A ``torque`` (n,) of the motors in the place of
        the control law's [N·m] is for one's own control, in a world without a goal. Limits, period
        and delay are those of the world.

        Raises ``BadInput``: no number of seconds, or a torque that is not one finite number a
        joint.
        """
        with self._alone("moved"):
            usual = self.controller
            if torque is not None:
                self.controller = with_torque(usual, torque)
            try:
                return self._go_on(check_duration(duration))
            finally:
                self.controller = usual

    def _go_on(self, duration: float) -> str | None:
        last = self._last_step
        steps = min(duration / self.world.plant.step + self._left, float(last) + 1.0)
        whole = math.floor(steps + _ROUNDING)
        self._left = steps - whole
        target = min(self.state.now.step + whole, last)
        try:
            while self.outcome is None and self.state.now.step < target:
                event = self._advance(min(target, self._next_look()))
                if self.learner is not None:
                    self.learner.look(self.state.now.step, bool(self.detections))
                self._answer(event)
        except Exception as error:
            self.outcome, self.reason = "internal_error", f"{type(error).__name__}: {error}"
            raise
        if self.outcome is None and self.state.now.step >= last:
            self._end(*at_limit(self.world, self._parts.duration, self.navigator.goal is not None))
        return self.outcome

    def _next_look(self) -> int:
        """The first step from now on at which something may be due."""
        step = self.state.now.step
        due = [next_decision(self, self._last_step), self.arrival.next_look(step)]
        if self.learner is not None:
            due.append(self.learner.next_look(step))
        return min(due)

    def run(self, progress: Progress | None = None, while_: GoesOn | None = None) -> Run:
        """Go on to the end and return the record.

        ``progress`` is called now and then with the simulated time [s] and the number of touches;
        ``while_`` too, and says whether to go on; else the outcome is ``running``.

        Raises ``Interrupted``: by Ctrl-C, with the record so far. An error of the program itself is
        raised as it is; its attribute ``run`` is the record so far, whose outcome is
        ``internal_error``.
        """
        try:
            while self.outcome is None:
                started = clock.perf_counter()
                try:
                    self.step(_PROGRESS_INTERVAL)
                finally:
                    self.wall_time += clock.perf_counter() - started
                if progress is not None:
                    progress(self.time, len(self.detections))
                if while_ is not None and not while_(self.time, len(self.detections)):
                    break
        except KeyboardInterrupt:
            self.reason = "interrupted"
            raise Interrupted(self.record()) from None
        except Exception as error:
            if self.outcome == "internal_error":
                error.run = self.record()  # type: ignore[attr-defined]
            raise
        return self.record()

    def record(self) -> Run:
        """The record so far."""
        log = self.rows.table()
        first = self.first_motion.cells
        detections = list(self.detections)
        blocked = self.navigator.final_map()
        closed = self.navigator.closed_steps()
        plans = list(self.navigator.notes.plans)
        now = self.state.control.passage
        passages = list(self.passages)
        if now.on:
            passages[-1] = passages[-1]._replace(level=now.peak)
        run = Run(
            self.world, summarise(self), log, detections, first, blocked, closed, plans, passages
        )
        if self.on_record is not None:
            self.on_record(run)
        return run

    def advance(self, until: int) -> Event:
        """Go on to a step, or to the first event before it, which nothing answers.

        ``step`` does both.
        """
        with self._alone("moved"):
            return self._advance(until)

    def _advance(self, until: int) -> Event:
        motion = self.navigator.motion
        controller = self.controller
        if motion.reacts:
            controller = phase_of(motion, self).controller(controller)
        path = self.trajectory
        log = self.rows.log
        while True:
            self.plant = self.surroundings.now(self.plant, self.state)
            stretch = self.surroundings.until(until)
            event = Event(
                self.loop(self.plant, controller, path, self.settings, self.state, log, stretch)
            )
            if event != Event.HORIZON or stretch == until:
                return event

    def follow(self, trajectory: Trajectory) -> None:
        """Let the arm follow a trajectory from now on."""
        self.controller.shares[:] = 1.0
        follow(trajectory, self)

    def _answer(self, event: Event) -> None:
        """Do what follows an event: tell of a new motion, or end."""
        follows = after_event(event, self)
        if isinstance(follows, End):
            self._end(follows.outcome, follows.reason)
        elif follows is not None:
            if follows.trajectory is not None and self.on_plan is not None:
                self.on_plan(follows)
            self._end_without(follows)

    def _end_without(self, motion: PlannedMotion) -> None:
        """A motion without a trajectory ends the run.

        The last row, or a first one, shows its detection.
        """
        if motion.trajectory is not None:
            return
        self._end(motion.outcome, motion.reason)
        if self.state.now.step == 0:
            self.follow(quintic_trajectory(self.state.q[None], 1.0))
            self._advance(1)
        else:
            raised = float(self.state.control.alarm.now.raised)
            self.rows.set_last(log_columns(len(self.arm.dh))["detected"], raised)

    def _end(self, outcome: str, reason: str) -> None:
        if outcome == "no_path" and (
            doubts := why_doubtful(self.world, self.navigator, self.detections)
        ):
            reason = f"{reason}; doubtful: {doubts}"
        self.outcome = outcome
        self.reason = reason
        note_end_of_phase(self)
        if self.on_end is not None:
            self.on_end(outcome, reason)
