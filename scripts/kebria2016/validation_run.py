"""Section V: the profile of the tool, and computed torque on MuJoCo's arm following it."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation

from dynamics import Arm, follow_path, forward_kinematics, jacobian, load_arm
from hopfield_nav.experiment import Simulation
from hopfield_nav.loop import Trajectory
from hopfield_nav.world import parse_world

ARM = "ur5_kebria2016"
GAIN = 10.0  # K_P = K_D = GAIN · 1, in 1/s² and 1/s
DURATION, PERIOD, KNOT = 10.0, 1e-3, 0.01  # [s]
START = np.radians([-60.0, -100.0, 110.0, -100.0, -90.0, 20.0])
FIRST_ERROR = np.array([0.10, -0.08, 0.12, -0.15, 0.20, -0.25])  # [rad] q − q* at the start
_REACH = np.array([0.15, 0.10, 0.12])  # [m] of the profile along x, y, z
_TURN = np.radians([20.0, 15.0, 30.0])  # of its roll, pitch, yaw
_TURNS = np.array([1.0, 2.0, 1.5])  # oscillations in DURATION


class Followed(NamedTuple):
    """What came of it."""

    time: np.ndarray  # (k,) [s]
    q: np.ndarray  # (k, 6) simulated [rad]
    q_ref: np.ndarray  # (k, 6) desired [rad]
    T: np.ndarray  # (k, 4, 4) simulated tool poses, T_base_tool
    T_ref: np.ndarray  # (k, 4, 4) desired ones


def arm() -> Arm:
    return load_arm(ARM)


def profile(time: np.ndarray) -> np.ndarray:
    """(k, 4, 4) desired poses of the tool: each coordinate and each angle swings, out of rest."""
    s = np.clip(time / 2.0, 0.0, 1.0)
    swell = s**3 * (10 - 15 * s + 6 * s**2)
    phase = 2 * np.pi * time[:, None] / DURATION * _TURNS
    first = forward_kinematics(arm(), START)
    T = np.tile(first, (len(time), 1, 1))
    T[:, :3, 3] += swell[:, None] * _REACH * np.sin(phase)
    turn = Rotation.from_euler("xyz", swell[:, None] * _TURN * np.sin(phase[:, ::-1]))
    T[:, :3, :3] = turn.as_matrix() @ first[:3, :3]
    return T


@lru_cache(maxsize=1)
def reference() -> Trajectory:
    """The profile in joint angles: closed-form inverse kinematics every 10 ms, a spline of degree 5."""
    time = np.arange(0.0, DURATION + KNOT / 2, KNOT)
    path = follow_path(arm(), profile(time), START)
    if len(path.q) < len(time):
        raise RuntimeError(f"the profile leaves the workspace: {path}")
    spline = make_interp_spline(time, path.q, k=5)
    knots = np.unique(spline.t)
    derivatives = [spline(knots[:-1], nu=k) / math.factorial(k) for k in range(6)]
    return Trajectory(knots, np.ascontiguousarray(np.stack(derivatives, axis=1)))


def smallest_singular_value() -> float:
    """Of the Jacobian along the profile, lengths in metres."""
    time = np.arange(0.0, DURATION, KNOT)
    q = follow_path(arm(), profile(time), START).q
    return float(np.linalg.svd(jacobian(arm(), q), compute_uv=False).min())


def analytic_error(time: np.ndarray) -> np.ndarray:
    """(k, 6) solution of (12) from FIRST_ERROR with the velocity that follows from being at rest."""
    slow, fast = poles()
    share = (slow * np.exp(fast * time) - fast * np.exp(slow * time)) / (slow - fast)
    return share[:, None] * FIRST_ERROR


def poles() -> tuple[float, float]:
    """Roots of s² + K_D s + K_P, the slow one first [1/s]."""
    fast, slow = np.sort(np.roots([1.0, GAIN, GAIN]).real)
    return float(slow), float(fast)


@lru_cache(maxsize=4)
def follow(hold: bool = False, period: float = PERIOD) -> Followed:
    """Computed torque, designed on our model, drives MuJoCo's arm in steps of the control ``period`` [s].

    With ``hold`` the torque is kept for a period, as a computer does; else it acts continuously, as
    in the document (evaluated in every stage of MuJoCo's RK4).
    """
    lines = [
        f"format: 1\narm: {ARM}\ntime_limit: {DURATION + 1}",
        f"plant: {{engine: mujoco, step: {period}}}",
    ]
    law = (
        f"law: computed_torque, proportional: {GAIN}, derivative: {GAIN}, hold: {str(hold).lower()}"
    )
    lines += [
        f"controller: {{{law}}}",
        "detection: {estimator: none, measure: force_norm}",
        "record: {every: 1}",
    ]
    simulation = Simulation(parse_world("\n".join(lines)), trajectory=reference())
    simulation.state.q[:] += FIRST_ERROR
    simulation.state.qd[:] = 0.0
    data = simulation.run().data
    time, q = data.time.values, data.q.values
    return Followed(time, q, data.q_ref.values, forward_kinematics(arm(), q), profile(time))
