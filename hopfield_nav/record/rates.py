"""Shares, and rates of rare events, with their 95 % intervals."""

import math

from dynamics import BadInput


def alarm_rate(count: int, seconds: float) -> tuple[float, float, float]:
    """Alarms per hour, low and high end: the exact 95 % interval of a Poisson count (Garwood 1936).

    Raises ``BadInput``: no time watched, or a negative count.
    """
    from scipy.stats import chi2

    if not seconds > 0 or count < 0:
        raise BadInput("no rate", found=(count, seconds), allowed="a count, and seconds above 0")
    hours = seconds / 3600
    low = float(chi2.ppf(0.025, 2 * count)) / 2 if count else 0.0
    return count / hours, low / hours, float(chi2.ppf(0.975, 2 * count + 2)) / 2 / hours


def share_interval(count: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share ``count / n``, 0 to 1 (Wilson 1927; Newcombe 1998, method 3).

    Raises ``BadInput``: no count from 0 to n, or n below 1.
    """
    if not 0 <= count <= n or n < 1:
        raise BadInput("no share", found=(count, n), allowed="a count from 0 to n, which is 1 or more")
    from scipy.stats import binomtest

    found = binomtest(count, n).proportion_ci(0.95, "wilson")
    return float(found.low), float(found.high)


def quiet_time(per_hour: float) -> float:
    """Time [s] without an alarm after which the interval of ``alarm_rate`` ends at ``per_hour``.

    Raises ``BadInput``: no rate above 0.
    """
    if not 0.0 < per_hour < math.inf:
        raise BadInput("no rate", found=per_hour, allowed="alarms per hour above 0")
    return 3600.0 * alarm_rate(0, 3600.0)[2] / per_hour
