"""The planners of the comparison on one pair of poses, and what is kept of each."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from dynamics import Arm, forward_kinematics
from hopfield_nav.extensions.clearance import Scene
from hopfield_nav.extensions.known_world import plan_direct, plan_sampling, plan_shortest, sampling
from known_planners.counting import Counting

SHORTEST, OPEN, DIRECT = "shortest", "shortest, start's turns and branch open", "direct"
AUTO, AUTO_SAMPLING = "in turn, without sampling", "in turn, with OMPL"
RAW, SIMPLIFIED = "OMPL RRTConnect, as found", "OMPL RRTConnect, simplified"
PLANNED = (SHORTEST, OPEN, DIRECT, RAW, SIMPLIFIED)
CHAINS = {AUTO: (SHORTEST, DIRECT), AUTO_SAMPLING: (SHORTEST, DIRECT, SIMPLIFIED)}
METHODS = (SHORTEST, OPEN, DIRECT, AUTO, AUTO_SAMPLING, RAW, SIMPLIFIED)
_DRAWS = 2000  # places by which the tool's path is measured


class Outcome(NamedTuple):
    """What one planner did with one pair."""

    q: np.ndarray  # (k, n) rows of the path, empty where there is none [rad]
    reason: str  # why there is none
    length: float  # sum of all joints' changes [rad]
    tool: float  # length of the tool point's path [m], and
    straight: float  # its distance from start to goal [m]
    time: float  # of planning [s]
    motions: int  # that OMPL asked about
    check_time: float  # of OMPL's time, in our answers [s]


def plan_pair(
    arm: Arm, scene: Scene, start: np.ndarray, goal: np.ndarray, seed: int
) -> dict[str, Outcome]:
    """Every planner on one pair; the chains are put together from what they consist of."""
    sample = partial(plan_sampling, arm, scene, start, [goal], seed=seed)
    planners: dict[str, Callable[[], Any]] = {
        SHORTEST: partial(plan_shortest, arm, scene, start, [goal]),
        OPEN: partial(plan_shortest, arm, scene, forward_kinematics(arm, start), [goal]),
        DIRECT: partial(plan_direct, arm, scene, start, [goal], 1),
        RAW: partial(sample, simplify=False),
        SIMPLIFIED: sample,
    }
    straight = float(np.linalg.norm(goal[:3, 3] - forward_kinematics(arm, start)[:3, 3]))
    found = {name: _outcome(arm, planners[name], straight) for name in PLANNED}
    return {
        **found,
        **{name: chain([found[part] for part in parts]) for name, parts in CHAINS.items()},
    }


def chain(parts: list[Outcome]) -> Outcome:
    """One planner after the other until one finds a path; the time of those before counts too."""
    used = next((i for i, part in enumerate(parts) if not part.reason), len(parts) - 1)
    return parts[used]._replace(time=sum(part.time for part in parts[: used + 1]))


def _outcome(arm: Arm, planner: Callable[[], Any], straight: float) -> Outcome:
    with patch.object(sampling, "Checks", Counting):
        Counting.motions, Counting.seconds, begin = 0, 0.0, time.perf_counter()
        plan = planner()
        taken, motions, check = time.perf_counter() - begin, Counting.motions, Counting.seconds
    path = next(iter(plan.paths), None) if hasattr(plan, "paths") else plan.path
    if path is None:
        empty = np.empty((0, len(arm.dh)))
        return Outcome(empty, plan.reason, np.nan, np.nan, straight, taken, motions, check)
    return Outcome(
        path.q, "", path.length, tool_path_length(arm, path.q), straight, taken, motions, check
    )


def tool_path_length(arm: Arm, rows: np.ndarray) -> float:
    """Length of the tool point's path along straight joint motions between rows [m]."""
    if len(rows) == 1:
        return 0.0
    each = max(_DRAWS // (len(rows) - 1), 2)
    share = np.linspace(0.0, 1.0, each + 1)[None, :, None]
    q = rows[:-1, None] + (rows[1:, None] - rows[:-1, None]) * share
    return float(
        np.linalg.norm(np.diff(forward_kinematics(arm, q)[..., :3, 3], axis=1), axis=2).sum()
    )
