"""Slide along a surface with a wanted force: hybrid force and motion control of the tool point.

Across the surface the force is controlled, along it the speed; height and rotation are kept as at the start.
The force F that the world's estimator believes in says where the surface is: n is its direction in the
horizontal plane, t = side z x n. With the wanted force f_d and e = f_d - F n the tool is told the velocity

    v = s(e) speed t - (k_f e + k_i ∫ e dt) n,    s(e) = 1 - |e| / f_d, at least 0,

and the joints follow its integral as in ``inverse_dynamics``: that stiffness, not a model, overcomes their
friction. Friction of the surface turns F from the normal by its angle, which is that between F and the
perpendicular of the motion; it is taken off.

Until something is felt the tool approaches along ``heading``. What was felt and is lost is searched: the
tool goes on to where the surface was, and around, as it must behind the end of a wall.

Source: Raibert and Craig 1981 (hybrid control); De Schutter and Van Brussel 1988 (outer force loop, normal
and tangent from the measured force and motion).
"""

from __future__ import annotations

import math

from dynamics.compiled import inlined
from dynamics.kinematics import update_jacobian
from dynamics.linear_solve import solve_symmetric
from dynamics.newton_euler import newton_euler
from hopfield_nav.control.sampling import SAMPLING, elapsed, friction_of, lag_share
from hopfield_nav.plugin import FORCE_FELT, Limits, Method, Parameter

FORCE, SPEED, APPROACH, HEADING, SIDE, GAIN, INTEGRAL_GAIN, SMOOTHING, ADAPTING, PARAMETERS = range(10)
PHASE, HEIGHT, INTEGRAL, TILT, LAST_FELT, NORMAL, ROTATION, JOINTS = (
    SAMPLING + k for k in (0, 1, 2, 3, 4, 5, 7, 16)
)  # places in the memory; from JOINTS on the angles that are told to the joints, and their speeds
APPROACHING, SLIDING, SEARCHING = 0.0, 1.0, 2.0
FELT = 0.2  # share of the wanted force that counts as contact
LOST = 0.02  # [s] without it a contact is lost
CURL = 0.01  # [m] radius of the search
POSE_RATE = 20.0  # [1/s] at which height and rotation are corrected
LARGEST_TILT = 0.7  # [rad] of the force from the normal
LARGEST_ERROR = 0.5  # [rad] of a joint behind what it is told: a light wrist is soft
LEAST_SQUARE = 1e-9  # added to J J^T


def control(model, sensed, parameters, memory, work, tau):
    """Write the torque; see above."""
    n = sensed.q.size
    period = elapsed(sensed, memory)
    update_jacobian(model, work)
    if period == 0.0:
        _begin(sensed, parameters, memory, work)
    vx, vy = _velocity(sensed, parameters, memory, work, period)
    _tell_joints(sensed, memory, work, vx, vy, period)
    acceleration = work.vector[0]
    for i in range(n):
        omega = parameters[PARAMETERS + i]
        angle, speed = memory[JOINTS + i], memory[JOINTS + n + i]
        acceleration[i] = omega * omega * (angle - sensed.q[i]) + 2.0 * omega * (speed - sensed.qd[i])
    newton_euler(model, model.gravity, sensed.qd, acceleration, work, tau)
    for i in range(n):
        tau[i] += friction_of(model, i, memory[JOINTS + n + i])
    return 0


@inlined
def _begin(sensed, parameters, memory, work):
    """Nothing felt yet; the pose to keep is that of now."""
    n = sensed.q.size
    memory[PHASE], memory[INTEGRAL], memory[TILT], memory[HEIGHT] = APPROACHING, 0.0, 0.0, work.tool[2, 3]
    memory[NORMAL], memory[NORMAL + 1] = -math.cos(parameters[HEADING]), -math.sin(parameters[HEADING])
    for k in range(9):
        memory[ROTATION + k] = work.rotation[n - 1, k // 3, k % 3]
    for i in range(n):
        memory[JOINTS + i] = sensed.q[i]


@inlined
def _velocity(sensed, parameters, memory, work, period):
    """The horizontal velocity that the tool is told [m/s]."""
    wanted, side = parameters[FORCE], 1.0 if parameters[SIDE] >= 0.0 else -1.0
    fx, fy = sensed.felt[0], sensed.felt[1]
    size, time = math.sqrt(fx * fx + fy * fy), sensed.time[0]
    if size > FELT * wanted:
        _follow_normal(sensed, parameters, memory, work, fx / size, fy / size, side, period)
    elif memory[PHASE] == SLIDING and time - memory[LAST_FELT] > LOST:
        memory[PHASE] = SEARCHING
    nx, ny = _turned(memory[NORMAL], memory[NORMAL + 1], memory[TILT])
    if memory[PHASE] != SLIDING:
        if memory[PHASE] == SEARCHING:
            angle = side * parameters[APPROACH] / CURL * period
            memory[NORMAL], memory[NORMAL + 1] = _turned(memory[NORMAL], memory[NORMAL + 1], angle)
        return -parameters[APPROACH] * nx, -parameters[APPROACH] * ny
    error = wanted - (fx * nx + fy * ny)
    most = parameters[APPROACH]
    memory[INTEGRAL] += parameters[INTEGRAL_GAIN] * error * period
    memory[INTEGRAL] = min(max(memory[INTEGRAL], -most), most)
    inward = min(max(parameters[GAIN] * error + memory[INTEGRAL], -most), most)
    along = side * parameters[SPEED] * max(1.0 - abs(error) / wanted, 0.0)
    return -along * ny - inward * nx, along * nx - inward * ny


@inlined
def _follow_normal(sensed, parameters, memory, work, fx, fy, side, period):
    """Bring the direction of the force, and its angle from the normal, up to date."""
    if memory[PHASE] != SLIDING:
        memory[PHASE], memory[INTEGRAL] = SLIDING, 0.0
        memory[NORMAL], memory[NORMAL + 1] = fx, fy
    memory[LAST_FELT] = sensed.time[0]
    share = 1.0 if parameters[SMOOTHING] == 0.0 else lag_share(1.0 / parameters[SMOOTHING], period)
    x = memory[NORMAL] + share * (fx - memory[NORMAL])
    y = memory[NORMAL + 1] + share * (fy - memory[NORMAL + 1])
    size = math.sqrt(x * x + y * y)
    if size > 0.0:
        memory[NORMAL], memory[NORMAL + 1] = x / size, y / size
    if parameters[ADAPTING] == 0.0:
        return
    vx, vy = 0.0, 0.0
    for i in range(sensed.qd.size):
        vx += work.jacobian[0, i] * sensed.qd[i]
        vy += work.jacobian[1, i] * sensed.qd[i]
    nx, ny = _turned(memory[NORMAL], memory[NORMAL + 1], memory[TILT])
    along = side * (nx * vy - ny * vx)
    if along > 0.5 * parameters[SPEED]:  # then side (vy, -vx) points along the normal
        angle = math.atan2(side * (-nx * vx - ny * vy), along)
        memory[TILT] += lag_share(1.0 / parameters[ADAPTING], period) * angle
        memory[TILT] = min(max(memory[TILT], -LARGEST_TILT), LARGEST_TILT)


@inlined
def _turned(x, y, angle):
    """A vector turned about z by an angle [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return c * x - s * y, s * x + c * y


@inlined
def _tell_joints(sensed, memory, work, vx, vy, period):
    """Write the joints' speeds for the tool's velocity, height and rotation kept, and move their angles."""
    n, columns, square, wanted = sensed.q.size, work.jacobian, work.square, work.vector[0][:6]
    wanted[0], wanted[1], wanted[2] = vx, vy, POSE_RATE * (memory[HEIGHT] - work.tool[2, 3])
    wanted[3], wanted[4], wanted[5] = 0.0, 0.0, 0.0
    for j in range(3):
        x, y, z = (work.rotation[n - 1, 0, j], work.rotation[n - 1, 1, j], work.rotation[n - 1, 2, j])
        a, b, c = memory[ROTATION + j], memory[ROTATION + 3 + j], memory[ROTATION + 6 + j]
        wanted[3] += 0.5 * POSE_RATE * (y * c - z * b)
        wanted[4] += 0.5 * POSE_RATE * (z * a - x * c)
        wanted[5] += 0.5 * POSE_RATE * (x * b - y * a)
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
    kind="controller",
    name="hybrid_force_motion",
    kernel=control,
    parameters=(
        Parameter("force", 10.0, 0.1, 1e3, "N", "wanted across the surface"),
        Parameter("speed", 0.03, 0.0, 1.0, "m/s", "wanted along the surface"),
        Parameter("approach", 0.02, 1e-4, 0.5, "m/s", "speed until something is felt, and of the search"),
        Parameter("heading", 0.0, -7.0, 7.0, "rad", "direction of the approach, from the base's x axis"),
        Parameter("side", 1.0, -1.0, 1.0, "1", "1: counter-clockwise around what is touched, -1: clockwise"),
        Parameter("force_gain", 2e-3, 0.0, 1.0, "m/(s·N)", "k_f"),
        Parameter("force_integral", 6e-3, 0.0, 10.0, "m/(s²·N)", "k_i"),
        Parameter("normal_time", 0.02, 0.0, 1.0, "s", "over which the direction of the force is smoothed"),
        Parameter(
            "tilt_time", 0.1, 0.0, 100.0, "s", "over which friction's angle is found; 0: there is none"
        ),
        Parameter(
            "natural_frequency",
            (22.5, 22.5, 37.5, 60.0, 67.5, 75.0),
            1e-3,
            1e4,
            "rad/s",
            "of each joint",
            per_joint=True,
        ),
    ),
    memory=lambda n: JOINTS + 2 * n,
    limits=lambda values: Limits(frequency=values["natural_frequency"]),
    needs=FORCE_FELT,
    description="along a surface with a wanted force (Raibert and Craig 1981)",
)
