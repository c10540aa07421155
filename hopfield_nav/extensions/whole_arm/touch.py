"""What a response of somebody's own is asked with, on a map of joint angles."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hopfield_nav.navigation.map import Cell, Step, pairs
from hopfield_nav.navigation.responses import checked_waypoints
from hopfield_nav.plugin import BelievedMap, Method, Response, asked


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


class ArmResponse:
    """Asks a response of somebody's own, which is made when it is first asked."""

    def __init__(self, method: Method, values: Mapping[str, Any], n: int) -> None:
        self._method, self._values = method, values
        # where the last touch was (n,) in cells, the direction there, the torque, and the step
        self.felt: tuple[np.ndarray, np.ndarray, np.ndarray, Step | None] | None = None
        self._none = np.zeros(n)

    @cached_property
    def _response(self) -> Response:
        response: Response = self._method.made(self._values)
        return response

    def waypoints(
        self, time: float, believed: BelievedMap, find: Callable[[Cell], np.ndarray | None]
    ) -> np.ndarray | None:
        """The waypoints (k, n) in cells that it answers; None where it leaves the way to the planner.

        Raises ``MethodFailed``: it raises, or its waypoints leave the map or lead through what is known.
        """
        felt, self.felt = self.felt, None
        ask = self._response.on_rest if felt is None else self._response.on_touch
        here = np.array(believed.start, dtype=float)
        place, direction, force, step = felt or (here, self._none, self._none, None)
        ends = None if step is None else pairs([step], believed.blocked.shape)[0]
        touch = ArmTouch(time, believed.read_only(), place, direction, force, ends, find)
        with asked(self._method.title):
            return checked_waypoints(ask(touch), believed)
