"""Means, shares and differences of pairs, each with its 95 % interval.

Arrays in, named tuples out. A pair is two numbers of one seed. No interval leaves what is possible,
and fewer than three numbers, or pairs, have none. Two numbers of a pair that agree to nine digits
are the same number, rounded: their difference is 0.
"""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from hopfield_nav.record import share_interval

LEVEL = 0.95
LEAST = 3  # numbers, or pairs, that give an interval
SAME = 1e-9  # share of the larger of two numbers below which their difference is rounding
_ADDED = 2  # pairs of each kind that differs
_NORMAL = 1.959963984540054  # quantile of the normal distribution at 0.5 + LEVEL / 2
Limits = tuple[float, float]
ANY: Limits = (-math.inf, math.inf)


class Value(NamedTuple):
    """An estimate from ``n`` runs or pairs with its interval; NaN where there is none."""

    n: int
    estimate: float
    low: float
    high: float

    def text(self, scale: float, difference: bool = False) -> str:
        """The estimate times ``scale``, with its interval; a dash where there is no number.

        An interval that has no width is left out: the numbers are all the same.
        """
        if not self.n:
            return "–"
        to = "…" if difference else "–"
        middle, low, high = (_digits(number * scale, difference) for number in self[1:])
        return f"{middle} ({low}{to}{high})" if self.has_interval else middle

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval, and it is wider than rounding."""
        widest = max(abs(self.low), abs(self.high))
        return self.high - self.low > SAME * widest  # with NaN it is not


NONE = Value(0, math.nan, math.nan, math.nan)


def _digits(number: float, signed: bool) -> str:
    """Three digits of a number, of a difference with its sign; nothing is 0 without one."""
    if number == 0.0:
        return "0"
    return f"{number:{'+' if signed else ''}.3g}"


def share(count: int, n: int) -> Value:
    """A share of runs with Wilson's interval."""
    return Value(n, count / n, *share_interval(count, n)) if n else NONE


def share_in_words(count: int, n: int) -> str:
    """A count of ``n`` with Wilson's interval of its share: ``0 of 240, at most 1.6 %``.

    The 95 % interval of none, or of all, is told by the end that says something.
    """
    if not n:
        return "–"
    low, high = (_percent(end) for end in share_interval(count, n))
    if count == 0:
        return f"0 of {n}, at most {high} %"
    if count == n:
        return f"{n} of {n}, at least {low} %"
    return f"{count} of {n} ({low}–{high} %)"


def _percent(share: float) -> str:
    """A share in percent, to a tenth; a small one to two digits."""
    percent = 100.0 * share
    return f"{percent:.1f}" if percent >= 1.0 or percent == 0.0 else f"{percent:.2g}"


def limits_of(name: str) -> Limits:
    """The least and the largest value that a quantity of a summary can have."""
    return (0.0, 1.0) if name.endswith(("_share", "_bound")) else (0.0, math.inf)


def mean(values: Iterable[Any], possible: Limits = ANY) -> Value:
    """A mean of the values that are finite numbers, with Student's interval.

    It ends where no value is ``possible``, unless there is one beyond.
    """
    numbers = (value for value in values if isinstance(value, (int, float)))
    finite = np.asarray([value for value in numbers if math.isfinite(value)], float)
    n = finite.size
    if n == 0:
        return NONE
    middle = math.fsum(finite) / n
    if n < LEAST:
        return Value(n, middle, math.nan, math.nan)
    from scipy.special import stdtrit

    half = float(stdtrit(n - 1, 0.5 + LEVEL / 2)) * float(finite.std(ddof=1)) / math.sqrt(n)
    least = possible[0] if finite.min() >= possible[0] else -math.inf
    most = possible[1] if finite.max() <= possible[1] else math.inf
    return Value(n, middle, max(middle - half, least), min(middle + half, most))


def paired_means(first: Iterable[float], second: Iterable[float], possible: Limits = ANY) -> Value:
    """The mean difference of pairs (n,), second less first, with Student's interval.

    Pairs that are not both finite are left out, and what is rounding is no difference.
    ``possible``: the least and the largest value of the quantity.
    """
    a, b = _both(first, second)
    low, high = possible
    gaps = np.where(is_same(a, b), 0.0, b - a)
    return mean(gaps, (low - high, high - low))


def is_same(first: np.ndarray | float, second: np.ndarray | float) -> np.ndarray:
    """Whether numbers, of any shape, differ by no more than rounding."""
    widest = np.maximum(np.abs(first), np.abs(second))
    return np.abs(np.subtract(second, first)) <= SAME * widest


def paired_shares(first: Iterable[float], second: Iterable[float]) -> Value:
    """The difference of shares of pairs (n,) of 0 or 1, second less first, with its adjusted Wald interval.

    Source: Bonett and Price 2012, J. Educational and Behavioral Statistics 37, 479-488, here with
    two pairs added of each kind that differs in place of one, and half a pair at each end for
    continuity: of 3 to 100 pairs it covers the difference in at least 94 %, whatever the shares.
    Theirs covers 87 % at the least, the hybrid score interval of Newcombe 1998 (method 10) 72 %.
    """
    a, b = _both(first, second)
    n, gap = a.size, float(b.sum() - a.sum())
    if n < LEAST:
        return Value(n, gap / n, math.nan, math.nan) if n else NONE
    more = n + 2 * _ADDED
    middle, unlike = gap / more, (float(np.abs(b - a).sum()) + 2 * _ADDED) / more
    half = _NORMAL * math.sqrt((unlike - middle * middle) / more) + 0.5 / n
    return Value(n, gap / n, max(middle - half, -1.0), min(middle + half, 1.0))


def _both(first: Iterable[float], second: Iterable[float]) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of which both numbers are finite."""
    a, b = (np.asarray(list(values), float) for values in (first, second))
    kept = np.isfinite(a) & np.isfinite(b)
    return a[kept], b[kept]
