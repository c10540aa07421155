"""Cost of each estimator and detector, a call, inside compiled code.

Run with ``python benchmarks/bench_detectors.py``. Each is called as the loop calls it, as a
first-class compiled function, on frames that are up to date; the clock and the joints move between
calls. What ``none`` costs is the cost of the call itself.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

from dynamics import Arm, load_arm
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.momentum import update_momentum
from dynamics.work import make_work
from hopfield_nav.plugin import compiled, find_method, make_sensed, method_names

RUNS, CALLS = 7, 50_000


@kernel
def _repeat(method, arm, sensed, parameters, memory, work, torque, wrench, count):
    for _ in range(count):
        sensed.time[0] += 1e-3
        sensed.qd[0] += 1e-9
        method(arm, sensed, parameters, memory, work, torque, wrench)


@kernel
def _momentum(arm, qd, work, momentum, rate, count):
    for _ in range(count):
        qd[0] += 1e-9
        update_momentum(arm, arm.gravity, qd, work, momentum, rate)


def _nanoseconds(run) -> list[float]:
    run(1)  # compile
    spans = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run(CALLS)
        spans.append((time.perf_counter() - start) / CALLS * 1e9)
    return spans


def measure(arm: Arm) -> list[tuple[str, str, list[float]]]:
    """Rows (kind, name, nanoseconds a call in each run)."""
    n = len(arm.dh)
    rng = np.random.default_rng(0)
    sensed, work, torque, wrench = make_sensed(n), make_work(n), rng.normal(size=n), np.zeros(6)
    sensed.q[:], sensed.qd[:], sensed.tau[:] = rng.uniform(-1, 1, (3, n))
    update_frames(arm, sensed.q, work)
    update_tool_position(arm, work)
    a, b = np.zeros(n), np.zeros(n)
    rows = [
        (
            "kernel",
            "update_momentum",
            _nanoseconds(lambda k: _momentum(arm, sensed.qd, work, a, b, k)),
        )
    ]
    for kind in ("estimator", "detector"):
        for name in method_names(kind):
            method = find_method(kind, name)
            function, packed, memory = (
                compiled(method),
                method.pack({}, n),
                np.zeros(method.memory(n)),
            )
            spans = _nanoseconds(
                lambda k, f=function, p=packed, m=memory: _repeat(
                    f, arm, sensed, p, m, work, torque, wrench, k
                )
            )
            rows.append((kind, name, spans))
    return rows


def main() -> None:
    print("| kind | name | median [ns] | smallest–largest |")
    print("|---|---|---|---|")
    for kind, name, spans in measure(load_arm("ur5_controller")):
        print(
            f"| {kind} | `{name}` | {statistics.median(spans):.0f} | {min(spans):.0f}–{max(spans):.0f} |"
        )


if __name__ == "__main__":
    main()
