"""The algebraic Riccati equation A^T X + X A - X G X + H = 0, by doubling, without allocation.

The structure-preserving doubling algorithm (Chu, Fan and Lin 2005): a Cayley transform about a
shift turns the closed-loop eigenvalues into numbers below one, and each round squares them.
"""

import numpy as np

from dynamics.kernels.decorators import kernel

SCRATCH = 8  # matrices that a solution needs
_ROUNDS = 40  # at most
_SMALL = 1e-14  # an A_k whose entries are below it is nothing


@kernel
def riccati(a, g, h, shift, scratch, out):
    """Write X to ``out`` and return whether it was found; no argument but the last two is changed.

    ``shift`` > 0, of the size of the closed-loop eigenvalues, decides the number of rounds alone.
    """
    m = a.shape[0]
    ak, gk = scratch[0], scratch[1]
    shifted, inverse, weighted, moved = scratch[2], scratch[3], scratch[4], scratch[5]
    system, solution = scratch[6], scratch[7]
    for i in range(m):
        for j in range(m):
            shifted[i, j] = a[i, j] - (shift if i == j else 0.0)
    _invert(shifted, inverse)
    _multiply(h, inverse, weighted)  # H (A - shift)^-1
    _multiply(inverse, g, moved)  # (A - shift)^-1 G
    _multiply(weighted, g, system)
    for i in range(m):
        for j in range(m):
            system[i, j] += a[j, i] - (shift if i == j else 0.0)
    _invert(system, solution)  # (A^T - shift + H (A - shift)^-1 G)^-1
    _multiply(solution, weighted, out)
    _multiply(moved, solution, gk)
    for i in range(m):
        for j in range(m):
            ak[i, j] = 2.0 * shift * solution[j, i] + (1.0 if i == j else 0.0)
            gk[i, j] *= 2.0 * shift
            out[i, j] *= 2.0 * shift  # H_0
    return _double(ak, gk, out, scratch[2:])


@kernel
def _double(ak, gk, hk, scratch):
    """Double the horizon until A_k is nothing; ``hk`` becomes X."""
    m = ak.shape[0]
    system, inverse, inverse_a, inverse_g = scratch[0], scratch[1], scratch[2], scratch[3]
    product, change = scratch[4], scratch[5]
    for _ in range(_ROUNDS):
        _multiply(gk, hk, system)
        for i in range(m):
            system[i, i] += 1.0
        _invert(system, inverse)
        _multiply(inverse, ak, inverse_a)  # (I + G H)^-1 A
        _multiply(inverse, gk, inverse_g)  # (I + G H)^-1 G
        _multiply(hk, inverse_a, product)
        _multiply(ak.T, product, change)
        _add_symmetric(hk, change)
        _multiply(ak, inverse_g, product)
        _multiply(product, ak.T, change)
        _add_symmetric(gk, change)
        _multiply(ak, inverse_a, product)
        largest = 0.0
        for i in range(m):
            for j in range(m):
                ak[i, j] = product[i, j]
                largest = max(largest, abs(product[i, j]))
        if not np.isfinite(largest) or not np.isfinite(hk[0, 0]):
            return False
        if largest < _SMALL:
            return True
    return False


@kernel
def _add_symmetric(a, b):
    """Add the symmetric part of b, which keeps rounding from turning a away from symmetry."""
    m = a.shape[0]
    for i in range(m):
        for j in range(i + 1):
            value = 0.5 * (a[i, j] + a[j, i] + b[i, j] + b[j, i])
            a[i, j] = value
            a[j, i] = value


@kernel
def _multiply(a, b, out):
    m = a.shape[0]
    for i in range(m):
        for j in range(m):
            out[i, j] = 0.0
        for k in range(m):
            value = a[i, k]
            for j in range(m):
                out[i, j] += value * b[k, j]


@kernel
def _invert(a, out):
    """Write the inverse by elimination with row exchanges.

    ``a`` is lost. A singular one gives inf or NaN.
    """
    m = a.shape[0]
    for i in range(m):
        for j in range(m):
            out[i, j] = 1.0 if i == j else 0.0
    for c in range(m):
        best = c
        for r in range(c + 1, m):
            if abs(a[r, c]) > abs(a[best, c]):
                best = r
        if best != c:
            for k in range(m):
                a[c, k], a[best, k] = a[best, k], a[c, k]
                out[c, k], out[best, k] = out[best, k], out[c, k]
        inverse = 1.0 / a[c, c]
        for k in range(m):
            a[c, k] *= inverse
            out[c, k] *= inverse
        for r in range(m):
            if r != c:
                factor = a[r, c]
                for k in range(m):
                    a[r, k] -= factor * a[c, k]
                    out[r, k] -= factor * out[c, k]
