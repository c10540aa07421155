"""Time of all closed-form solutions of the UR5e, beside the C++ package ur-analytic-ik if installed.

Run: ``PYTHONPATH=. python benchmarks/inverse_kinematics.py``. Medians of several runs, one core.
"""

from __future__ import annotations

import numpy as np
from timing import asked, median_seconds, table, tell, two_digits

from dynamics import (
    follow_path,
    forward_kinematics,
    inverse_kinematics,
    load_arm,
    numeric_inverse_kinematics,
)
from dynamics.inverse import solve_all_wanting
from dynamics.kernels.decorators import kernel

RUNS = 15
POSES = 2000


@kernel
def _solve_many(arm, T, solutions, branches):
    count = 0
    for row in range(T.shape[0]):
        count += solve_all_wanting(arm, T[row], 0.0, solutions, branches)
    return count


def main():
    out = asked(__doc__)
    arm, rng = load_arm("ur5e"), np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (POSES, 6))
    T = forward_kinematics(arm, q)
    solutions, branches = np.empty((8, 6)), np.empty((8, 3), np.int64)
    full = T[[len(inverse_kinematics(arm, x)) == 8 for x in T]]
    single = median_seconds(lambda: [inverse_kinematics(arm, x) for x in T], POSES, RUNS)
    found = {
        "compiled, poses with 8 solutions": median_seconds(
            lambda: _solve_many(arm, full, solutions, branches), len(full), RUNS
        ),
        "from Python in a batch, checked by forward kinematics": median_seconds(
            lambda: inverse_kinematics(arm, T), POSES, RUNS
        ),
        "from Python, one call a pose, checked": single,
        **peer(T, single),
    }
    start = np.array([0.3, -1.2, 1.4, -1.8, -1.4, 0.2])
    path = forward_kinematics(arm, np.linspace(start, start + 0.4, 20))
    pairs = list(zip(T, q[::-1], strict=True))
    found["`follow_path`, 20 waypoints, from Python"] = median_seconds(
        lambda: follow_path(arm, path, start), 1, RUNS
    )
    found["numeric, from a random start, compiled"] = median_seconds(
        lambda: [numeric_inverse_kinematics(arm, x, s) for x, s in pairs], POSES, RUNS
    )
    rows = [[name, f"{two_digits(seconds * 1e6)} µs"] for name, seconds in found.items()]
    tell(table(["", "time"], rows), out, "inverse_kinematics")


def peer(T, single) -> dict[str, float]:
    """Seconds a pose of ur_analytic_ik's UR5e (calls from Python; it has no batch), where it is installed."""
    try:
        from ur_analytic_ik import ur5e
    except ImportError:
        print("ur_analytic_ik: not installed, no comparison")
        return {}
    poses = list(T)
    other = median_seconds(lambda: [ur5e.inverse_kinematics(x) for x in poses], POSES, RUNS)
    print(f"ur_analytic_ik's time / ours, one call a pose: {other / single:.2f}")
    print(
        f"its solutions a pose: mean {np.mean([len(ur5e.inverse_kinematics(x)) for x in poses]):.2f}"
    )
    return {"ur_analytic_ik, one call a pose": other}


if __name__ == "__main__":
    main()
