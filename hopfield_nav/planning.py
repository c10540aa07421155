"""Plan a way through a map of blocked cells with one of the two networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dynamics.errors import BadInput, nearest_name
from hopfield_nav.equilibrium import log_activation, settle
from hopfield_nav.hopfield import check_beta, flat_index, largest_eigenvalue
from hopfield_nav.limit import Field, distance_grid, solve
from hopfield_nav.neighbours import Neighbours, Stencil, neighbours, stencil
from hopfield_nav.path import climb, descend, step_lengths

NETWORKS = ("limit", "sum")
MOST_SWEEPS = 100_000


@dataclass(frozen=True, eq=False)
class Plan:
    """A way through the map, or why there is none.

    Attributes:
        cells: (k, rank) int, from start to goal; None when no way was found.
        reason: why there is none; empty when there is one.
        length: of the way, in the unit of `spacing` (cells by default); inf when there is none.
        network: "limit" or "sum".
        beta: slope that was used; None for "limit", where it does not matter.
        log_activation: grid of ln sigma, -inf where sigma is zero; "sum" alone.
        saturated: whether a neuron other than the goal is clamped at 1; then, or where beta is above
            1/(number of neighbours), the network may have false maxima.
    """

    cells: np.ndarray | None
    reason: str
    length: float
    network: str
    beta: float | None = None
    log_activation: np.ndarray | None = None
    saturated: bool = False
    _settled: tuple[Field, Stencil] | None = field(default=None, repr=False)

    @cached_property
    def distance(self) -> np.ndarray | None:
        """Grid of shortest distances to the goal, inf where there is none; "limit" alone.

        It is filled in when it is first asked for: in 20^6 cells it takes half a gigabyte.
        """
        return None if self._settled is None else distance_grid(*self._settled)

    @property
    def reachable(self) -> np.ndarray:
        """Bool grid of the cells from which a way leads to the goal."""
        grid = self.log_activation if self.distance is None else self.distance
        return np.zeros(0, dtype=bool) if grid is None else np.isfinite(grid)


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
) -> Plan:
    """Plan a way from start to goal (ragazzon2012, chapter 6).

    Args:
        blocked: bool grid of any rank.
        start: (rank,) cell, from 0.
        goal: (rank,) cell, from 0.
        network: "limit" (max: exactly shortest) or "sum" (the document's, ragazzon2012 (6.9): it always
            ends at the goal for beta <= 1/(number of neighbours), but not always on a shortest way).
        beta: slope for "sum", below 1/lambda_max (6.12). None is 0.1 (6.2.1), or 1/(2 k) where the
            k neighbours make 0.1 more than 1/k.
        radius: of the neighbourhood, in cells; 1 gives the 2N nearest. Longer steps pass over what
            lies between.
        spacing: distance of neighbouring cells, one number or one an axis; None counts in cells.
            It weighs the ways of "limit" and measures `Plan.length`; the weights T of "sum" ignore it.
        periodic: for each axis, whether its last cell is next to its first.
        ties: order among equally good neighbours, see `neighbours.parse_ties`.

    Returns:
        The plan. A way that does not exist is a result with a reason, not an error.

    Raises:
        BadInput: (a ValueError) a cell outside the grid, an unknown network, beta above its limit, …
    """
    return replan(blocked, start, goal, network, beta, radius, spacing, periodic, ties, False)


def replan(
    blocked: np.ndarray,
    start: Sequence[int],
    goal: Sequence[int],
    network: str = "limit",
    beta: float | None = None,
    radius: float = 1.0,
    spacing: float | Sequence[float] | None = None,
    periodic: Sequence[bool] | None = None,
    ties: Sequence[str] | None = None,
    allow_blocked_start: bool = True,
) -> Plan:
    """Plan as the document's program does after a collision (ragazzon2012, C.2.3); see `plan_path`.

    With `allow_blocked_start` a blocked start stays clamped at 0 and its neighbours decide the first
    step, and the goal is the target even if it is marked.

    Raises:
        BadInput: as `plan_path`.
    """
    grid = check_grid(blocked)
    check_network(network)
    i, target = flat_index(start, grid.shape, "start"), flat_index(goal, grid.shape, "goal")
    near = stencil(grid.shape, radius, spacing, periodic, ties)
    slope = choose_beta(network, beta, grid.shape, radius, periodic)
    if not allow_blocked_start and (grid[tuple(start)] or grid[tuple(goal)]):
        reason = "start cell is blocked" if grid[tuple(start)] else "goal cell is blocked"
        return Plan(None, reason, np.inf, network, slope)
    if slope is None:
        return plan_in_field(solve(grid, near, goal), near, start, goal)
    eigenvalue = largest_eigenvalue(grid.shape, radius, periodic)
    table = neighbours(grid.shape, radius, spacing, periodic, ties)
    return _plan_sum(grid.shape, table, np.ascontiguousarray(grid).ravel(), i, target, slope, eigenvalue)


def check_grid(blocked: np.ndarray) -> np.ndarray:
    """The grid as an array; BadInput if it is not a bool array with at least one cell."""
    grid = np.asarray(blocked)
    if grid.dtype != bool or grid.ndim < 1 or grid.size < 1:
        found = f"{grid.dtype} of shape {grid.shape}"
        raise BadInput("blocked", found=found, allowed="a bool array with at least one cell")
    return grid


def check_network(network: str) -> None:
    """BadInput if there is no network of that name."""
    if network not in NETWORKS:
        nearest = nearest_name(str(network), NETWORKS)
        raise BadInput("network", found=network, allowed=", ".join(NETWORKS), nearest=nearest)


def choose_beta(
    network: str,
    beta: float | None,
    shape: Sequence[int],
    radius: float,
    periodic: Sequence[bool] | None,
) -> float | None:
    """The slope of "sum", checked: by default the document's 0.1 where it cannot make false maxima.

    Otherwise half of what cannot. None for "limit".

    Raises:
        BadInput: beta above its limit (6.12).
    """
    if network != "sum":
        return None
    most = 1 / len(stencil(shape, radius, periodic=periodic).offset)
    default = 0.1 if most >= 0.1 else most / 2
    return check_beta(default if beta is None else beta, shape, radius, periodic)


def plan_in_field(field: Field, near: Stencil, start: Sequence[int], goal: Sequence[int]) -> Plan:
    """The way down the distances of a settled limit network."""
    cells, steps = descend(field, np.array(start, np.int64), np.array(goal, np.int64))
    if tuple(cells[-1]) != tuple(goal):
        return Plan(None, "no free way from start to goal", np.inf, "limit", _settled=(field, near))
    return Plan(cells, "", float(near.length[steps].sum()), "limit", _settled=(field, near))


def _plan_sum(
    shape: tuple[int, ...],
    near: Neighbours,
    flat: np.ndarray,
    start: int,
    target: int,
    beta: float,
    eigenvalue: float,
) -> Plan:
    state = settle(near.table, flat, target, beta, eigenvalue, MOST_SWEEPS)
    path = np.empty(flat.size + 1, np.int64)
    count = climb(near.table, start, target, state.mantissa, state.exponent, path)
    cells, length = _finish(shape, near, path, count, target)
    logs = log_activation(state).reshape(shape)
    reason = ""
    if not state.settled:
        cells, length, reason = None, np.inf, f"the network did not settle in {state.sweeps} sweeps"
    elif cells is None:
        reason = _why_stopped(logs, shape, int(path[count - 1]), count, state.saturated, beta, near)
    return Plan(cells, reason, length, "sum", beta, log_activation=logs, saturated=state.saturated)


def _finish(
    shape: tuple[int, ...], near: Neighbours, path: np.ndarray, count: int, target: int
) -> tuple[np.ndarray | None, float]:
    """Cells (k, rank) and length of a path of flat indices; None and inf if it misses the target."""
    if path[count - 1] != target:
        return None, np.inf
    cells = np.stack(np.unravel_index(path[:count], shape), axis=1)
    return cells, float(step_lengths(near.table, near.length, path, count))


def _why_stopped(
    logs: np.ndarray,
    shape: tuple[int, ...],
    last: int,
    count: int,
    saturated: bool,
    beta: float,
    near: Neighbours,
) -> str:
    if count == 1 and np.isneginf(logs.flat[last]):
        return "no free way from start to goal"
    cell = tuple(int(c) for c in np.unravel_index(last, shape))
    if saturated:
        return f"the network saturates: activations are clamped at 1, and the ascent stops at cell {cell}"
    return (
        f"false maximum at cell {cell}: beta {beta:g} is above 1/{len(near.offset)} (one over the neighbours)"
    )
