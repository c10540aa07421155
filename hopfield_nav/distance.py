"""The network "limit": max in place of the sum, whose activations are exact shortest distances.

With sigma_i = max_j beta^(length_ij) sigma_j in place of ragazzon2012 (6.9) the equilibrium is
sigma_i = beta^(distance_i): each neuron counts its shortest way alone, where the summing network
counts all walks. Distances are kept, not activations, so that nothing underflows and beta drops out.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

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


@kernel
def scale_hops(hops, step, distance):
    """Distances (cells + 1,) from hops and the one length of all steps; inf where not reached."""
    for i in range(hops.size):
        distance[i] = step * hops[i] if hops[i] >= 0 else np.inf


@kernel
def spread(table, length, blocked, target, distance):
    """Shortest distances for steps of different length (Dijkstra); `distance` (cells + 1,) in place."""
    distance[:] = np.inf
    distance[target] = 0.0
    heap = [(0.0, np.int64(target))]
    while len(heap) > 0:
        here, i = heappop(heap)
        if here > distance[i]:
            continue  # an older, longer entry
        for k in range(table.shape[1]):
            j = table[i, k]
            beyond = here + length[k]
            if j < blocked.size and not blocked[j] and beyond < distance[j]:
                distance[j] = beyond
                heappush(heap, (beyond, np.int64(j)))


@kernel
def shortest(table, length, uniform, blocked, target):
    """Length of the shortest way from every cell to the target, in the unit of `length`.

    Args:
        table: (cells, k) neighbours, `length`: (k,) of the steps, `uniform`: all of one length.
        length: see table.
        uniform: see table.
        blocked: (cells,) bool; the target counts as free.
        target: flat index.

    Returns:
        (cells + 1,) distances, inf at blocked cells and where there is no way.
    """
    distance = np.empty(blocked.size + 1)
    if uniform:
        hops = np.empty(blocked.size + 1, np.int32)
        prepare(blocked, target, hops)
        flood(table, target, hops, np.empty(blocked.size, np.int32))
        scale_hops(hops, length[0], distance)
    else:
        spread(table, length, blocked, target, distance)
    return distance
