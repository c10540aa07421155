"""Steps a second of the Gymnasium environment, one core: zero torque, world ``empty``, steps of 5 ms.

Run with ``python benchmarks/environment.py``; needs ``pip install hopfield-nav[gym]``. Processor
and wall time of a thousand steps with the reset before them, slowest and fastest of several. Where
the machine is busy the two differ.
"""

from __future__ import annotations

import time

import numpy as np
from timing import asked, table, tell

from hopfield_nav.extensions.gym import ReachEnv

STEPS, REPEATS = 1000, 11


def main() -> None:
    """Print the table."""
    out = asked(__doc__)
    env, still = ReachEnv("empty"), np.zeros(6)
    rates = []
    for seed in range(REPEATS + 1):
        begun = time.process_time(), time.perf_counter()
        env.reset(seed=seed)
        for _ in range(STEPS):
            env.step(still)
        rates.append(
            (STEPS / (time.process_time() - begun[0]), STEPS / (time.perf_counter() - begun[1]))
        )
    columns = zip(("of processor time", "of wall time"), zip(*rates[1:], strict=True), strict=True)
    rows = [[name, f"{min(found):,.0f} to {max(found):,.0f}"] for name, found in columns]
    tell(table(["", "steps a second"], rows), out, "environment")


if __name__ == "__main__":
    main()
