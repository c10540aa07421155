"""Spatial vectors inside kernels: pairs of vectors about one common point, the angular one first.

A motion is the angular velocity and the velocity of the body's point at the origin, a force the
moment about the origin and the force. A body is its mass, its first and its second moment (xx, xy,
xz, yy, yz, zz). Notation and products as in Featherstone 2008.
"""

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import ZERO, add, along, cross, dot, put, sub, times, vector

NONE = ZERO, ZERO
NO_BODY = 0.0, ZERO, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def pair(rows, i):
    """The spatial vector in row i."""
    return vector(rows, i, 0), vector(rows, i, 3)


@inlined
def put_pair(rows, i, a):
    """Write a spatial vector to row i."""
    put(rows, i, 0, a[0])
    put(rows, i, 3, a[1])


@inlined
def plus(a, b):
    """Sum a + b."""
    return add(a[0], b[0]), add(a[1], b[1])


@inlined
def plus_times(a, k, b):
    """Sum a + k b."""
    return along(a[0], k, b[0]), along(a[1], k, b[1])


@inlined
def power(v, f):
    """What a force does on a motion."""
    return dot(v[0], f[0]) + dot(v[1], f[1])


@inlined
def turning_axis(axis, origin):
    """Motion of a body that turns at 1 rad/s about an axis through a point."""
    return axis, cross(origin, axis)


@inlined
def cross_motion(v, s):
    """Product v × s, the rate of a motion s that v carries along."""
    return cross(v[0], s[0]), add(cross(v[0], s[1]), cross(v[1], s[0]))


@inlined
def cross_force(v, f):
    """Product v ×* f, the rate of a force f that v carries along."""
    return add(cross(v[0], f[0]), cross(v[1], f[1])), cross(v[0], f[1])


@inlined
def symmetric_times(s, a):
    """The symmetric matrix s (xx, xy, xz, yy, yz, zz) times a vector."""
    return (
        s[0] * a[0] + s[1] * a[1] + s[2] * a[2],
        s[1] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[2] * a[0] + s[4] * a[1] + s[5] * a[2],
    )


@inlined
def six(rows, i, k):
    """Six numbers from ``rows[i, k]`` on."""
    return (
        rows[i, k],
        rows[i, k + 1],
        rows[i, k + 2],
        rows[i, k + 3],
        rows[i, k + 4],
        rows[i, k + 5],
    )


@inlined
def put_six(rows, i, k, s):
    """Write six numbers from ``rows[i, k]`` on."""
    rows[i, k], rows[i, k + 1], rows[i, k + 2], rows[i, k + 3], rows[i, k + 4], rows[i, k + 5] = s


@inlined
def add_six(a, b):
    """Sum of two symmetric matrices."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inlined
def body_in(rows, i):
    """The body in row i: mass, first moment, second moment."""
    return rows[i, 0], vector(rows, i, 1), six(rows, i, 4)


@inlined
def put_body(rows, i, body):
    """Write a body to row i."""
    rows[i, 0] = body[0]
    put(rows, i, 1, body[1])
    put_six(rows, i, 4, body[2])


@inlined
def add_body(a, b):
    """Two bodies that move as one."""
    return a[0] + b[0], add(a[1], b[1]), add_six(a[2], b[2])


@inlined
def body_times(body, v):
    """Momentum of a body at a motion v."""
    mass, first, second = body
    angular = add(symmetric_times(second, v[0]), cross(first, v[1]))
    return angular, sub(times(mass, v[1]), cross(first, v[0]))
