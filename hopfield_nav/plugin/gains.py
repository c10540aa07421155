"""The gains of a control law, for those who need them beside it: estimators, and the limits of its period."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hopfield_nav.plugin.compiling import answering
from hopfield_nav.plugin.method import POSITION_GAIN, VELOCITY_GAIN, Gains, Limits, Method


def inheritable(law: Method, values: Mapping[str, Any]) -> dict[str, Any]:
    """What an estimator may inherit from a law: the values of its parameters, and the gains that it declares.

    Raises ``BadInput``: the law cannot say its gains.
    """
    if law.gains is None:
        return dict(values)
    gains = loop_gains(law, values)
    return {**values, POSITION_GAIN.name: gains.position, VELOCITY_GAIN.name: gains.velocity}


def loop_gains(law: Method, values: Mapping[str, Any]) -> Gains | None:
    """Gains with which a law makes joints follow something, be it not the reference; None: it does not say.

    Raises ``BadInput``: the law cannot say its gains or limits.
    """
    if law.gains is not None:
        with answering(law, "gains"):
            return Gains(*law.gains(values))
    limits = limits_of(law, values)
    if limits.frequency is None:
        return None
    omega = np.asarray(limits.frequency, dtype=np.float64)
    return Gains(omega * omega, 2.0 * np.asarray(limits.damping_ratio) * omega)


def limits_of(law: Method, values: Mapping[str, Any]) -> Limits:
    """What a law asks of step and period.

    Raises ``BadInput``: it cannot say.
    """
    with answering(law, "limits"):
        return law.limits(values)
