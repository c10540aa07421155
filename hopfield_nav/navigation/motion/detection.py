"""What the control computer knows at a detection, and hands to the navigator."""

from typing import NamedTuple

import numpy as np

from hopfield_nav.control import Onset


class Detection(NamedTuple):
    """A detection."""

    time: float  # [s]
    q: np.ndarray  # (n,) measured joint angles [rad]
    force: np.ndarray  # (3,) estimated force on the tool [N]
    torque: np.ndarray  # (n,) estimated torque of contact on the joints [N·m]
    onset: Onset  # when the contact began, and the angles then
    level_at_retreat: float  # alarm level when the retreat from the touch before began
