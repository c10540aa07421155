"""Bets against a mean of bounded numbers: what they win shows that the mean is larger.

Whoever holds that the mean of some numbers is at most m has to accept bets at fair odds: a gain of
λ (x - m) on each number x. If he is right the wealth of who bets on, from 1, ever reaches 1 / α
with probability α at the most (Ville 1939), whatever the distribution of the numbers within their
bounds. So wealth of 1 / α shows, at every number of runs at once, that the mean is larger than m.

Source: Waudby-Smith and Ramdas 2024, J. R. Stat. Soc. B 86(1):1 (arXiv 2010.09686), section 4; the
wealth is shared between stakes of fixed sizes from the start: appendix B, "diversified Kelly
betting".
"""

import math

import numpy as np

_STAKES = np.array([0.98, 0.7, 0.5, 0.35, 0.24, 0.12, 0.06, 0.03])  # shares of the largest stake


def log_wealth(numbers: np.ndarray, mean: float, bound: float) -> np.ndarray:
    """The logarithm of what bets that the mean is above ``mean`` have won.

    Args:
        numbers: (..., n) between -``bound`` and ``bound``; NaN where there is none, on which
            nothing is bet.
        mean: that is bet against, inside the bounds.
        bound: the largest size of a number.

    Returns:
        (...,), 0 where there are no numbers. The order of the numbers does not matter.
    """
    gains = np.nan_to_num(numbers - mean, nan=0.0)
    stakes = _STAKES / (bound + mean)  # the largest loses almost all where a number is -bound
    won = np.log1p(stakes[:, None] * gains[..., None, :]).sum(axis=-1)  # (..., stakes)
    return _log_mean(won)


def runs_until_shown(numbers: np.ndarray, mean: float, bound: float, level: float) -> float:
    """How many runs it takes to show a mean above ``mean``, if they go on as so far; or infinity.

    Of runs whose ``numbers`` (n,) are all 0 the answer is the least that ever shows it, if 0 is
    above ``mean``.
    """
    there = numbers[np.isfinite(numbers)] - mean
    if there.size == 0:
        return math.inf
    stakes = _STAKES / (bound + mean)
    growth = np.log1p(stakes[:, None] * there).mean(axis=-1).max()
    if growth <= 0.0:
        return math.inf
    return math.ceil((math.log(len(_STAKES)) - math.log(level)) / float(growth))


def _log_mean(logarithms: np.ndarray) -> np.ndarray:
    """The logarithm of the mean over the last axis of what has these logarithms."""
    largest = logarithms.max(axis=-1)
    shares = np.exp(logarithms - largest[..., None])
    return largest + np.log(shares.mean(axis=-1))
