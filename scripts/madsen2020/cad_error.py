"""A model that is wrong as a CAD model is: the yardstick of what identification takes away."""

import numpy as np

from dynamics import Arm, BadInput


def cad_error(arm: Arm, share: float, rng: np.random.Generator) -> Arm:
    """A model of the arm whose links are off by a share, and still real bodies.

    Mass, each coordinate of the centre, and each principal second moment along the frame's axes are
    multiplied by 1 + share · u, u uniform with mean 0 and mean square 1. Rotors stay as they are.

    Raises ``BadInput``: a share, the root mean square of the relative error, that is not below 0.5.
    """
    if not 0 <= share < 0.5:
        raise BadInput("no such share", found=share, allowed="0 to 0.5")
    n = len(arm.dh)
    factors = 1 + share * rng.uniform(-np.sqrt(3), np.sqrt(3), (n, 7))
    mass = arm.mass * factors[:, 0]
    stretch = np.sqrt(factors[:, 4:, None] * factors[:, None, 4:])
    second = stretch * (
        np.trace(arm.inertia, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(3) - arm.inertia
    )
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    return arm._replace(
        mass=mass, center_of_mass=arm.center_of_mass * factors[:, 1:4], inertia=inertia
    )
