"""A share of runs, with limits that hold however often one looks, and stops when one likes.

Limits of a fixed number of runs (Wilson's, Student's) hold at that number. Who looks after every
run, and stops when they say what he waits for, is wrong more often than they promise. These here
hold at all numbers of runs at once.

Source: the beta-binomial mixture of Robbins 1970 (Ann. Math. Stat. 41(5):1397); as a confidence
sequence Howard, Ramdas, McAuliffe and Sekhon 2021 (Ann. Stat. 49(2):1055, on conjugate mixtures).
"""

import math
from collections.abc import Callable
from functools import cache

_HALVINGS = 60  # of an interval of shares, after which no double lies inside
_MOST_SEEDS = 10**7


@cache
def share_limits(count: int, n: int, level: float) -> tuple[float, float]:
    """Lowest and highest share, 0 to 1, that ``count`` of ``n`` runs leave.

    With probability 1 - ``level`` at least the true share lies between the limits after every
    number of runs. If p is the true share, the likelihood of an even mixture of all shares over
    that of p, ``B(count + 1, n - count + 1) / (p**count (1 - p)**(n - count))``, is a martingale
    that begins at 1: it ever reaches 1 / ``level`` with probability ``level`` at the most (Ville
    1939). The limits are where it does.
    """
    if n == 0:
        return 0.0, 1.0
    misses = n - count
    mixture = math.lgamma(count + 1) + math.lgamma(misses + 1) - math.lgamma(n + 2)
    most = mixture + math.log(level)  # that the likelihood of a share must have to be left

    def is_left(share: float) -> bool:
        likelihood = _times_log(count, share) + _times_log(misses, 1.0 - share)
        return likelihood > most

    middle = count / n
    low = _edge(is_left, middle, 0.0)
    high = _edge(is_left, middle, 1.0)
    return low, high


@cache
def runs_to_show(share: float, level: float) -> int:
    """How many runs that all arrive it takes until the lower limit reaches a ``share`` below 1.

    ``share_limits(n, n, level)`` are then ``share`` or more; 158 for a share of 0.95 at a level of
    0.05.
    """
    return first_number(lambda n: share_limits(n, n, level)[0] >= share)


def first_number(is_enough: Callable[[int], bool]) -> int:
    """The least number from 1 that is enough, if all larger ones are.

    Ten millions where none is.
    """
    high = 1
    while high < _MOST_SEEDS and not is_enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return min(high, _MOST_SEEDS)


def _times_log(count: int, share: float) -> float:
    """The logarithm of ``share`` to the power of ``count``; 0 to the power of 0 is 1."""
    if count == 0:
        return 0.0
    return count * math.log(share) if share > 0.0 else -math.inf


def _edge(is_left: Callable[[float], bool], inside: float, end: float) -> float:
    """The last share that is left on the way from one ``inside`` to an ``end`` of all shares."""
    if is_left(end):
        return end
    outside = end
    for _ in range(_HALVINGS):
        middle = 0.5 * (inside + outside)
        if is_left(middle):
            inside = middle
        else:
            outside = middle
    return outside
