"""Friction level and stiffness of a gear from a small motion to and fro: a fit of Dahl's law.

For a ratio k = σ / F_c of stiffness and level the law in shares u = F / F_c of the level is affine
in what it began with: along the path, u = a + u_0 e, where a and e depend on the angles alone. So
the torque is b + F_c a + F_c u_0 e with an unknown constant b, for what the model of the arm has
wrong at this place: linear least squares for each k, and k is looked for on a grid. What fits
nearly as well tells how far it is known. A joint whose encoder stands still tells nothing: its gear
may be stiffer than that can see.

Source: Dahl 1968 (the law, see ``dynamics.joint_friction``).
"""

import math
from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import inlined, kernel

OCTAVE = 4  # ratios from one to its double
RATIOS = 100.0 * 2.0 ** (np.arange(54) / OCTAVE)  # [1/rad] stiffness per level that are tried
INDEPENDENT = 0.02  # [s] after which noise is another
LARGER = 4.0  # residual variances by which a ratio may be worse than the best one
LEAST_DEVIATION = 0.03  # share of the level: what the law itself has wrong
LEAST_USED = 0.3  # share of the samples in which the joint must have moved
SLIPPED = 2.0  # times the path over which the gear gives, that it must have moved to and fro
# of the stiffness, for the same; more where the gear gives within a step of the encoder
LEAST_FACTOR = 1.25
STANDING = 0.02  # [s] without a step of its encoder, after which a joint stands
SEEN = 2.0  # steps of the encoder per path over which the gear gives: more are not seen


class GearFit(NamedTuple):
    """What a wiggle told of a joint."""

    level: float  # at which its friction slips [N·m]
    deviation: float  # standard deviation of it [N·m]
    stiffness: float  # of its gear before that [N·m/rad]
    # softest, stiffest: between which the stiffness lies; the latter infinite where the encoder
    # cannot see the gear give [N·m/rad]
    softest: float
    stiffest: float
    begun: float  # friction at the beginning [N·m]
    slipped: bool  # whether the motion was large enough for all this
    kept: float  # share of an error of that which the path has left at its end


def fit_gear(q: np.ndarray, torque: np.ndarray, period: float, resolution: float = 0.0) -> GearFit:
    """Fit Dahl's law to measured angles ``q`` (k,) of a joint [rad].

    ``torque`` (k,) is that of its motor less what the model of the arm takes, each over the period
    before [N·m], ``period`` that of the samples [s], ``resolution`` the step of the encoder [rad].
    """
    products = np.zeros((len(RATIOS), 4, 4))
    left = np.zeros(len(RATIOS))
    waits = max(2, round(STANDING / period))
    _sum_products(q, torque - torque.mean(), RATIOS, resolution, waits, products, left)
    # linear least squares for every ratio: (constant, level, friction at the beginning)
    inverse = np.linalg.inv(products[:, :3, :3] + 1e-9 * np.eye(3))
    found = (inverse @ products[:, :3, 3:])[:, :, 0]
    explained = np.einsum("ki,ki->k", found, products[:, :3, 3])
    used = max(float(products[0, 0, 0]), 4.0)  # samples that count
    squares = np.maximum(products[:, 3, 3] - explained, 1e-12 * used)
    best = int(squares.argmin())
    _, level, begun = found[best]
    # ratios that fit nearly as well
    samples = max(used * min(period / INDEPENDENT, 1.0), 4.0)  # with a noise of their own
    near = np.flatnonzero(squares <= squares[best] * (1.0 + LARGER / samples))
    softest, stiffest = near[0], near[-1]
    unseen = stiffest == len(RATIOS) - 1 or RATIOS[stiffest] * resolution > SEEN
    stiffness = found[:, 1] * RATIOS
    factor = LEAST_FACTOR * (1.0 + RATIOS[best] * resolution)
    of_noise = math.sqrt(squares[best] * max(inverse[best, 1, 1], 0.0) / samples)
    moved = used > LEAST_USED * len(q) and RATIOS[best] * np.ptp(q) > SLIPPED
    return GearFit(
        level=float(level),
        deviation=math.hypot(of_noise, LEAST_DEVIATION * level),
        stiffness=float(stiffness[best]),
        softest=float(stiffness[softest]) / factor,
        stiffest=math.inf if unseen else float(stiffness[stiffest]) * factor,
        begun=float(np.clip(begun, -abs(level), abs(level))),
        slipped=bool(level > 0.0 and moved),
        kept=float(left[best]),
    )


@kernel
def _sum_products(q, torque, ratios, resolution, waits, products, ends):
    """Of the columns 1, a, e and the torque (ratios, 4, 4), and the last e (ratios,).

    A change within a step of the encoder is none; ``waits`` samples after the last one a joint
    stands. ``e`` over a path is squared where the ratio doubles: an exponential for each would be
    most of the time.
    """
    share = np.zeros(ratios.size)  # a
    kept = np.ones(ratios.size)  # of e, over the latest path
    for k in range(ratios.size):
        ends[k] = 1.0
    at = q[0]
    standing = 0
    # sums of 1, the torque and its square; those with a and e are of each ratio
    used = 0
    total = 0.0
    square = 0.0
    sums = np.zeros((7, ratios.size))
    for t in range(q.size):
        path = q[t] - at
        if abs(path) <= 1.5 * resolution:
            path = 0.0
        at += path
        standing = standing + 1 if path == 0.0 else 0
        if path != 0.0:
            _follow_law(path, ratios, kept, share, ends)
        if standing > waits:
            continue
        felt = torque[t]
        used += 1
        total += felt
        square += felt * felt
        for k in range(ratios.size):
            a, e = share[k], ends[k]
            sums[0, k] += a
            sums[1, k] += e
            sums[2, k] += a * a
            sums[3, k] += a * e
            sums[4, k] += e * e
            sums[5, k] += a * felt
            sums[6, k] += e * felt
    for k in range(ratios.size):
        # rows and columns: 1, a, e, torque
        of = products[k]
        of[0, 0] = used
        of[0, 1] = sums[0, k]
        of[0, 2] = sums[1, k]
        of[0, 3] = total
        of[1, 1] = sums[2, k]
        of[1, 2] = sums[3, k]
        of[1, 3] = sums[5, k]
        of[2, 2] = sums[4, k]
        of[2, 3] = sums[6, k]
        of[3, 3] = square
        for i in range(4):
            for j in range(i):
                of[i, j] = of[j, i]


@inlined
def _follow_law(path, ratios, kept, share, ends):
    """Bring a, ``share``, and e, ``ends``, of every ratio along a path [rad], by Dahl's law."""
    side = 1.0 if path > 0.0 else -1.0
    for k in range(OCTAVE):
        kept[k] = math.exp(-ratios[k] * abs(path))
    for k in range(OCTAVE, ratios.size):
        kept[k] = kept[k - OCTAVE] * kept[k - OCTAVE]
    for k in range(ratios.size):
        share[k] = side + (share[k] - side) * kept[k]
        ends[k] *= kept[k]
