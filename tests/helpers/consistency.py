"""Whether the links of an arm can be real bodies."""

from __future__ import annotations

import numpy as np

from dynamics import Arm
from dynamics.identification import parameters_of
from dynamics.identification.parameters import PER_LINK, pseudo_inertia

REACH = 0.1  # [m] size of a link


def smallest_eigenvalue(arm: Arm) -> float:
    """Of the pseudo-inertias of all links, each scaled to a body of 1 kg and 0.1 m: above 0 is consistent."""
    links = parameters_of(arm).reshape(-1, PER_LINK)
    D = np.diag([1 / REACH] * 3 + [1.0])
    mass = max(float(arm.mass.mean()), 1e-300)
    return min(float(np.linalg.eigvalsh(D @ pseudo_inertia(link) @ D / mass)[0]) for link in links)
