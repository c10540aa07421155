"""The free fall of section 3.3: rest pose, when it is reached, and the swing on the way."""

import numpy as np
from ledger import Rows, judged
from scipy.optimize import brentq
from verdicts import PARTLY

from dynamics import gravity_torque, load_arm
from hopfield_nav.control.laws.damping import METHOD as DAMPING
from hopfield_nav.record import Run
from ragazzon2012.experiment import run

AS_PRINTED, RIGHT = "ragazzon2012_fall_as_printed", "ragazzon2012_fall"
PUBLISHED_REST = np.array([90.0, -26.6, -27.2, 90.0])  # [°] q2…q5, 3.3.3
REST_TIME = 11.0  # [s] read off figure 3.5 by its author
LATE = 5.0  # [s] after which joint 1 hardly swings any more
BREAK = 9.8  # [s] after which the gain is constant
SLOW = 1e-3  # [rad/s] below it we call the arm at rest
LONG = ("time_limit=200", "record.every=400")


def final_pose(run: Run) -> np.ndarray:
    """(6,) joint angles at the end [°]."""
    return np.degrees(run.data.q.values[-1])


def speed_at(run: Run, time: float) -> float:
    """Speed of the fastest joint at a time [rad/s]."""
    return float(np.abs(run.data.qd.sel(time=time, method="nearest").values).max())


def time_of_rest(run: Run, speed: float) -> float:
    """Time from which no joint is faster than ``speed`` again [s]; inf when that never comes."""
    fast = np.abs(run.data.qd.values).max(axis=1) > speed
    last = int(np.flatnonzero(fast)[-1]) + 1
    return float(run.data.time.values[last]) if last < len(fast) else np.inf


def swing(run: Run) -> tuple[float, float, float]:
    """Smallest and largest q1, and largest q2 [°]."""
    q = np.degrees(run.data.q.values)
    return float(q[:, 0].min()), float(q[:, 0].max()), float(q[:, 1].max())


def static_sum() -> float:
    """q3 + q4 at which gravity leaves the as-printed arm alone, at q2 = q5 = 90° [°]."""
    arm = load_arm("ur5_ragazzon2012_as_printed")
    return float(
        brentq(
            lambda q4: gravity_torque(arm, np.radians([0, 90, 0, q4, 90, 0]))[3], -90, 0, xtol=1e-12
        )
    )


def damping_gain(time: float) -> float:
    """K of the damping law at a time [N·m·s/rad], from the torque it gives at 1 rad/s."""
    from dynamics.work import make_work
    from hopfield_nav.plugin import make_sensed

    sensed, tau = make_sensed(6), np.zeros(6)
    sensed.time[0], sensed.qd[:] = time, 1.0
    values = {parameter.name: parameter.default for parameter in DAMPING.parameters}
    DAMPING.kernel(None, sensed, DAMPING.pack(values, 6), np.zeros(0), make_work(6), tau)
    return float(-tau[0])


def printed_gain(time: float) -> float:
    """K(t) as section 3.3.1 prints it."""
    return 1 - 0.1 * time if time <= BREAK else 0.02


def rows() -> Rows:
    printed, right, long = run(AS_PRINTED), run(RIGHT), run(RIGHT, *LONG)
    q, true, total = final_pose(printed), final_pose(long), static_sum()
    end = printed.summary["simulated_time_s"]
    ours = f"{_pose(q)} at {end:.0f} s"
    yield judged(
        "ragazzon2012.rest_pose_as_printed",
        ours,
        bool(np.abs(q[1:5] - PUBLISHED_REST).max() <= 0.05),
    )
    ours = f"{_pose(true)} at {long.summary['simulated_time_s']:.0f} s"
    yield judged(
        "ragazzon2012.rest_pose_right", ours, bool(np.abs(true[1:5] - PUBLISHED_REST).max() <= 0.05)
    )
    yield judged(
        "ragazzon2012.sum_at_rest",
        f"{total:.2f}° (fall: {q[2] + q[3]:.2f}°)",
        abs(total + 53.8) <= 0.05,
    )
    q = np.degrees(printed.data.q.sel(time=REST_TIME, method="nearest").values)
    slow, fast = speed_at(printed, REST_TIME), speed_at(right, REST_TIME)
    rest, true_rest = time_of_rest(run(AS_PRINTED, "time_limit=30"), SLOW), time_of_rest(long, SLOW)
    at = f"{slow:.3f} rad/s at {REST_TIME:g} s, q3 {q[2]:.1f}°, q4 {q[3]:.1f}°"
    agrees = PARTLY if slow < 0.02 and rest > 1.01 * REST_TIME else slow < SLOW
    ours = f"{at}; below {SLOW:g} rad/s from {rest:.0f} s"
    yield judged("ragazzon2012.time_to_rest_as_printed", ours, agrees)
    ours = f"{fast:.2f} rad/s at {REST_TIME:g} s; below {SLOW:g} rad/s from {true_rest:.0f} s"
    yield judged("ragazzon2012.time_to_rest_right", ours, fast < SLOW)
    (low, high, top), (true_low, true_high, true_top) = swing(printed), swing(right)
    early = np.abs(printed.data.q.values[printed.data.time.values > LATE, 0]).max()
    ours = (
        f"as printed {low:.0f}°…{high:+.0f}° (after {LATE:g} s within {np.degrees(early):.0f}°), "
        f"right {true_low:.0f}°…{true_high:+.0f}°"
    )
    yield judged("ragazzon2012.swing_of_joint_1", ours, low < -20 and high > 10)
    yield judged(
        "ragazzon2012.overshoot_of_link_2",
        f"as printed to {top:.0f}°, right to {true_top:.0f}°",
        top > 100,
    )
    worst = max(abs(damping_gain(t) - printed_gain(t)) for t in np.linspace(0, 20, 2001))
    before, after = damping_gain(BREAK - 1e-9), damping_gain(BREAK + 1e-9)
    ours = f"K({BREAK}) = {before:.4f}, jump {abs(after - before):.0e}; our law differs by at most {worst:.0e}"
    yield judged("ragazzon2012.damping_law", ours, abs(before - 0.02) < 1e-6 and worst < 1e-12)


def _pose(q: np.ndarray) -> str:
    return ", ".join(f"q{i + 1} {q[i]:.2f}°".replace("-", "−") for i in range(1, 5))
