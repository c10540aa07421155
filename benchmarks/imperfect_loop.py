"""What detection methods, joint friction, noise and whole-arm contact cost the closed loop.

Run with ``python benchmarks/imperfect_loop.py``. Each variant runs 4 s of the first trajectory of
``ragazzon2012`` with an alarm threshold that is never reached; variants alternate in one process, and the
table gives medians as ratios to the detector of Ragazzon 2012 on an ideal arm.
"""

from __future__ import annotations

import statistics
import time

from timing import asked, table, tell

from hopfield_nav import Simulation, load_world

DURATION, REPEATS = 4.0, 9
DEAF = "threshold: 1.0e6"
FULL = ["plant.dynamics=ur5_full", "controller.model=ur5_full"]
NOISE = "sensors={encoder_resolution: 1.0e-5, velocity_noise: 0.001}"
MOMENTUM = "detection={{estimator: momentum_observer, measure: {}, " + DEAF + "}}"
VARIANTS = {
    "detector of Ragazzon 2012, ideal arm": ["detection.threshold=1e6"],
    "no detector": ["detection={estimator: none}"],
    "momentum observer, joint torques": [MOMENTUM.format("joint_torque")],
    "momentum observer, adaptive": [MOMENTUM.format("adaptive_joint_torque")],
    "momentum observer, adaptive and high-passed": [MOMENTUM.format("adaptive_high_pass")],
    "detector of Ragazzon 2012, friction, noise": [
        *FULL, "plant.friction=arm", NOISE, "detection.threshold=1e6"
    ],
    "adaptive, friction, noise": [
        *FULL, "plant.friction=arm", NOISE, MOMENTUM.format("adaptive_joint_torque")
    ],
    "adaptive, friction, noise, whole-arm contact": [
        *FULL, "plant.friction=arm", NOISE, MOMENTUM.format("adaptive_joint_torque"), "contact.bodies=arm"
    ],
}  # fmt: skip


def main() -> None:
    """Print the table."""
    out = asked(__doc__)
    simulations = {name: Simulation(load_world("ragazzon2012", v)) for name, v in VARIANTS.items()}
    times: dict[str, list[float]] = {name: [] for name in VARIANTS}
    for _ in range(REPEATS + 1):  # the first round warms up
        for name, simulation in simulations.items():
            simulation.reset()
            started = time.process_time()
            simulation.step(DURATION)
            times[name].append(time.process_time() - started)
    first = statistics.median(times[next(iter(VARIANTS))][1:])
    rows = []
    for name, taken in times.items():
        median = statistics.median(taken[1:])
        rows.append([name, f"{DURATION / median:.0f}", f"{median / first:.2f}"])
    head = ["loop, RK4, 1 ms", "simulated s a second of processor time", "time, ratio"]
    tell(table(head, rows), out, "imperfect_loop")


if __name__ == "__main__":
    main()
