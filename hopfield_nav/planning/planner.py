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
from hopfield_nav.planning.limit import plan_limit
from hopfield_nav.planning.neighbourhood import Neighbourhood, neighbourhood_of, on_grid
from hopfield_nav.planning.plan import NO_PATH, Landscape, Plan
from hopfield_nav.planning.sum_exact import Equilibrium, log_activation, settle

NETWORKS = ("limit", "sum")
FADED = (
    "the activations of the cells on the way are too small for plain doubles: "
    "some 300 cells at beta 0.1"
)
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
    return _plan(grid, start, goal, network, beta, near, closed, activation, may_be_blocked=False)


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
    around = on_grid(near, grid.shape)
    return _plan(
        grid, start, goal, network, beta, around, closed, activation,
        may_be_blocked=allow_blocked_start,
    )  # fmt: skip


def _plan(
    blocked: np.ndarray,
    start: Sequence[int],
    goal: Sequence[int],
    network: str,
    beta: float | None,
    near: Neighbourhood,
    closed: np.ndarray | Sequence | None,
    activation: str,
    may_be_blocked: bool,
) -> Plan:
    """A plan on a bool grid; ``may_be_blocked`` are start and goal."""
    require_known(network, NETWORKS, "network")
    first = flat_index(start, near.shape, "start")
    last = flat_index(goal, near.shape, "goal")
    keys = closed_keys(closed, near)
    function = None
    slope = None
    if network == "sum" and (keys.size or activation != "linear"):
        check_size(near)
    if activation != "linear":
        function = choose_function(network, activation, beta, near)
        slope = function.slope
    elif network == "sum":
        slope = check_beta(default_beta(near) if beta is None else beta, near)
    if not may_be_blocked and blocked.item(first):
        return Plan(None, "start cell is blocked", np.inf, network, slope)
    if not may_be_blocked and blocked.item(last):
        return Plan(None, "goal cell is blocked", np.inf, network, slope)
    if function is not None:
        return plan_activated(blocked, start, goal, function, near, closed)
    if slope is not None:
        return plan_in_sum(solve_sum(near, goal, slope, blocked, keys), start)
    return plan_limit(blocked, near, first, last, keys)


def check_grid(blocked: np.ndarray) -> np.ndarray:
    """The grid as a bool array.

    Raises ``BadInput``: neither bools nor the integers 0 and 1, or no cell at all.
    """
    grid = np.asarray(blocked)
    if grid.dtype.kind in "iu" and np.isin(grid, (0, 1)).all():
        grid = grid.astype(bool)
    if grid.dtype.kind != "b" or grid.ndim < 1 or grid.size < 1:
        kind = f"{grid.dtype} of shape {grid.shape}"
        allowed = "a bool array with at least one cell, or one of 0, 1"
        raise BadInput("blocked", found=kind, allowed=allowed)
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
        what = f"network {network} has no activation function"
        raise BadInput(what, found=activation, allowed="linear")
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
    state = Equilibrium(
        mantissa=np.append(sigma.ravel(), 0.0),
        exponent=np.zeros(sigma.size + 1, np.int32),
        sweeps=sweeps,
        settled=True,
        saturated=saturated,
    )
    network = Summed(
        near, _as_cell(goal), function.slope, closed_keys(closed, near),
        equilibrium=state, logs=None, sweeps=sweeps, settled=True, saturated=saturated,
    )  # fmt: skip
    plan = plan_in_sum(network, start)
    if plan.cells is not None:
        return plan
    if plan.reason != NO_PATH:
        return replace(plan, reason=TOP)
    has_faded = sigma[sigma > 0.0].min() < _SMALLEST
    return replace(plan, reason=FADED if has_faded else NO_PATH)


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

    @property
    def landscape(self) -> Landscape:
        """The network as records and pictures have it."""
        return Landscape(self.log_activation, self.near, self.closed, sums=True)


def check_size(near: Neighbourhood) -> None:
    """Whether the connections of a grid with closed steps are few enough for a table.

    Raises ``BadInput``: they are not.
    """
    connections = math.prod(near.shape) * len(near.length)
    if connections > LARGE:
        what = "too many connections for closed steps in network sum"
        allowed = f"up to {LARGE}; any number in network limit"
        raise BadInput(what, found=connections, allowed=allowed)


def solve_sum(
    near: Neighbourhood,
    target: Sequence[int],
    beta: float,
    blocked: np.ndarray,
    closed: np.ndarray = NONE_CLOSED,
) -> Summed:
    """Settle the summing network on a bool grid; arguments as the attributes of ``Summed``."""
    flat = np.ascontiguousarray(blocked).reshape(-1)
    if flat.size * len(near.length) > LARGE and beta >= SMALLEST_BETA:
        in_rows = _settle_rows(near, _as_cell(target), beta, flat, closed)
        if in_rows is not None:
            return in_rows
    table = without(near.table, closed)
    first = flat_index(target, near.shape, "target")
    state = settle(table, flat, first, beta, largest_eigenvalue(near), MOST_SWEEPS)
    return Summed(
        near, _as_cell(target), beta, closed, equilibrium=state, logs=None,
        sweeps=state.sweeps, settled=state.settled, saturated=state.saturated,
    )  # fmt: skip


def _settle_rows(
    near: Neighbourhood,
    target: tuple[int, ...],
    beta: float,
    blocked: np.ndarray,
    closed: np.ndarray,
) -> Summed | None:
    """Settle it in plain doubles, ``blocked`` (cells,); None where they might underflow."""
    from hopfield_nav.planning.sum_rows import relax, sort_by_row

    first = flat_index(target, near.shape, "target")
    activation = np.zeros(blocked.size)
    activation[first] = 1.0
    shut = blocked.copy()
    shut[first] = True
    layout = sort_by_row(near, target)
    eigenvalue = largest_eigenvalue(near)
    sweeps, settled, safe = relax(
        activation, shut, layout, beta, eigenvalue, MOST_SWEEPS, TOLERANCE
    )
    if not safe:
        return None
    saturated = int(np.count_nonzero(activation == 1.0)) > 1
    with np.errstate(divide="ignore"):
        logs = np.log(activation, out=activation)
    return Summed(
        near, target, beta, closed, equilibrium=None, logs=logs,
        sweeps=sweeps, settled=settled, saturated=saturated,
    )  # fmt: skip


def plan_in_sum(network: Summed, start: Sequence[int]) -> Plan:
    """The path of steepest ascent in a settled summing network, from the start to its target."""
    climb = _climb_grid if network.equilibrium is None else _climb_table
    cells, length, reached = climb(network, _as_cell(start))
    reason = ""
    if not network.settled:
        reason = f"the network did not settle in {network.sweeps} sweeps"
    elif not reached:
        reason = _why_stopped(network, cells)
    return Plan(
        cells=None if reason else cells,
        reason=reason,
        length=np.inf if reason else length,
        network="sum",
        beta=network.beta,
        saturated=network.saturated,
        landscape=network.landscape,
    )


def _climb_table(network: Summed, start: tuple[int, ...]) -> tuple[np.ndarray, float, bool]:
    """Steepest ascent over the neighbour table.

    Returns its cells (k, rank), their length, and whether it ends at the target.
    """
    near = network.near
    state = network.equilibrium
    assert state is not None
    first = flat_index(start, near.shape, "start")
    last = flat_index(network.target, near.shape, "target")
    table = without(near.table, network.closed)
    shape = np.array(near.shape)
    return climb_cells(table, near.length, shape, first, last, state.mantissa, state.exponent)


def _climb_grid(network: Summed, start: tuple[int, ...]) -> tuple[np.ndarray, float, bool]:
    """Steepest ascent over the grid of ln sigma, for which no table is made; as `_climb_table`."""
    near = network.near
    landscape = network.landscape
    cells = [np.array(start)]
    while tuple(cells[-1]) != network.target:
        (after,) = landscape.climbed(cells[-1][None])
        if (after == cells[-1]).all():
            break
        cells.append(after)
    moves = np.abs(np.diff(cells, axis=0, prepend=cells[:1]))
    around = np.where(near.wrap, near.shape, np.inf)  # cells, once around a closed axis
    moves = np.minimum(moves, around - moves)
    length = float(np.linalg.norm(moves * near.spacing, axis=1).sum())
    return np.array(cells), length, tuple(cells[-1]) == network.target


def _why_stopped(network: Summed, cells: np.ndarray) -> str:
    """Why the ascent over cells (k, rank) ended beside the target."""
    cell = _as_cell(cells[-1])
    if len(cells) == 1 and network.log_activation()[cell] == -np.inf:
        return NO_PATH
    if network.saturated:
        return (
            "the network saturates: activations are clamped at 1, "
            f"and the ascent stops at cell {cell}"
        )
    most = f"1/{len(network.near.length)} (one over the neighbours)"
    return f"false maximum at cell {cell}: beta {network.beta:g} is above {most}"


def _as_cell(cell: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(c) for c in cell)
