"""Derivatives of the dynamics inside compiled code against Pinocchio, and one linearisation against 8 ms.

Run with ``python benchmarks/derivatives.py``; needs ``pip install hopfield-nav[test]``. As in
``arm_dynamics.py``, Pinocchio is called from Python and the ratio holds the cost of that call; from
C++ its ``computeABADerivatives`` takes 4.1 µs on such a machine. Runs alternate in one process.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))
from oracles import pinocchio_model
from timing import asked, seconds_per_call, table, tell

from dynamics import linearize, load_arm
from dynamics.composite import update_mass_and_bias
from dynamics.derivative_passes import make_slopes, update_torque_slopes
from dynamics.derivatives import update_acceleration_slopes
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames
from dynamics.work import make_work

RUNS, CALLS, CALLS_FROM_PYTHON, BATCH = 9, 50_000, 10_000, 5_000
DRIFT = 1e-9  # rad a call, so that no two calls are the same
FROM_C = 4.1e-6  # [s] computeABADerivatives called from C++
PUBLISHED = 8e-3  # [s] tu2023: the time in which a linearisation has to be ready


@kernel
def _inverse(arm, q, qd, qdd, work, slopes, count):
    for _ in range(count):
        q[0] += DRIFT
        update_frames(arm, q, work)
        update_mass_and_bias(arm, arm.gravity, qd, work)
        update_torque_slopes(arm.gravity, qd, qdd, work, slopes)


@kernel
def _forward(arm, q, qd, tau, work, slopes, count):
    for _ in range(count):
        q[0] += DRIFT
        update_frames(arm, q, work)
        update_acceleration_slopes(arm, qd, tau, work, slopes)


def measure(name: str = "ur5_ragazzon2012") -> list[tuple[str, list[float], list[float]]]:
    """Seconds a call: rows (what, ours, Pinocchio's), a value for each run."""
    arm = load_arm(name)
    model, data = pinocchio_model(arm)
    q, qd, third = np.random.default_rng(0).uniform(-1, 1, (3, 6))
    work, slopes = make_work(6), make_slopes(6)
    states = np.random.default_rng(1).uniform(-1, 1, (3, BATCH, 6))

    def from_python(function: Callable, count: int) -> None:
        for _ in range(count):
            function(model, data, q, qd, third)

    def batch(count: int) -> None:
        for _ in range(count // BATCH):
            linearize(arm, *states)

    peers = [
        (
            "derivatives of inverse dynamics",
            lambda k: _inverse(arm, q.copy(), qd, third, work, slopes, k),
            pin.computeRNEADerivatives,
        ),
        (
            "derivatives of forward dynamics",
            lambda k: _forward(arm, q.copy(), qd, third, work, slopes, k),
            pin.computeABADerivatives,
        ),
        ("one linear model A, B, C, D, in a batch", batch, pin.computeABADerivatives),
    ]
    rows = []
    for what, ours, theirs in peers:
        ours(BATCH)  # compile
        times = [
            (
                seconds_per_call(ours, CALLS),
                seconds_per_call(lambda k, f=theirs: from_python(f, k), CALLS_FROM_PYTHON),
            )
            for _ in range(RUNS)
        ]
        rows.append((what, *map(list, zip(*times, strict=True))))
    return rows


def main() -> None:
    """Print the table."""
    out, found = asked(__doc__), measure()
    rows = []
    for what, ours, theirs in found:
        own, peer = (1e6 * statistics.median(times) for times in (ours, theirs))
        rows.append([what, f"{own:.2f} µs", f"{peer:.2f} µs", f"{peer / own:.1f}"])
    tell(
        table(["UR5, one state", "hopfield-nav", "Pinocchio from Python", "ratio"], rows),
        out,
        "derivatives",
    )
    forward, batch = (statistics.median(found[k][1]) for k in (1, 2))
    print(
        f"\nforward dynamics: {FROM_C / forward:.1f} times as fast as {FROM_C * 1e6:.1f} µs from C++"
    )
    print(f"one linearisation: {batch * 1e6:.1f} µs, {batch / PUBLISHED:.1e} of the 8 ms of tu2023")


if __name__ == "__main__":
    main()
