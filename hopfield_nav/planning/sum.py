"""Settle the network "sum" on a map and climb it, whichever of its two solvers suits the map.

`sum_exact` is right for every map; `sum_rows` needs no table of connections and serves the largest grids, as long as
no path is so long that a double underflows.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynamics import BadInput
from hopfield_nav.planning.ascent import climb_cells
from hopfield_nav.planning.closed import NONE_CLOSED, without
from hopfield_nav.planning.hopfield import flat_index
from hopfield_nav.planning.neighbourhood import Neighbourhood
from hopfield_nav.planning.plan import NO_PATH, Landscape, Plan
from hopfield_nav.planning.sum_exact import Equilibrium, log_activation, settle

MOST_SWEEPS = 100_000
LARGE = 10_000_000  # connections; a table of them takes 12 bytes for each
TOLERANCE = 1e-13  # relative change in the last sweep of the row solver
SMALLEST_BETA = 1e-17  # for plain doubles


class Problem(NamedTuple):
    """What the summing network is to solve."""

    near: Neighbourhood
    target: tuple[int, ...]  # cell, clamped at 1
    beta: float  # slope
    eigenvalue: float  # largest of T, or a bound above it
    closed: np.ndarray = NONE_CLOSED  # keys of steps that are no connections, see `closed.closed_keys`


class Summed(NamedTuple):
    """A settled summing network: an equilibrium with its table, or plain activations."""

    problem: Problem  # what was solved
    equilibrium: Equilibrium | None  # with exponents; None where plain doubles were enough
    logs: np.ndarray | None  # (cells,) ln sigma of plain doubles in C order; None otherwise
    sweeps: int  # number of sweeps
    settled: bool  # whether the last sweep moved nothing
    saturated: bool  # whether a neuron other than the target is clamped at 1

    def log_activation(self) -> np.ndarray:
        """Grid of ln sigma, -inf where sigma is zero."""
        if self.equilibrium is not None:
            return log_activation(self.equilibrium).reshape(self.problem.near.shape)
        assert self.logs is not None
        return self.logs.reshape(self.problem.near.shape)


def check_size(near: Neighbourhood) -> None:
    """BadInput if the connections of a grid with closed steps are too many for a table."""
    connections = math.prod(near.shape) * len(near.length)
    if connections > LARGE:
        what = "too many connections for closed steps in network sum"
        raise BadInput(what, found=connections, allowed=f"up to {LARGE}; any number in network limit")


def solve_sum(problem: Problem, blocked: np.ndarray) -> Summed:
    """Settle the summing network on a bool grid in C order."""
    flat = blocked.reshape(-1)
    if flat.size * len(problem.near.length) > LARGE and problem.beta >= SMALLEST_BETA:
        summed = _solve_rows(problem, flat)
        if summed is not None:
            return summed
    state = settle(
        without(problem.near.table, problem.closed),
        flat,
        _target(problem),
        problem.beta,
        problem.eigenvalue,
        MOST_SWEEPS,
    )
    return Summed(problem, state, None, state.sweeps, state.settled, state.saturated)


def _solve_rows(problem: Problem, flat: np.ndarray) -> Summed | None:
    """Settle in plain doubles; None where they might underflow."""
    from hopfield_nav.planning.sum_rows import relax, rows

    target = _target(problem)
    activation = np.zeros(flat.size)
    activation[target] = 1.0
    shut = flat.copy()
    shut[target] = True
    layout = rows(problem.near, problem.target)
    sweeps, settled, safe = relax(activation, shut, layout, problem.beta, problem.eigenvalue, MOST_SWEEPS, TOLERANCE)
    if not safe:
        return None
    saturated = int(np.count_nonzero(activation == 1.0)) > 1
    with np.errstate(divide="ignore"):
        np.log(activation, out=activation)
    return Summed(problem, None, activation, sweeps, settled, saturated)


def _target(problem: Problem) -> int:
    return flat_index(problem.target, problem.near.shape, "target")


def plan_in_sum(network: Summed, start: Sequence[int]) -> Plan:
    """The path of steepest ascent in a settled summing network, from the start to its target."""
    problem = network.problem
    cells, length, reached = _climb(network, tuple(int(c) for c in start))
    landscape = Landscape(network.log_activation, problem.near, problem.closed, True)
    plan = problem.beta, network.saturated, landscape
    if not network.settled:
        return Plan(None, f"the network did not settle in {network.sweeps} sweeps", np.inf, "sum", *plan)
    if not reached:
        return Plan(None, _why_stopped(network, cells), np.inf, "sum", *plan)
    return Plan(cells, "", length, "sum", *plan)


def _climb(network: Summed, start: tuple[int, ...]) -> tuple[np.ndarray, float, bool]:
    """Cells (k, rank) of steepest ascent, their length, and whether it ends at the target."""
    problem, state, near = network.problem, network.equilibrium, network.problem.near
    if state is not None:
        first, target = flat_index(start, near.shape, "start"), _target(problem)
        ends, table = (np.array(near.shape), first, target), without(near.table, problem.closed)
        return climb_cells(table, near.length, *ends, state.mantissa, state.exponent)
    landscape, cells = Landscape(network.log_activation, near, problem.closed, True), [np.array(start)]
    while tuple(cells[-1]) != problem.target:
        (after,) = landscape.climbed(cells[-1][None])
        if (after == cells[-1]).all():
            break
        cells.append(after)
    turn = np.where(near.wrap, near.shape, np.inf)
    moves = np.abs(np.diff(cells, axis=0, prepend=cells[:1]))
    length = float(np.linalg.norm(np.minimum(moves, turn - moves) * near.spacing, axis=1).sum())
    return np.array(cells), length, tuple(cells[-1]) == problem.target


def _why_stopped(network: Summed, cells: np.ndarray) -> str:
    cell = tuple(int(c) for c in cells[-1])
    if len(cells) == 1 and network.log_activation()[cell] == -np.inf:
        return NO_PATH
    if network.saturated:
        return f"the network saturates: activations are clamped at 1, and the ascent stops at cell {cell}"
    most = f"1/{len(network.problem.near.length)} (one over the neighbours)"
    return f"false maximum at cell {cell}: beta {network.problem.beta:g} is above {most}"
