"""One whole replan of the main experiment: map, network, inverse kinematics, splines.

Run with ``python benchmarks/replan.py``. The replans are those of the main experiment itself, timed
where they happen; the document reports several seconds each. Medians over all replans of several runs.
"""

from __future__ import annotations

import statistics

from hopfield_nav import Simulation, load_world

REPEATS = 5


def main() -> None:
    """Print the table."""
    print("| world | replans | median [ms] | slowest [ms] |")
    print("|---|---|---|---|")
    for name in ("ragazzon2012", "u_trap", "enclosed_goal"):
        simulation = Simulation(load_world(name, ["record.signals=none"]))
        times = []
        for _ in range(REPEATS):
            simulation.reset()
            simulation.run()
            times += [1e3 * detection.replan_time for detection in simulation.detections]
        print(f"| {name} | {len(times)} | {statistics.median(times):.2f} | {max(times):.2f} |")


if __name__ == "__main__":
    main()
