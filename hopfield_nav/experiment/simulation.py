"""One experiment from start to outcome: move, detect, mark, back off, replan (ragazzon2012 chapter 7).

``simulate`` runs a world to its end. ``Simulation`` does the same in steps, for one's own loop:

    simulation = Simulation(load_world("ragazzon2012"))
    while simulation.outcome is None:
        simulation.step(0.1)
        print(simulation.time, simulation.q, simulation.force)
"""

import math
import time as clock
from collections.abc import Callable

import numpy as np

from dynamics import forward_kinematics
from hopfield_nav.control import begin_trajectory, find_onset, pass_by, with_torque
from hopfield_nav.experiment.arrival import Arrival, arrived
from hopfield_nav.experiment.factory import choose_loop, choose_navigator, encoders_at, make_phases
from hopfield_nav.experiment.grade import why_doubtful
from hopfield_nav.experiment.learner import Learner
from hopfield_nav.experiment.limits import (
    find_warnings,
    refuse_large_steps,
    warn_of_hidden_force,
    why_diverged,
)
from hopfield_nav.experiment.passing import warn_of_passing
from hopfield_nav.experiment.reaction_phase import ReactionPhase
from hopfield_nav.experiment.slide_phase import SlidePhase
from hopfield_nav.experiment.start import check_duration, check_seed, check_start, check_world
from hopfield_nav.experiment.summary import final_error, summarise
from hopfield_nav.known_world import build_scene, clearance
from hopfield_nav.loop import (
    CONTACT_MEMORY,
    FIRST_ROWS,
    MAX_ROWS,
    Event,
    Rows,
    Trajectory,
    evaluate,
    log_columns,
    make_state,
    quintic_trajectory,
    read_at_rest,
)
from hopfield_nav.navigation import (
    NOWHERE,
    Detection,
    PlannedMotion,
    Reference,
    check_trajectory,
    warm_up_replan,
)
from hopfield_nav.plugin import MethodFailed
from hopfield_nav.record import DetectionRecord, Run, changed_cells, load_prior
from hopfield_nav.world import World, build_arm, build_controller, build_plant, build_settings, find_methods

Progress = Callable[[float, int], None]
GoesOn = Callable[[float, int], bool]
_SLICE = 0.5  # [s] simulated between two calls of the progress function


class Interrupted(KeyboardInterrupt):
    """A run was interrupted; ``run`` is its record so far, whose outcome is ``running``."""

    def __init__(self, run: Run) -> None:
        self.run = run


class Simulation:
    """A world in motion.

    Args:
        world: from ``load_world``.
        seed: of every random number; default the world's own.
        trajectory: followed instead of searching the goal, whatever is felt on the way.
        felt: an earlier run over the same map; what it felt is known, with the certainty that it had.

    Attributes:
        outcome: None while running, then ``reached``, ``no_path``, ``unreachable``, ``time_limit``,
            ``diverged`` or ``method_failed``; ``reason`` says why in a sentence.
        state: true joint angles, what was sensed and believed (``loop.State``).
        loop: what advances it; its engine and, with elastic joints, their rotors.
        rows: what is recorded.
        navigator: map, path and trajectory.
        detections: every ``DetectionRecord`` so far.
        warnings: sentences on settings that cannot go well, and on obstacles that the arm starts in.

    Raises:
        BadInput: the start is not over the map or in a known obstacle, the step is too large for damping or
            contact, or the earlier run says nothing on this map.
    """

    def __init__(
        self,
        world: World,
        seed: int | None = None,
        trajectory: Trajectory | None = None,
        felt: Run | None = None,
    ) -> None:
        world = check_world(world)
        self.seed = world.seed if seed is None else check_seed(seed)
        arm = build_arm(world)
        if trajectory is not None:
            check_trajectory(arm, trajectory)
        start = np.array(world.start.joints) if trajectory is None else trajectory.coefficients[0, 0]
        self._start, self._followed = start, trajectory
        tool = forward_kinematics(arm, start)[:3, 3]
        self.world = world.resolve(self.seed, [(float(tool[0]), float(tool[1]))])
        self.arm = arm
        self.handed_on = None if felt is None else load_prior(felt, self.world)
        self.methods = find_methods(self.world)
        self.plant = build_plant(self.world, arm)
        self.loop = choose_loop(self.world, self.plant, start)
        refuse_large_steps(self.world, self.plant, self.loop, start)
        self.warnings = find_warnings(self.world, self.plant.arm)
        self._hidden_force = warn_of_hidden_force(self.world, self.plant.arm, start)
        self.warnings += self._hidden_force
        self.warnings += check_start(self.world, arm, start, refuse=trajectory is None)
        if self.world.map.space == "tool":
            warm_up_replan(self.world.planner, self.world.map.rank)
        self.reset()
        self.warnings += warn_of_passing(self.world, self.plant, self.first_motion.trajectory)

    def reset(self) -> None:
        """Back to the start: nothing felt, nothing recorded."""
        world, n, start = self.world, len(self.arm.dh), self._start
        self.wall_time = 0.0
        self.navigator = choose_navigator(world, self.arm, start, self._followed, bool(self._hidden_force))
        if self.handed_on is not None:
            self.navigator.load_prior(self.handed_on)
        self.controller = build_controller(world, self.arm, self.methods)
        self.settings = build_settings(world, self.navigator.goal)
        self._arrival = Arrival(world, self.arm, self.navigator.goal)
        self._phases = make_phases(world, self.arm, self.controller, self.navigator)
        self.state = make_state(start, self.settings.delay, self.seed)
        read_at_rest(self.plant.wrist, self.plant.arm, start, self.state.wrist)
        if self._followed is not None:
            self.state.qd[:] = self._followed.coefficients[0, 1]
        first = 0 if world.record.signals == "none" else FIRST_ROWS
        self.rows = Rows(n, first, self.plant.wrist.every > 0)
        self._last_step = round(self._duration() / world.plant.step)
        self.outcome: str | None = None
        self.reason = ""
        self.detections: list[DetectionRecord] = []
        self._felt = np.zeros_like(self.navigator.felt())
        here = encoders_at(self.world, self.loop, start)
        self.first_motion = self._asked(lambda: self.navigator.first_motion(here))
        self._trajectory = self.first_motion.trajectory
        self.learner = self._make_learner()
        self._end_without(self.first_motion)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.state.now.step * self.world.plant.step

    @property
    def fastest(self) -> np.ndarray:
        """(n,) largest recorded speed of the joints [rad/s]; of the last moment where nothing is recorded."""
        speeds = [rows[:, log_columns(len(self.arm.dh))["qd"]] for rows in self.rows.pieces()]
        largest = [
            np.nan_to_num(np.abs(qd)).max(axis=0, initial=0.0) for qd in [*speeds, self.state.qd[None]]
        ]
        return np.max(largest, axis=0)

    @property
    def self_distance(self) -> float | None:
        """Least distance of the arm from itself [m], of every hundredth second that is recorded, and now.

        None on a map of the tool.
        """
        if self.world.map.space == "tool":
            return None
        every = max(1, round(0.01 / (self.world.plant.step * self.world.record.every)))
        scene, q = build_scene(self.arm), log_columns(len(self.arm.dh))["q"]
        angles = [rows[-k * MAX_ROWS % every :: every, q] for k, rows in enumerate(self.rows.pieces())]
        angles.append(self.state.q[None])
        found = [clearance(self.arm, scene, np.nan_to_num(part)) for part in angles if len(part)]
        return float(min(distances.min() for distances in found))

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

        Collisions on the way are answered. Returns the outcome, or None while running.

        Args:
            duration: [s].
            torque: (n,) of the motors in the place of the control law's [N·m]: for one's own control, in a
                world without a goal. Limits, period and delay are those of the world.

        Raises:
            BadInput: no number of seconds, or a torque that is not one finite number a joint.
        """
        if torque is None:
            return self._go_on(duration)
        usual, self.controller = self.controller, with_torque(self.controller, torque)
        try:
            return self._go_on(duration)
        finally:
            self.controller = usual

    def _go_on(self, duration: float) -> str | None:
        steps = min(check_duration(duration) / self.world.plant.step, float(self._last_step))
        target = min(self.state.now.step + max(1, round(steps)), self._last_step)
        while self.outcome is None and self.state.now.step < target:
            until = min(target, self._decision_step(), self._arrival.next_look(self.state.now.step))
            if self.learner is not None:
                until = min(until, self.learner.next_look(self.state.now.step))
            event = self.advance(until)
            if self.learner is not None:
                self.learner.look(self.state.now.step, bool(self.detections))
            if event == Event.HORIZON and self.navigator.motion.needs_decision:
                self._decide()
            elif event == Event.HORIZON:
                self._end_where_left()
            else:
                self._answer(event)
        if self.outcome is None and self.state.now.step >= self._last_step:
            if self._followed is not None and self._duration() < self.world.time_limit:
                self._end("reached", "the end of the trajectory")
            else:
                there = "not there after" if self.navigator.goal is not None else "no goal; simulated for"
                self._end("time_limit", f"{there} {self.world.time_limit:g} s")
        return self.outcome

    def run(
        self, progress: Progress | None = None, while_: Callable[[float, int], bool] | None = None
    ) -> Run:
        """Go on to the end and return the record.

        Args:
            progress: called now and then with the simulated time [s] and the number of touches.
            while_: the same, and says whether to go on; else the outcome is ``running``.

        Raises:
            Interrupted: by Ctrl-C, with the record so far.
        """
        started = clock.perf_counter()
        try:
            while self.outcome is None:
                self.step(_SLICE)
                if progress is not None:
                    progress(self.time, len(self.detections))
                if while_ is not None and not while_(self.time, len(self.detections)):
                    break
        except KeyboardInterrupt:
            self.reason = "interrupted"
            raise Interrupted(self.record()) from None
        self.wall_time += clock.perf_counter() - started
        return self.record()

    def _make_learner(self) -> Learner | None:
        """What learns, if the world wants it; the first motion then begins after a wiggle."""
        section, control = self.world.controller.learn, self.state.control
        if section is False:
            return None
        wiggles = self._followed is None
        learner = Learner(self.world, section, self.arm, self.controller, control, wiggles)
        self.state = self.state._replace(control=control._replace(gathering=learner.gathering))
        self.first_motion, self._trajectory = learner.wiggle(self.first_motion)
        self.navigator.motion = self.first_motion
        return learner

    def record(self) -> Run:
        """The record so far."""
        log = self.rows.table()
        blocked, closed = self.navigator.final_map(), self.navigator.closed_steps()
        first = self.first_motion.cells
        return Run(self.world, summarise(self), log, list(self.detections), first, blocked, closed)

    def _duration(self) -> float:
        """Simulated time at which the run ends at the latest [s]."""
        end = math.inf if self._followed is None else float(self._followed.knots[-1])
        return min(self.world.time_limit, end)

    def advance(self, until: int) -> Event:
        """Go on to a step, or to the first event before it, which nothing answers; ``step`` does both."""
        controller = self._phase.controller if self._slides else self.controller
        return Event(
            self.loop(
                self.plant, controller, self.trajectory, self.settings, self.state, self.rows.log, until
            )
        )

    def _answer(self, event: Event) -> None:
        if event == Event.LOG_FULL:
            self.rows.make_room()
        elif event == Event.ARRIVED:
            self.navigator.arrive()
            self._end("reached", arrived(self.settings.tolerance, final_error(self) or 0.0))
        elif event == Event.DIVERGED:
            touching = self.time - self.state.statistics.last_contact_time < CONTACT_MEMORY
            self._end("diverged", why_diverged(self.world, self.state.now.fault, self.time, touching))
        elif event == Event.DETECTED:
            self._replan()

    def _replan(self) -> None:
        started = clock.perf_counter()
        time, state = self.time, self.state
        belief = state.control.belief
        detection = Detection(
            time=time,
            q=state.control.sensed.q.copy(),
            force=belief.wrench[:3].copy(),
            torque=belief.tau_external.copy(),
            onset=find_onset(state.control.trace, float(self.trajectory.knots[0])),
            level_at_retreat=state.control.alarm.now.level_at_retreat_before,
        )
        try:
            marked, motion = self.navigator.on_detection(detection)
        except MethodFailed as error:
            marked, motion = self.navigator.motion.start, self._failed(error)
        if motion.passes_by:
            pass_by(state.control.alarm)
        elif self.navigator.goal is not None:
            self.navigator.motion = self._phase.before(motion, self.trajectory, time, state)
        self._set_off(self.navigator.motion)
        touch = state.truth.touch
        false_alarm = time - state.statistics.last_contact_time > CONTACT_MEMORY
        self.detections.append(
            DetectionRecord(
                time=time,
                touch_time=math.nan if false_alarm else state.statistics.touch_time,
                cell=marked,
                start=motion.start,
                position=forward_kinematics(self.arm, state.q)[:3, 3],
                false_alarm=false_alarm,
                passed_by=motion.passes_by,
                slid_until=math.nan,
                changed=self._changed_cells(),
                closed=self.navigator.closed_steps(),
                path=motion.cells,
                places=NOWHERE,
                true_point=touch.point.copy() if touch.now.link > 0 else np.full(3, np.nan),
                true_link=touch.now.link,
                replan_time=clock.perf_counter() - started,
            )
        )
        self._end_without(motion)

    @property
    def _slides(self) -> bool:
        """Whether the arm slides along what it felt."""
        return self.navigator.motion.slide is not None

    @property
    def _phase(self) -> ReactionPhase | SlidePhase:
        """What comes between an alarm and the path that the navigator then has."""
        return self._phases[self._slides]

    def _keep_slide(self) -> None:
        """Note in the last detection when the slide after it ended, and what it taught."""
        motion, closed = self.navigator.motion, self.navigator.closed_steps()
        self.detections[-1] = self.detections[-1]._replace(
            slid_until=self.time, start=motion.start, path=motion.cells, closed=closed
        )

    def _changed_cells(self) -> np.ndarray:
        """Cells whose mark has changed since the last detection."""
        before, self._felt = self._felt, self.navigator.felt()
        return changed_cells(before, self._felt)

    def _end_where_left(self) -> None:
        """End the run where the arm rests beside its goal for good."""
        reason = self._arrival.look(self.state, self._trajectory)
        if reason:
            self._end("unreachable", reason)

    @property
    def trajectory(self) -> Trajectory:
        """The trajectory that the arm follows now."""
        if self._trajectory is None:
            raise RuntimeError("a run that has ended follows nothing")
        return self._trajectory

    def follow(self, trajectory: Trajectory) -> None:
        """Let the arm follow a trajectory from now on."""
        self._trajectory = trajectory
        begin_trajectory(self.state.control)

    def _set_off(self, motion: PlannedMotion) -> None:
        if motion.trajectory is not None:
            self.follow(motion.trajectory)

    def _decision_step(self) -> int:
        """Step at which a decision is due: the end of such a motion; or may be, as the arm may rest."""
        motion = self.navigator.motion
        if not motion.needs_decision or motion.trajectory is None:
            return self._last_step
        if motion.reacts:
            return min(self._phase.next_look(self.state.now.step), self._last_step)
        due = min(float(motion.trajectory.knots[-1]), motion.localize_at)
        return min(math.ceil(due / self.world.plant.step), self._last_step)

    def _decide(self) -> None:
        """At the end of a motion that needs a decision: go on, or end where nothing is left to try."""
        if self.navigator.motion.reacts:
            if not self._phase.is_over(self.state.now.step, self.state):
                return
            q, qd = self._phase.end(self.trajectory, self.time, self.state)
            if self._slides:
                self._keep_slide()
        elif self.state.now.step < self._decision_step():
            return
        elif self.time >= self.navigator.motion.localize_at:
            places = self.navigator.localize(self.state.control.trace)
            self.detections[-1] = self.detections[-1]._replace(places=places)
            return
        else:
            q = evaluate(self.trajectory, self.time)[0]
            qd = np.zeros_like(q)
        begin = Reference(self.time, q, qd, np.zeros_like(q))
        level = self.state.control.alarm.now.level_at_retreat
        motion = self._asked(lambda: self.navigator.replan(begin, level))
        self._set_off(motion)
        self._end_without(motion)

    def _asked(self, ask: Callable[[], PlannedMotion]) -> PlannedMotion:
        """What the navigator answers; the end of the run where a method of somebody's own fails it."""
        try:
            return ask()
        except MethodFailed as error:
            return self._failed(error)

    def _failed(self, error: MethodFailed) -> PlannedMotion:
        """No motion, and why: the method, its world, and the touches that were answered before."""
        touches = f"after {len(self.detections)} touches"
        reason = f"{error}; world {self.world.name}, {touches}, at {self.time:.4g} s"
        failed = self.navigator.motion._replace(trajectory=None, outcome="method_failed", reason=reason)
        self.navigator.motion = failed
        return failed

    def _end_without(self, motion: PlannedMotion) -> None:
        """A motion without a trajectory ends the run; one row of it is recorded if there is none yet.

        There is no next row to show the detection that ended the run: the last one shows it.
        """
        if motion.trajectory is None:
            self._end(motion.outcome, motion.reason)
            if self.state.now.step == 0:
                self._trajectory = quintic_trajectory(self.state.q[None], 1.0)
                self.advance(1)
            else:
                detected = log_columns(len(self.arm.dh))["detected"]
                self.rows.set_last(detected, float(self.state.control.alarm.now.raised))

    def _end(self, outcome: str, reason: str) -> None:
        doubts = why_doubtful(self.navigator, self.detections) if outcome == "no_path" else ""
        self.outcome, self.reason = outcome, f"{reason}; doubtful: {doubts}" if doubts else reason
        if self._slides and self.detections:
            self._keep_slide()


def follow(
    world: World, trajectory: Trajectory, seed: int | None = None, progress: Progress | None = None
) -> Run:
    """Run a world along a given trajectory instead of in search of its goal.

    Args:
        world: from ``load_world``; its start and goal are not used.
        trajectory: of the joints, beginning at time 0; the arm starts on it, with its velocity.
        seed: of every random number; default the world's own.
        progress: as for ``simulate``.

    Returns:
        The record; its outcome is ``reached`` at the end of the trajectory, or ``time_limit``, or
        ``diverged``. What is detected on the way is recorded, and the arm does not react to it.

    Raises:
        BadInput: the trajectory does not fit the arm, or as ``simulate``.
    """
    return Simulation(world, seed, trajectory).run(progress)


def simulate(
    world: World, seed: int | None = None, progress: Progress | None = None, felt: Run | None = None
) -> Run:
    """Run a world to its end.

    Args:
        world: from ``load_world``.
        seed: of every random number; default the world's own.
        progress: called now and then with the simulated time [s] and the number of collisions.
        felt: an earlier run, whose map is taken up.

    Returns:
        The record: ``run.outcome``, ``run.summary``, ``run.data``, ``run.save(folder)``.

    Raises:
        BadInput: as ``Simulation``.

    Source: ragazzon2012 chapter 7.
    """
    return Simulation(world, seed, felt=felt).run(progress)
