"""How far the gears give before they slip.

Level and stiffness of each joint, from where it turns round. Over a path q Dahl's friction
(``dynamics.joint_friction``) is F_c f(q; F_c / σ), with f between -1 and 1, so it is linear in the
level, and the one other unknown is a length: how far the joint turns before it slips. For each
length on a grid the torque about the turns, less what the identified bodies and viscous friction
take, is fitted by f, and in each window by a straight line in time, which takes what the model has
wrong. The interval holds the lengths whose residual is no larger than noise with the residual's
correlation makes it, and ends at the first ones of the grid for which it is.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.signal import detrend, find_peaks
from scipy.stats import chi2

from dynamics.arm import Arm
from dynamics.identification.base_set import BaseParameters
from dynamics.identification.equations import Options, equations, motion, rotor_motion
from dynamics.identification.logs import MotionLog
from dynamics.joint_friction import presliding_torque

# [rad] F_c / σ, from the step of an encoder on: less is not seen
LENGTHS = np.geomspace(1e-5, 1e-2, 91)
WINDOW = 0.25  # [s] on both sides of a turn
LEAST_TURN = 3e-4  # [rad] that a joint goes both ways: less is noise of its encoder
FEWEST = 8  # samples of a window
LEVEL = 0.95  # of the interval
SURE = 10.0  # ratio of an interval's ends up to which a stiffness is handed on


class Gears(NamedTuple):
    """Friction where joints turn round; joints that never do have no turns, and no number."""

    level: np.ndarray  # (n,) F_c [N·m]
    stiffness: np.ndarray  # (n,) σ, the most likely [N·m/rad]
    interval: np.ndarray  # (n, 2) of it; 0 or infinite where the logs do not tell
    turns: np.ndarray  # (n,) how many were seen

    @property
    def told(self) -> np.ndarray:
        """(n,) whether the logs tell the stiffness to a factor of ten."""
        low, high = self.interval.T
        return (low > 0) & (high < SURE * low)


def find_gears(
    arm: Arm, base: BaseParameters, values: np.ndarray, logs: Sequence[MotionLog], options: Options
) -> Gears:
    """Level and stiffness of each joint's friction where it turns round, from logs of free motion.

    ``values`` (u,) are base parameters, then Coulomb and viscous friction, as identified with these
    options.

    Source: Dahl 1968; the profile of a likelihood for the interval.
    """
    n = len(arm.dh)
    paths, rests = zip(
        *(_unexplained(arm, base, values, log, options) for log in logs), strict=True
    )
    turns = [[_turns(q[:, j], log) for j in range(n)] for q, log in zip(paths, logs, strict=True)]
    told = _straightened(rests, turns)
    shapes = [
        _straightened([_unit_torque(arm, q, length) for q in paths], turns) for length in LENGTHS
    ]
    rows = [
        _most_likely(told[j], [shape[j] for shape in shapes], sum(len(log[j]) for log in turns))
        for j in range(n)
    ]
    return Gears(*(np.array(column) for column in zip(*rows, strict=True)))


def _unexplained(
    arm: Arm, base: BaseParameters, values: np.ndarray, log: MotionLog, options: Options
) -> tuple[np.ndarray, np.ndarray]:
    """Angles of the gears (k, n) [rad] and the torque that is left (k, n) [N·m].

    Bodies and viscous friction take the rest.
    """
    n, p = len(arm.dh), len(base.kept)
    state = motion(log.q, log.rate, options.dynamics_bandwidth)
    rotors = rotor_motion(log, state, options)
    Y, tau = equations(arm, base, state, rotors, log.tau, options)
    return rotors[0], tau - Y[:, :, :p] @ values[:p] - values[p + n :] * rotors[1]


def _turns(q: np.ndarray, log: MotionLog) -> list[slice]:
    """The samples about each turn of a joint, and none that belong to two."""
    ends = [find_peaks(side * q, prominence=LEAST_TURN)[0] for side in (1.0, -1.0)]
    half, found, last = round(WINDOW * log.rate), [], 0
    for at in np.sort(np.concatenate(ends)):
        first = max(last, at - half)
        last = min(len(q), at + half)
        if last - first >= FEWEST:
            found.append(slice(first, last))
    return found


def _unit_torque(arm: Arm, q: np.ndarray, length: float) -> np.ndarray:
    """F (k, n): friction of level one along the angles (k, n)."""
    level = np.zeros_like(arm.friction)
    level[:, [0, 2]], level[:, 3] = 1.0, 1.0
    return presliding_torque(
        arm._replace(friction=level, presliding=np.full(len(level), 1.0 / length)), q
    )


def _straightened(
    signals: Sequence[np.ndarray], turns: list[list[list[slice]]]
) -> list[np.ndarray]:
    """For each joint the windows one after the other, each less its straight line."""
    pairs = list(zip(signals, turns, strict=True))
    windows = [
        [detrend(x[w, j]) for x, own in pairs for w in own[j]] for j in range(signals[0].shape[1])
    ]
    return [np.concatenate([np.zeros(0), *parts]) for parts in windows]


def _most_likely(
    told: np.ndarray, shapes: list[np.ndarray], turns: int
) -> tuple[float, float, list[float], int]:
    """Level, stiffness, interval and number of turns of a joint."""
    if not turns:
        return 0.0, np.inf, [0.0, np.inf], 0
    levels = np.array([max(x @ told, 0.0) / max(x @ x, 1e-300) for x in shapes])
    left = np.array(
        [told @ told - level * (x @ told) for level, x in zip(levels, shapes, strict=True)]
    )
    best = int(np.argmin(left))
    rest = told - levels[best] * shapes[best]
    likeness = min(max(rest[1:] @ rest[:-1] / max(rest @ rest, 1e-300), 0.0), 0.99)
    freedom = len(told) * (1.0 - likeness) / (1.0 + likeness)
    within = np.flatnonzero(left <= left[best] * (1.0 + chi2.ppf(LEVEL, 1) / freedom))
    first, last = within[0] - 1, within[-1] + 1  # between grid points nothing is known
    high = levels[first] / LENGTHS[first] if first >= 0 else np.inf
    low = levels[last] / LENGTHS[last] if last < len(LENGTHS) else 0.0
    return (
        float(levels[best]),
        float(levels[best] / LENGTHS[best]),
        [float(low), float(high)],
        turns,
    )
