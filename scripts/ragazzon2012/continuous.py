"""The continuous network of 6.1.1, integrated: it rests where the synchronous sweeps of (6.9) do."""

import numpy as np

from hopfield_nav.planning import Activation, iterate, neighbourhood_of
from hopfield_nav.planning.hopfield import respond
from ragazzon2012.planner import random_map

STEP = 0.5  # of the exponential integrator, in time constants


def integrate(
    blocked: np.ndarray, goal: tuple[int, ...], function: Activation, most: int = 100_000
) -> np.ndarray:
    """Integrate u' = -u + sum T sigma + I, sigma = g(u), from u = 0 until sigma changes in its last bits alone.

    The inputs hold the goal at 1 and obstacles at 0. Every step is exact where the neighbours stand
    still.
    """
    table = neighbourhood_of(blocked.shape).table
    u, sigma = np.zeros(blocked.size), np.zeros(blocked.size + 1)
    answer = np.vectorize(lambda v: respond(function.kind, function.slope, v))
    target, decay = int(np.ravel_multi_index(goal, blocked.shape)), np.exp(-STEP)
    sigma[target] = 1.0
    for _ in range(most):
        rest = sigma[table].sum(axis=1)
        u = rest + (u - rest) * decay
        after = np.append(np.where(blocked.ravel(), 0.0, answer(u)), 0.0)
        after[target] = 1.0
        done = (np.abs(after - sigma) <= 1e-15 * after).all()
        sigma = after
        if done:
            break
    return sigma[:-1].reshape(blocked.shape)


def largest_difference(function: Activation, maps: int = 10, size: int = 12) -> float:
    """Of a neuron between the two networks at rest on random maps, relative to the neuron."""
    rng, worst = np.random.default_rng(61), 0.0
    for _ in range(maps):
        blocked, goal = random_map(rng, size)
        swept, _ = iterate(blocked, goal, function=function)
        lit = swept > 0.0
        worst = max(
            worst, float(np.abs(integrate(blocked, goal, function)[lit] / swept[lit] - 1.0).max())
        )
    return worst
