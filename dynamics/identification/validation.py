"""How good a model is on motions it has not seen.

The formula of madsen2020 4.5 is lost. From its words, each joint's mean squared error over its average torque
magnitude, summed:

    NMSE = sum over joints of mean(e²) / mean|tau|   [N·m],

which also has the unit the document prints.
"""

from typing import NamedTuple

import numpy as np

from dynamics.errors import BadInput


class Comparison(NamedTuple):
    """Two models on one motion."""

    name: str  # of the log
    reference: float  # NMSE of the reference (CAD) model [N·m]
    identified: float  # NMSE of the identified model [N·m]

    @property
    def improvement(self) -> float:
        """Share of the reference's NMSE that is gone (0.285 in the first row of Table 5)."""
        return 1 - self.identified / self.reference


def nmse(tau: np.ndarray, predicted: np.ndarray) -> float:
    """Normalised mean squared error [N·m] of torques (k, n) [N·m], measured and predicted by a model.

    Raises ``BadInput``: shapes that do not fit, or a joint without any torque.

    Source: madsen2020 4.5 (formula lost: see the module).
    """
    tau, predicted = np.asarray(tau, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if tau.ndim != 2 or tau.shape != predicted.shape or not len(tau):
        raise BadInput("torques do not fit", found=(tau.shape, predicted.shape), allowed="(k, n) twice")
    size = np.abs(tau).mean(axis=0)
    if np.any(size == 0):
        raise BadInput("a joint without torque has no normalised error", found=size.tolist())
    return float((((tau - predicted) ** 2).mean(axis=0) / size).sum())
