"""Small dense linear systems inside kernels, in place and without allocation."""

import numpy as np

from dynamics.kernels.decorators import Table, inlined, shared


@shared
def solve_symmetric(matrix: Table, vector: np.ndarray) -> float:
    """Solve a symmetric positive definite system by L D L^T; ``vector`` becomes the solution.

    ``matrix`` is overwritten: L below the diagonal, D L^T above it, 1/D on it. Returns the
    determinant.
    """
    # six is a number that the compiler knows, and unrolls the loops with: a quarter faster
    n = vector.size
    determinant = _eliminate(matrix, vector, 6) if n == 6 else _eliminate(matrix, vector, n)
    for i in range(n):
        vector[i] *= matrix[i, i]
    if n == 6:
        _substitute(matrix, vector, 6)
    else:
        _substitute(matrix, vector, n)
    return determinant


@inlined
def _eliminate(matrix, vector, n):
    """Factor the matrix, and bring the vector below it along."""
    determinant = 1.0
    for j in range(n):
        pivot = matrix[j, j]
        for k in range(j):
            pivot -= matrix[j, k] * matrix[k, j]
        determinant *= pivot
        inverse = 1.0 / pivot
        matrix[j, j] = inverse
        value = vector[j]
        for k in range(j):
            value -= matrix[j, k] * vector[k]
        vector[j] = value
        for i in range(j + 1, n):
            value = matrix[i, j]
            for k in range(j):
                value -= matrix[i, k] * matrix[k, j]
            matrix[j, i] = value
            matrix[i, j] = value * inverse
    return determinant


@inlined
def _substitute(matrix, vector, n):
    """Solve L^T x = vector."""
    for i in range(n - 1, -1, -1):
        value = vector[i]
        for k in range(i + 1, n):
            value -= matrix[k, i] * vector[k]
        vector[i] = value
