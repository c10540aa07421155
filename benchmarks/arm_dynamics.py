"""Dynamics and kinematics against Pinocchio called from Python: inside compiled code, and one call at a time.

Run with ``python benchmarks/arm_dynamics.py``; needs ``pip install hopfield-nav[test]``. The first
table compares what a user of each gets: hopfield-nav's control loop is compiled and calls the
kernel directly, Pinocchio's ``rnea`` and ``aba`` are called from a Python loop. So the ratio holds
the cost of that call, some hundreds of nanoseconds, and says nothing about Pinocchio used from C++.
The last table has the arms that users make of a loaded one. Runs alternate in one process; the
tables give medians.
"""

from __future__ import annotations

import pickle
import statistics
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pinocchio as pin

# the oracles of the tests build the peer
sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))
from oracles import pinocchio_model
from timing import asked, print_load, seconds_per_call, table, tell, two_digits

from dynamics import (
    coriolis_matrix,
    forward_dynamics,
    forward_kinematics,
    gravity_torque,
    inverse_dynamics,
    jacobian,
    load_arm,
    mass_matrix,
    with_payload,
    with_tool,
)
from dynamics.forward import accelerate
from dynamics.kernels.decorators import kernel
from dynamics.kinematics import update_frames
from dynamics.newton_euler import newton_euler
from dynamics.work import make_work

RUNS = 9  # alternating
CALLS = 100_000  # inside a kernel
CALLS_FROM_PYTHON = 20_000
BATCH = 1000
SHORT_RUNS, SHORT = 101, 0.5e-3  # of single calls; [s]
DRIFT = 1e-9  # rad a call, so that no two calls are the same


@kernel
def _inverse(arm, q, qd, qdd, work, tau, count):
    for _ in range(count):
        q[0] += DRIFT
        update_frames(arm, q, work)
        newton_euler(arm, arm.gravity, qd, qdd, work, tau)


@kernel
def _forward(arm, q, qd, tau, work, qdd, count):
    for _ in range(count):
        q[0] += DRIFT
        update_frames(arm, q, work)
        accelerate(arm, qd, tau, work, qdd)


def measure(name: str = "ur5_ragazzon2012") -> list[tuple[str, list[float], list[float]]]:
    """Seconds a call: rows (what, ours, Pinocchio's), a value for each run."""
    arm = load_arm(name)
    n = len(arm.dh)
    model, data = pinocchio_model(arm)
    rng = np.random.default_rng(0)
    q, qd, third = rng.uniform(-1, 1, (3, n))
    work, out = make_work(n), np.zeros(n)

    def from_python(function: Callable, count: int) -> None:
        for _ in range(count):
            function(model, data, q, qd, third)

    pairs = [
        ("inverse dynamics", lambda k: _inverse(arm, q.copy(), qd, third, work, out, k), pin.rnea),
        ("forward dynamics", lambda k: _forward(arm, q.copy(), qd, third, work, out, k), pin.aba),
    ]
    rows = []
    for what, ours, theirs in pairs:
        ours(1)  # compile
        expected = theirs(model, data, q + np.eye(n)[0] * DRIFT, qd, third)
        np.testing.assert_allclose(out, expected, rtol=1e-9, atol=1e-9)
        times = [
            (
                seconds_per_call(ours, CALLS),
                seconds_per_call(lambda k, f=theirs: from_python(f, k), CALLS_FROM_PYTHON),
            )
            for _ in range(RUNS)
        ]
        rows.append((what, *map(list, zip(*times, strict=True))))
    return rows


def measure_calls(name: str = "ur5_ragazzon2012") -> list[tuple[str, float, float | None]]:
    """Median seconds a call of our public functions from Python, Pinocchio's, and a row of a batch."""
    arm = load_arm(name)
    model, data = pinocchio_model(arm)
    q, qd, third = np.random.default_rng(0).uniform(-1, 1, (3, len(arm.dh)))
    many = np.tile(np.stack([q, qd, third]), (BATCH, 1, 1)).swapaxes(0, 1).copy()
    last = model.njoints - 1
    torque, pose, columns = np.empty_like(q), np.empty((4, 4)), np.empty((6, len(q)))
    pairs: list[tuple[str, Callable, Callable | None, int]] = [
        ("`inverse_dynamics`", lambda: inverse_dynamics(arm, q, qd, third),
         lambda: pin.rnea(model, data, q, qd, third), 1),
        ("the same with `out=`", lambda: inverse_dynamics(arm, q, qd, third, out=torque),
         lambda: pin.rnea(model, data, q, qd, third), 1),
        ("`forward_dynamics`", lambda: forward_dynamics(arm, q, qd, third),
         lambda: pin.aba(model, data, q, qd, third), 1),
        ("the same with `out=`", lambda: forward_dynamics(arm, q, qd, third, out=torque),
         lambda: pin.aba(model, data, q, qd, third), 1),
        ("`forward_kinematics`", lambda: forward_kinematics(arm, q),
         lambda: pin.forwardKinematics(model, data, q), 1),
        ("the same with `out=`", lambda: forward_kinematics(arm, q, out=pose),
         lambda: pin.forwardKinematics(model, data, q), 1),
        ("`jacobian`", lambda: jacobian(arm, q), lambda: pin.computeJointJacobian(model, data, q, last), 1),
        ("the same with `out=`", lambda: jacobian(arm, q, out=columns),
         lambda: pin.computeJointJacobian(model, data, q, last), 1),
        (f"`forward_dynamics`, a row of {BATCH:,}", lambda: forward_dynamics(arm, *many), None, BATCH),
    ]  # fmt: skip
    rows = []
    for what, ours, theirs, size in pairs:
        own, *peer = short_runs([f for f in (ours, theirs) if f])
        rows.append((what, own / size, peer[0] if peer else None))
    return rows


def measure_made(name: str = "ur5_ragazzon2012") -> list[tuple[str, list[float]]]:
    """Median seconds a call of public functions for a loaded arm and for those that users make of it; Pinocchio's."""
    loaded = load_arm(name)
    arms = [
        loaded, with_tool(loaded, np.diag([1.0, -1.0, -1.0, 1.0])), with_payload(loaded, 1.0, [0.0, 0.0, 0.05]),
        loaded._replace(gravity=np.array([0.0, 0.0, -1.62])), pickle.loads(pickle.dumps(loaded)),
    ]  # fmt: skip
    model, data = pinocchio_model(loaded)
    rows = np.random.default_rng(0).uniform(-1, 1, (3, len(loaded.dh)))
    calls: dict[Callable, tuple[int, Callable]] = {
        forward_kinematics: (1, pin.forwardKinematics),
        jacobian: (
            1,
            lambda model, data, q: pin.computeJointJacobian(model, data, q, model.njoints - 1),
        ),
        mass_matrix: (1, pin.crba),
        gravity_torque: (1, pin.computeGeneralizedGravity),
        coriolis_matrix: (2, pin.computeCoriolisMatrix),
        inverse_dynamics: (3, pin.rnea),
        forward_dynamics: (3, pin.aba),
    }
    found = []
    for call, (count, peer) in calls.items():
        each = [partial(call, arm, *rows[:count]) for arm in arms] + [
            partial(peer, model, data, *rows[:count])
        ]
        found.append((f"`{call.__name__}`", short_runs(each)))
    return found


def short_runs(calls: Sequence[Callable]) -> list[float]:
    """Median seconds of each call, in runs that alternate and are so short that other work seldom interrupts one."""
    runs = [partial(_repeat, call) for call in calls]
    counts = [max(1, int(SHORT / min(seconds_per_call(run, 3) for _ in range(9)))) for run in runs]
    times = [
        [seconds_per_call(run, k) for run, k in zip(runs, counts, strict=True)]
        for _ in range(SHORT_RUNS)
    ]
    return [statistics.median(t) for t in zip(*times, strict=True)]


def _repeat(function: Callable, count: int) -> None:
    for _ in range(count):
        function()


def main() -> None:
    out = asked(__doc__)
    rows = []
    for what, ours, theirs in measure():
        own, peer = statistics.median(ours), statistics.median(theirs)
        rows.append([what, f"{own * 1e9:.0f} ns", f"{peer * 1e9:.0f} ns", f"{peer / own:.1f}"])
    head = ["UR5, one state", "hopfield-nav, compiled", "Pinocchio from Python", "ratio"]
    tell(table(head, rows), out, "dynamics")
    rows = []
    for what, own, peer in measure_calls():
        compared = [f"{two_digits(peer * 1e6)} µs", f"{peer / own:.2f}"] if peer else ["-", "-"]
        rows.append([what, f"{two_digits(own * 1e6)} µs", *compared])
    tell(table(["one call from Python", "hopfield-nav", "Pinocchio", "ratio"], rows), out, "calls")
    rows = [[what, *(f"{two_digits(t * 1e6)} µs" for t in times)] for what, times in measure_made()]
    made = ["as loaded", "with a tool", "with a payload", "other gravity", "unpickled"]
    tell(table(["one call from Python", *made, "Pinocchio"], rows), out, "arms")
    print_load()


if __name__ == "__main__":
    main()
