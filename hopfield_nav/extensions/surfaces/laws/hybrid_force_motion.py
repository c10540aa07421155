"""Slide along a surface with a wanted force: hybrid force and motion control of the tool point.

The tool moves in a plane through where it begins, with the axis a. In it the force is controlled
across the surface and the speed along it; the place along a, and the rotation, are kept as at the
start. The force F of the world's estimator says where the surface is: n is its direction in the
plane, t = a x n. With the wanted force f_d and e = f_d - F n the tool is told the velocity

    v = s(e) speed t - (k_f e + k_i ∫ e dt) n,    s(e) = 1 - |e| / f_d, at least 0,

and the joints follow its integral as in ``inverse_dynamics``: that stiffness, not a model,
overcomes their friction. Friction of the surface turns F from the normal by its angle, which is
that between F and the perpendicular of the motion; it is taken off.

Until something is felt the tool approaches along ``heading`` and ``elevation``. What was felt and
is lost is searched: the tool goes on to where the surface was, and around, as it must behind the
end of a wall.

Without ``elevation`` and ``incline`` a is upright: the plane is horizontal, and t = side z x n.

Source: Raibert and Craig 1981 (hybrid control); De Schutter and Van Brussel 1988 (outer force loop,
normal and tangent from the measured force and motion).
"""

import math
from dataclasses import replace

from dynamics.kernels.decorators import inlined
from dynamics.kernels.vectors import (
    ZERO,
    add,
    along,
    column,
    cross,
    dot,
    length,
    over,
    put_three,
    sub,
    three,
    times,
)
from dynamics.kinematics import update_jacobian
from dynamics.linear_solve import solve_symmetric
from dynamics.newton_euler import newton_euler
from hopfield_nav.control import DAMPING_RATIO, OMEGA, SAMPLING, believed_at, elapsed, lag_share
from hopfield_nav.plugin import FORCE_FELT, Limits, Method, Parameter, unpacker

unpack = unpacker(
    Parameter("force", 10.0, 0.1, 1e3, "N", "wanted across the surface"),
    Parameter("speed", 0.03, 0.0, 1.0, "m/s", "wanted along the surface"),
    Parameter(
        "approach", 0.02, 1e-4, 0.5, "m/s", "speed until something is felt, and of the search"
    ),
    Parameter(
        "heading", 0.0, -7.0, 7.0, "rad", "direction of the approach, from the base's x axis"
    ),
    Parameter("elevation", 0.0, -1.6, 1.6, "rad", "of that direction above the horizontal plane"),
    Parameter("incline", 0.0, -7.0, 7.0, "rad", "of the way along the surface: pi/2 is upwards"),
    Parameter(
        "side", 1.0, -1.0, 1.0, "1", "1: counter-clockwise around what is touched, -1: clockwise"
    ),
    Parameter("force_gain", 2e-3, 0.0, 1.0, "m/(s·N)", "k_f"),
    Parameter("force_integral", 6e-3, 0.0, 10.0, "m/(s²·N)", "k_i"),
    Parameter(
        "normal_time", 0.02, 0.0, 1.0, "s", "over which the direction of the force is smoothed"
    ),
    Parameter(
        "tilt_time", 0.1, 0.0, 100.0, "s", "over which friction's angle is found; 0: there is none"
    ),
    replace(OMEGA, name="natural_frequency", description="of each joint"),
    DAMPING_RATIO,
)
# places in the memory; BIAS: what is felt without a contact [N], for who sets it before the start;
PHASE, INTEGRAL, TILT, LAST_FELT, BIAS, AXIS, NORMAL, PLACE, ROTATION, JOINTS = (
    SAMPLING + k for k in (0, 1, 2, 3, 4, 7, 10, 13, 16, 25)
)
# from JOINTS on the angles that are told to the joints, and their speeds
APPROACHING, SLIDING, SEARCHING = 0.0, 1.0, 2.0
CONTACT_SHARE = 0.2  # of the wanted force, which counts as contact
LOSS_TIME = 0.02  # [s] without it a contact is lost
SEARCH_RADIUS = 0.01  # [m]
POSE_RATE = 20.0  # [1/s] at which the plane and the rotation are kept
LARGEST_TILT = 0.7  # [rad] of the force from the normal
LARGEST_ERROR = 0.5  # [rad] of a joint behind what it is told: a light wrist is soft
LEAST_SQUARE = 1e-9  # added to J J^T
LEAST_NORMAL = 1e-3  # share of a force in the plane below which it says nothing of the surface


def control(model, sensed, parameters, memory, work, tau):
    """Write the torque; see above."""
    p, n = unpack(parameters), sensed.q.size
    period = elapsed(sensed, memory)
    update_jacobian(model, work)
    if period == 0.0:
        _begin(sensed, p, memory, work)
    _tell_joints(sensed, memory, work, _velocity(sensed, p, memory, work, period), period)
    acceleration = work.vector[0]
    for i in range(n):
        omega, zeta = p.natural_frequency[i], p.damping_ratio[i]
        angle, speed = memory[JOINTS + i], memory[JOINTS + n + i]
        acceleration[i] = omega * omega * (angle - sensed.q[i]) + 2.0 * zeta * omega * (
            speed - sensed.qd[i]
        )
    newton_euler(model, model.gravity, sensed.qd, acceleration, work, tau)
    for i in range(n):
        tau[i] += believed_at(model, i, memory[JOINTS + n + i])
    return 0


@inlined
def _begin(sensed, p, memory, work):
    """Nothing felt yet; the pose and the plane to keep are those of now."""
    n = sensed.q.size
    memory[PHASE], memory[INTEGRAL], memory[TILT] = APPROACHING, 0.0, 0.0
    ch, sh = math.cos(p.heading), math.sin(p.heading)
    ce, se = math.cos(p.elevation), math.sin(p.elevation)
    put_three(memory, NORMAL, (-ch * ce, -sh * ce, -se))
    side = 1.0 if p.side >= 0.0 else -1.0
    c, s = side * math.cos(p.incline), side * math.sin(p.incline)
    put_three(memory, AXIS, (-c * ch * se - s * sh, -c * sh * se + s * ch, c * ce))
    put_three(memory, PLACE, column(work.tool, 3))
    for k in range(9):
        memory[ROTATION + k] = work.rotation[n - 1, k // 3, k % 3]
    for i in range(n):
        memory[JOINTS + i] = sensed.q[i]


@inlined
def _velocity(sensed, p, memory, work, period):
    """The velocity that the tool is told, in the plane [m/s]."""
    wanted, time = p.force, sensed.time[0]
    force = sub(three(sensed.felt, 0), three(memory, BIAS))  # less that without a contact
    off = dot(three(memory, AXIS), force)
    square = dot(force, force) - off * off  # of its part in the plane
    if square > CONTACT_SHARE * wanted * CONTACT_SHARE * wanted:
        _follow_normal(sensed, p, memory, work, force, period)
    elif memory[PHASE] == SLIDING and time - memory[LAST_FELT] > LOSS_TIME:
        memory[PHASE] = SEARCHING
    if memory[PHASE] == SEARCHING:
        _turn(memory, NORMAL, p.approach / SEARCH_RADIUS * period)
    normal, most = _normal(memory), p.approach
    if memory[PHASE] != SLIDING:
        return times(-most, normal)
    error = wanted - dot(force, normal)
    memory[INTEGRAL] += p.force_integral * error * period
    memory[INTEGRAL] = min(max(memory[INTEGRAL], -most), most)
    inward = min(max(p.force_gain * error + memory[INTEGRAL], -most), most)
    speed = p.speed * max(1.0 - abs(error) / wanted, 0.0)
    return along(times(speed, _tangent(memory, normal)), -inward, normal)


@inlined
def _follow_normal(sensed, p, memory, work, force, period):
    """Bring the direction of the force, and its angle from the normal, up to date."""
    share = 1.0 if p.normal_time == 0.0 else lag_share(1.0 / p.normal_time, period)
    if memory[PHASE] != SLIDING:
        memory[PHASE], memory[INTEGRAL], share = SLIDING, 0.0, 1.0
    memory[LAST_FELT] = sensed.time[0]
    normal = three(memory, NORMAL)
    normal = along(normal, share, sub(over(force, length(force)), normal))
    size = length(normal)
    if size > 0.0:
        put_three(memory, NORMAL, over(normal, size))
    if p.tilt_time == 0.0:
        return
    normal = _normal(memory)
    tangent = _tangent(memory, normal)
    ahead, across = 0.0, 0.0
    for i in range(sensed.qd.size):
        ahead += dot(tangent, column(work.jacobian, i)) * sensed.qd[i]
        across += dot(normal, column(work.jacobian, i)) * sensed.qd[i]
    if ahead > 0.5 * p.speed:  # then the true normal is perpendicular to the motion
        angle = math.atan2(-across, ahead)
        memory[TILT] += lag_share(1.0 / p.tilt_time, period) * angle
        memory[TILT] = min(max(memory[TILT], -LARGEST_TILT), LARGEST_TILT)


@inlined
def _normal(memory):
    """The believed normal in the plane: that of the force, friction's angle taken off.

    Zero where none is.
    """
    axis, normal = three(memory, AXIS), three(memory, NORMAL)
    normal = along(normal, -dot(axis, normal), axis)
    size = length(normal)
    if size < LEAST_NORMAL:
        return ZERO
    c, s = math.cos(memory[TILT]) / size, math.sin(memory[TILT]) / size
    return along(times(c, normal), s, _tangent(memory, normal))


@inlined
def _tangent(memory, normal):
    """The direction along the surface: the axis times the normal."""
    return cross(three(memory, AXIS), normal)


@inlined
def _turn(memory, at, angle):
    """Turn the vector that the memory holds at a place about the axis of the plane [rad]."""
    axis, given = three(memory, AXIS), three(memory, at)
    c, s = math.cos(angle), math.sin(angle)
    put_three(
        memory,
        at,
        along(
            along(times(c, given), s, _tangent(memory, given)), (1.0 - c) * dot(axis, given), axis
        ),
    )


@inlined
def _tell_joints(sensed, memory, work, velocity, period):
    """Write the joints' speeds for the tool's velocity, plane and rotation kept, and move their angles."""
    n, columns, square, wanted = sensed.q.size, work.jacobian, work.square, work.vector[0][:6]
    off = 0.0
    for k in range(3):
        off += memory[AXIS + k] * (memory[PLACE + k] - work.tool[k, 3])
    for k in range(3):
        memory[PLACE + k] = work.tool[k, 3] + off * memory[AXIS + k]
        wanted[k] = POSE_RATE * off * memory[AXIS + k]
        wanted[3 + k] = 0.0
    put_three(wanted, 0, add(three(wanted, 0), velocity))
    for j in range(3):
        held = memory[ROTATION + j], memory[ROTATION + 3 + j], memory[ROTATION + 6 + j]
        turning = cross(column(work.rotation[n - 1], j), held)
        put_three(wanted, 3, along(three(wanted, 3), 0.5 * POSE_RATE, turning))
    for i in range(6):
        for j in range(6):
            value = LEAST_SQUARE if i == j else 0.0
            for k in range(n):
                value += columns[i, k] * columns[j, k]
            square[i, j] = value
    solve_symmetric(square, wanted)
    for i in range(n):
        speed = 0.0
        for k in range(6):
            speed += columns[k, i] * wanted[k]
        memory[JOINTS + n + i] = speed
        behind = memory[JOINTS + i] + period * speed - sensed.q[i]
        memory[JOINTS + i] = sensed.q[i] + min(max(behind, -LARGEST_ERROR), LARGEST_ERROR)


METHOD = Method(
    "controller", "hybrid_force_motion", control, unpack.declared, lambda n: JOINTS + 2 * n,
    description="along a surface with a wanted force (Raibert and Craig 1981)",
    limits=lambda values: Limits(frequency=values["natural_frequency"], damping_ratio=values["damping_ratio"]),
    needs=FORCE_FELT,
)  # fmt: skip
