"""The test bench: a simulated UR5e with elastic joints, whose truth is known, and motions of it.

The arm follows Fourier trajectories under inverse dynamics at 1 kHz. Its rotors have the friction
law of ``dynamics.flexible_joint`` at 35 °C; what is logged carries white noise.
"""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from identification_coverage import ANGLE_NOISE, COULOMB, TORQUE_NOISE, VISCOUS, the_arm
from keeping import kept
from tu2023.circle_motion import hermite

from dynamics.files import write_arm
from dynamics.flexible_joint import flexible_joints
from dynamics.identification import MotionLog, Options
from hopfield_nav.experiment import Simulation
from hopfield_nav.loop import Trajectory
from hopfield_nav.world import parse_world
from madsen2020.excitation import (
    Excitation,
    FourierTrajectory,
    excite,
    from_free,
    limits_of,
    random_free,
    within_limits,
)
from madsen2020.rotor_friction import rotor_friction

RATE, DURATION = 1000.0, 31.0  # [Hz], [s]: madsen2020 4.2
PERIOD = DURATION / 3  # [s] of the exciting motion
# seed, share of the limits, period [s]
VALIDATION = ((11, 0.5, 10.0), (12, 0.8, 10.0), (13, 0.3, 10.0))
TEMPERATURE = 35.0  # [°C] of the joints; the known law is that of 30 °C
_KNOT = 0.02  # [s] between the knots of the quintic splines that the arm is handed
_WORLD = """
format: 1
arm: {arm}
detection: {{estimator: none}}
plant:
  engine: flexible
  temperature: {temperature}
  friction: {{coulomb: {coulomb}, viscous: {viscous}}}
controller: {{law: inverse_dynamics, friction_feedforward: true}}
time_limit: 100
"""


def rotor_law(speed: np.ndarray) -> np.ndarray:
    """The friction that is known beforehand: at 30 °C, and without what the load adds (k, n) [N·m]."""
    return rotor_friction(_known_joints(), speed, np.zeros_like(speed))


@cache
def _known_joints():
    rows = np.column_stack([COULOMB, VISCOUS, COULOMB, np.full(6, 0.1)])
    return flexible_joints(the_arm()._replace(friction=rows))


def options(compensation: bool) -> Options:
    """With rotor inertia and friction law taken off the torque, or with neither."""
    if compensation:
        return Options(rotor="known", known_friction=rotor_law)
    return Options(rotor="ignored")


def trajectory_of(values: list) -> FourierTrajectory:
    """From what is kept of it."""
    return FourierTrajectory(values[0], *map(np.array, values[1:]))


def _excitation_of(values: list) -> Excitation:
    return Excitation(trajectory_of(values[0]), values[1], np.array(values[-1]))


@kept("test_madsen2020.py::test_the_motion_kept_excites_as_kept", _excitation_of)
def excitation() -> Excitation:
    """An optimised trajectory within half the arm's speed and torque."""
    rng = np.random.default_rng(0)
    return excite(the_arm(), limits_of(the_arm(), 0.5), rng, period=PERIOD, random=10, iterations=6)


def validation_motion(seed: int, share: float, period: float) -> FourierTrajectory:
    """A random trajectory within a share of the arm's limits."""
    arm, rng = the_arm(), np.random.default_rng(seed)
    limits = limits_of(arm, share)
    raw = from_free(random_free(6, 5, rng), 6, 5, period)
    _, qd, _ = raw(np.linspace(0, period, 1000))
    motion = raw.scaled(0.95 * limits.speed / np.abs(qd).max(axis=0))
    while not within_limits(arm, motion, limits._replace(position=arm.position_limits)):
        motion = motion.scaled(np.full(6, 0.9))
    return motion


def log(motion: FourierTrajectory, duration: float, seed: int, name: str) -> MotionLog:
    """What is logged of a motion: both encoders and the motors' torque, with noise."""
    rng, data = np.random.default_rng(seed), _run(motion, duration).data
    shape = data.q.shape
    return MotionLog(
        time=data.time.values,
        q=data.q.values + ANGLE_NOISE * rng.normal(size=shape),
        tau=data.tau.values + np.array(TORQUE_NOISE) * rng.normal(size=shape),
        rotor_q=data.q_sensed.values + ANGLE_NOISE * rng.normal(size=shape),
        name=name,
    )


@cache
def identification_log() -> MotionLog:
    """31 s of the exciting motion."""
    return log(excitation().trajectory, DURATION, 1, "identification")


@cache
def validation_logs() -> tuple[MotionLog, ...]:
    """Three motions that no fit sees."""
    motions = [(validation_motion(*case), case[2]) for case in VALIDATION]
    return tuple(log(*motion, 20 + k, f"trajectory {k + 1}") for k, motion in enumerate(motions))


def _run(motion: FourierTrajectory, duration: float):
    with tempfile.TemporaryDirectory() as folder:
        path = write_arm(the_arm(), Path(folder) / "arm.yaml", "UR5e with rotors", "test bench")
        text = _WORLD.format(arm=path, temperature=TEMPERATURE, coulomb=COULOMB, viscous=VISCOUS)
        return Simulation(parse_world(text), trajectory=splines(motion, duration)).run()


def splines(motion: FourierTrajectory, duration: float) -> Trajectory:
    """Quintic splines with the motion's position, velocity and acceleration at every knot."""
    knots = np.linspace(0, duration, round(duration / _KNOT) + 1)
    return Trajectory(knots, hermite(*motion(knots), knots[1]))


true_arm = the_arm  # the arm that moves
