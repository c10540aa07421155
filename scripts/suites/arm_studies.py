"""What the studies of the whole arm draw, besides what the suite ``whole_arm`` does."""

from functools import partial

import numpy as np

from hopfield_nav.extensions.bench.suites.whole_arm import (
    BOX,
    FAMILIES,
    MEASURES,
    NOT_RUN,
    PIPES,
    SHELF,
    SOLIDS,
    Told,
    moved,
    worth_running,
)
from hopfield_nav.navigation.map import ContactHypotheses

__all__ = [
    "BOX",
    "BOX_TOLD",
    "MEASURES",
    "PIPES",
    "PIPES_TOLD",
    "SHELF",
    "SHELF_TOLD",
    "SOLIDS",
    "SOLIDS_TOLD",
]


class PlaceTold(Told):
    """A simulation whose navigator is told the place of every touch."""

    def told(self, places):
        """The true one."""
        point, link = self.truth
        return ContactHypotheses(point[None], np.array([link]), np.ones(1))


def told(world, seed, family):
    """The run of a seed's motion as ``whole_arm`` has it, of an arm that is told where it touches."""
    found = worth_running(family, seed)
    return NOT_RUN if found is None else PlaceTold(moved(world, found[0]), seed, found[1])


SOLIDS_TOLD, SHELF_TOLD, BOX_TOLD, PIPES_TOLD = (
    partial(told, family=family) for family in FAMILIES
)
