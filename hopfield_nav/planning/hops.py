"""Hops from the target over a table of neighbours: breadth-first search.

Over the cells that it reaches, ``own_eigenvalue`` estimates the largest eigenvalue of the weights, which the
obstacles of a map lower.
"""

import numpy as np

from dynamics.kernels.decorators import kernel

UNSEEN, BLOCKED = -1, -2
POWERS = 16  # steps of the power method


@kernel
def prepare(blocked, target, hops):
    """Set `hops` (cells + 1,) to UNSEEN on free cells and the target, to BLOCKED elsewhere; in place."""
    for i in range(blocked.size):
        hops[i] = BLOCKED if blocked[i] else UNSEEN
    hops[blocked.size] = BLOCKED
    hops[target] = UNSEEN


@kernel
def flood(table, target, hops, queue):
    """Breadth-first search from the target over the prepared `hops` (cells + 1,) int32; in place.

    Returns how many cells were reached; `queue` (cells,) holds them in order of their distance.
    """
    queue[0] = target
    hops[target] = 0
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        further = hops[i] + 1
        for k in range(table.shape[1]):
            j = table[i, k]
            if hops[j] == UNSEEN:
                hops[j] = further
                queue[tail] = j
                tail += 1
    return tail


@kernel
def own_eigenvalue(link, bound):
    """Estimate the largest eigenvalue of the connections among the reached cells without the target.

    Obstacles lower it well below the bound of an open grid, and over-relaxation suited to the bound would swing.
    Steps of the power method; each quotient of norms is a bound below. ``link`` (reached, k) are places of the
    neighbours, the target's place 0; `reached` where there is none.
    """
    reached = link.shape[0]
    old, new = np.ones(reached + 1), np.zeros(reached + 1)
    old[0], old[reached] = 0.0, 0.0
    quotient = 0.0
    for _ in range(POWERS):
        before, after = 0.0, 0.0
        for n in range(1, reached):
            total = 0.0
            for k in range(link.shape[1]):
                total += old[link[n, k]]
            new[n] = total
            before += old[n] * old[n]
            after += total * total
        quotient = np.sqrt(after / before) if before > 0.0 else 0.0
        old, new = new, old
    return min(quotient, bound)
