"""How two settings differ in a quantity, run by run, and the zone within which they are equal.

A storm of alarms in one run, or one blow, would outweigh all other runs, and no bet can be held
against what has no bound; so a difference counts for ten zones at the most.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopfield_nav.sweeps.sections import REACHED, Equal

MOST_ZONES = 10.0
_SHARES = ("_share", "_bound")  # endings of quantities from 0 to 1


@dataclass(frozen=True)
class Gap:
    """The difference of values of one quantity."""

    zone: float  # differences up to this count as equal
    relative: bool  # whether it is a share of the larger value, or in the unit of the values

    @classmethod
    def of(cls, name: str, equal: Equal) -> "Gap":
        """That of a quantity."""
        if name == REACHED or name.endswith(_SHARES):
            return cls(equal.share, relative=False)
        if name.endswith("_count"):
            return cls(equal.count, relative=False)
        return cls(equal.force, relative=True)

    @property
    def bound(self) -> float:
        """The largest difference that counts."""
        return MOST_ZONES * self.zone

    def __call__(self, values: Any, others: Any) -> Any:
        """By how much ``values`` are larger than ``others``, within the bounds.

        NaN where one is.
        """
        with np.errstate(invalid="ignore"):
            gap = np.subtract(values, others)
            if self.relative:
                size = np.maximum(np.abs(values), np.abs(others))
                gap = np.divide(gap, size, out=np.zeros_like(gap), where=size != 0.0)
            return np.clip(gap, -self.bound, self.bound)
