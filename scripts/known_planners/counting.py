"""Our answers to OMPL, counted and timed."""

import time
from typing import Any

from hopfield_nav.extensions.known_world import Checks


class Counting(Checks):
    """Checks that know how many motions were asked about, and how long all answers took [s]."""

    motions, seconds = 0, 0.0  # of all since they were last set to these
    asked: list[tuple[list[float], list[float]]] | None = None  # where they are to be remembered

    def motion(self, first: Any, second: Any) -> bool:
        """As the plan's own."""
        if Counting.asked is not None:
            Counting.asked.append((first[0 : self.n], second[0 : self.n]))
        begin = time.perf_counter()
        free = super().motion(first, second)
        Counting.seconds += time.perf_counter() - begin
        Counting.motions += first is not second
        return free
