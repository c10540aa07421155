"""Vectors of three numbers inside kernels: plain tuples, which the compiler keeps in registers.

Every step is compiled into its caller, so that a formula reads as in the textbook and costs what
its components cost. ``a``, ``b`` are (x, y, z); ``rows`` is an array whose row ``i`` holds vectors.
"""

import math

from dynamics.kernels.decorators import inlined

Vector = tuple[float, float, float]

ZERO = 0.0, 0.0, 0.0
UP = 0.0, 0.0, 1.0
UNIT = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), UP  # rows of the matrix that turns nothing


@inlined
def add(a, b):
    """Sum a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def sub(a, b):
    """Difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def times(k, a):
    """The vector a, k times as long."""
    return k * a[0], k * a[1], k * a[2]


@inlined
def over(a, k):
    """The vector a / k."""
    return a[0] / k, a[1] / k, a[2] / k


@inlined
def along(a, k, b):
    """Sum a + k b."""
    return a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]


@inlined
def dot(a, b):
    """Scalar product a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    """Vector product a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def length(a):
    """|a|."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@inlined
def vector(rows, i, k):
    """The vector that begins at ``rows[i, k]``."""
    return rows[i, k], rows[i, k + 1], rows[i, k + 2]


@inlined
def put(rows, i, k, a):
    """Write a from ``rows[i, k]`` on."""
    rows[i, k], rows[i, k + 1], rows[i, k + 2] = a


@inlined
def matmul(m, a):
    """M a for a (3, 3) array."""
    return (
        m[0, 0] * a[0] + m[0, 1] * a[1] + m[0, 2] * a[2],
        m[1, 0] * a[0] + m[1, 1] * a[1] + m[1, 2] * a[2],
        m[2, 0] * a[0] + m[2, 1] * a[1] + m[2, 2] * a[2],
    )


@inlined
def into_axes(m, a):
    """M^T a for a (3, 3) array: a vector of base axes in the axes of the frame that M leads out of."""
    return (
        m[0, 0] * a[0] + m[1, 0] * a[1] + m[2, 0] * a[2],
        m[0, 1] * a[0] + m[1, 1] * a[1] + m[2, 1] * a[2],
        m[0, 2] * a[0] + m[1, 2] * a[1] + m[2, 2] * a[2],
    )


@inlined
def column(m, k):
    """The first three numbers of column k of an array."""
    return m[0, k], m[1, k], m[2, k]


@inlined
def three(numbers, k):
    """The vector that begins at ``numbers[k]``."""
    return numbers[k], numbers[k + 1], numbers[k + 2]


@inlined
def put_three(numbers, k, a):
    """Write a from ``numbers[k]`` on."""
    numbers[k], numbers[k + 1], numbers[k + 2] = a


@inlined
def add_three(numbers, k, a):
    """Add a to what is from ``numbers[k]`` on."""
    put_three(numbers, k, add(three(numbers, k), a))


@inlined
def carried(w, d, r):
    """Sum d × r + w × (w × r), what rotation adds to the acceleration at a point r off the origin."""
    return add(cross(d, r), cross(w, cross(w, r)))


@inlined
def torque_of(inertia, w, d):
    """I d + w × (I w), Euler's equation for an inertia (3, 3)."""
    return add(matmul(inertia, d), cross(w, matmul(inertia, w)))
