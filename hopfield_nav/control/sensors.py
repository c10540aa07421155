"""What the sensors make of the true state.

Angles are rounded to the encoder's steps, velocities and torques are noisy, and the wrist's reading
comes without the payload. The random numbers are a generator of the run's own (xorshift64*,
Box-Muller), so that a run is repeated exactly by its seed, whatever else draws random numbers.

Source: Vigna 2016 (xorshift64*); Box and Muller 1958.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import Load, make_load
from dynamics.flange import add_load_wrench
from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record

_TO_UNIT = 2.0**-53


class Sensors(NamedTuple):
    """The errors of the sensors, and the payload that is subtracted from their reading."""

    resolution: np.ndarray  # (n,) step of the encoders [rad]; 0: exact
    velocity_noise: np.ndarray  # (n,) standard deviation of the measured velocity [rad/s]
    torque_noise: np.ndarray  # (n,) of the measured torque of the motors [N·m]
    wrist: bool  # whether there is a force and torque sensor at the flange
    load: Load  # what the model has fixed to the flange; its weight and inertia are subtracted


def make_sensors(
    n: int,
    resolution: object = 0.0,
    velocity_noise: object = 0.0,
    wrist: bool = False,
    load: Load | None = None,
    torque_noise: object = 0.0,
) -> Sensors:
    """Sensors of an arm with ``n`` joints; one number, or one a joint [rad, rad/s, N·m]."""
    return Sensors(
        resolution=_one_a_joint(resolution, n),
        velocity_noise=_one_a_joint(velocity_noise, n),
        torque_noise=_one_a_joint(torque_noise, n),
        wrist=wrist,
        load=make_load() if load is None else load,
    )


def _one_a_joint(value: object, n: int) -> np.ndarray:
    return np.zeros(n) + np.asarray(value, dtype=np.float64)


@record
class Generator:
    """A generator of random numbers."""

    state: np.uint64 = np.uint64(1)  # never zero


def make_generator(seed: int, stream: int = 0x5E) -> Generator:
    """A generator that begins by a seed; those of other streams are independent of it."""
    state = np.random.default_rng([seed, stream]).integers(1, 2**63, 1, dtype=np.uint64)
    return Generator(state=np.uint64(state.item()))


@inlined
def sense(sensors, q, qd, random, q_out, qd_out):
    """Write the measured angles [rad] and velocities [rad/s].

    ``random`` moves on where there is noise.
    """
    resolution, noise = sensors.resolution, sensors.velocity_noise
    for i in range(q.size):
        q_out[i], qd_out[i] = q[i], qd[i]
        if resolution[i] > 0.0:
            q_out[i] = resolution[i] * math.floor(q[i] / resolution[i] + 0.5)
        if noise[i] > 0.0:
            qd_out[i] += noise[i] * gaussian(random)


@inlined
def sense_torque(sensors, random, tau, measured):
    """Add the noise of its measurement to the motors' torque (n,) [N·m].

    Writes what was ``measured``.
    """
    for i in range(tau.size):
        if sensors.torque_noise[i] > 0.0:
            tau[i] += sensors.torque_noise[i] * gaussian(random)
        measured[i] = tau[i]


@inlined
def sense_wrench(sensors, gravity, reading, sensed, work):
    """Write the measured wrench: the sensor's ``reading`` (6,), the believed payload taken off.

    Weight and inertia of the payload are those at the measured angles and speeds and the reference
    acceleration: differences of noisy speeds would be worse. Reads the frames in ``work``.
    """
    for k in range(6):
        sensed.wrench[k] = reading[k]
    add_load_wrench(sensors.load, gravity, sensed.qd, sensed.qdd_ref, work, -1.0, sensed.wrench)


@inlined
def gaussian(random):
    """A number of the standard normal distribution."""
    radius = math.sqrt(-2.0 * math.log(1.0 - _uniform(random)))
    return radius * math.cos(2.0 * math.pi * _uniform(random))


@inlined
def _uniform(random):
    """A number in [0, 1)."""
    x = np.uint64(random.state)
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random.state = x
    return ((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * _TO_UNIT
