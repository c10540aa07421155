"""An arm that is pushed: torques held for a period, exact states, and what an estimator makes of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from poses import HOME

from dynamics import Arm, forward_dynamics, inverse_dynamics, joint_friction_torque, load_arm
from dynamics.joint_friction import SMOOTHING_SPEED
from dynamics.kinematics import update_frames, update_tool_position
from dynamics.work import make_work
from hopfield_nav.control.believed_friction import make_friction_belief, update_believed_friction
from hopfield_nav.plugin import Method, make_sensed

# of the control loop [s], integration, and rate of the law [1/s]
PERIOD, SUBSTEPS, RATE = (1e-3, 4, 20.0)
PUSH = np.array([5.0, -8.0, 3.0, 1.0, -0.5, 0.2])  # on every joint [N·m]


def nothing(time: float) -> np.ndarray:
    """No push at any time."""
    return np.zeros(6)


def reference(time: float, n: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A smooth motion of all joints, up to about 1 rad/s, at rest at time 0."""
    rate, phase = 1.0 + 0.3 * np.arange(n), np.where(np.arange(n) % 2, -1.0, 1.0)
    size = 0.6 * phase / rate
    return (
        HOME[:n] + size * (1 - np.cos(rate * time)),
        size * rate * np.sin(rate * time),
        size * rate**2 * np.cos(rate * time),
    )


def follow(
    arm: Arm,
    push: Callable[[float], np.ndarray],
    duration: float,
    model: Arm | None = None,
    still: bool = False,
) -> dict[str, np.ndarray]:
    """States of an arm under inverse dynamics, torque held, pushed by ``push(time)`` (n,) [N·m].

    Friction of ``arm`` acts in its smooth form and is compensated by that of ``model``.
    """
    model = arm if model is None else model
    n = len(arm.dh)
    q, qd, tau = HOME[:n].copy(), np.zeros(n), np.zeros(n)
    rows = []
    for k in range(round(duration / PERIOD) + 1):
        time = k * PERIOD
        ref = reference(0.0, n) if still else reference(time, n)
        ref = (ref[0], ref[1] * 0, ref[2] * 0) if still else ref
        rows.append(
            (
                np.array([time]),
                q.copy(),
                qd.copy(),
                *ref,
                tau.copy(),
                *np.zeros((2, 6)),
                *np.zeros((2, n)),
            )
        )
        wanted = ref[2] - RATE**2 * (q - ref[0]) - 2 * RATE * (qd - ref[1])
        tau = inverse_dynamics(model, q, qd, wanted) + joint_friction_torque(
            model, qd, SMOOTHING_SPEED
        )
        q, qd = _integrate(arm, q, qd, tau, push, time)
    return {
        name: np.array(x)
        for name, x in zip(make_sensed(n)._fields, zip(*rows, strict=True), strict=True)
    }


def _integrate(arm, q, qd, tau, push, time):
    h = PERIOD / SUBSTEPS

    def slope(x, v, t):
        friction = joint_friction_torque(arm, v, SMOOTHING_SPEED)
        return v, forward_dynamics(arm, x, v, tau + push(t) - friction)

    for k in range(SUBSTEPS):
        t = time + k * h
        a1, b1 = slope(q, qd, t)
        a2, b2 = slope(q + h / 2 * a1, qd + h / 2 * b1, t + h / 2)
        a3, b3 = slope(q + h / 2 * a2, qd + h / 2 * b2, t + h / 2)
        a4, b4 = slope(q + h * a3, qd + h * b3, t + h)
        q = q + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        qd = qd + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    return q, qd


def watch(
    states: dict[str, np.ndarray],
    model: Arm,
    estimator: Method | None = None,
    detector: Method | None = None,
    **values: object,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimated joint torques, wrenches and alarm levels, a row for each state."""
    n = len(model.dh)
    sensed, work, torque, wrench = make_sensed(n), make_work(n), np.zeros(n), np.zeros(6)
    methods = [
        (m, m.pack(values, n), np.zeros(m.memory(n))) if m is not None else None
        for m in (estimator, detector)
    ]
    torques, wrenches, levels, believed = [], [], [], make_friction_belief(n)
    for k in range(len(states["time"])):
        for name in sensed._fields:
            getattr(sensed, name)[:] = states[name][k]
        update_frames(model, sensed.q, work)
        update_tool_position(model, work)
        update_believed_friction(model, sensed, np.zeros(n), believed)
        level = 0.0
        for place, found in enumerate(methods):
            if found is not None:
                method, packed, memory = found
                level = method.kernel(model, sensed, packed, memory, work, torque, wrench)
                assert place == 0 or np.isfinite(level)
        torques.append(torque.copy())
        wrenches.append(wrench.copy())
        levels.append(level)
    return np.array(torques), np.array(wrenches), np.array(levels)


def rough(name: str = "ur5_controller") -> Arm:
    """A set with rotors and friction in its joints."""
    arm = load_arm(name)
    friction = np.array(
        [[6, 10, 8, 0.05], [6, 10, 8, 0.05], [3, 8, 4, 0.05], *[[1, 2, 1.5, 0.05]] * 3]
    )
    return arm._replace(friction=friction.astype(float))
