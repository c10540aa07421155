"""What stands around the arm at which time: obstacles that come and go.

The loop ends its stretch at the times of ``build.standing_times``, and goes on with the rows of the
solids that stand then. What would come where the arm is waits: with all that comes at the same
time, until the arm is in none of it.
"""

import math

import numpy as np

from hopfield_nav.build import standing_times, stands_at
from hopfield_nav.loop import Plant, State, make_contact
from hopfield_nav.navigation import depths_at_start
from hopfield_nav.world import World

_WAIT = 0.01  # [s] from one look whether the arm is out of the way to the next
_ROUNDING = 1e-6  # of a step, by which a time may exceed it


class Surroundings:
    """What stands now around a plant, which is made among every solid that ever stands."""

    def __init__(self, world: World, plant: Plant) -> None:
        self._step = world.plant.step
        self._whole = world.contact.bodies == "arm"
        self._arm = plant.arm
        self._all = plant.contact.solids
        self.solids = self._all  # (k, 17) those that stand now, packed
        self._asked = standing_times(world)
        # (m, 2) from when until when each solid stands [s], as it truly came
        self.times = self._asked.copy()
        self._stands = np.ones(len(self._all), dtype=bool)
        self._came = np.zeros(len(self._all), dtype=bool)
        self._next = 0 if world.changes else math.inf  # step of the next look

    def now(self, plant: Plant, state: State) -> Plant:
        """The plant among what stands at the state's step; it was among what stood before."""
        if state.now.step < self._next:
            return plant
        time = state.now.step * self._step
        self._wait(state)
        stands = self._stand_at(time)
        self._came |= stands
        later = self.times[np.isfinite(self.times) & (self.times > time + _ROUNDING * self._step)]
        self._next = math.ceil(later.min() / self._step - _ROUNDING) if later.size else math.inf
        if np.array_equal(stands, self._stands):
            return plant
        self._stands = stands
        self.solids = self._all[stands]
        old = plant.contact
        # its scratch is new
        return plant._replace(contact=make_contact(old.law, self.solids, old.bodies, old.beyond))

    def until(self, step: int) -> int:
        """The step at which a stretch towards ``step`` ends at the latest."""
        return int(min(step, self._next))

    def late(self) -> dict[str, float | None]:
        """When those came that waited, by their numbers [s]; None: not up to now."""
        begin = self.times[:, 0]
        return {
            str(k): float(begin[k]) if self._came[k] else None
            for k in np.flatnonzero(begin > self._asked[:, 0])
        }

    def _stand_at(self, time: float) -> np.ndarray:
        return stands_at(self.times, time + _ROUNDING * self._step)

    def _wait(self, state: State) -> None:
        """Put off what comes now and would be in the arm."""
        comes = self._stand_at(state.now.step * self._step) & ~self._stands
        for asked in np.unique(self._asked[comes, 0]):
            together = comes & (self._asked[:, 0] == asked)
            depth, _ = depths_at_start(self._arm, state.q, self._all[together], self._whole)
            if np.any(depth > 0.0):
                self.times[together, 0] = (
                    state.now.step + max(round(_WAIT / self._step), 1)
                ) * self._step
