"""When the next row is due, and how late rows were: no clock that drifts, and an honest figure of jitter."""

import math

EDGES = tuple(1e-6 * 10 ** (k / 20) for k in range(141))  # [s] of the histogram: a microsecond to ten seconds


class Pace:
    """Due times on one clock: the first row's, and the time of the log since then over the speed.

    ``rows`` were noted; ``latest`` is the largest lateness, ``last`` that of the last row [s], in which a
    clock that drifts shows.
    """

    def __init__(self, start: float, speed: float = 1.0) -> None:
        self._start, self._speed = start, speed
        self._counts = [0] * (len(EDGES) + 1)
        self.rows, self.latest, self.last, self._sum = 0, 0.0, 0.0, 0.0

    def due(self, time: float) -> float:
        """When the row of the log's ``time`` [s, from 0] is due."""
        return self._start + time / self._speed

    def note(self, time: float, now: float) -> None:
        """The row of the log's ``time`` [s] was told ``now``."""
        late = max(now - self.due(time), 0.0)
        self.rows += 1
        self._sum += late
        self.last, self.latest = late, max(self.latest, late)
        place = 0 if late <= EDGES[0] else math.ceil(20 * math.log10(late / EDGES[0]))
        self._counts[min(place, len(EDGES))] += 1

    @property
    def mean(self) -> float:
        """Mean lateness [s]."""
        return self._sum / self.rows if self.rows else 0.0

    def quantile(self, share: float) -> float:
        """Lateness that ``share`` of the rows stay below, to 12 % [s]."""
        seen, wanted = 0, share * self.rows
        for edge, count in zip(EDGES, self._counts, strict=False):
            seen += count
            if seen >= wanted:
                return min(edge, self.latest)
        return self.latest
