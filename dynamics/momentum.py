"""Generalised momentum p = M qd, and what changes it besides the torques, C^T qd - g.

From M qdd + C qd + g = tau and dM/dt = C + C^T (Christoffel symbols; ragazzon2012 (3.7)):

    dp/dt = tau + J^T wrench + C^T qd - g,

with C^T qd = the gradient of the kinetic energy over q. Neither M nor C is formed: with the
momentum h_i of each link about the base origin and the velocity v_i of its body point there, p_k =
S_k · Σ_{i≥k} h_i + rotor_k qd_k and (C^T qd)_k = (v_k × S_k) · Σ_{i≥k} h_i. Gravity comes from the
same sweep, by the first moments of the links.

Source: the equation of the momentum: De Luca and Mattone 2005 (sensorless collision detection); C
as in ragazzon2012 (3.6) with the last sign corrected.
"""

from dynamics.kernels.decorators import inlined
from dynamics.kernels.spatial import (
    NONE,
    cross_force,
    pair,
    plus,
    plus_times,
    power,
    put_pair,
    turning_axis,
)
from dynamics.kernels.vectors import (
    UP,
    ZERO,
    add,
    column,
    cross,
    into_axes,
    matmul,
    put,
    three,
    times,
    vector,
)


@inlined
def update_momentum(arm, gravity, qd, work, momentum, rate):
    """Write ``momentum`` (n,) = M qd and ``rate`` (n,) = C^T qd - g; reads ``work.rotation``.

    Leaves mass and first moment of links k…n about the base origin in ``work.composite[k, :4]``, so
    that the potential energy is -gravity · ``work.composite[0, 1:4]``; uses motion and force.
    """
    velocity = _link_momenta(arm, qd, work)
    body, g, total, mass, first = work.composite, three(gravity, 0), NONE, 0.0, ZERO
    for k in range(qd.size - 1, -1, -1):  # inward: sums over the links that joint k moves
        total, s = plus(total, pair(work.force, k)), pair(work.motion, k)
        mass, first = mass + body[k, 0], add(first, vector(body, k, 1))
        body[k, 0] = mass
        put(body, k, 1, first)
        momentum[k] = power(s, total) + arm.rotor_inertia[k] * qd[k]
        # (v_k x S_k) · h = v_k · (S_k x* h), and the torque of the weight
        rate[k] = power(velocity, cross_force(s, total)) + power(
            s, (cross(first, g), times(mass, g))
        )
        velocity = plus_times(velocity, -qd[k], s)


@inlined
def _link_momenta(arm, qd, work):
    """Joint axes, momenta and first moments of the links; returns the velocity of the last link.

    Everything about the base origin in base axes, as in ``dynamics.composite``.
    """
    body, velocity, axis, origin = work.composite, NONE, UP, ZERO
    for i in range(qd.size):  # outward
        mass, turn, s = arm.mass[i], work.rotation[i], turning_axis(axis, origin)
        put_pair(work.motion, i, s)
        velocity = plus_times(velocity, qd[i], s)
        axis, origin = column(turn, 2), add(origin, matmul(turn, vector(arm.dynamics_offset, i, 0)))
        center = add(origin, matmul(turn, vector(arm.center_of_mass, i, 0)))
        linear = times(mass, add(velocity[1], cross(velocity[0], center)))
        spin = matmul(turn, matmul(arm.inertia[i], into_axes(turn, velocity[0])))
        put_pair(work.force, i, (add(spin, cross(center, linear)), linear))
        body[i, 0] = mass
        put(body, i, 1, times(mass, center))
    return velocity
