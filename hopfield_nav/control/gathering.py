"""What a moving arm tells of itself: means over short windows, and the path of a wiggle.

It owns the sums that ``link_learning`` and ``gear_fit`` are fed with, and the slow change of the
model towards what was learnt: a sudden one would look like a blow to an observer of the momentum.
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.kernels.decorators import inlined
from dynamics.kernels.records import record
from hopfield_nav.control.believed_friction import STANDING_SPEED
from hopfield_nav.control.model_error import hidden_friction

WINDOW = 0.2  # [s] over which is averaged
KEPT_WINDOWS = 16
MODEL_RATE = 5.0  # [1/s] at which the model becomes what was learnt
SIGNALS = 6  # of each joint, in a window


@record
class GatheringNow:
    """The numbers of ``Gathering``."""

    on: bool = False  # whether anything is gathered
    periods: int = 1  # of control in a window
    share: float = 0.0  # of its way to what was learnt that the model goes in a period
    count: int = -1  # periods in the present window so far; -1: its first speeds are not known yet
    worst: float = 0.0  # highest level in it; infinite where an alarm was not over
    windows: int = 0  # that were filled so far
    rows: int = 0  # of the path that were written so far


class Gathering(NamedTuple):
    """Sums of the present window, the windows before it, and where the model is to go."""

    now: GatheringNow  # its numbers
    # (SIGNALS, n) of q, qd, its change, tau, believed friction and what it may hide
    sums: np.ndarray
    before: np.ndarray  # (n,) speeds at the window's beginning [rad/s]
    # (KEPT_WINDOWS, 2 + SIGNALS n) ring: time at the end, worst level, the means of the signals
    windows: np.ndarray
    path: np.ndarray  # (k, 3 n) q, qd and tau of the first k periods
    # mass, center_of_mass, inertia: of the model when it has learnt, as in ``Arm``
    mass: np.ndarray
    center_of_mass: np.ndarray
    inertia: np.ndarray


def make_gathering(n: int, rows: int = 0) -> Gathering:
    """Nothing gathered, and switched off, on an arm with ``n`` joints.

    ``rows`` of its path are kept.
    """
    return Gathering(
        now=GatheringNow(),
        sums=np.zeros((SIGNALS, n)),
        before=np.zeros(n),
        windows=np.zeros((KEPT_WINDOWS, 2 + SIGNALS * n)),
        path=np.zeros((rows, 3 * n)),
        mass=np.zeros(n),
        center_of_mass=np.zeros((n, 3)),
        inertia=np.zeros((n, 3, 3)),
    )


@inlined
def gather(gathering, model, sensed, level):
    """Add this period, and move the model; ``level`` of the detector, infinite during an alarm."""
    now, sums = gathering.now, gathering.sums
    n = sensed.q.size
    _move_model(gathering, model, now.share)
    if now.rows < gathering.path.shape[0]:
        row = gathering.path[now.rows]
        for i in range(n):
            row[i], row[n + i], row[2 * n + i] = sensed.q[i], sensed.qd[i], sensed.tau[i]
        now.rows += 1
    now.count += 1
    now.worst = max(now.worst, level)
    if now.count > 0:
        for i in range(n):
            sums[0, i] += sensed.q[i]
            sums[1, i] += sensed.qd[i]
            sums[3, i] += sensed.tau[i]
            sums[4, i] += sensed.friction[i]
            sums[5, i] += hidden_friction(model, sensed, i, STANDING_SPEED, 0.0)
    if now.count < now.periods and now.count > 0:
        return
    if now.count > 0:
        _keep_window(gathering, sensed)
    for i in range(n):
        gathering.before[i] = sensed.qd[i]
        for k in range(SIGNALS):
            sums[k, i] = 0.0
    now.count = 0
    now.worst = level


@inlined
def _keep_window(gathering, sensed):
    """Write the means of a window that is full."""
    now, sums = gathering.now, gathering.sums
    n = sensed.q.size
    row = gathering.windows[now.windows % KEPT_WINDOWS]
    row[0] = sensed.time[0]
    row[1] = now.worst
    for i in range(n):
        sums[2, i] = sensed.qd[i] - gathering.before[i]
        for k in range(SIGNALS):
            row[2 + k * n + i] = sums[k, i] / now.periods
    now.windows += 1


@inlined
def _move_model(gathering, model, share):
    """Bring masses, centres and tensors of the model nearer to what was learnt."""
    for i in range(gathering.mass.size):
        model.mass[i] += share * (gathering.mass[i] - model.mass[i])
        for k in range(3):
            center = gathering.center_of_mass[i, k]
            model.center_of_mass[i, k] += share * (center - model.center_of_mass[i, k])
            for m in range(3):
                entry = gathering.inertia[i, k, m]
                model.inertia[i, k, m] += share * (entry - model.inertia[i, k, m])


def begin_gathering(n: int, period: float, path_time: float, model: Arm) -> Gathering:
    """Switched on, for a control period [s]; the path of ``path_time`` seconds is kept."""
    made = make_gathering(n, round(path_time / period))
    made.now.on = True
    made.now.periods = max(1, round(WINDOW / period))
    made.now.share = 1.0 - math.exp(-MODEL_RATE * period)
    for name in ("mass", "center_of_mass", "inertia"):
        getattr(made, name)[...] = getattr(model, name)
    return made
