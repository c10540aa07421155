"""Times of calls that every version of the program has, as JSON; for ``before_after.py``, which chooses one.

It imports nothing but the public names of the version that is on the path.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable

import numpy as np

from dynamics import (
    forward_dynamics,
    forward_kinematics,
    inverse_dynamics,
    inverse_kinematics,
    jacobian,
    load_arm,
)
from hopfield_nav import Simulation, load_world, plan_path, sweep

ROUNDS, BATCH, SWEPT, LOOP, LOOPS = 7, 100_000, 120, 5.0, 50
ARM = ["contact.bodies=arm", "detection.threshold=1e6"]


def median(call: Callable[[], object], times: int) -> float:
    """Median time of one of so many calls [s], after one that compiles."""
    call()
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(times):
            call()
        rounds.append((time.perf_counter() - begin) / times)
    return statistics.median(rounds)


def calls() -> dict[str, float]:
    """Single calls, a row of a batch and plans [s]."""
    arm = load_arm("ur5_ragazzon2012")
    q, qd, third = np.random.default_rng(0).uniform(-1, 1, (3, len(arm.dh)))
    many = np.tile(np.stack([q, qd, third]), (BATCH, 1, 1)).swapaxes(0, 1).copy()
    pose, grid = forward_kinematics(arm, q), np.ones((20, 20), dtype=bool)
    grid[1:-1, 1:-1] = False
    return {
        "inverse_dynamics": median(lambda: inverse_dynamics(arm, q, qd, third), 5000),
        "forward_dynamics": median(lambda: forward_dynamics(arm, q, qd, third), 5000),
        "forward_kinematics": median(lambda: forward_kinematics(arm, q), 5000),
        "jacobian": median(lambda: jacobian(arm, q), 5000),
        "inverse_kinematics": median(lambda: inverse_kinematics(arm, pose), 2000),
        "batch": median(lambda: forward_dynamics(arm, *many), 1) / BATCH,
        "limit": median(lambda: plan_path(grid, (1, 10), (17, 6), "limit"), 1000),
        "sum": median(lambda: plan_path(grid, (1, 10), (17, 6), "sum"), 300),
    }


def loops() -> dict[str, float]:
    """Simulated seconds a second, and one more run of the main experiment in a process [s]."""

    def speed(*change: str) -> float:
        def one() -> float:
            simulation = Simulation(
                load_world("ragazzon2012", ["detection.threshold=1e6", *change])
            )
            begin = time.perf_counter()
            simulation.step(LOOP)
            return LOOP / (time.perf_counter() - begin)

        return statistics.median([one() for _ in range(LOOPS + 1)][1:])

    def run() -> float:
        simulation = Simulation(load_world("ragazzon2012"))
        begin = time.perf_counter()
        simulation.run()
        return time.perf_counter() - begin

    return {
        "rk4": speed(),
        "euler": speed("plant.integrator=semi_implicit_euler"),
        "arm": speed(*ARM),
        "run": statistics.median([run() for _ in range(ROUNDS + 1)][1:]),
    }


def swept() -> dict[str, float]:
    """A run of a sweep of the main experiment on two workers, the start of the pool left out [s]."""

    def seconds(count: int) -> float:
        begin = time.perf_counter()
        sweep(
            "ragazzon2012",
            {"detection.threshold": np.linspace(8.0, 14.0, count).tolist()},
            workers=2,
        )
        return time.perf_counter() - begin

    seconds(4)
    return {"sweep": (seconds(SWEPT) - seconds(4)) / (SWEPT - 4)}


if __name__ == "__main__":
    print(json.dumps(calls() | loops() | swept()))
