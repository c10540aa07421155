"""Whether an arm at the end of its path has arrived, or will still arrive.

What ``no_path`` rests on. The control computer stops where the tool is at the goal by all it
senses; truly it may be elsewhere.

Once its trajectory has ended, the arm comes nearer to the goal only as far as
``controller.settling`` moves its reference. Where it comes no nearer, the reference is not moved
any more, and nothing touches it, it is left where it is for good: nothing will be felt either, and
the time limit would be all it waits for.

What the arm itself knows speaks against touches where it drove freely, and against facts that
cannot all be true; a real arm can tell as much. The truth of the simulation tells which touches
were of nothing.
"""

import math
from collections.abc import Sequence

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.control import MAX_CORRECTION
from hopfield_nav.loop import State, Trajectory
from hopfield_nav.navigation import Grade, Navigator
from hopfield_nav.record import DetectionRecord
from hopfield_nav.world import World

LOOK_INTERVAL = 1.0  # [s] from one look to the next
_MIN_SPAN = 10.0  # [s] that the looks go back, at least
_SETTLING_TIMES = 10.0  # times 1/settling that they go back, at least
# a distance that falls by less than this share over half of that time falls no more
_FALLING_RATIO = 0.95
_MAX_CHANGE = 1e-4  # [rad] a correction that changes by less over that time is done
DOUBTFUL_SHARE = 1 / 3  # share of the collisions from which on they are many
MIN_DOUBTFUL = 5  # and their least number
_CHANGES = "what was closed may be open by now"
_REMEDY = (
    "try a higher threshold (`hopfield-nav tune` finds one for detectors with detection.threshold), "
    "or a controller.model nearer to the plant"
)


def arrived(tolerance: float, error: float) -> str:
    """What to say of a tool that is sensed within the tolerance [m] of the goal.

    It is ``error`` [m] off. Both are told with three digits, and what these do not show is no
    difference.
    """
    if min(error, float(f"{error:.3g}")) <= tolerance:
        return f"the tool is within {tolerance:g} m of the goal"
    return (
        f"the tool is sensed within {tolerance:g} m of the goal, but is {error:.3g} m from it: the sensors "
        "or the control computer's model are not exact"
    )


def at_limit(world: World, duration: float, to_goal: bool) -> tuple[str, str]:
    """Outcome and reason of a run that is at its end in time, after ``duration`` [s]."""
    if duration < world.time_limit:
        return "reached", "the end of the trajectory"
    there = "not there after" if to_goal else "no goal; simulated for"
    return "time_limit", f"{there} {world.time_limit:g} s"


class Arrival:
    """Looks at a run every ``LOOK_INTERVAL`` seconds of its time.

    Without a goal it waits for nothing.
    """

    def __init__(self, world: World, arm: Arm, goal: np.ndarray | None) -> None:
        self._world = world
        self._arm = arm
        self._goal = goal
        self._steps = max(1, round(LOOK_INTERVAL / world.plant.step))
        rate = world.controller.settling
        seconds = max(_MIN_SPAN, _SETTLING_TIMES / rate if rate > 0.0 else 0.0)
        self._most = 1 + math.ceil(seconds / (self._steps * world.plant.step))
        self._end = math.nan
        self._distances: list[float] = []
        self._corrections: list[np.ndarray] = []

    def next_look(self, step: int) -> int:
        """The first step after ``step`` at which to look."""
        return (step // self._steps + 1) * self._steps

    def look(self, state: State, trajectory: Trajectory) -> str:
        """Why the arm will not arrive, in a sentence; empty while it may."""
        step = state.now.step
        end = float(trajectory.knots[-1])
        if self._goal is None or step % self._steps:
            return ""
        now = step * self._world.plant.step
        touched = state.statistics.last_contact_time >= now - self._steps * self._world.plant.step
        if now < end or end != self._end or touched:
            self._end = end
            self._distances, self._corrections = [], []
        if now < end or touched:
            return ""
        tool = forward_kinematics(self._arm, state.control.sensed.q)[:3, 3]
        self._distances = [*self._distances, float(np.linalg.norm(tool - self._goal))][
            -self._most :
        ]
        self._corrections = [*self._corrections, state.control.correction.copy()][-self._most :]
        half = self._most // 2
        if (
            len(self._distances) < self._most
            or np.ptp(self._corrections, axis=0).max() > _MAX_CHANGE
        ):
            return ""
        if min(self._distances[half:]) < _FALLING_RATIO * min(self._distances[:half]):
            return ""
        return self._reason(self._distances[-1], state.control.belief.now.level)

    def _reason(self, distance: float, level: float) -> str:
        control = self._world.controller
        tolerance = self._world.goal.tolerance if self._world.goal else 0.0
        corrected = np.abs(self._corrections[-1]).max()
        if control.settling == 0.0:
            why = "controller.settling is 0, so that what is left is not corrected; set it, or "
        elif corrected >= MAX_CORRECTION:
            limit = f"its limit of {MAX_CORRECTION:g} rad"
            why = f"the correction of a joint is at {limit}; give a better model, or "
        elif level > 1.0:
            why = "a force is believed, so that nothing is corrected; give a larger detection.threshold, or "
        else:
            why = "its joints are where they shall be as far as can be measured; give "
        return (
            f"by what is sensed the tool rests {1e3 * distance:.3g} mm from the goal, whose tolerance is "
            f"{1e3 * tolerance:.3g} mm, and comes no nearer: {why}a larger goal.tolerance"
        )


def why_doubtful(world: World, navigator: Navigator, detections: Sequence[DetectionRecord]) -> str:
    """What speaks against the touches on which an outcome ``no_path`` rests.

    Empty where nothing does.
    """
    count, false = _collisions(detections)
    changes = world.changes or world.planner.forget is not None
    found = [_CHANGES if changes else "", navigator.why_doubtful()]
    if are_many(navigator.in_free_air(), count):
        found.append(f"{navigator.in_free_air()} of {count} collisions where the arm drove freely")
    if false:
        found.append(f"{false} of {count} collisions were false alarms")
    return ", ".join(part for part in found if part)


def no_path_grade(
    outcome: str | None, world: World, navigator: Navigator, detections: Sequence[DetectionRecord]
) -> str | None:
    """What an outcome ``no_path`` rests on, as the navigator says; None for every other one.

    Where touches have a part in it, and something speaks against them, it is doubtful.
    """
    if outcome != "no_path":
        return None
    grade = navigator.motion.grade
    by_touches = grade != Grade.PLANNER and (grade != Grade.EXCLUDED or navigator.closed_steps())
    if by_touches and why_doubtful(world, navigator, detections):
        return Grade.DOUBTFUL.value
    return None if grade is None else grade.value


def warn_of_free_air(navigator: Navigator, detections: Sequence[DetectionRecord]) -> list[str]:
    """Whether many collisions were felt in free air; one sentence, or none."""
    count, false = _collisions(detections)
    causes = {"false alarms": false, "felt where the arm drove freely": navigator.in_free_air()}
    told = [
        f"{part} of {count} collisions were {what}"
        for what, part in causes.items()
        if are_many(part, count)
    ]
    return [f"{first}: {_REMEDY}" for first in told[:1]]


def are_many(part: int, count: int) -> bool:
    """Whether so many of so many collisions are too many to be chance."""
    return part >= MIN_DOUBTFUL and part > DOUBTFUL_SHARE * count


def _collisions(detections: Sequence[DetectionRecord]) -> tuple[int, int]:
    """How many there are, and how many of them touched nothing."""
    collisions = [d for d in detections if not d.passed_by]
    return len(collisions), sum(d.false_alarm for d in collisions)
