"""What the joint sensors make of the true state: rounding to the encoder's steps, noisy velocities.

The random numbers are a generator of the run's own (xorshift64*, Box-Muller), so that a run is
repeated exactly by its seed, whatever else draws random numbers. ``control_step`` alone reads it.

Source: Vigna 2016 (xorshift64*); Box and Muller 1958.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.compiled import inlined

_TO_UNIT = 2.0**-53


class Sensors(NamedTuple):
    """Imperfections of the joint sensors.

    Attributes:
        resolution: (n,) step of the encoders [rad]; 0: exact.
        velocity_noise: (n,) standard deviation of the measured velocity [rad/s].
    """

    resolution: np.ndarray
    velocity_noise: np.ndarray


def make_sensors(n: int, resolution: object = 0.0, velocity_noise: object = 0.0) -> Sensors:
    """Sensors of an arm with ``n`` joints; one number, or one a joint [rad, rad/s]."""
    return Sensors(*(np.zeros(n) + np.asarray(v, dtype=np.float64) for v in (resolution, velocity_noise)))


def make_random_state(seed: int) -> np.ndarray:
    """(1,) state of the generator, never zero."""
    return np.random.default_rng([seed, 0x5E]).integers(1, 2**63, 1, dtype=np.uint64)


@inlined
def sense(sensors, q, qd, random, q_out, qd_out):
    """Write the measured angles [rad] and velocities [rad/s]; ``random`` moves on where there is noise."""
    resolution, noise = sensors.resolution, sensors.velocity_noise
    for i in range(q.size):
        q_out[i], qd_out[i] = q[i], qd[i]
        if resolution[i] > 0.0:
            q_out[i] = resolution[i] * math.floor(q[i] / resolution[i] + 0.5)
        if noise[i] > 0.0:
            qd_out[i] += noise[i] * _gaussian(random)


@inlined
def _gaussian(random):
    """A number of the standard normal distribution."""
    radius = math.sqrt(-2.0 * math.log(1.0 - _uniform(random)))
    return radius * math.cos(2.0 * math.pi * _uniform(random))


@inlined
def _uniform(random):
    """A number in [0, 1)."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return ((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * _TO_UNIT
