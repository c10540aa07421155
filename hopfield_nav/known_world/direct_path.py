"""The direct path: every joint goes straight to one of the goal's joint positions (nowoczyn2023 3.3).

A pose has up to eight joint positions, each on up to 2⁶ whole turns: 512 candidates. They are tried in
the order of their length, and the first free ones are the shortest free ones. Through via points the
same search looks for the shortest sequence: it extends the way that promises least, counting ahead as
if nothing were in the way, and looks at a motion only when it comes up.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dynamics import Arm
from dynamics.work import make_work
from hopfield_nav.known_world.bodies import AXES_WIDTH
from hopfield_nav.known_world.positions import free_positions, plan_places
from hopfield_nav.known_world.proof import passes
from hopfield_nav.known_world.scene import Scene
from hopfield_nav.known_world.task import DIRECT, JointWay, is_pose, way_length

_MOST_MOTIONS = 20_000  # looked at before the search is given up
_DIGITS = 6  # of angles [rad] by which ways are told apart


class DirectPlan(NamedTuple):
    """What ``plan_direct`` found.

    Attributes:
        ways: the shortest free ones, shortest first; none where ``reason`` says why.
        reason: "" where there is a way.
        candidates: joint positions of the start and of every station, with their turns, free or not.
        motions: motions that were looked at.
    """

    ways: list[JointWay]
    reason: str
    candidates: list[int]
    motions: int


def plan_direct(
    arm: Arm, scene: Scene, start: np.ndarray, stations: Sequence[np.ndarray], count: int = 5
) -> DirectPlan:
    """The shortest free ways that go straight in joint space from station to station.

    Args:
        arm: an arm; poses need one of UR type.
        scene: from ``build_scene``.
        start: (n,) joint angles, turns included [rad], or a (4, 4) pose that leaves them open.
        stations: via points and goal: each (n,) joint angles, or a (4, 4) pose T_base_tool. Both may be
            reached on any whole turn within the limits. From an open start a motion that only differs
            in whole turns from another is not shown twice.
        count: of ways wanted.

    Raises:
        BadInput: a station that is neither, or beyond the limits.
        NoClosedForm: poses, and an arm that is not of UR type.

    Source: nowoczyn2023 (3.5), (3.6).
    """
    places = plan_places(arm, start, stations)
    layers, candidates = [], []
    for i in range(len(places)):
        positions = free_positions(arm, scene, places, i)
        candidates.append(positions.candidates)
        layers.append(positions.q)
        if positions.reason:
            return DirectPlan([], positions.reason, candidates, 0)
    search = _DirectSearch(arm, scene, layers)
    found = search.ways()
    if is_pose(places[0]):
        found = _different(_centred(arm, way) for way in found)
    ways = list(itertools.islice(found, count))
    reason = "" if ways else f"every direct motion is blocked ({search.motions} looked at)"
    return DirectPlan(ways, reason, candidates, search.motions)


def _centred(arm: Arm, way: JointWay) -> JointWay:
    """The same motion with every joint on the turn that keeps it nearest to zero all along."""
    turns = 2 * np.pi * np.arange(-2, 3)[:, None, None]
    shifted = way.q + turns  # (5, rows, n)
    low, high = arm.position_limits.T
    inside = ((shifted >= low) & (shifted <= high)).all(axis=1)
    best = np.argmin(np.where(inside, np.abs(shifted).max(axis=1), np.inf), axis=0)
    return way._replace(q=way.q + turns[best, 0].T)


def _different(ways: Iterable[JointWay]) -> Iterator[JointWay]:
    """Leave out a way that has been there before."""
    seen = set()
    for way in ways:
        rounded = (np.round(way.q, _DIGITS) + 0.0).tobytes()  # no negative zeros
        if rounded not in seen:
            seen.add(rounded)
            yield way


class _DirectSearch:
    """Best first over sequences of joint positions, one of each layer."""

    def __init__(self, arm: Arm, scene: Scene, layers: list[np.ndarray]) -> None:
        self.arm, self.scene, self.layers = arm, scene, layers
        self.motions = 0
        self._known: dict[tuple[int, int, int], bool] = {}
        self._steps: dict[tuple[int, int], np.ndarray] = {}
        self.ahead = self._lengths_ahead()
        n = len(arm.dh)
        self._scratch = make_work(n), np.empty((len(scene.bodies), AXES_WIDTH)), np.empty(n), np.empty(n)

    def ways(self) -> Iterator[JointWay]:
        """Free ways, shortest first, until there are no more or too many motions were looked at."""
        heap: list[tuple] = []
        tie = itertools.count()
        for node in range(len(self.layers[0])):
            self._extend(heap, tie, (node,), 0.0)
        while heap and self.motions < _MOST_MOTIONS:
            _, _, way, before, order, place = heapq.heappop(heap)
            self._push(heap, tie, way, before, order, place + 1)
            node = int(order[place])
            if not self._free(len(way), way[-1], node):
                continue
            length = before + self._step(len(way), way[-1])[node]
            if len(way) + 1 == len(self.layers):
                yield self._way((*way, node))
            else:
                self._extend(heap, tie, (*way, node), length)

    def _extend(self, heap: list, tie: Iterator[int], way: tuple[int, ...], length: float) -> None:
        promise = self._step(len(way), way[-1]) + self.ahead[len(way)]
        self._push(heap, tie, way, length, np.argsort(promise, kind="stable"), 0)

    def _push(
        self, heap: list, tie: Iterator[int], way: tuple, length: float, order: np.ndarray, place: int
    ) -> None:
        """Put the ``place``-th best continuation of a way on the heap; the next follows when it is taken."""
        if place < len(order):
            node = order[place]
            total = length + self._step(len(way), way[-1])[node] + self.ahead[len(way)][node]
            heapq.heappush(heap, (total, next(tie), way, length, order, place))

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
                (self._step(layer, node) + ahead[0]).min() for node in range(len(self.layers[layer - 1]))
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

    def _way(self, nodes: tuple[int, ...]) -> JointWay:
        q = np.array([layer[node] for layer, node in zip(self.layers, nodes, strict=True)])
        return JointWay(q, DIRECT, np.arange(len(q)), way_length(q))
