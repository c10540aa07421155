"""What the control computer knows at a detection, and hands to the navigator."""

from typing import NamedTuple

import numpy as np

from hopfield_nav.control import Onset


class Detection(NamedTuple):
    """A detection.

    Attributes:
        time: [s].
        q: (n,) measured joint angles [rad].
        force: (3,) estimated force on the tool [N].
        torque: (n,) estimated torque of contact on the joints [N·m].
        onset: when the contact began, and the angles then.
        level_at_retreat: alarm level when the retreat from the touch before began.
    """

    time: float
    q: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    onset: Onset
    level_at_retreat: float
