"""One sample of a live stream through estimator, adaptive detector and isolator, and memory over an hour.

Run with ``python benchmarks/bench_stream.py [--seconds 3600]``: so many seconds of a stream at 500
Hz, as fast as they can be computed. The arm moves without contact, and is pushed once every 20 s
for 0.2 s, so that the isolator has contacts to place. Times are processor times of the one thread.
"""

from __future__ import annotations

import os
import resource
import time

import numpy as np
from timing import parser, table, tell

from dynamics import inverse_dynamics, load_arm
from hopfield_nav.extensions.live import DetectorStream, Row, StreamMethods
from hopfield_nav.extensions.recordings import given_motors
from hopfield_nav.plugin import find_method

RATE = 500.0  # [Hz]
PUSH_EVERY, PUSH_LASTS, PUSH = 20.0, 0.2, 30.0  # [s], [s], [N·m] on joint 2
CONSTANT = 8.0  # [N·m/A]


def judge() -> DetectorStream:
    """Momentum observer, adaptive thresholds, isolator, on the model of a UR5's own controller."""
    model = load_arm("ur5_controller")
    methods = (
        find_method("estimator", "momentum_observer"),
        find_method("detector", "adaptive_joint_torque"),
    )
    values = {"pole": 15.0, "threshold": 5.0}
    return DetectorStream(
        StreamMethods(model, *methods, values, motors=given_motors([CONSTANT] * 6, 6))
    )


def rows(count: int) -> list[Row]:
    """A period of motion with torques that belong to it; the caller moves its clock on."""
    arm = load_arm("ur5_controller")
    time_s, rng = np.arange(count) / RATE, np.random.default_rng(0)
    phase = rng.uniform(0, 2 * np.pi, 6)
    turns = 2 * np.pi * np.arange(1, 7) / (count / RATE)
    angle = turns * time_s[:, None] + phase
    q, qd, qdd = 0.4 * np.sin(angle), 0.4 * turns * np.cos(angle), -0.4 * turns**2 * np.sin(angle)
    torque = inverse_dynamics(arm, q, qd, qdd)
    torque[time_s % PUSH_EVERY < PUSH_LASTS, 1] -= PUSH
    current = (torque + rng.normal(0, 0.1, torque.shape)) / CONSTANT
    return [
        Row(float(t), *values)
        for t, *values in zip(time_s, q, qd, q, qd, qdd, current, strict=True)
    ]


def memory() -> float:
    """Largest memory that the process has had [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(seconds: float) -> tuple[np.ndarray, int, list[float]]:
    """Processor time of every sample [s], alarms, and memory [MB] after each tenth."""
    period = rows(round(PUSH_EVERY * RATE))
    one, count = judge(), round(seconds * RATE)
    one.judge(period[0])
    spans, alarms, sizes = np.zeros(count), 0, []
    one.restart(RATE)
    for k in range(count):
        turn, row = divmod(k, len(period))
        sample = Row(
            turn * PUSH_EVERY + period[row].time,
            *(getattr(period[row], n) for n in Row.__slots__[1:]),
        )
        start = time.thread_time()
        seen = one.judge(sample)
        spans[k] = time.thread_time() - start
        alarms += seen.detected
        if (k + 1) % max(count // 10, 1) == 0:
            sizes.append(memory())
    return spans, alarms, sizes


def main() -> None:
    commands = parser(__doc__)
    commands.add_argument("--seconds", type=float, default=3600.0, help="of the stream")
    options = commands.parse_args()
    load = os.getloadavg()[1] / (os.cpu_count() or 1)
    spans, alarms, sizes = measure(options.seconds)
    median, high = 1e3 * np.quantile(spans, [0.5, 0.999])
    row = [
        f"{load:.0f} for each core",
        f"{median:.2f} ms",
        f"{high:.2f} ms",
        f"{sizes[0]:.1f} MB, {sizes[-1]:.1f} MB",
    ]
    head = ["processes", "median", "99.9 %", "memory after the first tenth, in the end"]
    tell(table(head, [row]), options.out, "stream")
    print(f"{len(spans)} samples at {RATE:g} Hz, {alarms} alarms, {spans.sum():.0f} s of computing")
    print(f"a sample: at most {1e3 * spans.max():.1f} ms")


if __name__ == "__main__":
    main()
