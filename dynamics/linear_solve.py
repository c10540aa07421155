"""Small dense linear systems inside kernels, in place and without allocation."""

from __future__ import annotations

from dynamics.compiled import kernel


@kernel
def solve_symmetric(matrix, vector):
    """Solve a symmetric positive definite system by L D L^T; ``vector`` becomes the solution.

    The lower triangle of ``matrix`` is overwritten.
    """
    n = vector.size
    for j in range(n):
        pivot = matrix[j, j]
        for k in range(j):
            pivot -= matrix[j, k] * matrix[j, k] * matrix[k, k]
        matrix[j, j] = pivot
        inverse = 1.0 / pivot
        for i in range(j + 1, n):
            value = matrix[i, j]
            for k in range(j):
                value -= matrix[i, k] * matrix[j, k] * matrix[k, k]
            matrix[i, j] = value * inverse
    for i in range(n):
        for k in range(i):
            vector[i] -= matrix[i, k] * vector[k]
    for i in range(n):
        vector[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            vector[i] -= matrix[k, i] * vector[k]


@kernel
def solve_general(matrix, vector):
    """Solve a square system by elimination with row pivoting; ``vector`` becomes the solution.

    ``matrix`` is overwritten. Returns its determinant.
    """
    n = vector.size
    determinant = 1.0
    for j in range(n):
        best = j
        for i in range(j + 1, n):
            if abs(matrix[i, j]) > abs(matrix[best, j]):
                best = i
        if best != j:
            determinant = -determinant
            for k in range(j, n):
                matrix[j, k], matrix[best, k] = matrix[best, k], matrix[j, k]
            vector[j], vector[best] = vector[best], vector[j]
        pivot = matrix[j, j]
        determinant *= pivot
        inverse = 1.0 / pivot
        for i in range(j + 1, n):
            factor = matrix[i, j] * inverse
            for k in range(j + 1, n):
                matrix[i, k] -= factor * matrix[j, k]
            vector[i] -= factor * vector[j]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            vector[i] -= matrix[i, k] * vector[k]
        vector[i] /= matrix[i, i]
    return determinant
