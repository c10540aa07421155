"""Time of all closed-form solutions of the UR5e, beside the C++ package ur-analytic-ik if installed.

Run: ``PYTHONPATH=. python benchmarks/inverse_kinematics.py``. Medians of several runs, one core.
"""

from __future__ import annotations

import numpy as np
from timing import median_seconds

from dynamics import follow_path, forward_kinematics, inverse_kinematics, load_arm, numeric_inverse_kinematics
from dynamics.compiled import kernel
from dynamics.inverse import solve_all

RUNS = 15
POSES = 2000


@kernel
def _solve_many(arm, T, solutions, branches):
    count = 0
    for row in range(T.shape[0]):
        count += solve_all(arm, T[row], solutions, branches)
    return count


def main():
    arm, rng = load_arm("ur5e"), np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (POSES, 6))
    T = forward_kinematics(arm, q)
    solutions, branches = np.empty((8, 6)), np.empty((8, 3), np.int64)
    mean = _solve_many(arm, T, solutions, branches) / POSES
    compiled = median_seconds(lambda: _solve_many(arm, T, solutions, branches), POSES, RUNS)
    full = T[[len(inverse_kinematics(arm, x)) == 8 for x in T]]
    eight = median_seconds(lambda: _solve_many(arm, full, solutions, branches), len(full), RUNS)
    batch = median_seconds(lambda: inverse_kinematics(arm, T), POSES, RUNS)
    single = median_seconds(lambda: [inverse_kinematics(arm, x) for x in T], POSES, RUNS)
    print(f"compiled, all solutions (mean {mean:.2f}): {compiled * 1e9:8.0f} ns a pose")
    print(f"compiled, poses with 8 solutions:        {eight * 1e9:8.0f} ns a pose")
    print(f"from Python, one batch, checked:         {batch * 1e9:8.0f} ns a pose")
    print(f"from Python, one call a pose, checked:   {single * 1e9:8.0f} ns a pose")
    compare(T, compiled, batch, single)
    start = np.array([0.3, -1.2, 1.4, -1.8, -1.4, 0.2])
    path = forward_kinematics(arm, np.linspace(start, start + 0.4, 20))
    followed = median_seconds(lambda: follow_path(arm, path, start), 1, RUNS)
    pairs = list(zip(T, q[::-1], strict=True))
    numeric = median_seconds(lambda: [numeric_inverse_kinematics(arm, x, s) for x, s in pairs], POSES, RUNS)
    print(f"follow_path, 20 waypoints:               {followed * 1e6:8.1f} µs")
    print(f"numeric, from a random start:            {numeric * 1e6:8.1f} µs")


def compare(T, compiled, batch, single):
    """Print the ratios to ur_analytic_ik's UR5e (calls from Python; it has no batch)."""
    try:
        from ur_analytic_ik import ur5e
    except ImportError:
        print("ur_analytic_ik: not installed, no comparison")
        return
    poses = list(T)
    other = median_seconds(lambda: [ur5e.inverse_kinematics(x) for x in poses], POSES, RUNS)
    print(f"ur_analytic_ik, one call a pose:         {other * 1e9:8.0f} ns a pose")
    print(
        f"  its time / ours: compiled {other / compiled:.1f}, batch {other / batch:.1f}, "
        f"one call a pose {other / single:.2f}"
    )
    counts = [len(ur5e.inverse_kinematics(x)) for x in poses]
    print(f"  its solutions a pose: mean {np.mean(counts):.2f}")


if __name__ == "__main__":
    main()
