"""Plan a way through a map of blocked cells with one of the two networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynamics.errors import BadInput, nearest_name
from hopfield_nav.distance import shortest
from hopfield_nav.equilibrium import log_activation, settle
from hopfield_nav.hopfield import check_beta, flat_index, largest_eigenvalue
from hopfield_nav.neighbours import Neighbours, neighbours
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
        distance: grid of shortest distances to the goal, inf where there is none; "limit" alone.
        log_activation: grid of ln sigma, -inf where sigma is zero; "sum" alone.
        saturated: whether a neuron other than the goal is clamped at 1; then, or where beta is above
            1/(number of neighbours), the network may have false maxima.
    """

    cells: np.ndarray | None
    reason: str
    length: float
    network: str
    beta: float | None = None
    distance: np.ndarray | None = None
    log_activation: np.ndarray | None = None
    saturated: bool = False

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
    grid = _check_grid(blocked)
    if network not in NETWORKS:
        nearest = nearest_name(str(network), NETWORKS)
        raise BadInput("network", found=network, allowed=", ".join(NETWORKS), nearest=nearest)
    i, target = flat_index(start, grid.shape, "start"), flat_index(goal, grid.shape, "goal")
    near = neighbours(grid.shape, radius, spacing, periodic, ties)
    slope: float | None = None
    if network == "sum":
        slope = check_beta(_default_beta(near) if beta is None else beta, grid.shape, radius, periodic)
    flat = np.ascontiguousarray(grid).ravel()
    if not allow_blocked_start and (flat[i] or flat[target]):
        reason = "start cell is blocked" if flat[i] else "goal cell is blocked"
        return Plan(None, reason, np.inf, network, slope)
    if slope is None:
        return _plan_limit(grid.shape, near, flat, i, target)
    eigenvalue = largest_eigenvalue(grid.shape, radius, periodic)
    return _plan_sum(grid.shape, near, flat, i, target, slope, eigenvalue)


def _check_grid(blocked: np.ndarray) -> np.ndarray:
    grid = np.asarray(blocked)
    if grid.dtype != bool or grid.ndim < 1 or grid.size < 1:
        found = f"{grid.dtype} of shape {grid.shape}"
        raise BadInput("blocked", found=found, allowed="a bool array with at least one cell")
    return grid


def _default_beta(near: Neighbours) -> float:
    """The document's 0.1 where it cannot make false maxima, else half of what cannot."""
    most = 1 / len(near.offset)
    return 0.1 if most >= 0.1 else most / 2


def _plan_limit(shape: tuple[int, ...], near: Neighbours, flat: np.ndarray, start: int, target: int) -> Plan:
    distance = shortest(near.table, near.length, near.uniform, flat, target)
    path = np.empty(flat.size + 1, np.int64)
    count = descend(near.table, near.length, start, target, distance, path)
    cells, length = _finish(shape, near, path, count, target)
    reason = "" if cells is not None else "no free way from start to goal"
    return Plan(cells, reason, length, "limit", distance=distance[:-1].reshape(shape))


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
