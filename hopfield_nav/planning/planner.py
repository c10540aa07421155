"""Plan a path through a map of blocked cells with one of the two networks."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynamics import BadInput, require_known
from hopfield_nav.planning.closed import closed_keys
from hopfield_nav.planning.hopfield import Activation, check_beta, flat_index, iterate, largest_eigenvalue
from hopfield_nav.planning.hopfield import activation as activation_function
from hopfield_nav.planning.neighbourhood import Neighbourhood, neighbourhood_of, on_grid
from hopfield_nav.planning.plan import NO_PATH, Plan
from hopfield_nav.planning.sum import Problem, Summed, check_size, plan_in_sum, solve_sum
from hopfield_nav.planning.sum_exact import Equilibrium

NETWORKS = ("limit", "sum")
FADED = "the activations of the cells on the way are too small for plain doubles: some 300 cells at beta 0.1"
_SMALLEST = 1e-300  # of an activation, below which it soon is none
TOP = "the climb ends on a cell that is not the goal: where g(0) is above 0 the network has such"


def plan_path(
    blocked: np.ndarray,
    start: Sequence[int],
    goal: Sequence[int],
    network: str = "limit",
    beta: float | None = None,
    radius: float = 1.0,
    spacing: float | Sequence[float] | None = None,
    periodic: Sequence[bool] | None = None,
    ties: Sequence[str] | None = None,
    closed: np.ndarray | Sequence | None = None,
    activation: str = "linear",
) -> Plan:
    """Plan a path from start to goal (ragazzon2012, chapter 6).

    Args:
        blocked: bool grid of any rank; or one of integers, 0 free and 1 blocked.
        start: (rank,) cell, from 0.
        goal: (rank,) cell, from 0.
        network: "limit" (max: exactly shortest) or "sum" (the document's, ragazzon2012 (6.9): it always ends at the
            goal for beta <= 1/(number of neighbours), but not always on a shortest path).
        beta: slope for "sum", below 1/lambda_max (6.12) of the grid without obstacles. None is 0.1 (6.2.1), or 1/(2 k)
            where the k neighbours make 0.1 more than 1/k.
        radius: of the neighbourhood, in cells; 1 gives the 2N nearest. Longer steps pass over what lies between.
        spacing: distance of neighbouring cells, one number or one an axis; None counts in cells.
            It weighs the paths of "limit" and measures `Plan.length`; the weights T of "sum" ignore it.
        periodic: for each axis, whether its last cell is next to its first.
        ties: order among equally good neighbours, see `neighbourhood.parse_ties`.
        closed: (m, 2, rank) integers, pairs of neighbouring cells between which there is no step, in either
            direction; both cells stay free. A longer step that passes over such a pair is another pair. Pairs may
            come twice and in either order; None or empty for none.
        activation: function of the neurons of "sum", whose slope beta then is: "linear", or "tanh", "shunting",
            "saturated", "sigmoid" in plain doubles (chapter 2; see `plan_activated`).

    Returns:
        The plan. A path that does not exist is a result with a reason, not an error.

    Raises ``BadInput``: (a ValueError) a cell outside the grid, an unknown network, beta above its limit, a closed
    pair outside the grid or not of neighbours, closed pairs in "sum" on a grid of more than 1e7 connections, …
    """
    grid = check_grid(blocked)
    near = neighbourhood_of(grid.shape, radius, spacing, periodic, ties)
    return replan(grid, start, goal, network, beta, near, False, closed, activation)


def replan(
    blocked: np.ndarray,
    start: Sequence[int],
    goal: Sequence[int],
    network: str = "limit",
    beta: float | None = None,
    near: Neighbourhood | None = None,
    allow_blocked_start: bool = True,
    closed: np.ndarray | Sequence | None = None,
    activation: str = "linear",
) -> Plan:
    """Plan as the document's program does after a collision (ragazzon2012, C.2.3); see `plan_path`.

    With `allow_blocked_start` a blocked start stays clamped at 0 and its neighbours decide the first step, and the
    goal is the target even if it is marked. `near` is the grid's neighbourhood, by default that of the 2N nearest
    cells.

    Raises ``BadInput``: as `plan_path`.
    """
    grid = check_grid(blocked)
    require_known(network, NETWORKS, "network")
    first, last = flat_index(start, grid.shape, "start"), flat_index(goal, grid.shape, "goal")
    around = on_grid(near, grid.shape)
    keys = closed_keys(closed, around)
    function = None if activation == "linear" else choose_function(network, activation, beta, around)
    slope = function.slope if function else None
    if network == "sum" and (keys.size or function):
        check_size(around)
    if network == "sum" and not function:
        slope = check_beta(default_beta(around) if beta is None else beta, around)
    if not allow_blocked_start and (grid.item(first) or grid.item(last)):
        reason = "start cell is blocked" if grid.item(first) else "goal cell is blocked"
        return Plan(None, reason, np.inf, network, slope)
    if function:
        return plan_activated(grid, start, goal, function, around, closed)
    if slope is None:
        from hopfield_nav.planning.limit import plan_in_field, solve  # which the network of the document does not need

        return plan_in_field(solve(grid, around, goal, keys), around, start, keys)
    problem = Problem(around, tuple(int(c) for c in goal), slope, largest_eigenvalue(around), keys)
    return plan_in_sum(solve_sum(problem, np.ascontiguousarray(grid)), start)


def check_grid(blocked: np.ndarray) -> np.ndarray:
    """The grid as a bool array; BadInput if it is none, nor one of the integers 0 and 1, or has no cell."""
    grid = np.asarray(blocked)
    if grid.dtype.kind in "iu" and np.isin(grid, (0, 1)).all():
        grid = grid.astype(bool)
    if grid.dtype != bool or grid.ndim < 1 or grid.size < 1:
        kind = f"{grid.dtype} of shape {grid.shape}"
        raise BadInput("blocked", found=kind, allowed="a bool array with at least one cell, or one of 0, 1")
    return grid


def default_beta(near: Neighbourhood) -> float:
    """The document's slope where it cannot make false maxima, else half of what cannot."""
    most = 1 / len(near.offset)
    return 0.1 if most >= 0.1 else most / 2


def choose_function(network: str, activation: str, beta: float | None, near: Neighbourhood) -> Activation:
    """Another activation function of the summing network, with the slope beta.

    Raises ``BadInput``: the network has no activation function, or there is none of that name.
    """
    if network != "sum":
        raise BadInput(f"network {network} has no activation function", found=activation, allowed="linear")
    return activation_function(activation, default_beta(near) if beta is None else beta)


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
    """
    sigma, sweeps = iterate(blocked, goal, near=near, function=function, closed=closed)
    saturated = int(np.count_nonzero(sigma >= 1.0)) > 1
    problem = Problem(near, tuple(int(c) for c in goal), function.slope, 0.0, closed_keys(closed, near))
    mantissa, exponent = np.append(sigma.ravel(), 0.0), np.zeros(sigma.size + 1, np.int32)
    state = Equilibrium(mantissa, exponent, sweeps, True, saturated)
    plan = plan_in_sum(Summed(problem, state, None, sweeps, True, saturated), start)
    if plan.cells is not None:
        return plan
    dark = FADED if sigma[sigma > 0.0].min() < _SMALLEST else NO_PATH
    return replace(plan, reason=dark if plan.reason == NO_PATH else TOP)
