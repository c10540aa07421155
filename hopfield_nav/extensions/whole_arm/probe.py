"""A short motion that tells the places of a touch apart: through some of them, and past the others.

A place that the arm passes through is ruled out; one that it touches again is likelier.
"""

import numpy as np

from hopfield_nav.extensions.whole_arm.search import Search
from hopfield_nav.navigation.map import Cell, ContactHypotheses, Step

SURE = 0.9  # share of a touch's weight in one place from which on it needs no probe
LEAST_SHARE = 0.2  # share of the weight that a probe must split off
MAX_PROBES = 2  # probes of one touch


def is_ambiguous(places: ContactHypotheses) -> bool:
    """Whether a touch may have been at several places."""
    return len(places.points) > 1 and float(places.weights.max()) < SURE * float(places.weights.sum())


def choose_probe(
    search: Search, here: Cell, q: np.ndarray, places: ContactHypotheses, closed: set[Step]
) -> tuple[Cell, float] | None:
    """The neighbouring cell on whose way the arm sweeps through the places nearest to half of the weight.

    The arm is at the centre of the cell ``here``, with joint angles ``q`` (n,) [rad]; the ``places`` are of the
    touch, ``closed`` steps are not to be driven. With the cell comes the share of the weight on the way to it; None
    where no step splits the places.
    """
    cells = search.steps_from(here, q, closed)
    if not cells:
        return None
    centres = search.centre(np.array(cells), q)
    begin = np.broadcast_to(q, centres.shape)
    swept = np.stack([search.checks.sweep({(x, y, z)}, begin, centres) for x, y, z in places.points], axis=1)
    share = swept @ places.weights / places.weights.sum()
    best = int(np.argmin(np.abs(share - 0.5)))
    return (cells[best], float(share[best])) if LEAST_SHARE <= share[best] <= 1.0 - LEAST_SHARE else None
