"""Whether the arm at its goal would be in what was touched, surely enough to end a search: belief, not fact.

A goal at which the arm would contain a place by more than ``INSIDE`` is taken by what was felt there.
A touch counts for the goals at which all that it may have been, almost, is in the arm. Cells of the
map say nothing in this: the arm fits through where no centre of a cell is free.

A touch says that one of its places is in an obstacle, each with its weight, or none. A goal at
which the arm would contain some of these places is free only if none of them is. A way is left only
if some goal is free, so what the goals are free with adds up to a bound (Boole). Goals that contain
the same places are free together and count once; one that contains more places than another is free
only if that other is, and does not count.

A probe seeks such touches (``probes``), so those are no chance: touches of probes in nearly the same
direction count as one, as do those at nearly the same joint angles.
"""

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.learning import WholeArmLearning, point_distances
from hopfield_nav.extensions.whole_arm.search import Search


class Separation:
    """Knows what the arm, with its outline, would contain where, and when a search may end.

    It ends with a bound of ``allowed`` at most; 0: none does.
    """

    def __init__(self, arm: Arm, search: Search, allowed: float) -> None:
        self._arm, self._search, self._allowed = arm, search, allowed
        # of places, the goals at which the arm contains them
        self._with: dict[bytes, np.ndarray] = {}
        self._asked_with = -1  # touches at the first small bound
        # of the probability that a path is left, when asked last; 1 if not small enough
        self.bound = 1.0

    def judge(self, felt: WholeArmLearning, directions: dict[int, np.ndarray]) -> bool:
        """Say with ``bound`` how surely no goal is free; whether that settles it.

        ``directions`` are those (3,) in which the tool went at touches that probes made, by number
        of the touch.

        It does where the bound was small enough before the last touch, too: one more path was
        driven since.
        """
        collisions, before = felt.collisions, self._asked_with
        self.bound, self._asked_with = 1.0, -1
        points, _, touch = collisions.places()
        if self._allowed == 0.0 or not len(points):
            return False
        weights = np.minimum(collisions.alone(), 1.0)
        goals = sorted({goal for goal, _ in self._search.exits(felt.shut_exits)})
        inside = np.stack([self._goals_with(place) for place in points], axis=1)[goals]
        inside &= (inside * weights) @ (touch[:, None] == touch) >= numbers.COUNTED_WEIGHT
        right = np.where(weights >= numbers.COUNTED_WEIGHT, numbers.RIGHT, numbers.SPREAD) * weights
        groups = _groups(collisions.configurations, directions)
        bound = union_bound(right, touch, groups[touch], inside)
        if bound <= self._allowed:
            self.bound, self._asked_with = bound, before if before >= 0 else len(collisions.touches)
        return self.bound < 1.0 and self._asked_with < len(collisions.touches)

    def _goals_with(self, place: np.ndarray) -> np.ndarray:
        """(s,) bool: the goals at which the arm contains a place (3,)."""
        key = place.tobytes()
        if key not in self._with:
            far = point_distances(self._arm, self._search.ends, place[None])
            self._with[key] = far.min(axis=(1, 2)) < -numbers.INSIDE
        return self._with[key]


def _groups(
    configurations: list[np.ndarray | None], directions: dict[int, np.ndarray]
) -> np.ndarray:
    """The group of each touch; those of a group may err alike.

    One are those at nearly the same joint angles, those that probes made in nearly the same
    direction, ``directions`` by number of the touch, and those of earlier runs.
    """
    groups = np.full(len(configurations), -1)
    for k, q in enumerate(configurations):
        if q is None:
            continue
        groups[k] = k
        for other in range(k):
            before = configurations[other]
            if before is None:
                continue
            is_alike = np.abs(before - q).max() < numbers.APART
            if k in directions and other in directions:
                is_alike |= bool(directions[k] @ directions[other] > np.cos(numbers.PROBES_APART))
            if is_alike:
                groups[k] = groups[other]
                break
    return groups


def union_bound(right: np.ndarray, touch: np.ndarray, group: np.ndarray, sets: np.ndarray) -> float:
    """Bound of the probability that of at least one set of places, a row of bool (m, p), none is in an obstacle.

    ``right`` (p,) is the probability that each place is in one, ``touch`` (p,) the number of its
    touch, over which the sum is at most 1, and ``group`` (p,) that of its touches: groups are
    independent, of one only the touch counts that says most.
    """
    least = np.unique(sets, axis=0)
    if len(least) <= numbers.MOST_SETS:
        size = least.sum(axis=1)
        common = least.astype(np.float32) @ least.T.astype(np.float32)
        least = least[~((common == size) & (size < size[:, None])).any(axis=1)]
    free = np.ones(len(least))
    for number in np.unique(group):
        touches = np.unique(touch[group == number])
        said = [least[:, touch == t] @ right[touch == t] for t in touches]
        free *= 1.0 - np.minimum(np.max(said, axis=0), 1.0)
    return min(1.0, float(free.sum()))
