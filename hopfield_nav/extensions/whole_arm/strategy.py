"""The strategy and the response that a world asks for: built-in ones, or a user's own, whose answers are checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hopfield_nav.extensions.whole_arm.collision_belief import CollisionBelief
from hopfield_nav.navigation.map import Cell, Step, pairs
from hopfield_nav.navigation.responses import checked_waypoints
from hopfield_nav.plugin import (
    Belief,
    BelievedMap,
    CollisionEvidence,
    ContactReport,
    Method,
    MethodFailed,
    Own,
    read_only,
)  # fmt: skip
from hopfield_nav.world import World, is_code


@dataclass(frozen=True, eq=False)
class ArmReport(ContactReport):
    """What was felt, and where the built-in strategies keep what they make of it."""

    collisions: CollisionBelief


def belief_for(world: World) -> Belief:
    """The strategy of a world."""
    section = world.planner
    method = world.trust.find("belief", section.strategy, world.folder)
    if is_code(section.strategy):
        return _OwnBelief(method, section.parameters)
    belief: Belief = method.kernel()
    return belief


class _OwnBelief(Own):
    """Asks a strategy of the user."""

    def believe(self, felt: ContactReport) -> CollisionEvidence | None:
        """What it answers, checked.

        Raises ``MethodFailed``: it raises, or answers no grid of the map with numbers of at least 0.
        """
        arrays = {name: read_only(getattr(felt, name)) for name in ("points", "weights", "touches")}
        shown = ContactReport(believed=felt.believed.read_only(), near=felt.near, **arrays)
        found: CollisionEvidence | None = self.ask("believe", shown, partial(_checked, felt.believed.blocked.shape))
        return found


def _checked(shape: tuple[int, ...], answer: Any) -> CollisionEvidence | None:
    if answer is None:
        return None
    if not isinstance(answer, CollisionEvidence):
        raise MethodFailed(f"it answers {type(answer).__name__}, not CollisionEvidence or None")
    at_last = None if answer.at_last is None else _grid(answer.at_last, shape)
    return answer._replace(cells=_grid(answer.cells, shape), at_last=at_last)


def _grid(answer: Any, shape: tuple[int, ...]) -> np.ndarray:
    cells = np.asarray(answer)
    if cells.dtype.kind not in "biuf" or cells.shape != shape:
        raise MethodFailed(f"it answers {cells.dtype} of shape {cells.shape}, not numbers of shape {shape}")
    if not cells.min(initial=0.0) >= 0.0:
        raise MethodFailed("it answers numbers below 0, or none")
    return np.ascontiguousarray(cells, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class ArmTouch:
    """A touch of the whole arm, or a rest without one; a ``plugin.Touch``, in cells and joints."""

    time: float
    believed: BelievedMap
    place: np.ndarray
    direction: np.ndarray
    force: np.ndarray
    step: np.ndarray | None
    find: Callable[[Cell], np.ndarray | None]

    def path(self, start: Cell) -> np.ndarray | None:
        """(k, rank) cells of the world's planner."""
        return self.find(tuple(int(c) for c in start))


class ArmResponse(Own):
    """Asks a response of the user."""

    def __init__(self, method: Method, values: Mapping[str, Any], n: int) -> None:
        super().__init__(method, values)
        # where the last touch was (n,) in cells, the direction there, the torque, and the step
        self.felt: tuple[np.ndarray, np.ndarray, np.ndarray, Step | None] | None = None
        self._none = np.zeros(n)

    def waypoints(
        self, time: float, believed: BelievedMap, find: Callable[[Cell], np.ndarray | None]
    ) -> np.ndarray | None:
        """The waypoints (k, n) in cells that it answers; None where it leaves the way to the planner.

        Raises ``MethodFailed``: it raises, or its waypoints leave the map or lead through what is known.
        """
        felt, self.felt = self.felt, None
        here = np.array(believed.start, dtype=float)
        place, direction, force, step = felt or (here, self._none, self._none, None)
        ends = None if step is None else pairs([step], believed.blocked.shape)[0]
        touch = ArmTouch(time, believed.read_only(), place, direction, force, ends, find)
        function = "on_rest" if felt is None else "on_touch"
        found: np.ndarray | None = self.ask(function, touch, lambda answer: checked_waypoints(answer, believed))
        return found


def response_for(world: World, n: int) -> ArmResponse | None:
    """The response of the user that a world with n joints names, if it does."""
    name = world.explore.method
    if not is_code(name):
        return None
    return ArmResponse(world.trust.find("response", name, world.folder), world.explore.parameters, n)
