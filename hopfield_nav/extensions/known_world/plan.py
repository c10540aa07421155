"""From one method of planning to the next where one finds no path (nowoczyn2023 3.4)."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dynamics import Arm, LibraryMissing, NoClosedForm, require_known
from hopfield_nav.clearance import Scene
from hopfield_nav.extensions.known_world.around import plan_around
from hopfield_nav.extensions.known_world.direct_path import plan_direct
from hopfield_nav.extensions.known_world.sampling import plan_sampling
from hopfield_nav.extensions.known_world.shortest_path import TOOL_SPEED, TURN_SPEED, plan_shortest
from hopfield_nav.extensions.known_world.task import AROUND, DIRECT, SAMPLING, SHORTEST, PlannedPath

METHODS = (SHORTEST, AROUND, DIRECT, SAMPLING)
AUTO, IN_TURN = "auto", "in_turn"
_CHAINS = {  # methods side by side, and what is tried where none of them finds a path
    AUTO: ((SHORTEST,), (AROUND, DIRECT), (SAMPLING,)),
    IN_TURN: ((SHORTEST,), (DIRECT,), (SAMPLING,)),
}


class KnownPlan(NamedTuple):
    """What ``plan_known`` found."""

    path: PlannedPath | None  # the best path of the first methods that found one, or None
    paths: list[PlannedPath]  # all that these methods offered, the best of each first: several for ``direct``
    reasons: dict[str, str]  # why each method that was tried, this one apart, found none

    @property
    def reason(self) -> str:
        """The reasons of every method in one sentence; "" where there is a path."""
        return "" if self.path else "; ".join(f"{method}: {why}" for method, why in self.reasons.items())


def plan_known(
    arm: Arm, scene: Scene, start: np.ndarray, stations: Sequence[np.ndarray], method: str = AUTO, **options: Any
) -> KnownPlan:
    """A path that is known to be free before the arm moves: the first plan of ``plans_in_turn`` with one.

    Arguments and errors are those of ``plans_in_turn``.
    """
    reasons: dict[str, str] = {}
    for plan in plans_in_turn(arm, scene, start, stations, method, **options):
        if plan.paths:
            return plan._replace(reasons=reasons)
        reasons |= plan.reasons
    return KnownPlan(None, [], reasons)


def plans_in_turn(
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
) -> Iterator[KnownPlan]:
    """The plan of each method, one after the other as they are taken.

    From joints to joints any arm will do, for poses and for ``shortest`` one of UR type. The scene is from
    ``build_scene``; ``start`` is (n,) joint angles [rad], or a (4, 4) pose that leaves the joints open; the stations,
    via points and goal, are joint angles or poses.

    ``method`` is ``shortest``, ``around``, ``direct``, ``sampling``; ``in_turn``: shortest, direct, sampling, the
    first that finds a path; or ``auto``: the same, with ``around`` before ``direct``. There a method that does not
    suit the arm, or whose library is missing, is passed over. ``count`` is of direct paths wanted, ``steps`` of a
    straight line's leg, ``seed`` of the sampling; for ``tool_speed`` [m/s] and ``turn_speed`` [rad/s] see
    ``plan_shortest``.

    Raises ``BadInput``: an unknown method, or a malformed station; ``NoClosedForm``: the method that is asked for
    needs an arm of UR type.

    Source: nowoczyn2023 3.4; ``around`` and ``sampling`` are ours.
    """
    require_known(method, (*_CHAINS, *METHODS), "unknown method")
    task, on_lines = (arm, scene, start, stations), (steps, tool_speed, turn_speed)
    planners: dict[str, Callable[[], Any]] = {
        SHORTEST: partial(plan_shortest, *task, *on_lines),
        AROUND: partial(plan_around, *task, *on_lines),
        DIRECT: partial(plan_direct, *task, count),
        SAMPLING: partial(plan_sampling, *task, seed),
    }
    for side_by_side in _CHAINS.get(method, ((method,),)):
        offered: list[PlannedPath] = []
        reasons: dict[str, str] = {}
        for name in side_by_side:
            try:
                plan = planners[name]()
                paths, reason = plan.paths if name == DIRECT else [plan.path] if plan.path else [], plan.reason
            except (NoClosedForm, LibraryMissing) as error:
                if method not in _CHAINS:
                    raise
                paths, reason = [], f"not tried: {error}"
            offered += paths
            if not paths:
                reasons[name] = reason
        yield KnownPlan(offered[0] if offered else None, offered, reasons)
