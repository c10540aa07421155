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
from timing import asked, table, tell, two_digits

from dynamics.kernels.decorators import kernel
from hopfield_nav.planning import (
    LINEAR,
    Field,
    blocks,
    climb,
    descend,
    first_levels,
    largest_eigenvalue,
    neighbourhood_of,
    plan_path,
    settle,
)
from hopfield_nav.planning.hopfield import _iterate

ROUNDS = 9


@kernel
def limit(times, step, offset, layout, blocked, start, goals):
    total, none, doors = 0, np.empty(0, np.int64), np.empty((0, len(offset)), np.int64)
    for _ in range(times):
        count = layout.edge.size
        words, queues = np.zeros((3, count), np.uint64), np.empty((2, count + 1), np.int32)
        label = np.zeros(64 * count, np.int32)
        first_levels(layout, blocked, goals, words, queues, label, none, doors)
        field = Field(label, 0, step, offset, layout.shape, layout.wrap, layout.place, none)
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
        total += _iterate(
            table, np.ones(table.shape[1]), free, target, LINEAR, beta, sweeps, activation
        )
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
    out = asked(__doc__)
    shape = (20, 20)
    grid = np.ones(shape, dtype=bool)
    grid[1:-1, 1:-1] = False
    blocked, start, target = grid.ravel(), 1 * 20 + 10, 17 * 20 + 6
    near = neighbourhood_of(shape)
    table_, offset = near.table, near.offset
    layout = blocks(shape, near.periodic)
    unit, begin, goals = np.ones(len(offset), np.int64), np.array([1, 10]), np.array([[17, 6]])
    eigenvalue = largest_eigenvalue(near)
    row, column = np.nonzero((table_ < 400) & ~blocked[:, None])
    graph = coo_matrix((np.ones(row.size), (row, table_[row, column])), shape=(400, 400)).tocsr()
    arguments = (table_, blocked, start, target)
    both = [
        microseconds(repeat(lambda network=network: plan_path(grid, (1, 10), (17, 6), network)))
        for network in ("limit", "sum")
    ]
    found = {
        "limit network, compiled": [
            microseconds(limit, unit, offset, layout, blocked, begin, goals)
        ],
        "summing network to convergence, β = 0.1": [
            microseconds(summing, *arguments, 0.1, eigenvalue)
        ],
        "summing network to convergence, β = 0.24": [
            microseconds(summing, *arguments, 0.24, eigenvalue)
        ],
        "the 199 synchronous sweeps of Ragazzon 2012": [
            microseconds(document, table_, ~blocked, target, 0.1, 199)
        ],
        "`plan_path` from Python, limit / sum": both,
        "SciPy's breadth-first order, without a path": [
            microseconds(repeat(lambda: breadth_first_order(graph, target)))
        ],
    }
    first = next(iter(found.values()))[0]
    rows = [
        [
            name,
            " / ".join(map(two_digits, times)) + " µs",
            " / ".join("1" if t == first else two_digits(t / first) for t in times),
        ]
        for name, times in found.items()
    ]
    tell(table(["", "time", "× limit"], rows), out, "planning")


if __name__ == "__main__":
    main()
