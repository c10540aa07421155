"""Rates of rare events with their intervals."""

from __future__ import annotations

from dynamics import BadInput


def alarm_rate(count: int, seconds: float) -> tuple[float, float, float]:
    """Alarms per hour with the exact 95 % interval of a Poisson count (Garwood 1936): rate, low, high.

    Args:
        count: alarms seen.
        seconds: time watched.

    Raises:
        BadInput: no time watched, or a negative count.
    """
    from scipy.stats import chi2

    if not seconds > 0 or count < 0:
        raise BadInput("no rate", found=(count, seconds), allowed="a count, and seconds above 0")
    hours = seconds / 3600
    low = float(chi2.ppf(0.025, 2 * count)) / 2 if count else 0.0
    return count / hours, low / hours, float(chi2.ppf(0.975, 2 * count + 2)) / 2 / hours


def quiet_time(per_hour: float) -> float:
    """Time [s] without an alarm after which the interval of ``alarm_rate`` ends at ``per_hour``.

    Raises:
        BadInput: no rate above 0.
    """
    if not per_hour > 0:
        raise BadInput("no rate", found=per_hour, allowed="alarms per hour above 0")
    return 3600.0 * alarm_rate(0, 3600.0)[2] / per_hour
