"""The circle of chapter 5 driven by the simulated arm: the motion, the world, and what its sensors log.

Three laps at constant speed, from rest to rest, the tool pointing down. Of the eight branches two
move joints 4 and 5 least, as figure 16 has it; ``BRANCH`` is the one in which a UR5 on a bench
usually stands.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from dynamics import load_arm
from hopfield_nav.experiment import follow
from hopfield_nav.loop import Trajectory
from hopfield_nav.record import Run
from hopfield_nav.world import World, parse_world
from tu2023.kinematics import RADIUS, follow_circle

ARM = "ur5_full"
BRANCH = (1, 1, -1)  # shoulder, wrist, elbow
SPEEDS = (0.05, 0.10, 0.15)  # [m/s]
LAPS = 3
PERIOD, STEP = 0.008, 0.001  # [s] of the control loop and of the samples; of the integrator
RAMP = 0.4  # [s] from rest to constant speed
# [rad] steps seen in recordings of a UR5
ENCODER = (9.6e-6, 9.6e-6, 9.6e-6, 1.6e-5, 1.6e-5, 1.6e-5)
VELOCITY_NOISE = 1e-3  # [rad/s] standard deviation at rest in the same recordings
_POINTS, _KNOT_TIME = 256, 0.04  # poses of the Fourier series; [s] between knots of the reference


class Case(NamedTuple):
    """One drive along the circle."""

    speed: float  # [m/s]
    laps: int = LAPS  # at constant speed, ramps apart
    friction: bool = True  # whether the joints have any
    sensors: bool = True  # whether they are imperfect
    direction: int = 1  # 1 counterclockwise seen from above, −1 clockwise
    # whether the torque is held over the period; otherwise the law acts continuously
    hold: bool = True
    law: str = "inverse_dynamics"  # control law, with its default gains


class Samples(NamedTuple):
    """What the control computer could log every 8 ms, and the truth at the same instants."""

    time: np.ndarray  # (k,) [s]
    q: np.ndarray  # (k, 6) measured angles [rad]
    qd: np.ndarray  # (k, 6) measured speeds [rad/s]
    tau: np.ndarray  # (k, 6) torque of the motors [N·m]
    q_true: np.ndarray  # (k, 6) [rad]
    qd_true: np.ndarray  # (k, 6) [rad/s]
    qdd_true: np.ndarray  # (k, 6) mean acceleration over the 8 ms about the instant [rad/s²]
    tool: np.ndarray  # (k, 3) true tool position [m]
    q_ref: np.ndarray  # (k, 6) what the joints should be [rad]


def lap_time(speed: float) -> float:
    """Duration of a lap at constant speed [s]."""
    return 2 * np.pi * RADIUS / speed


def along_circle(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(k, 6) each: joint angles [rad] at angles of the circle, and their first two derivatives by it.

    The joints are periodic and smooth in the angle, so the Fourier series of 256 solutions of the
    inverse kinematics is exact to rounding, derivatives included.
    """
    waves = np.fft.fftfreq(_POINTS, 1 / _POINTS)
    harmonics = np.exp(1j * np.outer(angle, waves))
    parts = (((1j * waves[:, None]) ** order) * _spectrum() for order in range(3))
    q, first, second = ((harmonics @ part).real for part in parts)
    return q, first, second


@cache
def _spectrum() -> np.ndarray:
    return np.fft.fft(follow_circle(load_arm(ARM), BRANCH, _POINTS), axis=0) / _POINTS


def angle_profile(time: np.ndarray, speed: float, laps: int = LAPS) -> tuple[np.ndarray, ...]:
    """(k,) each: angle on the circle [rad], its rate and acceleration; at rest at both ends."""
    rate, end = speed / RADIUS, laps * lap_time(speed) + RAMP
    up, down = (np.clip(t / RAMP, 0, 1) for t in (time, end - time))
    angle = rate * (
        RAMP * (_risen(up) + _risen(1.0) - _risen(down)) + np.clip(time, RAMP, end - RAMP) - RAMP
    )
    acceleration = rate / RAMP * (_steepness(up) - _steepness(down))
    return angle, rate * (_rise(up) + _rise(down) - 1.0), acceleration


def _rise(u: np.ndarray) -> np.ndarray:
    return u**3 * (10 - 15 * u + 6 * u**2)


def _risen(u: np.ndarray | float) -> np.ndarray | float:
    return u**4 * (2.5 - 3 * u + u**2)


def _steepness(u: np.ndarray) -> np.ndarray:
    return 30 * (u * (1 - u)) ** 2


def reference(case: Case) -> Trajectory:
    """Quintics with the exact angle, velocity and acceleration of every joint at knots 40 ms apart."""
    end = case.laps * lap_time(case.speed) + RAMP
    knots = np.linspace(0, end, int(np.ceil(end / _KNOT_TIME)) + 1)
    profile = angle_profile(knots, case.speed, case.laps)
    angle, rate, acceleration = (case.direction * part[:, None] for part in profile)
    q, first, second = along_circle(angle[:, 0])
    qd, qdd = first * rate, second * rate**2 + first * acceleration
    return Trajectory(knots, hermite(q, qd, qdd, knots[1]))


def hermite(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, h: float) -> np.ndarray:
    """(k, 6, n) coefficients of the quintics between k + 1 knots ``h`` apart."""
    step = q[1:] - q[:-1] - h * qd[:-1] - 0.5 * h**2 * qdd[:-1]
    slope = h * (qd[1:] - qd[:-1] - h * qdd[:-1])
    bend = h**2 * (qdd[1:] - qdd[:-1])
    third = (10 * step - 4 * slope + 0.5 * bend) / h**3
    fourth, fifth = (
        (-15 * step + 7 * slope - bend) / h**4,
        (6 * step - 3 * slope + 0.5 * bend) / h**5,
    )
    return np.stack([q[:-1], qd[:-1], 0.5 * qdd[:-1], third, fourth, fifth], axis=1)


def circle_world(case: Case) -> World:
    """The world of a case: joint friction and sensors as in recordings of a UR5, 125 Hz."""
    lines = [f"format: 1\narm: {ARM}", f"time_limit: {case.laps * lap_time(case.speed) + RAMP + 1}"]
    lines += [
        f"plant: {{friction: {'arm' if case.friction else 'null'}, presliding: ideal, step: {STEP}}}"
    ]
    lines += [f"controller: {{law: {case.law}, period: {PERIOD}, hold: {str(case.hold).lower()}}}"]
    lines += ["detection: {estimator: none}"]
    if case.sensors:
        lines.append(
            f"sensors: {{encoder_resolution: {list(ENCODER)}, velocity_noise: {VELOCITY_NOISE}}}"
        )
    return parse_world("\n".join(lines))


@cache
def drive(case: Case) -> Run:
    return follow(circle_world(case), reference(case), seed=5)


@cache
def samples(case: Case) -> Samples:
    """The run of a case as logged every 8 ms; first and last sample are left to the true derivative."""
    data = drive(case).data
    every = round(PERIOD / STEP)
    rows = np.arange(every, data.sizes["time"] - every, every)
    qd = data.qd.values
    mean = (qd[rows + every // 2] - qd[rows - every // 2]) / PERIOD
    names = ("time", "q_sensed", "qd_sensed", "tau", "q", "qd")
    ends = data.tool_position.values[rows], data.q_ref.values[rows]
    return Samples(*(data[name].values[rows] for name in names), mean, *ends)


def steady(found: Samples, case: Case) -> slice:
    """The samples of whole laps at constant speed, without the ramps: all laps but one."""
    whole = round((case.laps - 1) * lap_time(case.speed) / PERIOD)
    start = int(np.searchsorted(found.time, RAMP))
    return slice(start, start + whole)
