"""Motions that excite an arm for identification, clear of the arm itself and of what is known around it."""

from typing import Any

import numpy as np

from dynamics import Arm
from dynamics.identification import Excitation, excite, limits_of
from hopfield_nav.clearance import Scene, collides


def excite_in(arm: Arm, scene: Scene, generator: np.random.Generator, share: float = 0.8, **options: Any) -> Excitation:
    """An exciting trajectory that touches nothing, beside random ones in the same limits (madsen2020 4.4).

    The scene's margin is kept from solids; ``share`` is that of the arm's limits of speed and torque, and the options
    are those of ``dynamics.identification.excite``.

    Raises ``BadInput``: as ``excite``; ``NoExcitation``: no random trajectory keeps to the limits.
    """
    limits = limits_of(arm, share, is_free=lambda q: not collides(arm, scene, q))
    return excite(arm, limits, generator, **options)
