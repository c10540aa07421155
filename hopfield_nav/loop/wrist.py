"""A force and torque sensor between flange and tool: what it truly bears, and what it reads.

It feels what everything beyond the flange exerts on the arm: contacts of the tool, pushes on the
last link in front of the flange, weight and inertia of the payload. A contact of the links before
it never reaches it. A sample is taken at the beginning of a step, from that step's own
acceleration, so that the control computer gets it a step later. To the truth are added a constant
offset, a drift that walks at random, and noise that is new in each sample.
"""

from typing import NamedTuple

import numpy as np

from dynamics import Arm, Load, flange_wrench, make_load
from dynamics.flange import add_load_wrench, add_outer_wrench
from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import three
from hopfield_nav.control import Generator, gaussian, make_generator


class Wrist(NamedTuple):
    """The sensor."""

    every: int  # steps from one sample to the next; 0: there is no sensor
    load: Load  # what is fixed to the flange
    offset: np.ndarray  # (6,) in flange axes [N, N·m]
    noise: np.ndarray  # (6,) standard deviation of a sample
    drift: np.ndarray  # (6,) standard deviation of what a sample adds to the drift


class WristState(NamedTuple):
    """What changes in the sensor."""

    # (6,) latest sample: force [N] and moment about the flange frame's origin [N·m], flange axes
    reading: np.ndarray
    drift: np.ndarray  # (6,) so far
    random: Generator  # its own generator


def make_wrist(
    every: int = 0,
    load: Load | None = None,
    offset: object = 0.0,
    noise: object = 0.0,
    drift: object = 0.0,
) -> Wrist:
    """A sensor; by default there is none. Arguments as the attributes of ``Wrist``."""
    return Wrist(
        every=every,
        load=make_load() if load is None else load,
        offset=_one_an_axis(offset),
        noise=_one_an_axis(noise),
        drift=_one_an_axis(drift),
    )


def _one_an_axis(value: object) -> np.ndarray:
    return np.zeros(6) + np.asarray(value, dtype=np.float64)


def make_wrist_state(seed: int) -> WristState:
    """Nothing read yet."""
    random = make_generator(seed, stream=0xF7)
    return WristState(reading=np.zeros(6), drift=np.zeros(6), random=random)


def read_at_rest(wrist: Wrist, arm: Arm, q: np.ndarray, state: WristState) -> None:
    """The sample before the first step: of an arm at rest that touches nothing, without noise."""
    if wrist.every > 0:
        still = np.zeros(len(q))
        state.reading[:] = flange_wrench(arm, q, still, still, wrist.load) + wrist.offset


@inlined
def read_wrist(wrist, gravity, stages, state):
    """Take a sample in the first stage of a step.

    Its accelerations and contacts are in ``stages``.
    """
    reading, drift = state.reading, state.drift
    beyond = stages.touch.beyond
    for k in range(6):
        if wrist.drift[k] > 0.0:
            drift[k] += wrist.drift[k] * gaussian(state.random)
        reading[k] = wrist.offset[k] + drift[k]
        if wrist.noise[k] > 0.0:
            reading[k] += wrist.noise[k] * gaussian(state.random)
    add_load_wrench(wrist.load, gravity, stages.qd, stages.qdd, stages.work, 1.0, reading)
    add_outer_wrench(stages.work, three(beyond, 0), three(beyond, 3), reading)
