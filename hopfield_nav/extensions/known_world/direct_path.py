"""The direct path: every joint goes straight to one of the goal's configurations (nowoczyn2023 3.3).

A pose has up to eight configurations, each on up to 2⁶ whole turns: 512 candidates. They are tried
in the order of their length, and the first free ones are the shortest free ones. Through via points
the same search looks for the shortest sequence: it extends the path that promises least, counting
ahead as if nothing were in the way, and looks at a motion only when it comes up.
"""

import heapq
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.work import make_work
from hopfield_nav.extensions.clearance import AXES_WIDTH, Scene, passes
from hopfield_nav.extensions.known_world import task

_MOST_MOTIONS = 20_000  # looked at before the search is given up
_DIGITS = 6  # of angles [rad] by which paths are told apart


class DirectPlan(NamedTuple):
    """What ``plan_direct`` found."""

    # the shortest free ones, shortest first; none where ``reason`` says why
    paths: list[task.PlannedPath]
    reason: str  # "" where there is a path
    # configurations of the start and of every station, with their turns, free or not
    candidates: list[int]
    motions: int  # motions that were looked at


def plan_direct(
    arm: Arm, scene: Scene, start: np.ndarray, stations: Sequence[np.ndarray], count: int = 5
) -> DirectPlan:
    """The shortest free paths, as many as ``count``, that go straight in joint space from station to station.

    The scene is from ``build_scene``. ``start`` is (n,) joint angles, turns included [rad], or a
    (4, 4) pose that leaves them open; from an open start a motion that only differs in whole turns
    from another is not shown twice. The stations, via points and goal, are each (n,) joint angles
    or a (4, 4) pose T_base_tool, for which the arm is of UR type; both may be reached on any whole
    turn within the limits.

    Raises ``BadInput``: a station that is neither, or beyond the limits; ``NoClosedForm``: poses,
    and an arm that is not of UR type.

    Source: nowoczyn2023 (3.5), (3.6).
    """
    places = task.plan_places(arm, start, stations)
    layers, candidates = [], []
    for i in range(len(places)):
        q, number, reason = task.free_positions(arm, scene, places, i)
        candidates.append(number)
        layers.append(q)
        if reason:
            return DirectPlan([], reason, candidates, 0)
    search = _DirectSearch(arm, scene, layers)
    found = search.paths()
    if task.is_pose(places[0]):
        found = _different(_centred(arm, path) for path in found)
    paths = list(itertools.islice(found, count))
    reason = "" if paths else f"every direct motion is blocked ({search.motions} looked at)"
    return DirectPlan(paths, reason, candidates, search.motions)


def _centred(arm: Arm, path: task.PlannedPath) -> task.PlannedPath:
    """The same motion with every joint on the turn that keeps it nearest to zero all along."""
    turns = 2 * np.pi * np.arange(-2, 3)[:, None, None]
    shifted = path.q + turns  # (5, rows, n)
    low, high = arm.position_limits.T
    inside = ((shifted >= low) & (shifted <= high)).all(axis=1)
    best = np.argmin(np.where(inside, np.abs(shifted).max(axis=1), np.inf), axis=0)
    return path._replace(q=path.q + turns[best, 0].T)


def _different(paths: Iterable[task.PlannedPath]) -> Iterator[task.PlannedPath]:
    """The paths without those that have been there before."""
    seen = set()
    for path in paths:
        rounded = (np.round(path.q, _DIGITS) + 0.0).tobytes()  # no negative zeros
        if rounded not in seen:
            seen.add(rounded)
            yield path


class _DirectSearch:
    """Best first over sequences of configurations, one of each layer."""

    def __init__(self, arm: Arm, scene: Scene, layers: list[np.ndarray]) -> None:
        self.arm, self.scene, self.layers = arm, scene, layers
        self.motions = 0
        self._known: dict[tuple[int, int, int], bool] = {}
        self._steps: dict[tuple[int, int], np.ndarray] = {}
        self.ahead = self._lengths_ahead()
        n = len(arm.dh)
        self._scratch = (
            make_work(n),
            np.empty((len(scene.bodies), AXES_WIDTH)),
            np.empty(n),
            np.empty(n),
        )

    def paths(self) -> Iterator[task.PlannedPath]:
        """Free paths, shortest first, until there are no more or too many motions were looked at."""
        heap: list[tuple] = []
        tie = itertools.count()
        for node in range(len(self.layers[0])):
            self._extend(heap, tie, (node,), 0.0)
        while heap and self.motions < _MOST_MOTIONS:
            _, _, nodes, before, order, place = heapq.heappop(heap)
            self._push(heap, tie, nodes, before, order, place + 1)
            node = int(order[place])
            if not self._free(len(nodes), nodes[-1], node):
                continue
            length = before + self._step(len(nodes), nodes[-1])[node]
            if len(nodes) + 1 == len(self.layers):
                q = np.array(
                    [layer[k] for layer, k in zip(self.layers, (*nodes, node), strict=True)]
                )
                yield task.PlannedPath(q, task.DIRECT, np.arange(len(q)), task.path_length(q))
            else:
                self._extend(heap, tie, (*nodes, node), length)

    def _extend(
        self, heap: list, tie: Iterator[int], nodes: tuple[int, ...], length: float
    ) -> None:
        promise = self._step(len(nodes), nodes[-1]) + self.ahead[len(nodes)]
        self._push(heap, tie, nodes, length, np.argsort(promise, kind="stable"), 0)

    def _push(
        self,
        heap: list,
        tie: Iterator[int],
        nodes: tuple,
        length: float,
        order: np.ndarray,
        place: int,
    ) -> None:
        """Put the ``place``-th best node after these on the heap.

        The next follows when it is taken.
        """
        if place < len(order):
            node = order[place]
            total = length + self._step(len(nodes), nodes[-1])[node] + self.ahead[len(nodes)][node]
            heapq.heappush(heap, (total, next(tie), nodes, length, order, place))

    def _step(self, layer: int, node: int) -> np.ndarray:
        """Length of the motions from one node of the layer before to all of ``layer`` [rad]."""
        key = (layer, node)
        if key not in self._steps:
            self._steps[key] = np.abs(self.layers[layer] - self.layers[layer - 1][node]).sum(axis=1)
        return self._steps[key]

    def _lengths_ahead(self) -> list[np.ndarray]:
        """For every node the shortest length to the goal if nothing were in the way [rad]."""
        ahead = [np.zeros(len(self.layers[-1]))]
        for layer in range(len(self.layers) - 1, 1, -1):
            onward = [
                (self._step(layer, node) + ahead[0]).min()
                for node in range(len(self.layers[layer - 1]))
            ]
            ahead.insert(0, np.array(onward))
        return [np.zeros(len(self.layers[0])), *ahead]

    def _free(self, layer: int, a: int, b: int) -> bool:
        key = (layer, a, b)
        if key not in self._known:
            self.motions += 1
            ends = self.layers[layer - 1][a], self.layers[layer][b]
            self._known[key] = passes(self.arm, self.scene, *ends, *self._scratch)
        return self._known[key]
