"""How surely the arm at its goal would be in what was touched: a bound of the probability that it would not.

A touch says that one of its places is in an obstacle, each with its weight, or none. A goal at which the arm would
contain some of these places is free only if none of them is. A way is left only if some goal is free, so what the
goals are free with adds up to a bound (Boole). Goals that contain the same places are free together and count once;
one that contains more places than another is free only if that other is, and does not count.
"""

from typing import NamedTuple

import numpy as np

MOST_SETS = 3_000  # sets of places that are compared with each other


class Evidence(NamedTuple):
    """Places of touches."""

    right: np.ndarray  # (p,) probability that it is in an obstacle; the sum over a touch is at most 1
    touch: np.ndarray  # (p,) number of its touch
    group: np.ndarray  # (p,) of touches; groups are independent, of one only the touch counts that says most

    def free(self, sets: np.ndarray) -> np.ndarray:
        """(m,) probability, at most, that no place of each set, a row of bool (m, p), is in an obstacle."""
        found = np.ones(len(sets))
        for group in np.unique(self.group):
            touches = np.unique(self.touch[self.group == group])
            said = [sets[:, self.touch == t] @ self.right[self.touch == t] for t in touches]
            found *= 1.0 - np.minimum(np.max(said, axis=0), 1.0)
        return found


def union_bound(evidence: Evidence, sets: np.ndarray) -> float:
    """Bound of the probability that of at least one set of places, a row of bool (m, p), none is right."""
    least = np.unique(sets, axis=0)
    if len(least) <= MOST_SETS:
        size = least.sum(axis=1)
        common = least.astype(np.float32) @ least.T.astype(np.float32)
        least = least[~((common == size) & (size < size[:, None])).any(axis=1)]
    return min(1.0, float(evidence.free(least).sum()))
