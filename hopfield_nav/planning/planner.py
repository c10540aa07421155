"""Plan a path through a map of blocked cells with one of the two networks.

The network "sum" is settled by whichever of its two solvers suits the map, and climbed. `sum_exact`
is right for every map; `sum_rows` needs no table of connections and serves the largest grids, as
long as no path is so long that a double underflows.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dynamics import BadInput, require_known
from hopfield_nav.planning.ascent import climb_cells
from hopfield_nav.planning.closed import NONE_CLOSED, closed_keys, without
from hopfield_nav.planning.hopfield import (
    Activation,
    check_beta,
    flat_index,
    iterate,
    largest_eigenvalue,
)
from hopfield_nav.planning.hopfield import activation as activation_function
from hopfield_nav.planning.neighbourhood import Neighbourhood, neighbourhood_of, on_grid
from hopfield_nav.planning.plan import NO_PATH, Landscape, Plan
from hopfield_nav.planning.sum_exact import Equilibrium, log_activation, settle

NETWORKS = ("limit", "sum")
FADED = "the activations of the cells on the way are too small for plain doubles: some 300 cells at beta 0.1"
_SMALLEST = 1e-300  # of an activation, below which it soon is none
LARGE = 10_000_000  # connections; a table of them takes 12 bytes for each
MOST_SWEEPS = 100_000
TOLERANCE = 1e-13  # relative change in the last sweep of the row solver
SMALLEST_BETA = 1e-17  # for plain doubles
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
        network: "limit" (max: exactly shortest) or "sum" (the document's, ragazzon2012 (6.9): it
            always ends at the goal for beta <= 1/(number of neighbours), but not always on a
            shortest path).
        beta: slope for "sum", below 1/lambda_max (6.12) of the grid without obstacles. None is 0.1
            (6.2.1), or 1/(2 k) where the k neighbours make 0.1 more than 1/k.
        radius: of the neighbourhood, in cells; 1 gives the 2N nearest. Longer steps pass over what
            lies between.
        spacing: distance of neighbouring cells, one number or one an axis; None counts in cells.
            It weighs the paths of "limit" and measures `Plan.length`; the weights T of "sum" ignore
            it.
        periodic: for each axis, whether its last cell is next to its first.
        ties: order among equally good neighbours, see `neighbourhood.parse_ties`.
        closed: (m, 2, rank) integers, pairs of neighbouring cells between which there is no step,
            in either direction; both cells stay free. A longer step that passes over such a pair is
            another pair. Pairs may come twice and in either order; None or empty for none.
        activation: function of the neurons of "sum", whose slope beta then is: "linear", or "tanh",
            "shunting", "saturated", "sigmoid" in plain doubles (chapter 2; see `plan_activated`).

    Returns:
        The plan. A path that does not exist is a result with a reason, not an error.

    Raises ``BadInput``: (a ValueError) a cell outside the grid, an unknown network, beta above its
    limit, a closed pair outside the grid or not of neighbours, closed pairs in "sum" on a grid of
    more than 1e7 connections, …
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

    With `allow_blocked_start` a blocked start stays clamped at 0 and its neighbours decide the
    first step, and the goal is the target even if it is marked. `near` is the grid's neighbourhood,
    by default that of the 2N nearest cells.

    Raises ``BadInput``: as `plan_path`.
    """
    grid = check_grid(blocked)
    require_known(network, NETWORKS, "network")
    first, last = flat_index(start, grid.shape, "start"), flat_index(goal, grid.shape, "goal")
    around = on_grid(near, grid.shape)
    keys = closed_keys(closed, around)
    function = (
        None if activation == "linear" else choose_function(network, activation, beta, around)
    )
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
        from hopfield_nav.planning.limit import (
            plan_in_field,
            solve,
        )  # which the network of the document does not need

        return plan_in_field(solve(grid, around, goal, keys), around, start, keys)
    return plan_in_sum(solve_sum(around, goal, slope, np.ascontiguousarray(grid), keys), start)


def check_grid(blocked: np.ndarray) -> np.ndarray:
    """The grid as a bool array; BadInput if it is none, nor one of the integers 0 and 1, or has no cell."""
    grid = np.asarray(blocked)
    if grid.dtype.kind in "iu" and np.isin(grid, (0, 1)).all():
        grid = grid.astype(bool)
    if grid.dtype != bool or grid.ndim < 1 or grid.size < 1:
        kind = f"{grid.dtype} of shape {grid.shape}"
        raise BadInput(
            "blocked", found=kind, allowed="a bool array with at least one cell, or one of 0, 1"
        )
    return grid


def default_beta(near: Neighbourhood) -> float:
    """The document's slope where it cannot make false maxima, else half of what cannot."""
    most = 1 / len(near.offset)
    return 0.1 if most >= 0.1 else most / 2


def choose_function(
    network: str, activation: str, beta: float | None, near: Neighbourhood
) -> Activation:
    """Another activation function of the summing network, with the slope beta.

    Raises ``BadInput``: the network has no activation function, or there is none of that name.
    """
    if network != "sum":
        raise BadInput(
            f"network {network} has no activation function", found=activation, allowed="linear"
        )
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

    A blocked start stays clamped at 0, a goal counts as free; ``closed`` are pairs of cells without
    a step.
    """
    sigma, sweeps = iterate(blocked, goal, near=near, function=function, closed=closed)
    saturated = int(np.count_nonzero(sigma >= 1.0)) > 1
    problem = near, tuple(int(c) for c in goal), function.slope, closed_keys(closed, near)
    mantissa, exponent = np.append(sigma.ravel(), 0.0), np.zeros(sigma.size + 1, np.int32)
    state = Equilibrium(mantissa, exponent, sweeps, True, saturated)
    plan = plan_in_sum(Summed(*problem, state, None, sweeps, True, saturated), start)
    if plan.cells is not None:
        return plan
    dark = FADED if sigma[sigma > 0.0].min() < _SMALLEST else NO_PATH
    return replace(plan, reason=dark if plan.reason == NO_PATH else TOP)


class Summed(NamedTuple):
    """A settled summing network: an equilibrium with its table, or plain activations."""

    near: Neighbourhood
    target: tuple[int, ...]  # cell, clamped at 1
    beta: float  # slope
    closed: np.ndarray  # keys of steps that are no connections, see `closed.closed_keys`
    equilibrium: Equilibrium | None  # with exponents; None where plain doubles were enough
    logs: np.ndarray | None  # (cells,) ln sigma of plain doubles in C order; None otherwise
    sweeps: int  # number of sweeps
    settled: bool  # whether the last sweep moved nothing
    saturated: bool  # whether a neuron other than the target is clamped at 1

    def log_activation(self) -> np.ndarray:
        """Grid of ln sigma, -inf where sigma is zero."""
        logs = self.logs if self.equilibrium is None else log_activation(self.equilibrium)
        assert logs is not None
        return logs.reshape(self.near.shape)


def check_size(near: Neighbourhood) -> None:
    """BadInput if the connections of a grid with closed steps are too many for a table."""
    connections = math.prod(near.shape) * len(near.length)
    if connections > LARGE:
        what = "too many connections for closed steps in network sum"
        raise BadInput(
            what, found=connections, allowed=f"up to {LARGE}; any number in network limit"
        )


def solve_sum(
    near: Neighbourhood,
    target: Sequence[int],
    beta: float,
    blocked: np.ndarray,
    closed: np.ndarray = NONE_CLOSED,
) -> Summed:
    """Settle the summing network on a bool grid in C order; arguments as the attributes of ``Summed``."""
    problem, flat = (near, tuple(int(c) for c in target), beta, closed), blocked.reshape(-1)
    eigenvalue, first = largest_eigenvalue(near), flat_index(target, near.shape, "target")
    if flat.size * len(near.length) > LARGE and beta >= SMALLEST_BETA:
        from hopfield_nav.planning.sum_rows import relax, rows

        activation, shut = np.zeros(flat.size), flat.copy()
        activation[first], shut[first] = 1.0, True
        sweeps, settled, safe = relax(
            activation, shut, rows(near, problem[1]), beta, eigenvalue, MOST_SWEEPS, TOLERANCE
        )
        if safe:  # else plain doubles might underflow
            saturated = int(np.count_nonzero(activation == 1.0)) > 1
            with np.errstate(divide="ignore"):
                np.log(activation, out=activation)
            return Summed(*problem, None, activation, sweeps, settled, saturated)
    state = settle(without(near.table, closed), flat, first, beta, eigenvalue, MOST_SWEEPS)
    return Summed(*problem, state, None, state.sweeps, state.settled, state.saturated)


def plan_in_sum(network: Summed, start: Sequence[int]) -> Plan:
    """The path of steepest ascent in a settled summing network, from the start to its target."""
    cells, length, reached = _climb(network, tuple(int(c) for c in start))
    plan = (
        network.beta,
        network.saturated,
        Landscape(network.log_activation, network.near, network.closed, True),
    )
    if not network.settled:
        return Plan(
            None, f"the network did not settle in {network.sweeps} sweeps", np.inf, "sum", *plan
        )
    if not reached:
        return Plan(None, _why_stopped(network, cells), np.inf, "sum", *plan)
    return Plan(cells, "", length, "sum", *plan)


def _climb(network: Summed, start: tuple[int, ...]) -> tuple[np.ndarray, float, bool]:
    """Cells (k, rank) of steepest ascent, their length, and whether it ends at the target."""
    near, target, _, closed, state, *_ = network
    if state is not None:
        ends = flat_index(start, near.shape, "start"), flat_index(target, near.shape, "target")
        table, shape = without(near.table, closed), np.array(near.shape)
        return climb_cells(table, near.length, shape, *ends, state.mantissa, state.exponent)
    landscape, cells = Landscape(network.log_activation, near, closed, True), [np.array(start)]
    while tuple(cells[-1]) != target:
        (after,) = landscape.climbed(cells[-1][None])
        if (after == cells[-1]).all():
            break
        cells.append(after)
    turn = np.where(near.wrap, near.shape, np.inf)
    moves = np.abs(np.diff(cells, axis=0, prepend=cells[:1]))
    length = float(np.linalg.norm(np.minimum(moves, turn - moves) * near.spacing, axis=1).sum())
    return np.array(cells), length, tuple(cells[-1]) == target


def _why_stopped(network: Summed, cells: np.ndarray) -> str:
    cell = tuple(int(c) for c in cells[-1])
    if len(cells) == 1 and network.log_activation()[cell] == -np.inf:
        return NO_PATH
    if network.saturated:
        return f"the network saturates: activations are clamped at 1, and the ascent stops at cell {cell}"
    most = f"1/{len(network.near.length)} (one over the neighbours)"
    return f"false maximum at cell {cell}: beta {network.beta:g} is above {most}"
