"""From one method of planning to the next: shortest path, direct path, sampling (nowoczyn2023 3.4)."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics.arm import Arm
from dynamics.errors import BadInput, nearest_name
from hopfield_nav.known_world.direct_path import plan_direct
from hopfield_nav.known_world.scene import Scene
from hopfield_nav.known_world.shortest_path import TOOL_SPEED, TURN_SPEED, plan_shortest
from hopfield_nav.known_world.way import DIRECT, SAMPLING, SHORTEST, JointWay

METHODS = (SHORTEST, DIRECT, SAMPLING)
AUTO = "auto"


class KnownPlan(NamedTuple):
    """What ``plan_known`` found.

    Attributes:
        way: the best way of the first method that found one, or None.
        ways: all that this method offered, best first: several for ``direct``.
        reasons: why each method that was tried before it, or every one, found none.
    """

    way: JointWay | None
    ways: list[JointWay]
    reasons: dict[str, str]

    @property
    def reason(self) -> str:
        """The reasons of every method in one sentence; "" where there is a way."""
        return "" if self.way else "; ".join(f"{method}: {why}" for method, why in self.reasons.items())


def plan_known(
    arm: Arm,
    scene: Scene,
    start: np.ndarray,
    stations: Sequence[np.ndarray],
    method: str = AUTO,
    count: int = 5,
    steps: int = 100,
    tool_speed: float = TOOL_SPEED,
    turn_speed: float = TURN_SPEED,
    seed: int = 0,
) -> KnownPlan:
    """A way that is known to be free before the arm moves.

    Args:
        arm: an arm of UR type.
        scene: from ``build_scene``.
        start: (n,) joint angles [rad], or a (4, 4) pose that leaves the joints open.
        stations: via points and goal, joint angles or poses.
        method: ``shortest``, ``direct``, ``sampling``, or ``auto``: one after the other until one finds a
            way; sampling only where OMPL is installed.
        count: of direct ways wanted.
        steps: of a straight line's leg; ``tool_speed``, ``turn_speed``: see ``plan_shortest``.
        tool_speed: [m/s].
        turn_speed: [rad/s].
        seed: of the sampling.

    Raises:
        BadInput: an unknown method, or a malformed station.
        NoClosedForm: the arm is not of UR type.

    Source: nowoczyn2023 3.4; the third method is ours.
    """
    if method not in (AUTO, *METHODS):
        allowed = ", ".join((AUTO, *METHODS))
        raise BadInput("unknown method", found=method, allowed=allowed, nearest=nearest_name(method, METHODS))
    reasons: dict[str, str] = {}
    for name in METHODS if method == AUTO else (method,):
        if name == SHORTEST:
            line = plan_shortest(arm, scene, start, stations, steps, tool_speed, turn_speed)
            ways, reason = [line.way] if line.way else [], line.reason
        elif name == DIRECT:
            direct = plan_direct(arm, scene, start, stations, count)
            ways, reason = direct.ways, direct.reason
        elif method == AUTO and importlib.util.find_spec("ompl") is None:
            ways, reason = [], "not tried: OMPL is not installed (pip install 'hopfield-nav[ompl]')"
        else:
            from hopfield_nav.known_world.sampling import plan_sampling

            sampled = plan_sampling(arm, scene, start, stations, seed=seed)
            ways, reason = [sampled.way] if sampled.way else [], sampled.reason
        if ways:
            return KnownPlan(ways[0], ways, reasons)
        reasons[name] = reason
    return KnownPlan(None, [], reasons)
