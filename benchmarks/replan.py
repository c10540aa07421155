"""One whole replan of the main experiment: map, network, inverse kinematics, splines.

Run with ``python benchmarks/replan.py``. The replans are those of the main experiment itself, timed
where they happen; the document reports several seconds each. Medians over all replans of several
runs.
"""

from __future__ import annotations

import statistics

from timing import asked, table, tell

from hopfield_nav import Simulation, load_world

REPEATS = 5
WORLDS = ("ragazzon2012",)


def main() -> None:
    """Print the table."""
    out, rows = asked(__doc__), []
    for name in WORLDS:
        simulation = Simulation(load_world(name, ["record.signals=none"]))
        times = []
        for _ in range(REPEATS):
            simulation.reset()
            simulation.run()
            times += [1e3 * detection.replan_time for detection in simulation.detections]
        rows.append([f"`{name}`", f"{statistics.median(times):.1f} ms"])
    tell(table(["one whole replan of", "time, median"], rows), out, "replan")


if __name__ == "__main__":
    main()
