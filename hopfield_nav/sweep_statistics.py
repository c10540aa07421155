"""What a sweep's table says in short: shares and means with 95 % intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LEVEL = 0.95


@dataclass(frozen=True)
class Value:
    """An estimate from ``n`` runs with its interval; NaN where there is none."""

    n: int
    estimate: float
    low: float
    high: float


def share(count: int, n: int) -> Value:
    """A share of runs with Wilson's interval."""
    from scipy.stats import binomtest

    if n == 0:
        return Value(0, math.nan, math.nan, math.nan)
    interval = binomtest(count, n).proportion_ci(LEVEL, method="wilson")
    return Value(n, count / n, float(interval.low), float(interval.high))


def mean(values: Iterable[float]) -> Value:
    """A mean with Student's interval; it takes two values to have one."""
    from scipy.stats import t

    finite = [value for value in values if math.isfinite(value)]
    n = len(finite)
    if n == 0:
        return Value(0, math.nan, math.nan, math.nan)
    middle = math.fsum(finite) / n
    if n == 1:
        return Value(1, middle, math.nan, math.nan)
    deviation = math.sqrt(math.fsum((value - middle) ** 2 for value in finite) / (n - 1))
    half = float(t.ppf(0.5 + LEVEL / 2, n - 1)) * deviation / math.sqrt(n)
    return Value(n, middle, middle - half, middle + half)


def outcome_shares(rows: Sequence[Mapping[str, Any]]) -> dict[str, Value]:
    """The share of every outcome, the most frequent first."""
    counts = Counter(str(row.get("outcome")) for row in rows)
    return {outcome: share(count, len(rows)) for outcome, count in counts.most_common()}


def quantity_means(rows: Sequence[Mapping[str, Any]], quantities: Iterable[str]) -> dict[str, Value]:
    """The mean of every quantity that is a number, over the runs that have one."""
    means = {name: mean(_numbers(row.get(name) for row in rows)) for name in quantities}
    return {name: value for name, value in means.items() if value.n}


def by_setting(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str]
) -> dict[tuple, list[Mapping[str, Any]]]:
    """The rows of every setting of the swept parameters, in order of their first run."""
    settings: dict[tuple, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: int(row["index"])):
        settings.setdefault(tuple(row[column] for column in columns), []).append(row)
    return settings


def _numbers(values: Iterable[Any]) -> list[float]:
    return [float(v) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
