"""What follows an event of the loop: from top to bottom, for every event.

The navigator answers a touch and a rest. Before the motion that it answers the arm may have to
come to rest, or do something else: that is a phase. Here, and only here, it is said which motion
the arm makes now.
"""

import math
import time as clock
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from hopfield_nav.control import begin_trajectory, pass_by
from hopfield_nav.experiment.arrival import Arrival, arrived
from hopfield_nav.experiment.detections import Detections, sensed_alarm
from hopfield_nav.experiment.limits import why_diverged
from hopfield_nav.experiment.phase import Phase
from hopfield_nav.experiment.summary import final_error
from hopfield_nav.loop import (
    CONTACT_MEMORY,
    Event,
    Plant,
    Rows,
    Settings,
    State,
    Trajectory,
    evaluate,
)
from hopfield_nav.navigation import Navigator, PlannedMotion, Reference
from hopfield_nav.plugin import MethodFailed
from hopfield_nav.record import DetectionRecord, Passage
from hopfield_nav.world import World


class Running(Protocol):
    """What is asked of a simulation."""

    world: World
    plant: Plant
    navigator: Navigator
    phases: tuple[Phase, ...]  # of which the first that takes a motion comes before it
    state: State
    settings: Settings
    rows: Rows
    noted: Detections
    passages: list[Passage]
    arrival: Arrival
    trajectory: Trajectory  # that the arm follows now
    on_contact: Callable[[Passage], object] | None
    on_touch: Callable[[DetectionRecord], object] | None

    @property
    def time(self) -> float:
        """Simulated time [s]."""


class End(NamedTuple):
    """The end of a run."""

    outcome: str
    reason: str


def after_event(event: Event, run: Running) -> PlannedMotion | End | None:
    """The motion that was planned, the end of the run, or None: the arm goes on."""
    match event:
        case Event.LOG_FULL:
            run.rows.make_room()
        case Event.REPORTED:
            note_passage(run)
        case Event.DETECTED:
            return after_alarm(run)
        case Event.ARRIVED:
            run.navigator.arrive()
            return End("reached", arrived(run.settings.tolerance, final_error(run) or 0.0))
        case Event.DIVERGED:
            touching = run.time - run.state.statistics.last_contact_time < CONTACT_MEMORY
            why = why_diverged(run.world, run.state.now.fault, run.time, touching)
            return End("diverged", why)
        case _:
            return after_horizon(run)
    return None


def after_alarm(run: Running) -> PlannedMotion:
    """The navigator learns from the touch and plans.

    The arm passes by, or its reaction comes first.
    """
    started = clock.perf_counter()
    time = run.time
    path = run.trajectory
    alarm = sensed_alarm(run.state, time, path)
    try:
        cell, planned = run.navigator.on_detection(alarm)
    except MethodFailed as error:
        cell = run.navigator.motion.start
        planned = method_failed(error, run)
    motion = planned
    if planned.passes_by:
        pass_by(run.state.control.alarm)
    elif planned.trajectory is not None and run.navigator.goal is not None:
        motion = phase_of(planned, run).before(planned, path, time, run.state)
    set_off(motion, run)
    seconds = clock.perf_counter() - started
    run.noted.note(cell, planned, run.navigator, run.state, time, seconds)
    if run.on_touch is not None:
        run.on_touch(run.noted.records[-1])
    return planned


def after_horizon(run: Running) -> PlannedMotion | End | None:
    """What is due at this step.

    Where the touch was, how to go on, or whether the arm will arrive.
    """
    if run.state.now.step >= step_at(run.navigator.localize_at, run):
        places = run.navigator.localize(run.state.control.trace)
        run.noted.change_last(lambda detection: detection._replace(places=places))
        return None
    if run.navigator.motion.needs_decision:
        return after_motion(run)
    reason = run.arrival.look(run.state, run.trajectory)
    return End("unreachable", reason) if reason else None


def after_motion(run: Running) -> PlannedMotion | None:
    """How to go on at the end of a motion that needs a decision; None while that goes on."""
    reacts = run.navigator.motion.reacts
    begin = end_of_phase(run) if reacts else end_of_motion(run)
    if begin is None:
        return None
    level = run.state.control.alarm.now.level_at_retreat
    planned = asked(lambda: run.navigator.replan(begin, level), run)
    set_off(planned, run)
    return planned


def end_of_motion(run: Running) -> Reference | None:
    """From where the arm goes on after a motion that leads to a rest; None while that goes on."""
    if run.state.now.step < decision_step(run):
        return None
    q = evaluate(run.trajectory, run.time)[0]
    still = np.zeros_like(q)
    return Reference(run.time, q, still, still)


def end_of_phase(run: Running) -> Reference | None:
    """From where the arm goes on after a phase; None while that goes on."""
    step = run.state.now.step
    phase = phase_of(run.navigator.motion, run)
    is_over, run.navigator.motion = phase.look(step, run.state, run.navigator.motion)
    if not is_over:
        return None
    q, qd = phase.end(run.trajectory, run.time, run.state)
    note_end_of_phase(run)
    return Reference(run.time, q, qd, np.zeros_like(q))


def note_end_of_phase(run: Running) -> None:
    """Note in the detection before the phase, if the arm is in one, what that had of it."""
    motion = run.navigator.motion
    if not motion.reacts:
        return
    phase = phase_of(motion, run)
    closed = run.navigator.closed_steps()
    run.noted.change_last(lambda before: phase.noted(before, run.time, motion, closed))


def phase_of(motion: PlannedMotion, run: Running) -> Phase:
    """What the arm does before a motion, or in it where it reacts."""
    return next(phase for phase in run.phases if phase.takes(motion))


def set_off(motion: PlannedMotion, run: Running) -> None:
    """Let this be the motion that the arm makes now."""
    run.navigator.motion = motion
    if motion.trajectory is not None:
        follow(motion.trajectory, run)


def follow(trajectory: Trajectory, run: Running) -> None:
    """Let the arm follow a trajectory from now on."""
    run.trajectory = trajectory
    begin_trajectory(run.state.control)


def next_decision(run: Running, last_step: int) -> int:
    """The first step from now on at which something is to be asked; ``last_step``: nothing is."""
    look = step_at(run.navigator.localize_at, run)
    return int(min(decision_step(run), look, last_step))


def decision_step(run: Running) -> float:
    """The step at which how to go on is decided, or may be, as the arm may rest; inf for never."""
    motion = run.navigator.motion
    if motion.trajectory is None or not motion.needs_decision:
        return math.inf
    if motion.reacts:
        return phase_of(motion, run).next_look(run.state.now.step)
    return step_at(float(motion.trajectory.knots[-1]), run)


def step_at(time: float, run: Running) -> float:
    """The first step at a time [s] or after it; inf for never."""
    return math.inf if math.isinf(time) else math.ceil(time / run.world.plant.step)


def asked(ask: Callable[[], PlannedMotion], run: Running) -> PlannedMotion:
    """What the navigator answers; the end of the run where a method of a user's own fails it."""
    try:
        return ask()
    except MethodFailed as error:
        return method_failed(error, run)


def method_failed(error: MethodFailed, run: Running) -> PlannedMotion:
    """No motion, and why: the method, its world, and the touches that were answered before."""
    touches = f"after {len(run.noted.records)} touches"
    reason = f"{error}; world {run.world.name}, {touches}, at {run.time:.4g} s"
    motion = run.navigator.motion
    return motion._replace(trajectory=None, outcome="method_failed", reason=reason)


def note_passage(run: Running) -> None:
    """Note that the level passes ``detection.report``, or has fallen again, and tell of it."""
    now = run.state.control.passage
    if not now.on:
        run.passages[-1] = Passage(now.begin, run.time, now.peak)
        return
    run.passages.append(Passage(now.begin, math.nan, now.level))
    if run.on_contact is not None:
        run.on_contact(run.passages[-1])
