"""Plans of the summing network with another activation function than the document's (chapter 2).

The network is swept in plain doubles, as the document's program does, and the path climbs what it settles to.
Of theory it needs two things: a slope below 1/lambda, which is checked, and g(0) = 0, which is not: where
cells that the goal cannot reach are lit, the climb may end among them, and the plan says so.
"""

from collections.abc import Sequence

import numpy as np

from hopfield_nav.planning.ascent import climb, step_lengths
from hopfield_nav.planning.closed import closed_keys, without
from hopfield_nav.planning.hopfield import flat_index, iterate
from hopfield_nav.planning.neighbourhood import Neighbourhood
from hopfield_nav.planning.plan import NO_PATH, Plan
from hopfield_nav.planning.theory import Activation

TOP = "the climb ends on a cell that is not the goal: where g(0) is above 0 the network has such"


def plan_activated(
    blocked: np.ndarray,
    start: Sequence[int],
    goal: Sequence[int],
    function: Activation,
    near: Neighbourhood,
    closed: np.ndarray | Sequence | None = None,
) -> Plan:
    """A plan of the network "sum" with any activation function, whose slope is then its beta.

    A blocked start stays clamped at 0, a goal counts as free; ``closed`` are pairs of cells without a step.

    Raises:
        BadInput: a function too steep for (6.12), or arguments that do not fit one another.
    """
    shape = blocked.shape
    sigma, _ = iterate(blocked, goal, near=near, function=function, closed=closed)
    table = without(near.table, closed_keys(closed, near))
    cells = np.empty(sigma.size + 1, np.int64)
    target, flat = flat_index(goal, shape, "goal"), np.append(sigma.ravel(), 0.0)
    exponent = np.zeros(flat.size, np.int64)
    count = climb(table, flat_index(start, shape, "start"), target, flat, exponent, cells)
    reached = cells[count - 1] == target
    others = np.delete(sigma.ravel(), target)
    return Plan(
        np.stack(np.unravel_index(cells[:count], shape), axis=1) if reached else None,
        "" if reached else NO_PATH if sigma[tuple(start)] == 0 and count == 1 else TOP,
        float(step_lengths(table, near.length, cells, count)) if reached else np.inf,
        "sum",
        function.slope,
        bool((others >= 1).any()),
        _grid=lambda: np.log(sigma, where=sigma > 0, out=np.full(shape, -np.inf)),
    )
