"""What detection methods, joint friction, noise and whole-arm contact cost the closed loop.

Run with ``python benchmarks/imperfect_loop.py``. Each variant runs 4 s of the first trajectory of
``ragazzon2012`` with an alarm threshold that is never reached; variants alternate in one process,
and the tables give medians as ratios to the first variant. The second table is of the ideal arm
among more and more cylinders, a ring of them out of its reach; the third of gears that give before
they slip, and of learning.
"""

from __future__ import annotations

import math
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
        *FULL, "plant.friction=arm", "plant.presliding=ideal", NOISE, "detection.threshold=1e6"
    ],
    "adaptive, friction, noise": [
        *FULL, "plant.friction=arm", "plant.presliding=ideal", NOISE, MOMENTUM.format("adaptive_joint_torque")
    ],
    "adaptive, friction, noise, whole-arm contact": [
        *FULL, "plant.friction=arm", "plant.presliding=ideal", NOISE,
        MOMENTUM.format("adaptive_joint_torque"), "contact.bodies=arm"
    ],
}  # fmt: skip


RING = [(1.4 * math.cos(angle), 1.4 * math.sin(angle)) for angle in range(100)]
CYLINDERS = [f"{{cylinder: {{center: [{x:.4f}, {y:.4f}], radius: 0.02}}}}" for x, y in RING]
GROWTH = {
    f"{count} cylinders, {who} may touch them": [
        "detection.threshold=1e6", f"obstacles=[{', '.join(CYLINDERS[:count])}]", f"contact.bodies={bodies}"
    ]
    for bodies, who in (("tool", "the tool"), ("arm", "the whole arm"))
    for count in (0, 20, 100)
}  # fmt: skip

_ADAPTIVE = [*FULL, "plant.friction=arm", NOISE, MOMENTUM.format("adaptive_joint_torque")]
GEARS = {
    "joints that stick": [*_ADAPTIVE, "plant.presliding=ideal"],
    "gears that give, 2e4 N·m/rad": [*_ADAPTIVE, "plant.presliding=2e4"],
    "the same, 1e6 N·m/rad": [*_ADAPTIVE, "plant.presliding=1e6"],
    "2e4 N·m/rad, and the arm learns": [
        *_ADAPTIVE,
        "plant.presliding=2e4",
        "controller.learn=true",
    ],
    "joints that stick, and the arm learns": [
        *_ADAPTIVE,
        "plant.presliding=ideal",
        "controller.learn=true",
    ],
}


def compared(variants: dict[str, list[str]]) -> list[list[str]]:
    """A row for each variant: simulated time in a second of processor time, and the time as a ratio."""
    simulations = {name: Simulation(load_world("ragazzon2012", v)) for name, v in variants.items()}
    times: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(REPEATS + 1):  # the first round warms up
        for name, simulation in simulations.items():
            simulation.reset()
            started = time.process_time()
            simulation.step(DURATION)
            times[name].append(time.process_time() - started)
    medians = {name: statistics.median(taken[1:]) for name, taken in times.items()}
    first = medians[next(iter(variants))]
    return [[name, f"{DURATION / m:.0f}", f"{m / first:.2f}"] for name, m in medians.items()]


def main() -> None:
    """Print the tables."""
    out = asked(__doc__)
    head = ["loop, RK4, 1 ms", "simulated s a second of processor time", "time, ratio"]
    tell(table(head, compared(VARIANTS)), out, "imperfect_loop")
    tell(table(head, compared(GROWTH)), out, "growth")
    tell(table(head, compared(GEARS)), out, "gears")


if __name__ == "__main__":
    main()
