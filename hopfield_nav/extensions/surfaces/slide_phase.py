"""Sliding along what was felt, from an alarm until the new path leads away: ``explore: slide``.

The law ``hybrid_force_motion`` takes the place of the world's own: it presses with a wanted force
and moves along. Where to, and when it is enough, the navigator says; a surface that is lost for
good, or was never found, ends it too. Then the world's law goes on from where the arm is.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from dynamics import Arm, jacobian
from hopfield_nav import control
from hopfield_nav.experiment import Look, Phase, gains_of_law
from hopfield_nav.extensions.surfaces.laws import hybrid_force_motion as hybrid
from hopfield_nav.loop import State, Trajectory, quintic_trajectory
from hopfield_nav.navigation import MotionPhase, PlannedMotion, Step
from hopfield_nav.navigation.map import ToolMap
from hopfield_nav.navigation.motion import Means, tool_at
from hopfield_nav.plugin import Applied, Gains, applied
from hopfield_nav.record import DetectionRecord
from hopfield_nav.world import World

POLL_INTERVAL = 0.02  # [s] from one look at what is felt to the next
APPROACH_TIME = 0.5  # [s] within which what was felt must be found again
FOUND_LOOKS = 3  # looks in a row at which it is felt: an estimate outlasts a contact by one or two
SEARCH_TIME = 1.0  # [s] for which a surface that ended is searched
MAX_SLIDE_TIME = 60.0  # [s]
FREE_TIME = 0.1  # [s] after the last contact from which on what is felt is the model's error
_PERIOD = 1e-3  # [s] for which the law's own gains are
# times the wanted force, felt at three looks in a row: the law does not master it
PRESSED_RATIO = 5.0


class Sliding(NamedTuple):
    """How the arm goes on sliding."""

    axis: np.ndarray | None  # (3,) as ``Slide.axis``; None: the arm can leave
    motion: PlannedMotion  # with the path that it would leave on


class Slider(Protocol):
    """Who says where to slide: the response ``slide``."""

    def slide_on(
        self,
        time: float,
        place: np.ndarray,
        normal: np.ndarray,
        felt: bool,
        motion: PlannedMotion,
        map: ToolMap,
        means: Means,
    ) -> Sliding:
        """How to go on from a place (3,) [m] on a surface with a normal (3,)."""


class SlidePhase(Phase):
    """Slides, once a response has answered with a slide."""

    def __init__(
        self,
        world: World,
        arm: Arm,
        controller: control.Controller,
        response: Slider,
        map: ToolMap,
        means: Means,
    ) -> None:
        super().__init__(world, POLL_INTERVAL)
        self._explore = world.explore
        self._period = world.controller.period
        self._gains = gains_of_law(world)
        self._arm = arm
        self._usual = controller
        self._response = response
        self._map = map
        self._means = means
        self._sliding = controller  # that of the run, with the law that slides
        self._start = 0.0  # [s] when it began
        self._felt = -math.inf  # [s] when the surface was felt last
        self._bias = np.zeros(3)
        self._found = False  # whether what was felt was found again
        # looks in a row at which too much is felt, and at which the surface is
        self._pressed = 0
        self._looks_felt = 0

    def takes(self, motion: PlannedMotion) -> bool:
        """Whether the arm is to slide."""
        return motion.slide is not None

    def controller(self, usual: control.Controller) -> control.Controller:
        """The run's, with the law that slides."""
        return self._sliding

    def before(
        self, motion: PlannedMotion, trajectory: Trajectory, time: float, state: State
    ) -> PlannedMotion:
        """The slide that comes before a ``motion`` with ``slide``.

        Arguments as ``Phase.before``.
        """
        assert motion.slide is not None
        explore = self._explore
        control.begin_slide(state.control)
        self._bias = self._felt_before(float(trajectory.knots[0]), state)
        self._sliding = with_sliding(
            self._usual, explore.force, explore.speed, motion.slide.normal, motion.slide.axis, self._bias,
            self._period, self._gains,
        )  # fmt: skip
        self._begun = round(time / self._step)
        self._start = time
        self._felt = time
        self._found = False
        self._pressed = 0
        self._looks_felt = 0
        # its end would be arrival
        here = quintic_trajectory(state.control.sensed.q[None], 2.0 * MAX_SLIDE_TIME, time)
        return motion._replace(trajectory=here, phase=MotionPhase.SLIDE)

    def _felt_before(self, since: float, state: State) -> np.ndarray:
        """The force (3,) that was felt on the motion since a time, before its contact [N].

        As before the contact before, where the arm had hardly left that.
        """
        trace = state.control.trace
        onset = control.find_onset(trace, since)
        rows = control.free_rows(control.in_order(trace), onset.time)
        rows = rows[rows[:, 0] > since + FREE_TIME]
        if not len(rows):
            return self._bias
        columns = jacobian(self._arm, onset.q)
        torque = control.torques_in(rows).mean(axis=0)
        return np.asarray(np.linalg.lstsq(columns.T, torque, rcond=1e-3)[0][:3])

    def look(self, step: int, state: State, motion: PlannedMotion) -> Look:
        """Whether the arm shall go on: the way is free, or what was felt is lost."""
        if not self._is_due(step):
            return Look(False, motion)
        time = step * self._step
        felt, normal = felt_normal(self._sliding.law)
        force = state.control.belief.wrench[:3] - self._bias
        pressed = float(np.linalg.norm(force)) > PRESSED_RATIO * self._explore.force
        self._pressed = self._pressed + 1 if pressed else 0
        self._looks_felt = self._looks_felt + 1 if felt else 0
        if felt:
            self._felt = time
        if self._looks_felt >= FOUND_LOOKS and not self._found:
            self._found = True
            self._map.beliefs.confirm(True)
        if self._is_lost(time) or self._pressed > 2 or time - self._start > MAX_SLIDE_TIME:
            return Look(True, motion)
        place = tool_at(self._arm, state.control.sensed.q)
        axis, motion = self._response.slide_on(
            time, place, normal, felt, motion, self._map, self._means
        )
        if axis is None:
            return Look(True, motion)
        self._sliding.law.memory[hybrid.AXIS : hybrid.AXIS + 3] = axis
        return Look(False, motion)

    def _is_lost(self, time: float) -> bool:
        """Whether the surface was not felt for too long."""
        if self._found:
            return time - self._felt > SEARCH_TIME
        return time - self._start > APPROACH_TIME

    def end(
        self, trajectory: Trajectory, time: float, state: State
    ) -> tuple[np.ndarray, np.ndarray]:
        """From where the arm goes on, with the world's own law; as ``Phase.end``."""
        if not self._found:
            self._map.beliefs.confirm(False)
        sensed = state.control.sensed
        control.end_slide(state.control)
        return sensed.q + sensed.qd * (time - float(sensed.time[0])), sensed.qd.copy()

    def noted(
        self,
        detection: DetectionRecord,
        time: float,
        motion: PlannedMotion,
        closed: Mapping[Step, float],
    ) -> DetectionRecord:
        """When the slide ended, the path from there, and what it taught."""
        return detection._replace(
            slid_until=time, start=motion.start, path=motion.cells, closed=closed
        )


def with_sliding(
    controller: control.Controller, force: float, speed: float, normal: np.ndarray, axis: np.ndarray,
    bias: np.ndarray, period: float, gains: Gains | None = None,
) -> control.Controller:  # fmt: skip
    """The control computer with a law that approaches a surface and slides along it.

    Limits, period and delay stay. Wanted are a ``force`` across the surface [N] and a ``speed``
    along it [m/s]. ``normal`` (3,) points from the surface, as far as it is known, ``axis`` (3,) is
    perpendicular to it, both unit vectors; about the axis the arm slides counter-clockwise around
    what it touches. The estimator believes in the force ``bias`` (3,) without a contact [N]. The
    gains of the force are as much smaller as the ``period`` [s] of control is longer than 1 ms. The
    joints follow with ``gains``, (n,) each; None, or without stiffness: with those of the law
    itself.
    """
    slower = min(1.0, _PERIOD / period)
    heading = math.atan2(-normal[1], -normal[0])
    elevation = math.asin(np.clip(-normal[2], -1.0, 1.0))
    left = np.array([-math.sin(heading), math.cos(heading), 0.0])
    values: dict[str, object] = {
        "force": force,
        "speed": speed,
        "heading": heading,
        "elevation": elevation,
        "incline": math.atan2(axis @ left, axis @ np.cross(left, normal)),
    }
    for parameter in hybrid.METHOD.parameters:
        if parameter.name in ("force_gain", "force_integral"):
            values[parameter.name] = slower * float(np.asarray(parameter.default))
    if gains is not None and np.min(gains.position) > 0.0:
        omega = np.sqrt(gains.position)
        wanted = {
            "natural_frequency": omega,
            "damping_ratio": 0.5 * np.asarray(gains.velocity) / omega,
        }
        ranges = {p.name: (p.low, p.high) for p in hybrid.METHOD.parameters}
        values |= {name: np.clip(given, *ranges[name]).tolist() for name, given in wanted.items()}
    law = applied(hybrid.METHOD, values, len(controller.model.dh))
    law.memory[hybrid.BIAS : hybrid.BIAS + 3] = bias
    return controller._replace(law=law, feedforward=False)


def felt_normal(law: Applied) -> tuple[bool, np.ndarray]:
    """Whether a sliding law feels the surface now, and the (3,) normal that it believes in."""
    memory = law.memory
    axis = memory[hybrid.AXIS : hybrid.AXIS + 3]
    normal, angle = memory[hybrid.NORMAL : hybrid.NORMAL + 3], memory[hybrid.TILT]
    along = (1.0 - math.cos(angle)) * (axis @ normal) * axis
    turned = math.cos(angle) * normal + math.sin(angle) * np.cross(axis, normal) + along
    return bool(memory[hybrid.PHASE] == hybrid.SLIDING), turned
