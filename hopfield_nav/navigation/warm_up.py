"""The first replan as fast as the others: what it calls is compiled, or read from the cache, before.

So no clock counts it, neither that of the run nor that of the replan.
"""

from functools import lru_cache

import numpy as np

from dynamics import forward_kinematics, load_arm
from hopfield_nav.loop import evaluate, quintic_trajectory
from hopfield_nav.navigation.motion import follow_regular_path
from hopfield_nav.navigation.planners import open_cells, plan_with
from hopfield_nav.world import PlannerSection, is_code


@lru_cache(maxsize=8)
def warm_up_replan(planner: PlannerSection, rank: int = 2) -> None:
    """Compile (or load), once in a process, what a replan of this planner calls on a map of ``rank`` axes."""
    arm = load_arm("ur5_ragazzon2012")
    q = np.array([2.5511, -1.1193, 2.5706, 0.1196, 1.5708, -0.5905])
    blocked = np.zeros((3,) * rank, dtype=bool)
    start, middle, end = (0,) * rank, (1,) * rank, (2,) * rank
    blocked[middle] = True
    own = is_code(planner.kind)  # which compiles nothing of ours
    known = planner.model_copy(update={"kind": "hopfield"}) if own else planner
    cells = plan_with(known, blocked, start, end, 0).cells
    one = [[start, (1, *start[1:])]]
    plan_with(known, blocked, start, end, 0, np.array(one))
    open_cells(known, blocked, start, end)
    if planner.any_angle and rank <= 3 and cells is not None:
        from hopfield_nav.planning import shorten_path

        shorten_path(blocked, cells)
    follow_regular_path(arm, forward_kinematics(arm, q)[None], q)
    evaluate(quintic_trajectory(np.stack([q, q]), 1.0), 0.5)
