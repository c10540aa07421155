"""Cells in order of their hops from the target: breadth-first search over a table of neighbours."""

from __future__ import annotations

from dynamics.compiled import kernel

UNSEEN, BLOCKED = -1, -2


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

    Returns:
        Number of cells reached; `queue` (cells,) holds them in order of their distance.
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
