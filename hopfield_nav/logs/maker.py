"""The arm for methods that are told a difference: of the motors' torque and that of the maker's own model.

What is left is the torque of contact, and friction where the maker's model has none; so their own model has
to say that no torque is needed.
"""

from __future__ import annotations

import numpy as np

from dynamics import Arm
from dynamics.arm import GRAVITY
from dynamics.packed import together


def without_masses(arm: Arm) -> Arm:
    """An arm that needs no torque to move: no masses, tensors, rotors or friction."""
    names = ("mass", "inertia", "rotor_inertia", "friction")
    return together(arm._replace(**{name: np.zeros_like(getattr(arm, name)) for name in names}))


def bare_chain(n: int) -> Arm:
    """``n`` joints of which nothing but their number is known: no lengths, no masses, no limits."""
    free = np.full(n, np.inf)
    return together(
        Arm(
            dh=np.zeros((n, 4)), twist=np.tile([1.0, 0.0], (n, 1)), offset=np.zeros((n, 3)),
            dynamics_offset=np.zeros((n, 3)), mass=np.zeros(n), center_of_mass=np.zeros((n, 3)),
            inertia=np.zeros((n, 3, 3)), rotor_inertia=np.zeros(n), friction=np.zeros((n, 4)),
            presliding=free, gravity=np.array(GRAVITY), tool=np.eye(4),
            position_limits=np.column_stack([-free, free]),
            speed_limits=free, torque_limits=free, capsules=np.zeros((0, 8)),
        )
    )  # fmt: skip
