"""The network "sum": the equilibrium of ragazzon2012 (6.9) in numbers that cannot underflow.

sigma falls about tenfold per cell at beta = 0.1, so a double is zero beyond some 325 cells. Here
every activation carries an exponent of its own, sigma = mantissa * RADIX**exponent with 1/HALF <=
mantissa < HALF, and a zero has the exponent NOTHING. Two activations are compared by exponent first
and mantissa second, which is exact. What is two exponents smaller than another is far below its
rounding and left out of a sum.

Cells are relaxed in order of their hops from the target. A first sweep finds the exponents; then
the exponents are held for a batch and folded into the weights of the connections, so that its
sweeps are plain multiplications and additions, over-relaxed with Young's factor 2/(1 + sqrt(1 -
(beta lambda)^2)). I - beta T is positive definite for beta < 1/lambda, so they converge, and with
the clamp at 1 as well: they minimise the Lyapunov function (6.4), a convex quadratic, over the box
[0, 1]. The network has settled when, with fresh exponents, a sweep moves no cell.
"""

from typing import NamedTuple

import numpy as np

from dynamics.kernels.decorators import kernel

RADIX = 2.0**64
HALF = 2.0**32
NOTHING = -(2**30)
CONVERGED = 4e-15  # relative change of a cell that counts as none, without over-relaxation
PATIENCE = 40  # sweeps, times 2 - omega, after which what still moves is rounding
BATCH = 64  # most sweeps with the same exponents
STEEP = 0.7  # of beta lambda, above which it pays to know the eigenvalue of the very map
WIDEST = 5  # exponents between neighbours; beta >= 1e-60 keeps it below
POWERS = 16  # steps of the power method
LARGEST = 1e200  # of a value within a batch: times beta RADIX**WIDEST it is still finite


class Equilibrium(NamedTuple):
    """Settled activations of the summing network."""

    mantissa: np.ndarray  # (cells + 1,) float64, 0 at obstacles and without a path to the target
    exponent: np.ndarray  # (cells + 1,) int32 of RADIX
    sweeps: int  # number of sweeps
    settled: bool  # whether the last sweep changed nothing
    saturated: bool  # whether a neuron other than the target is clamped at 1


@kernel
def _normalise(value, exponent):
    """Bring a positive finite value into [1/HALF, HALF)."""
    while value < 1.0 / HALF:
        value *= RADIX
        exponent -= 1
    while value >= HALF:
        value *= 1.0 / RADIX
        exponent += 1
    return value, exponent


@kernel
def _total(table, i, mantissa, exponent):
    """Sum of the activations of the neighbours of cell i, as value and exponent."""
    value = 0.0
    top = NOTHING
    for k in range(table.shape[1]):
        j = table[i, k]
        if exponent[j] == top:
            value += mantissa[j]
        elif exponent[j] > top:
            value = mantissa[j] + (value / RADIX if exponent[j] == top + 1 else 0.0)
            top = exponent[j]
        elif exponent[j] == top - 1:
            value += mantissa[j] / RADIX
    return value, top


@kernel
def _find_exponents(table, queue, reached, beta, mantissa, exponent):
    """One sweep outward, sigma_i = min(beta * sum, 1) with every exponent adapted; in place.

    Cells that have an activation already keep it.
    """
    for n in range(1, reached):
        i = queue[n]
        if mantissa[i] > 0.0:
            continue
        value, top = _total(table, i, mantissa, exponent)
        value, top = _normalise(beta * value, top)
        if top > 0 or (top == 0 and value > 1.0):
            value = 1.0
            top = 0
        mantissa[i] = value
        exponent[i] = top


@kernel
def _link(table, queue, reached, cells):
    """The connections as places in the queue, (reached, k); `reached` for cells not in it."""
    place = np.full(cells + 1, reached, np.int32)
    for n in range(reached):
        place[queue[n]] = n
    link = np.empty((reached, table.shape[1]), np.uint32)
    for n in range(reached):
        for k in range(table.shape[1]):
            link[n, k] = place[table[queue[n], k]]
    return link


@kernel
def _begin_batch(link, queue, beta, mantissa, exponent, weight, value, ceiling):
    """Begin a batch: its values, where sigma = 1 clamps them, and its weights; in place.

    The weights of the connections (reached, k) are beta * RADIX**(exponent of neighbour - own
    exponent); all are by place in the queue.
    """
    reached = link.shape[0]
    for n in range(reached):
        i = queue[n]
        value[n] = mantissa[i]
        ceiling[n] = min(RADIX ** min(-exponent[i], WIDEST), LARGEST)
        for k in range(link.shape[1]):
            weight[n, k] = 0.0
            if link[n, k] < reached:
                gap = exponent[queue[link[n, k]]] - exponent[i]
                weight[n, k] = beta if gap == 0 else beta * RADIX ** min(max(gap, -WIDEST), WIDEST)


@kernel
def _relax(link, weight, omega, still, ceiling, value):
    """One over-relaxed sweep over all places but the target's, in place; whether any moved."""
    moved = False
    for n in range(1, link.shape[0]):
        goal = 0.0
        for k in range(link.shape[1]):
            goal += weight[n, k] * value[link[n, k]]
        new = min(max(goal + (omega - 1.0) * (goal - value[n]), 0.5 * goal), ceiling[n])
        moved |= abs(new - value[n]) > still * new
        value[n] = new
    return moved


@kernel
def counts_as_none(omega, sweeps):
    """Change of a cell that counts as none.

    Errors fall by omega - 1 a sweep, so that rounding is all that is left after PATIENCE/(2 -
    omega) sweeps; near 1/lambda over-relaxation amplifies it, and the bound grows until it lies
    above.
    """
    patience = max(1.0, sweeps * (2.0 - omega) / PATIENCE)
    return CONVERGED / (2.0 - omega) * patience**2


@kernel
def _batches(link, queue, beta, omega, most_sweeps, mantissa, exponent):
    """Relax in batches until the first sweep of one moves nothing, in place.

    Returns how many sweeps were made, and whether that came about.
    """
    weight = np.empty(link.shape)
    value = np.zeros(link.shape[0] + 1)
    ceiling = np.empty(link.shape[0])
    sweeps = 0
    settled = False
    while not settled and sweeps < most_sweeps:
        _begin_batch(link, queue, beta, mantissa, exponent, weight, value, ceiling)
        still = counts_as_none(omega, sweeps)
        settled = not _relax(link, weight, omega, still, ceiling, value)
        sweeps += 1
        moved = not settled
        left = BATCH
        while moved and left > 0:
            moved = _relax(link, weight, omega, still, ceiling, value)
            sweeps += 1
            left -= 1
        for n in range(1, ceiling.size):
            mantissa[queue[n]], exponent[queue[n]] = _normalise(value[n], exponent[queue[n]])
    return sweeps, settled


@kernel
def flood(table, blocked, target, queue):
    """Breadth-first search from the target, which counts as free, past `blocked` cells (cells,).

    Returns how many cells were reached; `queue` (cells,) holds them in order of their distance.
    """
    unseen = np.zeros(blocked.size + 1, np.bool_)
    for i in range(blocked.size):
        unseen[i] = not blocked[i]
    unseen[target] = False
    queue[0] = target
    head = 0
    tail = 1
    while head < tail:
        i = queue[head]
        head += 1
        for k in range(table.shape[1]):
            j = table[i, k]
            if unseen[j]:
                unseen[j] = False
                queue[tail] = j
                tail += 1
    return tail


@kernel
def own_eigenvalue(link, bound):
    """Estimate the largest eigenvalue of the connections among the reached cells of this map.

    The target is left out of them. Obstacles lower the eigenvalue well below ``bound``, that of an
    open grid, and over-relaxation suited to the bound would swing.

    It takes ``POWERS`` steps of the power method; a quotient of norms is at most the eigenvalue.
    ``link`` (reached, k): the number of each neighbour among the reached cells. The target is
    number 0; `reached` stands for a neighbour that is not there.
    """
    reached = link.shape[0]
    old = np.ones(reached + 1)
    new = np.zeros(reached + 1)
    old[0] = 0.0
    old[reached] = 0.0
    quotient = 0.0
    for _ in range(POWERS):
        before = 0.0
        after = 0.0
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


@kernel
def settle(table, blocked, target, beta, eigenvalue, most_sweeps):
    """Settle the summing network (ragazzon2012 (6.9), g(x) = clamp(beta x, 0, 1)).

    The target counts as free and is clamped at 1. The eigenvalue is the largest of T, or a bound
    above it; 1e-60 <= beta < 1/eigenvalue. After ``most_sweeps`` it gives up, ``settled`` False.
    """
    mantissa = np.zeros(blocked.size + 1)
    exponent = np.full(blocked.size + 1, NOTHING, np.int32)
    queue = np.empty(blocked.size, np.int32)
    reached = flood(table, blocked, target, queue)
    mantissa[target] = 1.0
    exponent[target] = 0
    _find_exponents(table, queue, reached, beta, mantissa, exponent)
    link = _link(table, queue, reached, blocked.size)
    largest = eigenvalue if beta * eigenvalue < STEEP else own_eigenvalue(link, eigenvalue)
    omega = 2.0 / (1.0 + np.sqrt(1.0 - (beta * largest) ** 2))
    sweeps, settled = _batches(link, queue, beta, omega, most_sweeps, mantissa, exponent)
    saturated = False
    for n in range(1, reached):
        saturated |= exponent[queue[n]] == 0 and mantissa[queue[n]] == 1.0
    return Equilibrium(mantissa, exponent, sweeps, settled, saturated)


def log_activation(equilibrium: Equilibrium) -> np.ndarray:
    """Natural logarithm of the activations, (cells,); -inf where they are zero."""
    mantissa = equilibrium.mantissa[:-1]
    exponent = equilibrium.exponent[:-1]
    logs = np.full(mantissa.size, -np.inf)
    live = mantissa > 0
    logs[live] = np.log(mantissa[live]) + exponent[live] * np.log(RADIX)
    return logs
