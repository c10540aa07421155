"""Time one plan on the document's 20 x 20 map, flood or network and ascent, inside compiled code.

Run: python benchmarks/plan.py. The last row is scipy's breadth-first search, called from Python.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import breadth_first_order

from dynamics.compiled import kernel
from hopfield_nav.planning import (
    LINEAR,
    Field,
    blocks,
    climb,
    descend,
    largest_eigenvalue,
    levels,
    neighbours,
    places_of,
    plan_path,
    settle,
)
from hopfield_nav.planning.hopfield import _iterate

ROUNDS = 9


@kernel
def limit(times, layout, step, offset, blocked, start, target, place):
    total = 0
    for _ in range(times):
        label = levels(layout, blocked, place)
        field = Field(label, 0, step, offset, layout.shape, layout.wrap, layout.place, np.empty(0, np.int64))
        total += descend(field, start)[1].size
    return total


@kernel
def summing(times, table, blocked, start, target, beta, eigenvalue):
    total = 0
    cells = np.empty(blocked.size + 1, np.int64)
    for _ in range(times):
        state = settle(table, blocked, target, beta, eigenvalue, 100_000)
        total += climb(table, start, target, state.mantissa, state.exponent, cells)
    return total


@kernel
def document(times, table, free, target, beta, sweeps):
    total = 0
    for _ in range(times):
        activation = np.zeros(free.size + 1)
        total += _iterate(table, free, target, LINEAR, beta, sweeps, activation)
    return total


def microseconds(function: Callable, *arguments: object, times: int = 300) -> float:
    """Median time of one repetition [us]; function(times, ...) repeats inside."""
    function(1, *arguments)
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        function(times, *arguments)
        rounds.append((time.perf_counter() - begin) / times * 1e6)
    return statistics.median(rounds)


def repeat(call: Callable[[], object]) -> Callable[[int], None]:
    def loop(times: int) -> None:
        for _ in range(times):
            call()

    return loop


def main() -> None:
    shape = (20, 20)
    grid = np.ones(shape, dtype=bool)
    grid[1:-1, 1:-1] = False
    blocked, start, target = grid.ravel(), 1 * 20 + 10, 17 * 20 + 6
    table, offset = neighbours(shape).table, neighbours(shape).offset
    layout, ends = blocks(shape, [False, False]), (np.array([1, 10]), np.array([17, 6]))
    unit, place = np.ones(len(offset), np.int64), places_of(layout.place, (17, 6))
    eigenvalue = largest_eigenvalue(shape)
    row, column = np.nonzero((table < 400) & ~blocked[:, None])
    graph = coo_matrix((np.ones(row.size), (row, table[row, column])), shape=(400, 400)).tocsr()
    arguments = (table, blocked, start, target)
    rows = {
        "limit": microseconds(limit, layout, unit, offset, blocked, *ends, place),
        "sum, beta 0.1": microseconds(summing, *arguments, 0.1, eigenvalue),
        "sum, beta 0.24": microseconds(summing, *arguments, 0.24, eigenvalue),
        "plain network, the document's 199 sweeps": microseconds(document, table, ~blocked, target, 0.1, 199),
        "plan_path limit, from Python": microseconds(repeat(lambda: plan_path(grid, (1, 10), (17, 6)))),
        "plan_path sum, from Python": microseconds(repeat(lambda: plan_path(grid, (1, 10), (17, 6), "sum"))),
        "scipy breadth_first_order, no path": microseconds(
            repeat(lambda: breadth_first_order(graph, target))
        ),
    }
    for name, value in rows.items():
        print(f"{name:42s} {value:8.2f} us {value / rows['limit']:8.1f} x limit")


if __name__ == "__main__":
    main()
