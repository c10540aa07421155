"""Whether the arm at its goal would be in what was touched, surely enough to end a search: belief, not fact.

A goal at which the arm would contain a place by more than ``DEEP`` is taken by what was felt there.
A touch counts for the goals at which all that it may have been, almost, is in the arm. Cells of the
map say nothing in this: the arm fits through where no centre of a cell is free.

A touch says that one of its places is in an obstacle, each with its weight, or none. A goal at
which the arm would contain some of these places is free only if none of them is. A way is left only
if some goal is free, so what the goals are free with adds up to a bound (Boole). Goals that contain
the same places are free together and count once; one that contains more places than another is free
only if that other is, and does not count.

After ``PATIENCE`` touches, when every path is doubted, the motion after every other touch is a
trial: to the surface that was felt, where the arm at its goal would cross it. There it is touched
again, or there is a way in.
"""

import numpy as np

from dynamics import Arm
from hopfield_nav.extensions.whole_arm import numbers
from hopfield_nav.extensions.whole_arm.blocking import cells_near
from hopfield_nav.extensions.whole_arm.grid import JointGrid
from hopfield_nav.extensions.whole_arm.learning import (
    CollisionBelief,
    WholeArmLearning,
    point_distances,
)
from hopfield_nav.extensions.whole_arm.search import CellPath, Query, Search
from hopfield_nav.extensions.whole_arm.step_checks import Place
from hopfield_nav.geometry import LINK, arm_bodies, capsules_in_base
from hopfield_nav.plugin import CollisionEvidence


class Separation:
    """Knows what the arm, with its outline, would contain where, and when a search may end.

    It ends with a bound of ``allowed`` at most; 0: none does, and no trial is made.
    """

    def __init__(self, arm: Arm, grid: JointGrid, search: Search, allowed: float) -> None:
        self._arm, self._grid, self._search, self._allowed = arm, grid, search, allowed
        # of places, the goals at which the arm contains them
        self._with: dict[bytes, np.ndarray] = {}
        self._tried: dict[Place, int] = {}
        # touches at the first small bound, and at the last trial
        self._asked_with = self._tried_with = -1
        # of the probability that a path is left, when asked last; 1 if not small enough
        self.bound = 1.0

    def judge(self, felt: WholeArmLearning) -> bool:
        """Say with ``bound`` how surely no goal is free; whether that settles it.

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
        bound = union_bound(right, touch, _groups(collisions.configurations)[touch], inside)
        if bound <= self._allowed:
            self.bound, self._asked_with = bound, before if before >= 0 else len(collisions.touches)
        return self.bound < 1.0 and self._asked_with < len(collisions.touches)

    def trial(self, path: CellPath, q: np.ndarray, felt: WholeArmLearning) -> CellPath | None:
        """A path from joint angles (n,) [rad] to where the arm is in what was felt as it is at its goal.

        None where the path that was to be driven is not doubted, until two more touches have places
        after a trial, or where nothing is left to try.
        """
        collisions, before = felt.collisions, self._tried_with
        count = len(collisions.touches)
        if (
            self._allowed == 0.0
            or count < numbers.PATIENCE
            or (before >= 0 and count <= before + 1)
        ):
            return None
        if not self._is_doubted(path, collisions):
            return None
        here = tuple(int(c) for c in path.cells[0])
        places = self._worth_trying(self._search.ends[path.goal], collisions, felt.passed)[
            : numbers.MOST_TRIED
        ]
        inside = [self._as_at_goal(place) for place in places]
        targets = np.unique(np.concatenate([np.zeros(0, int), *inside]))
        query = Query(here, q, felt.beliefs, CollisionEvidence(collisions.against), set())
        trials = (
            self._search.towards(targets, query, certainty) for certainty in numbers.TRIAL_RISKS
        )
        trial = next((path for path in trials if path is not None), None) if len(targets) else None
        if trial is not None:
            last, self._tried_with = (
                np.ravel_multi_index(tuple(trial.cells[-1]), self._grid.shape),
                count,
            )
            for place, cells in zip(places, inside, strict=True):
                self._tried[place] = self._tried.get(place, 0) + int(last in cells)
        return trial

    def _is_doubted(self, path: CellPath, collisions: CollisionBelief) -> bool:
        """Whether a path leads through doubted cells, or the arm at its goal would be in a likely place."""
        inner = collisions.against[tuple(path.cells[1:].T)]
        points, weights, _ = collisions.places()
        is_doubted = bool((inner > -np.log(1.0 - numbers.EVEN_CHANCE)).any())
        likely = points[weights > numbers.EVEN_CHANCE]
        return is_doubted or any(self._goals_with(place)[path.goal] for place in likely)

    def _worth_trying(
        self, goal: np.ndarray, collisions: CollisionBelief, passed: np.ndarray
    ) -> list[Place]:
        """Points of the arm at its goal that were not in it yet, at places or else near them, by distance."""
        points, weights, _ = collisions.places()
        inner, places = self._axis_points(goal), points[weights >= numbers.EVEN_CHANCE]
        far = np.linalg.norm(inner[:, None] - places[None], axis=2).min(axis=1, initial=np.inf)
        order = np.argsort(far)[: int((far < numbers.NEAR_PLACE).sum())]
        inner, most = (
            inner[order],
            np.where(far[order] < numbers.ONE_PLACE, numbers.TRIALS[1], numbers.TRIALS[0]),
        )
        new = point_distances(self._arm, passed, inner).min(axis=(0, 1), initial=np.inf) > 0.0
        rounded = [(float(x), float(y), float(z)) for x, y, z in np.round(inner[new], 4)]
        left = [
            (p, n) for p, n in zip(rounded, most[new], strict=True) if self._tried.get(p, 0) < n
        ]
        return [p for p, n in left if n == numbers.TRIALS[1]] or [p for p, _ in left]

    def _axis_points(self, q: np.ndarray) -> np.ndarray:
        """(k, 3) points on the axes of the outer links at joint angles (n,) [m]."""
        outer = arm_bodies(self._arm)[:, LINK] >= numbers.AXIS_LINK
        axes = capsules_in_base(self._arm, q)[outer, :6].reshape(-1, 2, 3)
        rows = []
        for begin, end in axes:
            count = int(np.linalg.norm(end - begin) / numbers.AXIS_STEP) + 2
            rows.append(begin + np.linspace(0.0, 1.0, count)[:, None] * (end - begin))
        return np.concatenate(rows)

    def _goals_with(self, place: np.ndarray) -> np.ndarray:
        """(s,) bool: the goals at which the arm contains a place (3,)."""
        key = place.tobytes()
        if key not in self._with:
            far = point_distances(self._arm, self._search.ends, place[None])
            self._with[key] = far.min(axis=(1, 2)) < -numbers.DEEP
        return self._with[key]

    def _as_at_goal(self, place: Place) -> np.ndarray:
        """The cells (k,), by number, like a goal: the outermost links contain a place, and no joint is far.

        It may be further each time that the place was tried.
        """
        cells = np.flatnonzero(cells_near(self._arm, self._grid, np.array(place), -numbers.AIM))
        q = self._grid.centre(np.stack(np.unravel_index(cells, self._grid.shape), axis=1))
        outer = arm_bodies(self._arm)[:, LINK] >= numbers.TIP_LINK
        far = point_distances(self._arm, q, np.array([place]))[:, outer, 0]
        tip = far.min(axis=1, initial=np.inf) < -numbers.AIM
        turned = np.min([np.abs(q - goal).max(axis=1) for goal in self._search.ends], axis=0)
        turned[~tip & tip.any()] = np.inf
        most = numbers.ALIKE * (1 + self._tried.get(place, 0))
        return cells[turned <= max(most, turned.min(initial=np.inf))]


def _groups(configurations: list[np.ndarray | None]) -> np.ndarray:
    """The group of each touch: those at nearly the same joint angles are one, and those of earlier runs."""
    first, groups = list[np.ndarray](), list[int]()
    for q in configurations:
        same = (
            k for k, p in enumerate(first) if q is not None and np.abs(p - q).max() < numbers.APART
        )
        groups.append(-1 if q is None else next(same, len(first)))
        if q is not None and groups[-1] == len(first):
            first.append(q)
    return np.array(groups, int)


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
