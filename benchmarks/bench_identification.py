"""How long the regressor of 31,000 samples and a whole identification of 31 s at 1 kHz take.

Run with ``python benchmarks/bench_identification.py``; needs ``pip install hopfield-nav[test]``.
The peer is Pinocchio's ``computeJointTorqueRegressor`` called from a Python loop, as its users do.
Compiled code is warm; runs alternate in one process; the table gives medians and the spread of the
runs.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin

sys.path += [
    str(Path(__file__).resolve().parent.parent / folder) for folder in ("tests/helpers", "scripts")
]
from madsen2020.excitation import from_free, random_free
from oracles import pinocchio_model

from dynamics import inverse_dynamics, load_arm
from dynamics.identification import MotionLog, identify, regressor

RUNS = 3
SAMPLES = 31_000


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measure() -> dict[str, list[float]]:
    """Seconds of each task, a value for each run."""
    arm = load_arm("ur5e")
    trajectory = from_free(random_free(6, 5, np.random.default_rng(3)), 6, 5, 10.0).scaled(
        np.full(6, 0.8)
    )
    at = np.arange(SAMPLES) / 1000
    q, qd, qdd = trajectory(at)
    log = MotionLog(at, q, inverse_dynamics(arm, q, qd, qdd))
    model, data = pinocchio_model(arm)

    def peer() -> None:
        for state in zip(q, qd, qdd, strict=True):
            pin.computeJointTorqueRegressor(model, data, *state)

    found = identify(log, arm)  # compiles
    found.consistent  # noqa: B018  (imports the solver)
    tasks: dict[str, Callable[[], object]] = {
        "regressor of 31,000 samples": lambda: regressor(arm, q, qd, qdd),
        "the same, Pinocchio from Python": peer,
        "identification of 31 s at 1 kHz, least squares": lambda: identify(log, arm),
        "the same with a physically consistent arm": lambda: identify(log, arm).arm,
    }
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(RUNS):
        for name, task in tasks.items():
            times[name].append(_seconds(task))
    return times


def main() -> None:
    print("| task | seconds, median (spread) |")
    print("|---|---|")
    for name, times in measure().items():
        print(f"| {name} | {statistics.median(times):.2f} ({min(times):.2f}–{max(times):.2f}) |")


if __name__ == "__main__":
    main()
