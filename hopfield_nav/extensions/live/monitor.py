"""A stream of packages, watched.

Gaps, clocks that jump, states of the robot, and what the methods say. Time counts from the first
package, as in a recording: the same numbers come out of the same rows.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from dynamics.identification import FULL_TURNS
from hopfield_nav.extensions.live import recipe as fields
from hopfield_nav.extensions.live.detector_stream import DetectorStream, Seen
from hopfield_nav.extensions.live.link import Link, Notice
from hopfield_nav.extensions.live.recipe import Recipe
from hopfield_nav.extensions.live.recorder import Recorder
from hopfield_nav.extensions.recordings import JOINT_COLUMNS

# that are judged, as recordings name them
SIGNALS = ("q", "qd", "q_ref", "qd_ref", "qdd_ref", "current")
NEEDED = ("timestamp", *(JOINT_COLUMNS[name] for name in SIGNALS))
STATES = {  # field: (words of its values, the value when all is well)
    "robot_mode": (fields.ROBOT_MODES, fields.RUNNING),
    "safety_mode": (fields.SAFETY_MODES, fields.NORMAL),
    "runtime_state": (fields.RUNTIME_STATES, fields.PLAYING),
}
WATCHED = (
    *NEEDED, "target_current", "target_moment", "actual_TCP_pose", "actual_TCP_speed", "actual_TCP_force",
    *STATES,
)  # fmt: skip
GAP = 1.5  # periods beyond which packages are missing
STEPS = 15  # between packages, whose median is the period
SHORTEST = 5e-4  # [s] between packages; those that follow sooner tell nothing new
LATEST = 1e9  # [s] that a clock may show: thirty years
# packages in a row that tell nothing new, after which the clock is said to stand still
MAX_REPEATS = 100
LARGEST = dict.fromkeys(SIGNALS, FULL_TURNS) | {"qdd_ref": 1e4, "current": 1e3}
_FIELD_OF = {name: JOINT_COLUMNS[name] for name in SIGNALS}


class Told(NamedTuple):
    """A row that was taken: its time [s], joint angles (n,) [rad], and what is believed.

    There are no angles if the source does not send them, and there is no belief without a judge.
    """

    time: float
    q: np.ndarray
    seen: Seen | None


class Monitor:
    """Processes what a link delivers, and reports what it means.

    Without a judge rows are only taken.
    """

    def __init__(
        self, judge: DetectorStream | None = None, records: Sequence[Recorder] = ()
    ) -> None:
        self._judge, self._records = judge, records
        self._recipe: Recipe | None = None
        self._steps: deque[float] = deque(maxlen=STEPS)
        self._first = self._last = np.nan
        self._frequency, self._complete, self._still = 0.0, False, 0
        self._states: dict[str, int] = {}
        # how often each kind of thing happened: ``rows``, ``alarms``, ``lost``, ``repeated``, ``no
        # numbers``, ``clock jumps``, ``state changes``, and every kind of ``Notice``
        self.counts: Counter[str] = Counter()
        # seconds: of the stream that were taken, gaps left out
        # largest: level so far
        self.seconds = self.largest = 0.0

    def take(self, item: np.ndarray | Notice, link: Link) -> Iterator[Told | Notice]:
        """The next item of a link."""
        if isinstance(item, Notice):
            self.counts[item.kind] += 1
            yield item
            return
        recipe = link.recipe
        assert recipe is not None
        if recipe is not self._recipe:
            self._recipe, self._frequency = recipe, link.frequency
            lacking = [name for name in NEEDED if name not in recipe.columns]
            if lacking:
                yield Notice("not judged", f"the source does not tell {', '.join(lacking)}")
            self._complete = not lacking
        if "timestamp" not in recipe.columns:
            self.counts["no numbers"] += 1
            return
        fault = _fault(recipe, item)
        if fault:
            self.counts["no numbers"] += 1
            if self.counts["no numbers"] == 1:
                yield Notice("no numbers", fault)
            return
        yield from self._take_row(recipe, item)

    def _take_row(self, recipe: Recipe, values: np.ndarray) -> Iterator[Told | Notice]:
        stamp = float(values[recipe.columns["timestamp"]][0])
        anew = np.isnan(self._last)
        if 0.0 <= stamp - self._last < SHORTEST:
            yield from self._repeated(stamp)
            return
        self._still = 0
        if stamp < self._last:
            self.counts["clock jumps"] += 1
            yield Notice(
                "clock jump", f"from {self._last:.3f} s back to {stamp:.3f} s: methods begin anew"
            )
            anew = True
        if anew:
            self._first = stamp
            if self._judge is not None:
                self._judge.restart(self._frequency)
        else:
            yield from self._step(stamp)
        self._last = stamp
        self.counts["rows"] += 1
        yield from self._changes(recipe, values)
        for record in self._records:
            if why := record.add(recipe, values, anew):
                yield Notice("record", why)
        q = values[recipe.columns["actual_q"]] if "actual_q" in recipe.columns else np.zeros(0)
        yield Told(stamp - self._first, q, self._judged(recipe, values, stamp - self._first))

    def _judged(self, recipe: Recipe, values: np.ndarray, time: float) -> Seen | None:
        if self._judge is None or not self._complete:
            return None
        seen = self._judge.judge(
            time, np.array([values[recipe.columns[_FIELD_OF[name]]] for name in SIGNALS])
        )
        self.counts["alarms"] += seen.detected
        self.largest = max(self.largest, seen.level)
        return seen

    def _repeated(self, stamp: float) -> Iterator[Notice]:
        self.counts["repeated"] += 1
        self._still += 1
        if self._still == MAX_REPEATS:
            yield Notice("repeated", f"the clock stands still at {stamp:.3f} s")

    def _step(self, stamp: float) -> Iterator[Notice]:
        """Count the packages that are missing before ``stamp``.

        The usual step is that of the last ones.
        """
        step = stamp - self._last
        period = median(self._steps) if self._steps else 1.0 / self._frequency
        if step > GAP * period:
            lost = max(1, round(step / period) - 1)
            self.counts["lost"] += lost
            yield Notice("lost", f"{lost} packages before {stamp:.3f} s")
        else:
            self.seconds += step
        self._steps.append(step)

    def _changes(self, recipe: Recipe, values: np.ndarray) -> Iterator[Notice]:
        """A notice for every state of the robot that has changed, or that is not well at the start."""
        for name, (words, well) in STATES.items():
            if name not in recipe.columns:
                continue
            now = int(values[recipe.columns[name]][0])
            if now != self._states.get(name, well):
                self.counts["state changes"] += 1
                yield Notice("robot", f"{name} is {now}: {words.get(now, 'unknown')}")
            self._states[name] = now


def _fault(recipe: Recipe, values: np.ndarray) -> str:
    """Why the numbers cannot be those of an arm; empty: they can."""
    if not np.isfinite(values).all():
        name = next(
            n for n, columns in recipe.columns.items() if not np.isfinite(values[columns]).all()
        )
        return f"{name} is not finite"
    stamp = values[recipe.columns["timestamp"]][0]
    if abs(stamp) > LATEST:
        return f"timestamp is {stamp:.3g} s"
    for name, field in _FIELD_OF.items():
        columns = recipe.columns.get(field)
        if columns is not None and np.abs(values[columns]).max() > LARGEST[name]:
            return f"{field} is {np.abs(values[columns]).max():.3g}"
    return ""
