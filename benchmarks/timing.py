"""What the benchmarks share: the time of a call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def median_seconds(call: Callable[[], object], calls: int, runs: int) -> float:
    """Median time, over so many runs, of one of the ``calls`` that ``call()`` makes [s].

    A run before them is left out: it compiles.
    """
    call()
    return statistics.median(seconds_per_call(lambda _: call(), calls) for _ in range(runs))


def seconds_per_call(run: Callable[[int], object], calls: int) -> float:
    """Time of one of the ``calls`` that ``run(calls)`` makes [s]."""
    start = time.perf_counter()
    run(calls)
    return (time.perf_counter() - start) / calls
