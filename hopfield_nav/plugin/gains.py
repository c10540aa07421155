"""The gains and limits that a control law declares, asked for and checked."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from dynamics import BadInput
from hopfield_nav.plugin.folder import in_this_folder
from hopfield_nav.plugin.method import Gains, Limits, Method
from hopfield_nav.plugin.parameter import Parameter

# Gains that an estimator inherits from the control law, in whose ``Method.gains`` they are
# declared.
POSITION_GAIN = Parameter(
    "position_gain", 1.0, 1e-9, 1e10, "1/s²", "K0 of the control law", per_joint=True, inherit=True
)
VELOCITY_GAIN = Parameter(
    "velocity_gain", 1.0, 0.0, 1e10, "1/s", "K1 of the control law", per_joint=True, inherit=True
)


@contextmanager
def answering(method: Method, what: str) -> Iterator[None]:
    """A block that asks a method for something.

    Raises ``BadInput``: the method raises; ``what`` cannot be had of it. Ctrl-C goes on.
    """
    try:
        with in_this_folder():
            yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        reason = f"{type(error).__name__}: {error}"
        raise BadInput(f"the {what} of the {method.title} cannot be had: {reason}") from error


def inheritable(law: Method, values: Mapping[str, Any]) -> dict[str, Any]:
    """What an estimator may inherit from a law, by name.

    That are the ``values`` of the law's parameters, and the gains that it declares.

    Raises ``BadInput``: the law cannot say its gains.
    """
    if law.gains is None:
        return dict(values)
    with answering(law, "gains"):
        gains = Gains(*law.gains(values))
    return {**values, POSITION_GAIN.name: gains.position, VELOCITY_GAIN.name: gains.velocity}


def loop_gains(law: Method, values: Mapping[str, Any], n: int) -> Gains | None:
    """Gains, (n,) each, with which a law makes the joints follow a motion.

    They are the law's ``gains`` about the reference; else they follow from the ``frequency`` and
    ``damping_ratio`` of its limits, of a law that follows something else. None: it says neither.

    Raises ``BadInput``: the law cannot say its gains or limits, or they are no gains of ``n``
    joints.
    """
    limits = limits_of(law, values)
    if law.gains is None and limits.frequency is None:
        return None
    asked_for = "limits" if law.gains is None else "gains"
    with answering(law, asked_for):
        if law.gains is not None:
            found = Gains(*law.gains(values))
        else:
            omega = np.asarray(limits.frequency, dtype=np.float64)
            damping_ratio = np.asarray(limits.damping_ratio)
            found = Gains(position=omega * omega, velocity=2.0 * damping_ratio * omega)
        rows = np.array([np.zeros(n) + np.asarray(gain, dtype=np.float64) for gain in found])
        if not (np.isfinite(rows).all() and rows.min() >= 0.0):
            raise ValueError("a gain that is no number from 0")
    return Gains(*rows)


def limits_of(law: Method, values: Mapping[str, Any]) -> Limits:
    """What a law asks of step and period.

    Raises ``BadInput``: it cannot say.
    """
    with answering(law, "limits"):
        return law.limits(values)
